import { randomUUID } from "node:crypto";
import type { CommandMessage } from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import type { SimulatedRobot } from "@suncrew/simulator/fleet/simulated-robot.ts";
import mqtt from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CheckedSystem, press, startCheckedSystem, turn, untilStored } from "./checked-system.ts";
import { type KnownRobot, RecordedFleet } from "./fleet.ts";
import { until } from "./wait-and-random.ts";

let system: CheckedSystem;
let robot: KnownRobot;
let fleet: RecordedFleet | undefined;
let simulated: SimulatedRobot;

beforeAll(async () => {
  system = await startCheckedSystem({ robots: 1, connect: ({ serverUrl }) => ({ mqttUrl: serverUrl }) });
  [robot] = system.robots as [KnownRobot];
  fleet = new RecordedFleet(system.mosquitto.robotUrl, system.devices);
  simulated = fleet.fleet.robot(robot.serial);
  await fleet.start();
  await untilStored(system, robot, ({ live_at }) => live_at !== null);
});
afterAll(async () => {
  await fleet?.stop();
  await system?.close();
});

async function untilAllSettled(): Promise<void> {
  const open = () => system.db.selectFrom("commands").where("settled_at", "is", null).select("id").executeTakeFirst();
  await until(async () => (await open()) === undefined, 20_000, "A command stayed open");
}

/** A complete START, except that no server has stored it. */
function foreignStart(): CommandMessage {
  const { session, lastSeq } = simulated.truth();
  return {
    v: 1,
    id: randomUUID(),
    seq: lastSeq + 1,
    session: session + 1,
    verb: "START",
    issuedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    runId: randomUUID(),
    maxDurationS: 60,
    params: { status: "start", direction: "FWD", "main-speed": 70, "brush-speed": 70 },
    by: "a test",
  };
}

test("protocol rule 6: START, SET and STOP through Mosquitto are confirmed by what the robot shows", async () => {
  expect(await press(system, robot, "START")).toMatchObject({ status: 200 });
  expect(simulated.truth()).toMatchObject({ motion: "MOVING" });
  expect(await turn(system, robot, "REVERSE")).toMatchObject({ status: 200 });
  expect(simulated.truth()).toMatchObject({ applied: { direction: "REV" } });
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 200 });
  expect(simulated.truth()).toMatchObject({ motion: "STOPPED" });
});

test("protocol rule 1: a START that Mosquitto retains is ignored at the next connect", async () => {
  const observer = await mqtt.connectAsync(system.mosquitto.serverUrl, { clientId: "observer" });
  const before = simulated.truth();
  simulated.inject({ kind: "away" });
  await untilStored(system, robot, ({ online }) => !online);
  await observer.publishAsync(topicOf(robot.serial, "command"), JSON.stringify(foreignStart()), {
    qos: 1,
    retain: true,
  });
  simulated.clear();
  await untilStored(system, robot, ({ online, session }) => online && session > before.session);
  // It comes after the retained message on the same topic.
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 200 });
  expect(simulated.truth()).toMatchObject({ session: before.session + 1, startsTaken: before.startsTaken });
  await observer.publishAsync(topicOf(robot.serial, "command"), "", { qos: 1, retain: true });
  await observer.endAsync();
});

test("protocol rule 3: Mosquitto tells of a broken link by the will, and a Stop waits for the robot", async () => {
  expect(await press(system, robot, "START")).toMatchObject({ status: 200 });
  simulated.inject({ kind: "away" });
  await untilStored(system, robot, ({ online, connection }) => !online && connection === "CONNECTION_BROKEN");
  expect(await press(system, robot, "START")).toMatchObject({ status: 504 });
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 504, body: { pending: true } });
  expect(simulated.truth()).toMatchObject({ motion: "MOVING" });
  simulated.clear();
  await untilAllSettled();
  expect(simulated.truth()).toMatchObject({ motion: "STOPPED" });
});

test("protocol rule 3: a Stop pressed while Mosquitto is gone is delivered when it is back", async () => {
  expect(await press(system, robot, "START")).toMatchObject({ status: 200 });
  await system.mosquitto.kill();
  await simulated.until(({ connected }) => !connected);
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 503, body: { pending: true } });
  expect(simulated.truth()).toMatchObject({ motion: "MOVING" });
  await system.mosquitto.start();
  await untilAllSettled();
  expect(simulated.truth()).toMatchObject({ motion: "STOPPED" });
});
