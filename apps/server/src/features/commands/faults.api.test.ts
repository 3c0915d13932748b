import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { FastClock } from "../../../test/fast-clock.ts";

let harness: CommandHarness;
let broker: InterruptibleBroker;

beforeEach(async () => {
  harness = await CommandHarness.open({
    clock: new FastClock(6),
    wrapBroker: (inner) => (broker = new InterruptibleBroker(inner)),
  });
  await harness.live();
});
afterEach(() => harness.close());

const robot = () => harness.robot();
const stops = async () => (await harness.commands()).filter(({ verb }) => verb === "STOP");
const allSettled = () =>
  harness.until(async () => (await harness.commands()).every(({ settled_at }) => settled_at !== null));

describe("a robot that does not obey", () => {
  test("protocol rule 6: a START that no state shows has failed, and a STOP with a higher seq follows until it is confirmed", async () => {
    robot().inject({ kind: "silent" });
    const answer = await harness.press("START");
    expect(answer).toMatchObject({
      status: 504,
      body: { success: false, message: expect.stringContaining("A Stop was sent to it") },
    });
    await robot().until(({ motion }) => motion === "STOPPED");
    const [start, stop, ...more] = await harness.commands();
    expect(more).toEqual([]);
    expect(start).toMatchObject({ verb: "START", outcome: "UNCONFIRMED" });
    expect(stop).toMatchObject({ verb: "STOP", follows_id: start?.id, requested_by: "Suncrew", action_type: "SYSTEM" });
    expect(stop?.seq).toBeGreaterThan(start?.seq ?? 0);
    expect(stop?.settled_at).toBeNull();
    expect(await harness.press("START")).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("Stop") },
    });
    robot().clear("silent");
    robot().setByHand({ battery: 70 });
    await allSettled();
    expect(robot().truth()).toMatchObject({ motion: "STOPPED", startsTaken: [start?.id] });
    expect(await stops()).toMatchObject([{ outcome: "CONFIRMED" }]);
    const activity = await harness.activity();
    expect(activity.map(({ action, status, action_type }) => `${action} ${status} ${action_type}`)).toEqual([
      "START FAILED MANUAL",
      "START REFUSED MANUAL",
      "STOP SUCCESS SYSTEM",
    ]);
    expect(activity[2]?.user_name).toBe("Suncrew");
    expect(await harness.press("START")).toMatchObject({ status: 200 });
  });

  test("protocol rule 6: a failed START stays failed: a state that shows it late changes nothing, the STOP counts", async () => {
    robot().inject({ kind: "late", ms: 10_000 });
    expect(await harness.press("START")).toMatchObject({ status: 504 });
    await allSettled();
    expect(robot().truth()).toMatchObject({ motion: "STOPPED" });
    expect(await harness.commands()).toMatchObject([
      { outcome: "UNCONFIRMED" },
      { verb: "STOP", outcome: "CONFIRMED" },
    ]);
  });

  test("protocol rule 6: an answer within 8 s is in time", async () => {
    robot().inject({ kind: "late", ms: 3_000 });
    expect(await harness.press("START")).toMatchObject({ status: 200 });
    expect(await harness.press("STOP")).toMatchObject({ status: 200 });
  });

  test("protocol rule 3: a STOP that the robot did not receive is sent again, with the same id and seq, until it has stopped", async () => {
    await harness.press("START");
    robot().inject({ kind: "deaf" });
    const answer = await harness.press("STOP");
    expect(answer).toMatchObject({ status: 504, body: { success: false, pending: true } });
    expect(robot().truth().motion).toBe("MOVING");
    expect(await harness.activity()).toMatchObject([{}, { action: "STOP", status: "FAILED" }]);
    robot().clear("deaf");
    await robot().until(({ motion }) => motion === "STOPPED");
    await allSettled();
    const [stop] = await stops();
    const sent = broker.published.map(({ payload }) => JSON.parse(payload)).filter(({ id }) => id === stop?.id);
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.map(({ seq }) => seq))).toEqual(new Set([stop?.seq]));
    expect(await harness.activity()).toMatchObject([{}, { action: "STOP", status: "SUCCESS", command_id: stop?.id }]);
  });

  test("protocol rule 3: a robot whose commands cannot be settled delays no other robot's STOP", async () => {
    const [broken, other] = [harness.fixtures.ownRobot, harness.fixtures.ownRobot2];
    await harness.press("START", { robot: other });
    for (const each of [broken, other]) harness.robot(each).inject({ kind: "deaf" });
    const unsettled = harness.press("START", { robot: broken });
    await harness.until(async () => (await harness.commands(broken)).length === 1);
    const before = await harness.db
      .selectFrom("robots")
      .select("last_command_seq")
      .where("id", "=", broken.id)
      .executeTakeFirstOrThrow();
    // No number is left for the STOP that must follow: settling this robot fails from now on.
    await setLastSeq(broken.id, Number.MAX_SAFE_INTEGER);
    expect(await unsettled).toMatchObject({ status: 504, body: { success: false, pending: true } });
    expect(await harness.press("STOP", { robot: other })).toMatchObject({ status: 504, body: { pending: true } });
    const sent = () =>
      broker.published.filter(({ topic, payload }) => topic.includes(other.serial) && payload.includes("STOP"));
    // One goes out with the answer, and the next after 5 s.
    const sentBefore = sent().length;
    await harness.until(async () => sent().length >= sentBefore + 2);
    harness.robot(other).clear("deaf");
    await harness.robot(other).until(({ motion }) => motion === "STOPPED");
    await setLastSeq(broken.id, before.last_command_seq);
    harness.robot(broken).clear("deaf");
    await harness.until(async () => (await harness.commands(broken)).every(({ settled_at }) => settled_at !== null));
  });

  test("protocol rule 3: a robot whose stopping was not heard is queried for the state that confirms the repeated STOP", async () => {
    await harness.press("START");
    robot().inject({ kind: "silent" });
    expect(await harness.press("STOP")).toMatchObject({ status: 504, body: { pending: true } });
    await robot().until(({ motion }) => motion === "STOPPED");
    const heardFrom = harness.clock.now().getTime();
    robot().clear("silent");
    await allSettled();
    const [stop] = await stops();
    expect(stop?.outcome).toBe("CONFIRMED");
    // Its own next report may come 25 s later; a repetition, with its query, comes every 5 s.
    expect((stop?.settled_at?.getTime() ?? Infinity) - heardFrom).toBeLessThan(12_000);
  });

  test("protocol rule 3: a newer STOP settles the older pending ones with it", async () => {
    await harness.press("START");
    robot().inject({ kind: "deaf" });
    const [first, second] = await Promise.all([harness.press("STOP"), harness.press("STOP", { as: "owner" })]);
    expect([first?.status, second?.status]).toEqual([504, 504]);
    robot().clear("deaf");
    await allSettled();
    expect(await stops()).toMatchObject([{ outcome: "CONFIRMED" }, { outcome: "CONFIRMED" }]);
  });

  test("protocol rule 3: STOP is accepted while a START is open; the START is answered, and never confirmed afterwards", async () => {
    robot().inject({ kind: "silent" });
    const start = harness.press("START");
    await robot().until(({ motion }) => motion === "MOVING");
    const stop = harness.press("STOP", { as: "owner" });
    expect(await start).toMatchObject({
      status: 409,
      body: {
        success: false,
        message:
          "A Stop or a maintenance lock came before Robot OWN-1 confirmed the start, so the start does not count.",
      },
    });
    robot().clear("silent");
    expect(await stop).toMatchObject({ status: 200 });
    expect(robot().truth().motion).toBe("STOPPED");
    expect(await harness.commands()).toMatchObject([{ outcome: "UNCONFIRMED" }, { outcome: "CONFIRMED" }]);
    expect(await harness.activity()).toMatchObject([
      { action: "START", status: "FAILED" },
      { action: "STOP", status: "SUCCESS" },
    ]);
  });

  test("protocol rule 2: a second START while one is open is refused", async () => {
    robot().inject({ kind: "silent" });
    const first = harness.press("START");
    await robot().until(({ motion }) => motion === "MOVING");
    expect(await harness.press("START", { as: "owner" })).toMatchObject({
      status: 409,
      body: { success: false, message: "Robot not found or already processing" },
    });
    robot().clear("silent");
    robot().setByHand({ battery: 70 });
    expect(await first).toMatchObject({ status: 200 });
    expect(robot().truth().startsTaken).toHaveLength(1);
  });

  test.each([
    ["BUSY", "already cleaning"],
    ["FAULT", "fault"],
    ["BATTERY_LOW", "battery"],
    ["CLOCK_NOT_SET", "clock"],
    ["EXPIRED", "too late"],
    ["OLD_SESSION", "reconnected"],
    ["OLD_SEQ", "newer command"],
    ["MAINTENANCE", "maintenance"],
    ["INVALID", "understand"],
    ["REFUSED", "no reason"],
  ] as const)("§8 Control Failed: the robot refuses with %s", async (code, words) => {
    robot().inject({ kind: "refuse", code });
    const before = await harness.state();
    expect(await harness.press("START")).toMatchObject({
      status: 502,
      body: { success: false, message: expect.stringContaining(words) },
    });
    expect(robot().truth().startsTaken).toEqual([]);
    expect(await harness.commands()).toMatchObject([{ outcome: "REJECTED", ack: "REJECTED", ack_code: code }]);
    expect(await harness.activity()).toMatchObject([{ action: "START", status: "FAILED" }]);
    expect((await harness.state()).robot_status).toBe(before.robot_status);
  });

  test("protocol rule 5: delivered twice, executed once", async () => {
    robot().inject({ kind: "twice" });
    expect(await harness.press("START")).toMatchObject({ status: 200 });
    expect(await harness.press("STOP")).toMatchObject({ status: 200 });
    expect(robot().truth().startsTaken).toHaveLength(1);
  });

  test("protocol rule 10: malformed messages among the valid ones change nothing", async () => {
    robot().inject({ kind: "malformed", everyMs: 50 });
    expect(await harness.press("START")).toMatchObject({ status: 200 });
    expect(await harness.press("STOP")).toMatchObject({ status: 200 });
  });

  test("protocol rule 6: a START shown in a new session after the link dropped has worked", async () => {
    robot().inject({ kind: "silent" });
    const start = harness.press("START");
    const { session } = await robot().until(({ motion }) => motion === "MOVING");
    robot().inject({ kind: "drop-link", forSeconds: 0.5 });
    robot().clear("silent");
    expect(await start).toMatchObject({ status: 200 });
    expect((await harness.state()).session).toBeGreaterThan(session);
  });

  test("protocol rule 12: START is refused if the clocks differ by more than 30 s; STOP is accepted", async () => {
    await harness.press("START");
    robot().inject({ kind: "wrong-clock", offset: "unset" });
    robot().setByHand({ battery: 70 });
    await harness.until(async () => Math.abs((await harness.state()).clock_skew_ms ?? 0) > 30_000);
    expect(await harness.press("STOP")).toMatchObject({ status: 200 });
    expect(await harness.press("START")).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("clock") },
    });
    expect(await harness.activity()).toMatchObject([{}, {}, { action: "START", status: "REFUSED" }]);
  });
});

