import { afterEach, beforeEach, expect, test } from "vitest";
import { BrokerBench } from "../../test/broker-bench.ts";
import type { FaultInput } from "../faults/fault.ts";
import type { FleetClock } from "../fleet/clock.ts";
import { createFleet, type Fleet } from "../fleet/fleet.ts";
import { Conversation } from "./conversation.ts";
import { Examination, type Finding, type Terms } from "./examination.ts";

const SERIAL = "SCR-1001";
/** Times as fast as real time, so that what takes half a minute takes a second. */
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
/** A busy machine is no fault of the robot's: what should come is waited for long, what does not come is not. */
const patient = {
  answerMs: 400_000,
  reportMs: 400_000,
  repeatMs: 400_000,
  personMs: 400_000,
  runS: 60,
  stoppedRunS: 600,
};
const impatient = {
  answerMs: 20_000,
  reportMs: 20_000,
  repeatMs: 20_000,
  personMs: 20_000,
  runS: 60,
  stoppedRunS: 600,
};

let broker: BrokerBench;
let fleet: Fleet;

beforeEach(async () => {
  broker = await BrokerBench.open();
  fleet = createFleet({
    mqttUrl: broker.url,
    devices: [{ serial: SERIAL, secret: "secret" }],
    clock: fastClock,
    // Batteries and panels take their time as ever.
    speed: 1 / FAST,
  });
  fleet.start();
  await fleet.untilConnected();
});
afterEach(async () => {
  await fleet.stop();
  await broker.close();
});

async function examine(terms: Partial<Terms>, faults: readonly FaultInput[] = []) {
  const robot = fleet.robot(SERIAL);
  for (const fault of faults) robot.inject(fault);
  const said: string[] = [];
  const conversation = await Conversation.open({ brokerUrl: broker.url, serial: SERIAL }, fastClock);
  try {
    const usual: Terms = { patience: patient, mayMove: true, askPerson: null, say: (line) => said.push(line) };
    const examination = new Examination(conversation, { ...usual, ...terms });
    const holds = await examination.run();
    return { holds, said, findings: examination.findings, truth: robot.truth() };
  } finally {
    await conversation.close();
  }
}
const broken = (findings: readonly Finding[]) => [
  ...new Set(findings.filter(({ result }) => result === "does not hold").map(({ rule }) => rule)),
];

test("device protocol: the simulator passes all that can be tried, with a person who cuts its power", async () => {
  const { holds, findings, said, truth } = await examine({ askPerson: () => fleet.robot(SERIAL).powerCycle() });
  expect(said.filter((line) => !line.startsWith("holds") && !line.startsWith("not tried"))).toEqual([]);
  expect(holds).toBe(true);
  const tried = new Set(findings.filter(({ result }) => result === "holds").map(({ rule }) => rule));
  expect([...tried].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14]);
  expect(truth).toMatchObject({ motion: "STOPPED", mode: "AUTO" });
  expect(truth.starts).toHaveLength(2);
});

test("device protocol: without leave to move no START is sent, and it says what is not tried", async () => {
  const { holds, findings, truth } = await examine({ mayMove: false });
  expect(holds).toBe(true);
  expect(truth.startsTaken).toEqual([]);
  expect(broker.heard.filter(({ text }) => text.includes("RUN_BEGAN"))).toEqual([]);
  const left = findings.filter(({ result, why }) => result === "not tried" && why.includes("--may-move"));
  expect(left.map(({ rule }) => rule)).toEqual(expect.arrayContaining([1, 3, 4, 5, 6]));
});

test("protocol rule 8: a robot in maintenance is neither started nor released", async () => {
  fleet.robot(SERIAL).setByHand({ maintenance: true });
  const { holds, truth } = await examine({ askPerson: () => fleet.robot(SERIAL).powerCycle() });
  expect(holds).toBe(true);
  expect(truth).toMatchObject({ mode: "MAINTENANCE", startsTaken: [] });
});

test.each<[number, FaultInput, boolean?]>([
  [3, { kind: "refuse", code: "REFUSED", verbs: ["STOP"] }],
  [6, { kind: "refuse", code: "FAULT", verbs: ["START"] }, true],
  [8, { kind: "refuse", code: "REFUSED", verbs: ["MAINTENANCE_OFF"] }],
  [12, { kind: "wrong-clock", offset: 120_000 }],
  [10, { kind: "malformed", everyMs: 5_000 }],
])("protocol rule %i: a robot that breaks it is told so, %o", async (rule, fault, mayMove = false) => {
  const { holds, findings } = await examine({ patience: impatient, mayMove }, [fault]);
  expect(holds).toBe(false);
  expect(broken(findings)).toContain(rule);
});

test("device protocol: a robot that does not answer is told so at once, and still sent a STOP", async () => {
  const { holds, findings, said } = await examine({ patience: impatient }, [{ kind: "silent" }]);
  expect(holds).toBe(false);
  expect(broken(findings)).toContain(7);
  expect(said.join("\n")).toContain("The last STOP was answered by no answer");
});

test("protocol rule 3: whoever interrupts it while the robot moves stops the robot, and nothing starts it again", async () => {
  const robot = fleet.robot(SERIAL);
  const conversation = await Conversation.open({ brokerUrl: broker.url, serial: SERIAL }, fastClock);
  const terms: Terms = { patience: patient, mayMove: true, askPerson: null, say: () => {} };
  const examination = new Examination(conversation, terms);
  const running = examination.run().catch((error: unknown) => error);
  await robot.until(({ motion }) => motion === "MOVING");
  await examination.interrupt();
  expect(robot.truth()).toMatchObject({ motion: "STOPPED" });
  expect(await running).toMatchObject({ message: "Ended before all was tried." });
  expect(robot.truth().startsTaken).toHaveLength(1);
  await conversation.close();
});
