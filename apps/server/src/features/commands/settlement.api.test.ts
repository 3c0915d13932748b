import { commandMessageSchema, type CommandMessage, type StateMessage } from "@suncrew/contract/devices/messages.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { activityRows } from "../../../test/fixtures.ts";
import { holdRobotRows, untilBlocked } from "../../../test/row-locks.ts";
import { connectionMessage, stateMessage } from "../../../test/robot-messages.ts";
import { databaseNow } from "../../platform/database/database.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { Answer } from "../../../test/test-client.ts";

/** The test plays the robot, message by message; time is stopped until the test advances it. */
let harness: TestApp;
let stateSeq = 0;
const SESSION = 7;

beforeEach(async () => {
  harness = await createTestApp();
  await harness.app.start();
  stateSeq = 0;
  await until(async () => {
    says({});
    return (await shown()).live_at !== null;
  });
});
afterEach(() => harness.close());

/** Lets the server work, and time advance by `stepMs` per check, until `check` succeeds. */
async function until<T>(check: () => Promise<T | false> | T | false, stepMs = 20): Promise<T> {
  for (;;) {
    const found = await check();
    if (found !== false) return found;
    harness.clock.advance(stepMs);
    await databaseNow(harness.db);
  }
}

/** Waits for an answer that depends on the robot's message, while little time passes. */
async function answered(call: Promise<Answer>): Promise<Answer> {
  let answer: Answer | false = false;
  void call.then((result) => (answer = result));
  return until(() => answer, 5);
}

/** Waits for an answer that depends on time; then the database gets all the time it needs, however slow the machine. */
async function timedOut(call: Promise<Answer>, dueMs = harness.clock.now().getTime() + 8_000): Promise<Answer> {
  let answer: Answer | false = false;
  void call.then((result) => (answer = result));
  await until(() => answer !== false || harness.clock.now().getTime() >= dueMs, 100);
  return until(() => answer, 0);
}

const robot = () => harness.fixtures.ownRobot;
const shown = () =>
  harness.db.selectFrom("robot_state").selectAll().where("robot_id", "=", robot().id).executeTakeFirstOrThrow();
const commands = () => harness.db.selectFrom("commands").selectAll().orderBy("seq").execute();
const activity = () => activityRows(harness.db).execute();

async function press(command: "START" | "STOP"): Promise<Answer> {
  const { serial: robotId, id: robotObjectId, siteId } = robot();
  return (await harness.as("admin")).call(sendCommand, { body: { robotId, robotObjectId, siteId, command } });
}

/** Messages of a verb that the robot was sent, oldest first. */
function sent<V extends CommandMessage["verb"]>(verb: V): Extract<CommandMessage, { verb: V }>[] {
  const all = harness.broker.published
    .filter(({ topic }) => topic === topicOf(robot().serial, "command"))
    .map(({ payload }) => commandMessageSchema.parse(JSON.parse(payload)));
  return all.filter((message): message is Extract<CommandMessage, { verb: V }> => message.verb === verb);
}

async function firstSent<V extends CommandMessage["verb"]>(verb: V): Promise<Extract<CommandMessage, { verb: V }>> {
  return until(() => sent(verb)[0] ?? false, 0);
}

function says(state: Partial<StateMessage>, retained = false, session = SESSION): void {
  stateSeq += 1;
  harness.broker.receive(
    topicOf(robot().serial, "state"),
    stateMessage(harness.clock.now(), session, stateSeq, state),
    retained,
  );
}

function acks(id: string, status: "ACCEPTED" | "REJECTED", from = robot().serial): void {
  const code = status === "REJECTED" ? "BUSY" : null;
  harness.broker.receive(topicOf(from, "ack"), { id, status, code, ts: harness.clock.now().toISOString() });
}

