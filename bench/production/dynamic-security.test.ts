import {
  deviceList,
  type DeviceSecret,
  provisionDevices,
  retireDevice,
  rotateDeviceSecret,
} from "@suncrew/contract/devices/devices.ts";
import { createRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { robotLeaves, topicOf } from "@suncrew/contract/devices/topics.ts";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Answer } from "./caller.ts";
import { type CheckedSystem, press, startCheckedSystem, untilStored } from "./checked-system.ts";
import { dynamicSecurity } from "./dynamic-security-configuration.ts";
import { type KnownRobot, RecordedFleet } from "./fleet.ts";
import { until } from "./wait-and-random.ts";

let system: CheckedSystem;
const clients: MqttClient[] = [];
const fleets: RecordedFleet[] = [];
const refused = /not authori[sz]ed/i;

beforeAll(async () => {
  let adminUrl = "";
  system = await startCheckedSystem({
    robots: 1,
    configuration: dynamicSecurity((url) => (adminUrl = url)),
    connect: ({ serverUrl }) => ({
      mqttUrl: serverUrl,
      environment: { BROKER_ACCOUNTS: "dynamic-security", BROKER_ADMIN_URL: adminUrl },
    }),
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
  for (const fleet of fleets.splice(0)) await fleet.stop();
});
afterAll(() => system?.close());

async function provision(first_serial: string, last_serial = first_serial): Promise<readonly DeviceSecret[]> {
  const body = { first_serial, last_serial };
  let answer: Answer | null = null;
  const ask = async () => {
    answer = await system.caller.call(system.place, provisionDevices, { body });
    return answer?.status !== 503;
  };
  // After Mosquitto was killed the server has it again within some seconds.
  await until(ask, 20_000, "Mosquitto was not reached again");
  expect(answer).toMatchObject({ status: 201 });
  return provisionDevices.response.parse(bodyOf(answer)).devices;
}

const bodyOf = (answer: Answer | null) => answer?.body;

async function provisionOne(serial: string): Promise<DeviceSecret> {
  const [device] = await provision(serial);
  if (device === undefined) throw new Error("Nothing was provisioned.");
  return device;
}

/** MQTT 5, because it says why something is refused. */
async function open({ serial, secret }: DeviceSecret, more: IClientOptions = {}): Promise<MqttClient> {
  const account = { clientId: serial, username: serial, password: secret };
  const options = { reconnectPeriod: 0, protocolVersion: 5, ...account, ...more } as const;
  const client = await mqtt.connectAsync(system.mosquitto.robotUrl, options, false);
  client.on("error", () => {});
  clients.push(client);
  return client;
}

const closed = (client: MqttClient) => new Promise<void>((resolve) => client.once("close", () => resolve()));

/** A robot on the device, played by the simulator with the secret that was shown. */
async function bringToLife(device: DeviceSecret): Promise<{ robot: KnownRobot; fleet: RecordedFleet }> {
  const [place] = system.robots as [KnownRobot];
  const form = { installation_date: "2026-01-01", motor_type: "BLDC", control_type: "PLC" };
  const body = { ...form, site_id: place.siteId, robot_name: device.serial, serial_number: device.serial };
  expect(await system.caller.call(system.place, createRobot, { body })).toMatchObject({ status: 201 });
  const { id } = await system.db
    .selectFrom("robots")
    .select("id")
    .where("serial_number", "=", device.serial)
    .executeTakeFirstOrThrow();
  const robot = { id, serial: device.serial, siteId: place.siteId };
  const fleet = new RecordedFleet(system.mosquitto.robotUrl, [device]);
  fleets.push(fleet);
  await fleet.start();
  await untilStored(system, robot, ({ live_at }) => live_at !== null);
  return { robot, fleet };
}

test("protocol rule 9: a device that was provisioned signs in to Mosquitto with the secret that was told, and works", async () => {
  const device = await provisionOne("DYN-1");
  const { robot } = await bringToLife(device);
  expect(await press(system, robot, "START")).toMatchObject({ status: 200 });
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 200 });
  await expect(open({ ...device, secret: "wrong" })).rejects.toThrow(refused);
  await expect(open(device, { clientId: "DYN-9" })).rejects.toThrow(refused);
});

