import type { DeviceAlert, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { stateMessage } from "../../../test/robot-messages.ts";

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

test("§3 Robot: the alerts a robot lists are open once each, until it lists them no more", async () => {
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

test("§3 Robot: an alert told in other words is the same alert", async () => {
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

test("Alerts: a low battery is told once, worse when nearly empty, and is over only well above", async () => {
  const low = async () =>
    (await alerts()).map(({ code, severity, cleared_at }) => [code, severity, cleared_at === null]);
  await shows({ battery: 20 });
  expect(await low()).toEqual([]);
  for (const battery of [19, 21, 18, 24]) await shows({ battery });
  expect(await low()).toEqual([["LOW_BATTERY", "WARNING", true]]);
  // What was nearly empty stays on record as such.
  for (const battery of [9, 12]) await shows({ battery });
  expect(await low()).toEqual([["LOW_BATTERY", "CRITICAL", true]]);
  expect(await alerts()).toMatchObject([{ source: "SERVER", text: "The battery is nearly empty, below 10 %." }]);
  await shows({ battery: 20, charging: true });
  expect(await low()).toEqual([["LOW_BATTERY", "CRITICAL", false]]);
});

test("Alerts: a low battery that the robot tells of by itself is one alert, the robot's", async () => {
  await shows({ battery: 15 });
  await shows({ battery: 14, alerts: [{ code: "LOW_BATTERY", severity: "WARNING", text: "The battery is low." }] });
  expect((await alerts()).map(({ source, cleared_at }) => [source, cleared_at === null])).toEqual([
    ["SERVER", false],
    ["ROBOT", true],
  ]);
});
