import { randomUUID } from "node:crypto";
import { logOptions } from "../src/platform/log.ts";
import type { RobotLeaf } from "@suncrew/contract/devices/topics.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { sql } from "kysely";
import pino from "pino";
import { Bridge } from "../src/features/devices/public.ts";
import type { Broker } from "../src/platform/broker.ts";
import type { ClockCheck } from "../src/platform/clock-watch.ts";
import { ManualClock } from "../src/platform/clock.ts";
import type { OpenDatabase } from "../src/platform/database/database.ts";
import { addRobot, addSite } from "./fixtures.ts";
import { MemoryBroker } from "./memory-broker.ts";
import { TEST_NOW } from "./test-app.ts";
import { createTestDatabase } from "./test-database.ts";

/** A bridge on its own database, with time and messages controlled by the test. */
export interface BridgeHarness {
  readonly database: OpenDatabase;
  readonly clock: ManualClock;
  readonly broker: MemoryBroker;
  readonly bridge: Bridge;
  /** Robots whose pending commands were resent, in order. */
  readonly resent: number[];
  /** Log lines; `logged` waits for one that contains `words`. */
  readonly log: readonly string[];
  logged(words: string): Promise<void>;
  /**
   * Ends the connection that holds this bridge's locks, as if the server had died, and waits until the bridge has noticed.
   */
  loseLock(): Promise<void>;
  readonly siteId: number;
  /** Adds a robot on its own device; returns its id. */
  robot(serial: string): Promise<number>;
  /** A START or STOP as the commands feature stores it, sent in session 1; returns its id. */
  command(robotId: number, verb: "START" | "STOP", seq: number, runId?: string): Promise<string>;
  /** A message arrives as if the robot had sent it. */
  says(serial: string, leaf: RobotLeaf, message: unknown, retained?: boolean): void;
  /** Advances time and waits for everything that this triggers. */
  pass(ms: number): Promise<void>;
  /** The robot's stored state. */
  stateOf(robotId: number): ReturnType<typeof readState>;
  close(): Promise<void>;
}

export async function createBridge(
  options: {
    readonly database?: OpenDatabase;
    readonly clock?: ManualClock;
    readonly clocks?: ClockCheck;
    readonly broker?: Broker;
    /** What the server measures its own silence by; passes by itself unless given. */
    readonly realTime?: ManualClock;
  } = {},
): Promise<BridgeHarness> {
  const database = options.database ?? (await createTestDatabase());
  const clock = options.clock ?? new ManualClock(TEST_NOW);
  const broker = new MemoryBroker();
  const resent: number[] = [];
  const lines: string[] = [];
  const awaited: { readonly words: string; readonly resolve: () => void }[] = [];
  const write = (line: string) => {
    lines.push(line);
    for (const { words, resolve } of awaited) if (line.includes(words)) resolve();
  };
  const logged = (words: string) => new Promise<void>((resolve) => void awaited.push({ words, resolve }));
  const application_name = `bridge-${randomUUID()}`;
  const bridge = new Bridge({
    db: database.db,
    connection: { ...database.connection, application_name },
    broker: options.broker ?? broker,
    clock,
    ...(options.clocks && { clocks: options.clocks }),
    ...(options.realTime && { realTime: options.realTime }),
    log: pino(logOptions("info"), { write }),
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
    logged,
    async loseLock() {
      // On a busy machine a slow query may already have lost the lock.
      if (!bridge.active) return;
      const lost = logged("no longer the bridge");
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${application_name}`.execute(
        database.db,
      );
      await lost;
    },
    siteId,
    robot: async (serial) => (await addRobot(database.db, siteId, serial)).id,
    command: (robotId, verb, seq, runId) => storeCommand(database, clock.now(), { robotId, siteId, verb, seq, runId }),
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

interface StoredCommand {
  readonly robotId: number;
  readonly siteId: number;
  readonly verb: "START" | "STOP";
  readonly seq: number;
  readonly runId: string | undefined;
}

async function storeCommand({ db }: OpenDatabase, now: Date, command: StoredCommand): Promise<string> {
  const { robotId: robot_id, siteId: site_id, verb, seq, runId = null } = command;
  const { serial_number } = await db
    .selectFrom("robots")
    .select("serial_number")
    .where("id", "=", robot_id)
    .executeTakeFirstOrThrow();
  const { id } = await db
    .insertInto("commands")
    .values({
      id: randomUUID(),
      robot_id,
      site_id,
      serial_number,
      verb,
      seq,
      session: 1,
      issued_at: now,
      expires_at: new Date(now.getTime() + 5_000),
      settle_by: new Date(now.getTime() + 8_000),
      published_at: now,
      run_id: runId,
      max_duration_s: verb === "START" ? 600 : null,
      params: "{}",
      requested_by: "Anita Rao",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

function readState(database: OpenDatabase, robotId: number) {
  return database.db.selectFrom("robot_state").selectAll().where("robot_id", "=", robotId).executeTakeFirstOrThrow();
}