test("protocol rule 9: it reaches its own topics only, whatever it subscribes to, and not the accounts", async () => {
  const [device, other] = await provision("DYN-101", "DYN-102");
  if (device === undefined || other === undefined) throw new Error("Nothing was provisioned.");
  const [client, server] = [await open(device), await mqtt.connectAsync(system.mosquitto.serverUrl)];
  clients.push(server);
  const heard: string[] = [];
  client.on("message", (topic) => heard.push(topic));
  for (const filter of ["#", "$CONTROL/#", "scr/v1/+/command", topicOf(device.serial, "command")]) {
    // Mosquitto may grant a subscription and then forward nothing.
    await client.subscribeAsync(filter, { qos: 1 }).catch((error: unknown) => error);
  }
  for (const leaf of robotLeaves) await client.publishAsync(topicOf(device.serial, leaf), "{}", { qos: 1 });
  for (const topic of [
    topicOf(device.serial, "command"),
    topicOf(other.serial, "state"),
    "$CONTROL/dynamic-security/v1",
  ]) {
    await expect(client.publishAsync(topic, "{}", { qos: 1 })).rejects.toThrow(refused);
  }
  await server.publishAsync(topicOf(other.serial, "command"), "{}", { qos: 1 });
  await server.publishAsync(topicOf(device.serial, "command"), "{}", { qos: 1 });
  await until(() => heard.length > 0, 5_000, "Its own command was not heard");
  expect(new Set(heard)).toEqual(new Set([topicOf(device.serial, "command")]));
});

test("protocol rule 9: a rotated secret ends the connection at once and is the only one that signs in", async () => {
  const old = await provisionOne("DYN-2");
  const cut = closed(await open(old));
  const answer = await system.caller.call(system.place, rotateDeviceSecret, { params: { serial: old.serial } });
  const { secret } = rotateDeviceSecret.response.parse(answer?.body);
  await cut;
  await expect(open(old)).rejects.toThrow(refused);
  await expect(open({ ...old, secret })).resolves.toBeDefined();
});

test("protocol rule 9: a retired device's robot is stopped and cut off at once, also after Mosquitto starts anew", async () => {
  const device = await provisionOne("DYN-3");
  const { robot, fleet } = await bringToLife(device);
  expect(await press(system, robot, "START")).toMatchObject({ status: 200 });
  const cut = fleet.fleet.robot(device.serial).until(({ connected }) => !connected);
  const answer = await system.caller.call(system.place, retireDevice, { params: { serial: device.serial } });
  expect(answer).toMatchObject({ status: 200, body: { message: "Device DYN-3 retired" } });
  await cut;
  expect(fleet.truth(device.serial)).toMatchObject({ motion: "STOPPED" });
  await untilStored(system, robot, ({ online }) => !online);
  expect(await press(system, robot, "START")).toMatchObject({ status: 409 });
  const kept = await provisionOne("DYN-4");
  await system.mosquitto.kill();
  await system.mosquitto.start();
  await expect(open(device)).rejects.toThrow(refused);
  await expect(open(kept)).resolves.toBeDefined();
});

test("protocol rule 9: while Mosquitto is away nothing is provisioned, a retirement stands and is told once it is back", async () => {
  const device = await provisionOne("DYN-5");
  await system.mosquitto.kill();
  const body = { first_serial: "DYN-6", last_serial: "DYN-8" };
  expect(await system.caller.call(system.place, provisionDevices, { body })).toMatchObject({ status: 503 });
  const params = { serial: device.serial };
  expect(await system.caller.call(system.place, retireDevice, { params })).toMatchObject({ status: 200 });
  await system.mosquitto.start();
  const list = async () =>
    deviceList.response.parse((await system.caller.call(system.place, deviceList, {}))?.body ?? []);
  await until(
    async () => (await list()).every(({ broker_pending }) => !broker_pending),
    30_000,
    "Mosquitto was not told",
  );
  await expect(open(device)).rejects.toThrow(refused);
  expect((await list()).some(({ serial }) => serial === "DYN-6")).toBe(false);
  expect(await provision("DYN-6", "DYN-8")).toHaveLength(3);
});

test("protocol rule 9: the servers' own accounts are nobody's devices", async () => {
  for (const first_serial of ["suncrew", "suncrew-accounts"]) {
    const answer = await system.caller.call(system.place, provisionDevices, { body: { first_serial } });
    expect(answer).toMatchObject({ status: 409 });
  }
  expect(await provision("DYN-200", "DYN-230")).toHaveLength(31);
});
