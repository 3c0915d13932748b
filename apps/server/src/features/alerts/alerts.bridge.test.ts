import type { DeviceAlert, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { eventMessage, stateMessage } from "../../../test/robot-messages.ts";

let harness: BridgeHarness;
let robotId: number;
let serial: string;
let seq = 0;
let count = 0;

beforeAll(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
});
afterAll(() => harness.close());
beforeEach(async () => {
  count += 1;
  serial = `ALRT-${count}`;
  robotId = await harness.robot(serial);
});

async function shows(shown: Partial<StateMessage>, at = harness.clock.now()): Promise<void> {
  harness.says(serial, "state", stateMessage(at, 1, (seq += 1), shown));
  await harness.pass(100);
}
const alerts = () =>
  harness.database.db.selectFrom("alerts").selectAll().where("robot_id", "=", robotId).orderBy("id").execute();

const brush: DeviceAlert = { code: "BRUSH_WORN", severity: "WARNING", text: "The brush is worn." };
const motor: DeviceAlert = { code: "MOTOR_HOT", severity: "CRITICAL", text: "The motor is hot." };

test("§3 Robot: the alerts a robot lists are open once each, until it no longer lists them", async () => {
  await shows({ alerts: [brush, brush, motor] });
  await shows({ alerts: [brush, motor] });
  expect(await alerts()).toMatchObject([
    { source: "ROBOT", ...brush, cleared_at: null },
    { source: "ROBOT", ...motor, cleared_at: null },
  ]);
  await shows({ alerts: [motor] });
  const [first, second] = await alerts();
  expect(first?.cleared_at).not.toBeNull();
  expect(second?.cleared_at).toBeNull();
  await shows({ alerts: [brush] });
  expect((await alerts()).map(({ code, cleared_at }) => [code, cleared_at === null])).toEqual([
    ["BRUSH_WORN", false],
    ["MOTOR_HOT", false],
    ["BRUSH_WORN", true],
  ]);
});

test("§3 Robot: an alert reported with another text is the same alert", async () => {
  await shows({ alerts: [brush] });
  await shows({ alerts: [{ ...brush, severity: "CRITICAL", text: "The brush is gone." }] });
  expect(await alerts()).toMatchObject([{ severity: "CRITICAL", text: "The brush is gone.", cleared_at: null }]);
});

test("protocol rule 12: a clock more than 30 s off raises an alert, and a right one clears it", async () => {
  const wrong = new Date(harness.clock.now().getTime() + 31_000);
  await shows({}, wrong);
  expect(await alerts()).toMatchObject([{ source: "SERVER", code: "CLOCK_SKEW", cleared_at: null }]);
  expect((await harness.stateOf(robotId)).clock_skew_ms).toBe(31_000);
  await shows({});
  expect((await alerts())[0]?.cleared_at).not.toBeNull();
});

test("protocol rule 12: a time with an offset is the instant that it denotes, and shifts nothing", async () => {
  const now = harness.clock.now();
  const inIndia = new Date(now.getTime() + 19_800_000).toISOString().replace("Z", "+05:30");
  harness.says(serial, "state", { ...stateMessage(now, 1, (seq += 1)), ts: inIndia });
  await harness.pass(100);
  expect(await harness.stateOf(robotId)).toMatchObject({ robot_ts: now, clock_skew_ms: 0, online: true });
  expect(await alerts()).toEqual([]);
});

test("protocol rule 12: a clock 30 s off raises nothing", async () => {
  await shows({}, new Date(harness.clock.now().getTime() - 30_000));
  expect(await alerts()).toEqual([]);
});

test("decisions: a status outside the protocol shows as normal and raises an alert that names it", async () => {
  await shows({ status: "dancing" });
  expect(await alerts()).toMatchObject([
    { source: "SERVER", code: "UNKNOWN_STATUS", text: 'The robot reports the unknown status "dancing".' },
  ]);
  expect((await harness.stateOf(robotId)).robot_status).toBe("normal");
  await shows({ status: "stop" });
  expect((await alerts())[0]?.cleared_at).not.toBeNull();
});

test("Alerts: a low battery is raised once, worse when nearly empty, and cleared only well above the limit", async () => {
  const low = async () =>
    (await alerts()).map(({ code, severity, cleared_at }) => [code, severity, cleared_at === null]);
  await shows({ battery: 20 });
  expect(await low()).toEqual([]);
  for (const battery of [19, 21, 18, 24]) await shows({ battery });
  expect(await low()).toEqual([["LOW_BATTERY", "WARNING", true]]);
  // An alert that was nearly empty stays recorded as such.
  for (const battery of [9, 12]) await shows({ battery });
  expect(await low()).toEqual([["LOW_BATTERY", "CRITICAL", true]]);
  expect(await alerts()).toMatchObject([{ source: "SERVER", text: "The battery is nearly empty, below 10 %." }]);
  await shows({ battery: 20, charging: true });
  expect(await low()).toEqual([["LOW_BATTERY", "CRITICAL", false]]);
});

