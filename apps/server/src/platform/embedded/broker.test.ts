import { createConnection } from "node:net";
import { once } from "node:events";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import pino from "pino";
import type { OpenDatabase } from "../database/database.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deviceAccess, hashDeviceSecret, storeDeviceSecrets } from "../../features/devices/public.ts";
import { TEST_NOW } from "../../../test/test-app.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../clock.ts";
import { type EmbeddedBroker, packetMeter, startEmbeddedBroker } from "./broker.ts";

let database: OpenDatabase;
let broker: EmbeddedBroker;
const clients: MqttClient[] = [];
const clock = new ManualClock(TEST_NOW);
const logged: string[] = [];

const secretOf = (serial: string): string => `secret of ${serial}, long enough`;
const options = (serial: string): IClientOptions => ({
  clientId: serial,
  username: serial,
  password: secretOf(serial),
  reconnectPeriod: 0,
});

/** Resolves to a connected client; rejects with the broker's refusal. */
async function connect(clientOptions: IClientOptions): Promise<MqttClient> {
  const client = mqtt.connect(broker.url, { reconnectPeriod: 0, ...clientOptions });
  clients.push(client);
  await new Promise<void>((resolve, reject) => {
    client.once("connect", () => resolve());
    client.once("error", reject);
    client.once("close", () => reject(new Error("closed")));
  });
  client.on("error", () => undefined);
  return client;
}

function closed(client: MqttClient): Promise<void> {
  return new Promise((resolve) => client.once("close", () => resolve()));
}

async function connectServer(): Promise<MqttClient> {
  return await connect({ clientId: `server-${clients.length}`, ...broker.serverAccount });
}

/** The topics that the server's account receives until a robot's `ack` arrives as a marker. */
async function topicsUntilMarker(act: () => Promise<void>): Promise<string[]> {
  const server = await connectServer();
  const received: string[] = [];
  const marked = new Promise<void>((resolve) => {
    server.on("message", (topic) => (topic === "scr/v1/SCR-1003/ack" ? resolve() : received.push(topic)));
  });
  await server.subscribeAsync("scr/v1/#", { qos: 1 });
  await act();
  const marker = await connect(options("SCR-1003"));
  await marker.publishAsync("scr/v1/SCR-1003/ack", "marker", { qos: 1 });
  await marked;
  return received;
}

beforeAll(async () => {
  database = await createTestDatabase();
  await storeDeviceSecrets(
    database.db,
    ["SCR-1001", "SCR-1002", "SCR-1003", "SCR-1004"].map((serial) => ({
      serial,
      secretSha256: hashDeviceSecret(secretOf(serial)),
    })),
    "replace",
  );
  await database.db.updateTable("devices").set({ retired_at: new Date() }).where("serial", "=", "SCR-1004").execute();
  broker = await startEmbeddedBroker({
    port: 0,
    orNext: false,
    access: deviceAccess(database.db),
    maxPacketBytes: 65_536,
    clock,
    log: pino({ level: "info" }, { write: (line: string) => void logged.push(line) }),
  });
});

afterAll(async () => {
  for (const client of clients) client.end(true);
  await broker.stop();
  await database.close();
});

