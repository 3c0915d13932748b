import { randomUUID } from "node:crypto";
import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Fixtures } from "../../../test/fixtures.ts";
import { stateMessage } from "../../../test/robot-messages.ts";
import { StatementCount } from "../../../test/statement-count.ts";
import { TEST_NOW, testSettings } from "../../../test/test-app.ts";
import { createSeededDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { ingest } from "../devices/public.ts";
import { FirstSeen } from "./accept-orders.ts";
import { claimAll, readCommands } from "./commands.repository.ts";
import { acceptCommand } from "./person-orders.ts";

const clock = new ManualClock(TEST_NOW);

let database: OpenDatabase;
let fixtures: Fixtures;
let seq: number;
beforeEach(async () => {
  ({ database, fixtures } = await createSeededDatabase());
  seq = 0;
  await show({});
});
afterEach(() => database.close());

/** Stores a state of the robot, after its acknowledgement of a command; answers the number of statements. */
async function show(shown: Partial<StateMessage>): Promise<number> {
  const { serial } = fixtures.ownRobot;
  const { lastCommandId: id } = shown;
  const arrived = { receivedAt: TEST_NOW };
  const ack = { id: id ?? "", status: "ACCEPTED", code: null, ts: TEST_NOW.toISOString() } as const;
  seq += 1;
  const state = stateMessage(TEST_NOW, 1, seq, shown);
  const counted = new StatementCount();
  const messages = [
    ...(id ? [{ leaf: "ack", message: ack, ...arrived } as const] : []),
    { leaf: "state", message: state, retained: false, ...arrived } as const,
  ];
  await ingest(database.db.withPlugin(counted), [{ serial, messages }], clock);
  return counted.statements;
}

/** A person's press, from its call until the robot can be sent the command, and the robot's answer. */
async function press(command: "START" | "STOP") {
  const { ownRobot, userIds } = fixtures;
  const viewer = { userId: userIds.admin, name: "Anita Rao", email: "", role: "SUPER_ADMIN", partnerId: null } as const;
  const { serial, id, siteId } = ownRobot;
  const body = { robotId: serial, robotObjectId: id, siteId, command, mode: "AUTO", params: {} } as const;
  const context = { key: randomUUID(), press: null, seen: new FirstSeen() };
  const counted = new StatementCount();
  const db = database.db.withPlugin(counted);
  const deps = { clock, settings: testSettings };
  const accepted = await transactionWithRetry(db, (tx) =>
    acceptCommand(tx, deps, { ...viewer, sessionId: randomUUID() }, body, context),
  );
  if (accepted.kind !== "stored") throw new Error("The press was refused.");
  const [claimed] = await claimAll(db, [accepted.commandId], randomUUID(), TEST_NOW);
  if (claimed === undefined) throw new Error("The command was not claimed.");
  const sent = counted.statements;
  const moving = { motion: "MOVING", status: "start", runId: claimed.run_id } as const;
  const shown = { lastSeq: claimed.seq, lastCommandId: claimed.id, ...(command === "START" && moving) };
  const settled = await show(shown);
  expect(await readCommands(database.db, [claimed.id])).toMatchObject([{ outcome: "CONFIRMED" }]);
  return { sent, settled };
}

// Each costs some half a millisecond, one after another, while somebody waits at a robot.
test("protocol rule 6: a START and a STOP take no more statements until they are sent, and until they are settled", async () => {
  const start = await press("START");
  expect(start).toEqual({ sent: 11, settled: 22 });
  expect(await press("STOP")).toEqual({ sent: 10, settled: 22 });
});
