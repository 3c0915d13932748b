import { afterEach, beforeEach, expect, test } from "vitest";
import { BrokerHarness } from "../../test/broker-harness.ts";
import type { FaultInput } from "../faults/fault.ts";
import type { FleetClock } from "../fleet/clock.ts";
import { createFleet, type Fleet } from "../fleet/fleet.ts";
import { RobotClient } from "./robot-client.ts";
import { ConformanceCheck, type Finding, type CheckOptions } from "./conformance-check.ts";

const SERIAL = "SCR-1001";
/** Speed-up over real time: half a minute takes a second. */
const FAST = 20;
const beganMs = Date.now();
const fastClock: FleetClock = {
  now: () => new Date(beganMs + (Date.now() - beganMs) * FAST),
  monotonicMs: () => performance.now() * FAST,
  after(ms, fn) {
    const timer = setTimeout(fn, ms / FAST);
    return () => clearTimeout(timer);
  },
  every(ms, fn) {
    const timer = setInterval(fn, ms / FAST);
    return () => clearInterval(timer);
  },
};
/** A busy machine is not the robot's fault: wait long for what should arrive, but not for what never does. */
const longTimeouts = {
  answerMs: 400_000,
  reportMs: 400_000,
  repeatMs: 400_000,
  personMs: 400_000,
  runS: 60,
  stoppedRunS: 600,
};
const shortTimeouts = {
  answerMs: 100_000,
  reportMs: 20_000,
  repeatMs: 20_000,
  personMs: 20_000,
  runS: 60,
  stoppedRunS: 600,
};

let broker: BrokerHarness;
let fleet: Fleet;

beforeEach(async () => {
  broker = await BrokerHarness.open();
  fleet = createFleet({
    mqttUrl: broker.url,
    devices: [{ serial: SERIAL, secret: "secret" }],
    clock: fastClock,
    // Batteries and panels keep their real speed.
    speed: 1 / FAST,
  });
  fleet.start();
  await fleet.untilConnected();
});
afterEach(async () => {
  await fleet.stop();
  await broker.close();
});

async function check(options: Partial<CheckOptions>, faults: readonly FaultInput[] = []) {
  const robot = fleet.robot(SERIAL);
  for (const fault of faults) robot.inject(fault);
  const printed: string[] = [];
  const client = await RobotClient.open({ brokerUrl: broker.url, serial: SERIAL }, fastClock);
  try {
    const defaults: CheckOptions = {
      timeouts: longTimeouts,
      mayMove: true,
      promptPerson: null,
      say: (line) => printed.push(line),
    };
    const conformance = new ConformanceCheck(client, { ...defaults, ...options });
    const holds = await conformance.run();
    return { holds, printed, findings: conformance.findings, truth: robot.truth() };
  } finally {
    await client.close();
  }
}
const broken = (findings: readonly Finding[]) => [
  ...new Set(findings.filter(({ result }) => result === "does not hold").map(({ rule }) => rule)),
];

test("device protocol: the simulator passes everything that can be checked, with a person who cuts its power", async () => {
  const { holds, findings, printed, truth } = await check({ promptPerson: () => fleet.robot(SERIAL).powerCycle() });
  expect(printed.filter((line) => !line.startsWith("holds") && !line.startsWith("not tried"))).toEqual([]);
  expect(holds).toBe(true);
  const tried = new Set(findings.filter(({ result }) => result === "holds").map(({ rule }) => rule));
  expect([...tried].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14]);
  expect(truth).toMatchObject({ motion: "STOPPED", mode: "AUTO" });
  expect(truth.starts).toHaveLength(2);
});

test("device protocol: without permission to move, no START is sent, and what was not tried is reported", async () => {
  const { holds, findings, truth } = await check({ mayMove: false });
  expect(holds).toBe(true);
  expect(truth.startsTaken).toEqual([]);
  expect(broker.received.filter(({ text }) => text.includes("RUN_BEGAN"))).toEqual([]);
  const skipped = findings.filter(({ result, detail }) => result === "not tried" && detail.includes("--may-move"));
  expect(skipped.map(({ rule }) => rule)).toEqual(expect.arrayContaining([1, 3, 4, 5, 6]));
});

test("protocol rule 8: a robot in maintenance is neither started nor released", async () => {
  fleet.robot(SERIAL).setByHand({ maintenance: true });
  const { holds, truth } = await check({ promptPerson: () => fleet.robot(SERIAL).powerCycle() });
  expect(holds).toBe(true);
  expect(truth).toMatchObject({ mode: "MAINTENANCE", startsTaken: [] });
});

test.each<[number, FaultInput, boolean?]>([
  [3, { kind: "refuse", code: "REFUSED", verbs: ["STOP"] }],
  [6, { kind: "refuse", code: "FAULT", verbs: ["START"] }, true],
  [8, { kind: "refuse", code: "REFUSED", verbs: ["MAINTENANCE_OFF"] }],
  [12, { kind: "wrong-clock", offset: 120_000 }],
  [10, { kind: "malformed", everyMs: 5_000 }],
])("protocol rule %i: a robot that breaks it is reported, %o", async (rule, fault, mayMove = false) => {
  const { holds, findings } = await check({ timeouts: shortTimeouts, mayMove }, [fault]);
  expect(holds).toBe(false);
  expect(broken(findings)).toContain(rule);
});

test("device protocol: a robot that does not answer is reported at once, and still sent a STOP", async () => {
  const { holds, findings, printed } = await check({ timeouts: shortTimeouts }, [{ kind: "silent" }]);
  expect(holds).toBe(false);
  expect(broken(findings)).toContain(7);
  expect(printed.join("\n")).toContain("The last STOP got no answer");
});

test("protocol rule 3: an interruption while the robot moves stops the robot, and nothing starts it again", async () => {
  const robot = fleet.robot(SERIAL);
  const client = await RobotClient.open({ brokerUrl: broker.url, serial: SERIAL }, fastClock);
  const options: CheckOptions = { timeouts: longTimeouts, mayMove: true, promptPerson: null, say: () => {} };
  const conformance = new ConformanceCheck(client, options);
  const running = conformance.run().catch((error: unknown) => error);
  await robot.until(({ motion }) => motion === "MOVING");
  await conformance.interrupt();
  expect(robot.truth()).toMatchObject({ motion: "STOPPED" });
  expect(await running).toMatchObject({ message: "Ended before everything was checked." });
  expect(robot.truth().startsTaken).toHaveLength(1);
  await client.close();
});