test("Alerts: one that gets worse loses its acknowledgement, on record as Suncrew's, and consoles learn of it", async () => {
  await shows({ battery: 15 });
  const { db, connection } = harness.database;
  const by = {
    acknowledged_at: harness.clock.now(),
    acknowledged_by: "Anita Rao",
    acknowledgement_comment: "Charging",
  };
  await db.updateTable("alerts").set(by).where("robot_id", "=", robotId).execute();
  await shows({ battery: 12 });
  const [before] = await alerts();
  expect(before).toMatchObject({ severity: "WARNING", acknowledged_by: "Anita Rao" });
  const listener = new pg.Client(connection);
  await listener.connect();
  try {
    await listener.query("listen suncrew_changes");
    const announced = once(listener, "notification");
    await shows({ battery: 9 });
    await announced;
  } finally {
    await listener.end();
  }
  const [after] = await alerts();
  expect(after).toMatchObject({
    code: "LOW_BATTERY",
    severity: "CRITICAL",
    cleared_at: null,
    acknowledged_at: null,
    acknowledged_by: null,
    acknowledgement_comment: null,
  });
  expect(after?.change_no).not.toBe(before?.change_no);
  const audits = await db
    .selectFrom("audit")
    .select(["actor", "user_id", "site_id", "action", "reason"])
    .where("entity", "=", "alert")
    .where("entity_id", "=", String(after?.id))
    .execute();
  expect(audits).toEqual([
    {
      actor: "Suncrew",
      user_id: null,
      site_id: harness.siteId,
      action: "UNDO_ACKNOWLEDGE_ALERT",
      reason: "It got worse: from WARNING to CRITICAL.",
    },
  ]);
});

test("Alerts: a low battery that the robot reports itself is one alert, the robot's", async () => {
  await shows({ battery: 15 });
  await shows({ battery: 14, alerts: [{ code: "LOW_BATTERY", severity: "WARNING", text: "The battery is low." }] });
  expect((await alerts()).map(({ source, cleared_at }) => [source, cleared_at === null])).toEqual([
    ["SERVER", false],
    ["ROBOT", true],
  ]);
});

let eventSeq = 1_763_706_000;
/** Reports an alert that began or ended at `at`. */
function reports(kind: "ALERT_RAISED" | "ALERT_CLEARED", at: Date, alert = brush, named = (eventSeq += 1)): void {
  const body = kind === "ALERT_RAISED" ? { kind, alert } : { kind, code: alert.code };
  harness.says(serial, "event", eventMessage(at, 1, named, body));
}

test("Alerts: one raised and cleared while the robot was offline is recorded at its own times, once", async () => {
  const beganMs = harness.clock.now().getTime();
  const at = (seconds: number) => new Date(beganMs + seconds * 1_000);
  await harness.pass(600_000);
  const first = (eventSeq += 1);
  const second = (eventSeq += 1);
  for (let time = 1; time <= 2; time += 1) {
    await shows({});
    reports("ALERT_RAISED", at(60), motor, first);
    reports("ALERT_CLEARED", at(120), motor, second);
    await harness.pass(100);
  }
  expect(await alerts()).toMatchObject([{ source: "ROBOT", ...motor, raised_at: at(60), cleared_at: at(120) }]);
  const received = harness.broker.published.filter(({ payload }) => payload.includes(`"eventSeq":${second}`));
  expect(received).toHaveLength(2);
});

test("Alerts: events add nothing to an alert that states have shown, and open none", async () => {
  const began = harness.clock.now();
  reports("ALERT_RAISED", began);
  await harness.pass(1_000);
  expect(await alerts()).toEqual([]);
  await shows({ alerts: [brush] });
  await harness.pass(60_000);
  const ended = harness.clock.now();
  await shows({});
  reports("ALERT_CLEARED", ended);
  await harness.pass(1_000);
  expect(await alerts()).toHaveLength(1);
  expect((await alerts())[0]?.cleared_at).not.toBeNull();
});

test("Alerts: one open before the robot went offline and ended in the meantime is one alert", async () => {
  reports("ALERT_RAISED", harness.clock.now());
  await shows({ alerts: [brush] });
  await harness.pass(300_000);
  const ended = harness.clock.now();
  await harness.pass(300_000);
  reports("ALERT_CLEARED", ended);
  await shows({});
  expect(await alerts()).toMatchObject([{ code: "BRUSH_WORN", cleared_at: expect.any(Date) }]);
});

test("Alerts: an end reported before its beginning is recorded once the beginning arrives", async () => {
  const [raised, cleared] = [(eventSeq += 1), (eventSeq += 1)];
  const at = harness.clock.now();
  await harness.pass(60_000);
  await shows({});
  reports("ALERT_CLEARED", new Date(at.getTime() + 5_000), brush, cleared);
  await harness.pass(100);
  expect(await alerts()).toEqual([]);
  reports("ALERT_RAISED", at, brush, raised);
  await harness.pass(100);
  expect(await alerts()).toMatchObject([{ raised_at: at, cleared_at: new Date(at.getTime() + 5_000) }]);
});

test("protocol rule 12: the times of a wrong clock are not trusted; the alert has those of its receipt", async () => {
  const wrong = new Date(harness.clock.now().getTime() - 86_400_000);
  await shows({}, wrong);
  reports("ALERT_RAISED", wrong);
  reports("ALERT_CLEARED", wrong);
  const received = harness.clock.now();
  await harness.pass(100);
  const told = (await alerts()).filter(({ source }) => source === "ROBOT");
  expect(told).toMatchObject([{ raised_at: received, cleared_at: received }]);
});