describe("protocol rule 6: a command has worked when the robot shows it", () => {
  test("protocol rule 6: MOVING with the command's runId and its seq, and nothing less, confirms a START", async () => {
    const call = press("START");
    const start = await firstSent("START");
    const { runId, seq } = start;
    says({ status: "start", motion: "MOVING", runId: "01890000-0000-7000-8000-000000000001", lastSeq: seq });
    says({ status: "start", motion: "STOPPED", runId, lastSeq: seq });
    says({ status: "start", motion: "MOVING", runId, lastSeq: seq - 1 });
    acks(start.id, "ACCEPTED");
    await until(async () => (await commands())[0]?.ack === "ACCEPTED");
    expect((await commands())[0]).toMatchObject({ settled_at: null });
    says({ status: "stop", motion: "MOVING", runId, lastSeq: seq });
    expect(await answered(call)).toMatchObject({ status: 200 });
  });

  test("protocol rule 6: a retained state and one of an older session confirm nothing", async () => {
    const call = press("START");
    const { runId, seq } = await firstSent("START");
    says({ motion: "MOVING", runId, lastSeq: seq }, true);
    says({ motion: "MOVING", runId, lastSeq: seq }, false, SESSION - 1);
    expect(await timedOut(call)).toMatchObject({ status: 504 });
  });

  test("wire, Commands: settled exactly 8 s after it was accepted, not a moment before", async () => {
    const acceptedAt = harness.clock.now().getTime();
    const call = press("START");
    await firstSent("START");
    await until(() => harness.clock.now().getTime() >= acceptedAt + 7_900);
    expect((await commands())[0]).toMatchObject({ settled_at: null });
    expect(await timedOut(call, acceptedAt + 8_000)).toMatchObject({ status: 504 });
    const [start] = await commands();
    expect(start?.settled_at?.getTime()).toBeGreaterThanOrEqual(acceptedAt + 8_000);
    expect(start?.settled_at?.getTime()).toBeLessThanOrEqual(acceptedAt + 8_200);
  });

  test("protocol rule 6: a late state of a failed START changes nothing; the STOP closes with what it shows", async () => {
    const call = press("START");
    const { runId, seq } = await firstSent("START");
    await timedOut(call);
    says({ motion: "MOVING", runId, lastSeq: seq });
    const stop = await firstSent("STOP");
    await until(async () => (await shown()).motion === "MOVING");
    expect(await commands()).toMatchObject([{ outcome: "UNCONFIRMED" }, { verb: "STOP", settled_at: null }]);
    says({ motion: "STOPPED", lastSeq: seq });
    await until(async () => (await shown()).motion === "STOPPED");
    expect((await commands())[1]).toMatchObject({ settled_at: null });
    says({ motion: "STOPPED", lastSeq: stop.seq });
    await until(async () => (await commands())[1]?.settled_at !== null);
    expect(await activity()).toMatchObject([
      { action: "START", status: "FAILED" },
      { action: "STOP", status: "SUCCESS", user_name: "Robot", details: "The robot finished by itself." },
      { action: "STOP", status: "SUCCESS", user_name: "Suncrew" },
    ]);
  });

  test("protocol rule 3: a Stop that waits for its robot's rows is recorded at the time of the decision, not before", async () => {
    const letGo = await holdRobotRows(harness.db, robot());
    const call = press("STOP");
    // The press; the bridge may wait for the same rows.
    await untilBlocked(harness.db, 1, "select r.id from robot_state");
    harness.clock.advance(100);
    const freeAt = harness.clock.now();
    await letGo();
    const stop = await firstSent("STOP");
    says({ motion: "STOPPED", lastSeq: stop.seq });
    expect(await answered(call)).toMatchObject({ status: 200 });
    // What was confirmed while it waited precedes it.
    expect((await commands())[0]?.issued_at.getTime()).toBeGreaterThanOrEqual(freeAt.getTime());
  });

  test("protocol rule 6: a state that could be stored only after the 8 s confirms no START", async () => {
    const call = press("START");
    const { runId, seq } = await firstSent("START");
    // The robot's rows are locked while its state arrives in time and the deadline passes.
    const letGo = await holdRobotRows(harness.db, robot());
    says({ motion: "MOVING", runId, lastSeq: seq });
    harness.clock.advance(200);
    await untilBlocked(harness.db);
    harness.clock.advance(10_000);
    expect(await call.finally(() => void letGo())).toMatchObject({
      status: 504,
      body: { message: expect.stringContaining("It is not known yet"), pending: true },
    });
    const stop = await firstSentAsTimePasses("STOP");
    expect(await commands()).toMatchObject([{ outcome: "UNCONFIRMED" }, { verb: "STOP", settled_at: null }]);
    expect(await activity()).toMatchObject([{ action: "START", status: "FAILED" }]);
    const runs = () => harness.db.selectFrom("runs").selectAll().execute();
    // The state and the settling waited for the same rows; either may come first.
    await until(async () => (await runs()).length > 0);
    expect(await runs()).toMatchObject([{ id: runId, command_id: (await commands())[0]?.id, ended_at: null }]);
    says({ motion: "STOPPED", lastSeq: stop.seq });
    await until(async () => (await commands())[1]?.settled_at !== null);
    expect(await runs()).toMatchObject([{ id: runId, ended_at: expect.any(Date), reason: "STOP" }]);
  });

  test("protocol rule 6: a robot that moves on a START it had refused is stopped", async () => {
    const call = press("START");
    const start = await firstSent("START");
    acks(start.id, "REJECTED");
    expect(await answered(call)).toMatchObject({ status: 502 });
    expect(sent("STOP")).toEqual([]);
    says({ motion: "MOVING", runId: start.runId, lastSeq: start.seq });
    const stop = await firstSentAsTimePasses("STOP");
    expect(stop.seq).toBeGreaterThan(start.seq);
    expect(await commands()).toMatchObject([{ outcome: "REJECTED" }, { verb: "STOP", follows_id: start.id }]);
  });

  test("protocol rule 6: a refusal after the confirmation, or after an acceptance, changes nothing", async () => {
    const call = press("START");
    const { id, runId, seq } = await firstSent("START");
    acks(id, "ACCEPTED");
    acks(id, "REJECTED");
    await until(async () => (await commands())[0]?.ack === "ACCEPTED");
    says({ motion: "MOVING", runId, lastSeq: seq });
    expect(await answered(call)).toMatchObject({ status: 200 });
    acks(id, "REJECTED");
    says({ motion: "MOVING", runId, lastSeq: seq, battery: 50 });
    await until(async () => (await shown()).battery === 50);
    expect(await commands()).toMatchObject([{ outcome: "CONFIRMED", ack: "ACCEPTED" }]);
  });

  test("protocol rule 9: another robot's ack settles nothing", async () => {
    const call = press("START");
    const { id } = await firstSent("START");
    acks(id, "REJECTED", harness.fixtures.foreignRobot.serial);
    expect(await timedOut(call)).toMatchObject({ status: 504 });
    expect((await commands())[0]).toMatchObject({ ack: null, outcome: "UNCONFIRMED" });
  });
});