describe("a robot that is offline", () => {
  test("protocol rule 2: START is refused immediately, never queued", async () => {
    robot().inject({ kind: "away" });
    await harness.until(async () => !(await harness.state()).online);
    expect(await harness.press("START")).toMatchObject({
      status: 504,
      body: { success: false, message: expect.stringContaining("Robot OWN-1 is offline") },
    });
    expect(await harness.commands()).toEqual([]);
    expect(await harness.activity()).toMatchObject([{ action: "START", status: "REFUSED", command_id: null }]);
    expect(await harness.audit()).toMatchObject([{ action: "START_ROBOT", outcome: "REFUSED" }]);
    robot().clear("away");
    await harness.live();
    expect(robot().truth().startsTaken).toEqual([]);
  });

  test("protocol rule 3: STOP stays pending, is delivered when the robot returns and closes when it shows that it has stopped", async () => {
    await harness.press("START");
    robot().inject({ kind: "away" });
    await harness.until(async () => !(await harness.state()).online);
    const answer = await harness.press("STOP");
    expect(answer).toMatchObject({
      status: 504,
      body: { success: false, pending: true, message: expect.stringContaining("delivered when the robot returns") },
    });
    expect(robot().truth().motion).toBe("MOVING");
    robot().clear("away");
    await robot().until(({ motion }) => motion === "STOPPED");
    await allSettled();
    expect(await harness.activity()).toMatchObject([
      {},
      { action: "STOP", status: "SUCCESS", details: expect.stringContaining("Was pending") },
    ]);
  });
});

