import { MAX_MESSAGE_BYTES, robotLeaves, serverLeaves, topicOf } from "@suncrew/contract/devices/topics.ts";
import type { Device } from "@suncrew/simulator/fleet/link.ts";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type CheckedSystem, press, startCheckedSystem, untilStored } from "./checked-system.ts";
import { type KnownRobot, RecordedFleet } from "./fleet.ts";
import { until } from "./wait-and-random.ts";

let system: CheckedSystem;
let robot: KnownRobot;
/** Another robot's account, in the hands of an attacker. */
let stolen: Device;
let fleet: RecordedFleet | undefined;
const clients: MqttClient[] = [];
const refused = /not authori[sz]ed/i;

beforeAll(async () => {
  system = await startCheckedSystem({ robots: 2, connect: ({ serverUrl }) => ({ mqttUrl: serverUrl }) });
  [robot] = system.robots as [KnownRobot];
  const [device, other] = system.devices as [Device, Device];
  stolen = other;
  fleet = new RecordedFleet(system.mosquitto.robotUrl, [device]);
  await fleet.start();
  await untilStored(system, robot, ({ live_at }) => live_at !== null);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
});
afterAll(async () => {
  await fleet?.stop();
  await system?.close();
});

/** MQTT 5, because it says why something is refused. */
async function open(url: string, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0, protocolVersion: 5, ...options }, false);
  clients.push(client);
  return client;
}

const thief = (options: IClientOptions = {}) =>
  open(system.mosquitto.robotUrl, { username: stolen.serial, password: stolen.secret, ...options });
const observer = () => open(system.mosquitto.serverUrl, { clientId: "observer" });

test("protocol rule 9: a wrong secret, an unknown name and no name are refused", async () => {
  const { robotUrl } = system.mosquitto;
  const { serial: username, secret: password } = stolen;
  await expect(open(robotUrl, { username, password: "wrong" })).rejects.toThrow(refused);
  await expect(open(robotUrl, { username: "SCR-0000", password })).rejects.toThrow(refused);
  await expect(open(robotUrl)).rejects.toThrow(refused);
});

test("protocol rule 9: neither robots come in by the servers' door, nor servers by the robots'", async () => {
  const { robotUrl, serverUrl } = system.mosquitto;
  const { host, username, password } = new URL(serverUrl);
  await expect(open(robotUrl, { username, password })).rejects.toThrow(refused);
  await expect(open(`mqtt://${host}`, { username: stolen.serial, password: stolen.secret })).rejects.toThrow(refused);
  await expect(open(`mqtt://${host}`, { username, password })).resolves.toBeDefined();
});

test("protocol rule 9: a robot speaks on its own topics only, and never as the server", async () => {
  const client = await thief();
  for (const leaf of [...robotLeaves, ...serverLeaves]) {
    await expect(client.publishAsync(topicOf(robot.serial, leaf), "{}", { qos: 1 })).rejects.toThrow(refused);
  }
  for (const leaf of serverLeaves) {
    await expect(client.publishAsync(topicOf(stolen.serial, leaf), "{}", { qos: 1 })).rejects.toThrow(refused);
  }
  for (const leaf of robotLeaves) await client.publishAsync(topicOf(stolen.serial, leaf), "{}", { qos: 1 });
});

test("protocol rule 9: a robot hears its own commands only, whatever it subscribes to", async () => {
  const [client, server] = [await thief(), await observer()];
  const heard: string[] = [];
  client.on("message", (topic) => heard.push(topic));
  for (const filter of ["#", "scr/v1/+/command", topicOf(robot.serial, "command"), topicOf(robot.serial, "state")]) {
    // Mosquitto may grant a subscription and then forward nothing.
    await client.subscribeAsync(filter, { qos: 1 }).catch((error: unknown) => error);
  }
  await client.subscribeAsync(topicOf(stolen.serial, "command"), { qos: 1 });
  expect(await press(system, robot, "START")).toMatchObject({ status: 200 });
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 200 });
  await server.publishAsync(topicOf(stolen.serial, "command"), "{}", { qos: 1 });
  await until(() => heard.length > 0, 5_000, "Its own command was not heard");
  expect(new Set(heard)).toEqual(new Set([topicOf(stolen.serial, "command")]));
});

test("protocol rule 9: another robot's client id puts nobody out", async () => {
  const before = fleet?.truth(robot.serial);
  await thief({ clientId: robot.serial });
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 200 });
  expect(fleet?.truth(robot.serial)).toMatchObject({ connected: true, session: before?.session });
});

test("protocol rule 9: the server's account commands, and cannot speak for a robot", async () => {
  const server = await observer();
  for (const leaf of robotLeaves) {
    await expect(server.publishAsync(`scr/v1/${robot.serial}/${leaf}`, "{}", { qos: 1 })).rejects.toThrow(refused);
  }
  await server.publishAsync(topicOf(robot.serial, "command"), "{}", { qos: 1 });
});

test("protocol rule 10: Mosquitto drops a message that is too large, and hands on the next one", async () => {
  // The client library takes Mosquitto's MQTT 5 reason for the refusal for a malformed packet.
  const [client, server] = [await thief({ protocolVersion: 4 }), await observer()];
  const heard: number[] = [];
  server.on("message", (_topic, payload) => heard.push(payload.length));
  await server.subscribeAsync(topicOf(stolen.serial, "event"), { qos: 1 });
  const send = (bytes: number) => client.publishAsync(topicOf(stolen.serial, "event"), Buffer.alloc(bytes), { qos: 1 });
  await send(MAX_MESSAGE_BYTES + 1);
  await send(10);
  await until(() => heard.length > 0, 5_000, "The next message was not heard");
  expect(heard).toEqual([10]);
});