describe("protocol rule 9: own topics only", () => {
  test.each([
    ["a wrong secret", { ...options("SCR-1001"), password: "wrong" }],
    ["no secret", { clientId: "SCR-1001", username: "SCR-1001" }],
    ["another's secret", { ...options("SCR-1001"), password: secretOf("SCR-1002") }],
    ["a client id that is not the serial", { ...options("SCR-1001"), clientId: "SCR-1002" }],
    ["an unknown serial", options("SCR-9999")],
    ["a retired device", options("SCR-1004")],
    ["the server's name without its password", { clientId: "x", username: "suncrew-server", password: "x" }],
    ["nobody", { clientId: "SCR-1001" }],
  ])("%s is refused", async (_, clientOptions) => {
    await expect(connect(clientOptions)).rejects.toThrow("Not authorized");
  });

  test("refused sign-ins are one log line per client, with their number after a minute", async () => {
    logged.length = 0;
    const clientOptions = { ...options("SCR-1003"), password: "wrong" };
    for (let each = 0; each < 5; each += 1) await expect(connect(clientOptions)).rejects.toThrow("Not authorized");
    expect(logged.filter((line) => line.includes("refused a sign-in"))).toHaveLength(1);
    clock.advance(60_000);
    expect(logged.at(-1)).toContain("the broker refused a sign-in: 4 more times in the last minute");
  });

  test("a device reaches its own connection, state, ack, event and weather", async () => {
    const own = ["connection", "state", "ack", "event", "weather"].map((leaf) => `scr/v1/SCR-1001/${leaf}`);
    const received = await topicsUntilMarker(async () => {
      const robot = await connect(options("SCR-1001"));
      for (const topic of own) await robot.publishAsync(topic, "{}", { qos: 1 });
    });
    expect(received).toEqual(own);
  });

  test.each([
    "scr/v1/SCR-1001/command",
    "scr/v1/SCR-1002/state",
    "scr/v1/SCR-1002/weather",
    "scr/v1/SCR-1002/command",
    "scr/v1/SCR-1001/other",
    "scr/v1/SCR-1001/state/more",
    "other/topic",
    "$SYS/x",
  ])("a robot that publishes %s is disconnected and its message dropped", async (topic) => {
    const received = await topicsUntilMarker(async () => {
      const robot = await connect(options("SCR-1001"));
      const disconnected = closed(robot);
      robot.publish(topic, "{}", { qos: 1 });
      await disconnected;
    });
    expect(received).toEqual([]);
  });

  test.each([
    "#",
    "+/+/+/+",
    "scr/v1/#",
    "scr/v1/+/command",
    "scr/v1/SCR-1002/command",
    "scr/v1/SCR-1001/state",
    "scr/v1/+/weather",
    "$SYS/#",
  ])("a robot may not subscribe to %s", async (filter) => {
    const robot = await connect(options("SCR-1001"));
    const received: string[] = [];
    robot.on("message", (topic) => received.push(topic));
    await robot.subscribeAsync(filter).catch(() => undefined);
    await robot.subscribeAsync("scr/v1/SCR-1001/command", { qos: 1 });
    const server = await connectServer();
    const arrived = new Promise<void>((resolve) => robot.once("message", () => resolve()));
    await server.publishAsync("scr/v1/SCR-1002/command", "{}", { qos: 1 });
    await server.publishAsync("scr/v1/SCR-1001/state", "{}", { qos: 1 });
    await server.publishAsync("scr/v1/SCR-1001/command", "{}", { qos: 1 });
    await arrived;
    expect(received).toEqual(["scr/v1/SCR-1001/command"]);
  });

  test("a last will on a foreign topic is never sent, one on its own topic is", async () => {
    for (const [topic, expected] of [
      ["scr/v1/SCR-1002/connection", []],
      ["scr/v1/SCR-1001/connection", ["scr/v1/SCR-1001/connection"]],
    ] as const) {
      const received = await topicsUntilMarker(async () => {
        const robot = await connect({
          ...options("SCR-1001"),
          will: { topic, payload: Buffer.from("{}"), qos: 1, retain: false },
        });
        const disconnected = closed(robot);
        robot.stream.destroy();
        await disconnected;
        // The same robot can sign in again only after its former session and will have ended.
        await connect(options("SCR-1001"));
      });
      expect(received).toEqual(expected);
    }
  });
});

describe("protocol rule 10: oversized messages change nothing", () => {
  test("a packet above the limit ends its connection, before and after signing in", async () => {
    const robot = await connect(options("SCR-1002"));
    const disconnected = closed(robot);
    robot.publish("scr/v1/SCR-1002/state", Buffer.alloc(70_000), { qos: 0 });
    await disconnected;
    expect(robot.connected).toBe(false);

    const stranger = createConnection(broker.port, "127.0.0.1");
    await once(stranger, "connect");
    // A CONNECT that announces 200 MB.
    stranger.write(Buffer.from([0x10, 0x80, 0x80, 0x80, 0x60]));
    stranger.resume();
    await new Promise<void>((resolve) => stranger.on("error", () => undefined).once("close", () => resolve()));
    expect(stranger.destroyed).toBe(true);
  });

  test("the meter counts packets however they are split", () => {
    const packet = Buffer.concat([Buffer.from([0x30, 0xc8, 0x01]), Buffer.alloc(200)]);
    const stream = Buffer.concat([packet, Buffer.from([0xc0, 0x00]), packet, Buffer.from([0x30, 0x81, 0x04])]);
    for (const size of [1, 2, 3, 7, 199, stream.length]) {
      const tooLarge = packetMeter(512);
      const verdicts: boolean[] = [];
      for (let at = 0; at < stream.length; at += size) verdicts.push(tooLarge(stream.subarray(at, at + size)));
      expect(verdicts.indexOf(true)).toBe(verdicts.length - 1);
    }
  });
});
