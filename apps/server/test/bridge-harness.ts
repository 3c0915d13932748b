import type { RobotLeaf } from "@suncrew/contract/devices/topics.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import pino from "pino";
import { Bridge } from "../src/features/devices/public.ts";
import { ManualClock } from "../src/platform/clock.ts";
import type { OpenDatabase } from "../src/platform/database/database.ts";
import { addRobot, addSite } from "./fixtures.ts";
import { MemoryBroker } from "./memory-broker.ts";
import { TEST_NOW } from "./test-app.ts";
import { createTestDatabase } from "./test-database.ts";

/** A bridge on a database of its own, with time and messages in the hands of the test. */
export interface BridgeHarness {
  readonly database: OpenDatabase;
  readonly clock: ManualClock;
  readonly broker: MemoryBroker;
  readonly bridge: Bridge;
  /** Robots that pending commands were sent to again, in order. */
  readonly resent: number[];
  readonly log: string[];
  readonly siteId: number;
  /** Adds a robot on a device of its own; answers its id. */
  robot(serial: string): Promise<number>;
  /** A message arrives as if the robot had sent it. */
  says(serial: string, leaf: RobotLeaf, message: unknown, retained?: boolean): void;
  /** Lets time pass and waits for all that it set off. */
  pass(ms: number): Promise<void>;
  /** What is stored of a robot. */
  stateOf(robotId: number): ReturnType<typeof readState>;
  close(): Promise<void>;
}

export async function createBridge(
  options: { readonly database?: OpenDatabase; readonly clock?: ManualClock } = {},
): Promise<BridgeHarness> {
  const database = options.database ?? (await createTestDatabase());
  const clock = options.clock ?? new ManualClock(TEST_NOW);
  const broker = new MemoryBroker();
  const resent: number[] = [];
  const lines: string[] = [];
  const bridge = new Bridge({
    db: database.db,
    connection: database.connection,
    broker,
    clock,
    log: pino({ level: "info" }, { write: (line) => void lines.push(line) }),
    resendPending: (robotIds) => void resent.push(...robotIds),
  });
  const siteId = await addSite(database.db, `Bridge Park ${Math.random()}`, null);
  return {
    database,
    clock,
    broker,
    bridge,
    resent,
    log: lines,
    siteId,
    robot: async (serial) => (await addRobot(database.db, siteId, serial)).id,
    says: (serial, leaf, message, retained = false) => broker.receive(topicOf(serial, leaf), message, retained),
    async pass(ms) {
      clock.advance(ms);
      await bridge.idle();
    },
    stateOf: (robotId) => readState(database, robotId),
    async close() {
      await bridge.stop();
      if (!options.database) await database.close();
    },
  };
}

function readState(database: OpenDatabase, robotId: number) {
  return database.db.selectFrom("robot_state").selectAll().where("robot_id", "=", robotId).executeTakeFirstOrThrow();
}
