import { type WeatherMessage, weatherMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BrokerHarness, type Received } from "../../test/broker-harness.ts";
import { RobotClient } from "../conformance/robot-client.ts";
import { SensorCheck, type SensorCheckOptions } from "../conformance/sensor-check.ts";
import { deviceLeaves } from "@suncrew/contract/devices/topics.ts";
import type { FleetClock } from "../fleet/clock.ts";
import { openControlServer } from "../control-server.ts";
import { createFleet, type Fleet } from "../fleet/fleet.ts";
import type { SensorFaultInput, SimulatedSensor } from "./simulated-sensor.ts";

const SERIAL = "WX-1001";
/** Speed-up over real time: a busy machine must not delay a reading by what is 30 s here. */
const FAST = 8;
const beganMs = Date.now();
const fastClock: FleetClock = {
  now: () => new Date(beganMs + (Date.now() - beganMs) * FAST),
  after(ms, fn) {
    const timer = setTimeout(fn, ms / FAST);
    return () => clearTimeout(timer);
  },
  every(ms, fn) {
    const timer = setInterval(fn, ms / FAST);
    return () => clearInterval(timer);
  },
};

let broker: BrokerHarness;
let fleet: Fleet;
let sensor: SimulatedSensor;

beforeEach(async () => {
  broker = await BrokerHarness.open();
  fleet = createFleet({
    mqttUrl: broker.url,
    devices: [],
    sensors: [{ serial: SERIAL, secret: "s" }],
    clock: fastClock,
  });
  const [only] = fleet.sensors;
  if (only === undefined) throw new Error("The fleet has no sensor.");
  sensor = only;
  fleet.start();
});
afterEach(async () => {
  await fleet.stop();
  await broker.close();
});

const readingOf = ({ text }: Received): WeatherMessage => weatherMessageSchema.parse(JSON.parse(text));
const next = async (wanted: (reading: WeatherMessage) => boolean): Promise<WeatherMessage> =>
  readingOf(await broker.first((received) => received.leaf === "weather" && wanted(readingOf(received))));

test("a simulated sensor publishes calm weather, not retained, and a gust at once and until it is cleared", async () => {
  const calm = await next(() => true);
  expect(calm).toMatchObject({ v: 1, seq: 1, gust_kmh: 14, rain_mm_h: 0, temperature_c: 31 });
  sensor.inject({ kind: "gusts", kmh: 62 });
  const gust = await next(({ gust_kmh }) => gust_kmh === 62);
  expect(gust.session).toBe(calm.session);
  expect(gust.seq).toBeGreaterThan(calm.seq);
  sensor.clear("gusts");
  expect(await next(({ seq, gust_kmh }) => seq > gust.seq && gust_kmh === 14)).toBeTruthy();
  expect((await broker.first(({ leaf }) => leaf === "weather")).retained).toBe(false);
});

test("protocol rule 7: one whose power fails returns in a higher session, counting from 1", async () => {
  const before = await next(() => true);
  sensor.inject({ kind: "away" });
  sensor.clear();
  const after = await next(({ session }) => session > before.session);
  expect(after.seq).toBe(1);
});

async function check(options: Partial<SensorCheckOptions>, faults: readonly SensorFaultInput[] = []) {
  await next(() => true);
  for (const fault of faults) sensor.inject(fault);
  const client = await RobotClient.open({ brokerUrl: broker.url, serial: SERIAL }, fastClock, deviceLeaves);
  try {
    const defaults = { listenMs: 90_000, personMs: 400_000, promptPerson: null, say: () => {} };
    const conformance = new SensorCheck(client, { ...defaults, ...options });
    const holds = await conformance.run();
    return { holds, failed: conformance.findings.filter(({ result }) => result === "does not hold") };
  } finally {
    await client.close();
  }
}

test("conformance: a sensor that follows the protocol passes, also after a power cut", async () => {
  const promptPerson = () => {
    sensor.inject({ kind: "away" });
    sensor.clear();
  };
  expect(await check({ promptPerson })).toEqual({ holds: true, failed: [] });
});

test("conformance: a silent sensor does not pass", async () => {
  expect(await check({}, [{ kind: "silent" }])).toMatchObject({
    holds: false,
    failed: [{ rule: 7, requirement: "it publishes a reading at least every 30 s", detail: "none arrived" }],
  });
});

test("faults of sensors are injected and cleared at the control address of the robots", async () => {
  const control = await openControlServer(fleet, 0);
  const call = async (method: string, path: string, body?: string) => {
    const answer = await fetch(control.address + path, { method, ...(body !== undefined && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  try {
    const windy = await call("POST", `/sensors/${SERIAL}/faults`, '{"kind":"gusts","kmh":90}');
    expect(JSON.parse(windy.text)).toMatchObject({ serial: SERIAL, gust_kmh: 90, faults: [{ kind: "gusts" }] });
    expect(JSON.parse((await call("GET", "/sensors")).text)).toMatchObject([{ serial: SERIAL }]);
    await call("DELETE", `/sensors/${SERIAL}/faults/gusts`);
    expect(sensor.truth()).toMatchObject({ gust_kmh: 14, faults: [] });
    for (const [method, path, body, status] of [
      ["POST", `/sensors/${SERIAL}/faults`, '{"kind":"jam"}', 400],
      ["DELETE", `/sensors/${SERIAL}/faults/jam`, undefined, 400],
      ["GET", "/sensors/WX-9", undefined, 404],
      ["PUT", `/sensors/${SERIAL}`, undefined, 404],
    ] as const) {
      expect((await call(method, path, body)).status).toBe(status);
    }
  } finally {
    await control.close();
  }
});