describe("a broker that is unreachable", () => {
  test("protocol rule 5: a START that was never sent has failed immediately, and no STOP follows", async () => {
    broker.setCut(true);
    expect(await harness.press("START")).toMatchObject({
      status: 503,
      body: { success: false, message: expect.stringContaining("broker cannot be reached") },
    });
    expect(await harness.commands()).toMatchObject([{ outcome: "NEVER_SENT" }]);
    expect(await harness.activity()).toMatchObject([{ action: "START", status: "FAILED" }]);
    broker.setCut(false);
    expect(await harness.press("START")).toMatchObject({ status: 200 });
    expect(robot().truth().startsTaken).toHaveLength(1);
  });

  test("protocol rule 3: a STOP is stored and sent when the broker is back", async () => {
    await harness.press("START");
    broker.setCut(true);
    expect(await harness.press("STOP")).toMatchObject({ status: 503, body: { success: false, pending: true } });
    broker.setCut(false);
    await robot().until(({ motion }) => motion === "STOPPED");
    await allSettled();
    expect(await stops()).toMatchObject([{ outcome: "CONFIRMED" }]);
  });

  test("protocol rule 5: a START lost on its way may have been received: a STOP follows", async () => {
    broker.deliveryOf = (_topic, payload) => (payload.includes('"START"') ? "lose" : "pass");
    expect(await harness.press("START")).toMatchObject({ status: 504 });
    await allSettled();
    expect(await harness.commands()).toMatchObject([
      { verb: "START", outcome: "UNCONFIRMED", published_at: null },
      { verb: "STOP", outcome: "CONFIRMED" },
    ]);
    expect(robot().truth().startsTaken).toEqual([]);
  });

  test("protocol rule 6: a START whose publishing failed after it went out is judged by what the robot shows", async () => {
    broker.deliveryOf = (_topic, payload) => (payload.includes('"START"') ? "fail" : "pass");
    expect(await harness.press("START")).toMatchObject({ status: 200 });
    expect(await harness.commands()).toMatchObject([{ outcome: "CONFIRMED", published_at: null }]);
  });
});

async function setLastSeq(robotId: number, seq: number): Promise<void> {
  await harness.db.updateTable("robots").set({ last_command_seq: seq }).where("id", "=", robotId).execute();
}