describe("protocol rule 3: a pending STOP", () => {
  test("protocol rule 3: is sent every 5 s while the robot is online, and immediately in its new session when it returns", async () => {
    const call = press("STOP");
    const first = await firstSent("STOP");
    expect(await timedOut(call)).toMatchObject({ status: 504, body: { pending: true } });
    const sendingAfter = async (count: number) => {
      await until(() => sent("STOP").length > count);
      // When the server decided to send it, by its own clock.
      return (await commands())[0]?.claimed_at?.getTime() ?? 0;
    };
    const againMs = await sendingAfter(sent("STOP").length);
    const waitedMs = (await sendingAfter(sent("STOP").length)) - againMs;
    expect(waitedMs).toBeGreaterThanOrEqual(5_000);
    expect(waitedMs).toBeLessThan(8_000);
    const dies = connectionMessage(harness.clock.now(), SESSION, "CONNECTION_BROKEN");
    harness.broker.receive(topicOf(robot().serial, "connection"), dies);
    await until(async () => !(await shown()).online);
    const untilThen = sent("STOP").length;
    const awayUntil = harness.clock.now().getTime() + 12_000;
    await until(() => harness.clock.now().getTime() >= awayUntil, 1_000);
    expect(sent("STOP")).toHaveLength(untilThen);
    harness.broker.receive(topicOf(robot().serial, "connection"), connectionMessage(harness.clock.now(), SESSION + 1));
    await until(() => sent("STOP").length > untilThen);
    expect(sent("STOP").at(-1)).toMatchObject({ id: first.id, seq: first.seq, session: SESSION + 1 });
    says({ motion: "STOPPED", lastSeq: first.seq }, false, SESSION + 1);
    await until(async () => (await commands())[0]?.settled_at !== null);
    expect(await activity()).toMatchObject([
      { action: "STOP", status: "SUCCESS", details: expect.stringContaining("Was pending") },
    ]);
  });

  test("protocol rule 3: a robot that refuses it is sent it again", async () => {
    const call = press("STOP");
    const { id, seq } = await firstSent("STOP");
    acks(id, "REJECTED");
    await until(() => sent("STOP").length === 2);
    expect((await commands())[0]).toMatchObject({ settled_at: null, ack: "REJECTED" });
    says({ motion: "STOPPED", lastSeq: seq });
    await until(async () => (await commands())[0]?.outcome === "CONFIRMED");
    await answered(call);
    expect(await activity()).toMatchObject([{ action: "STOP", status: "SUCCESS" }]);
  });
});

async function firstSentAsTimePasses<V extends CommandMessage["verb"]>(
  verb: V,
): Promise<Extract<CommandMessage, { verb: V }>> {
  return until(() => sent(verb)[0] ?? false, 5);
}
