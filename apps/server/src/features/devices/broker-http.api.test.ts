import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brokerAclPath, brokerAnswerSchema, brokerAuthPath } from "@suncrew/contract/devices/broker-questions.ts";
import { provisionDevices, retireDevice, rotateDeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { Aedes, type Client } from "aedes";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { createServer as createTcpServer } from "node:net";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { authCallbackAccounts, kickByHttp } from "../../platform/broker-accounts/broker-accounts.ts";

const TOKEN = "w8Kq2ZtN5rYx0LmB7vEj3HsDfG6uPaCi";
const KICK_KEY = "key:secret of the api";
const lines: string[] = [];

let server: TestApp;
let suncrewUrl: string;
let broker: AskingBroker;
const clients: MqttClient[] = [];

/** A broker that queries over HTTP exactly as EMQX 5 does, and ends connections through its management API. */
class AskingBroker {
  readonly url: string;
  readonly kickUrl: string;
  readonly stop: () => Promise<void>;

  private constructor(parts: Pick<AskingBroker, "url" | "kickUrl" | "stop">) {
    this.url = parts.url;
    this.kickUrl = parts.kickUrl;
    this.stop = parts.stop;
  }

  static async start(): Promise<AskingBroker> {
    const names = new WeakMap<Client, string>();
    const online = new Map<string, Client>();
    const reach = async (client: Client, topic: string, action: "publish" | "subscribe") =>
      (await ask(brokerAclPath, { username: names.get(client) ?? "", clientid: client.id, topic, action })) === "allow";
    const aedes = await Aedes.createBroker({
      authenticate(client, username = "", password = Buffer.alloc(0), done) {
        const check = async () => {
          const result = await ask(brokerAuthPath, { username, password: password.toString(), clientid: client.id });
          names.set(client, username);
          // EMQX refuses clients that no source allows.
          done(null, result === "allow");
        };
        void check();
      },
      authorizePublish(client, packet, done) {
        if (client === null) return done(null);
        const check = async () => done((await reach(client, packet.topic, "publish")) ? null : new Error("denied"));
        return void check();
      },
      authorizeSubscribe(client, subscription, done) {
        const check = async () =>
          done(null, (await reach(client, subscription.topic, "subscribe")) ? subscription : null);
        void check();
      },
    });
    aedes.on("client", (client) => online.set(client.id, client));
    aedes.on("clientDisconnect", (client) => online.delete(client.id));
    const tcp = createTcpServer(aedes.handle).listen(0, "127.0.0.1");
    const api = createServer((request, response) => {
      const id = /^\/api\/v5\/clients\/([^/]+)$/.exec(request.url ?? "")?.[1];
      const given = Buffer.from((request.headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
      const client = online.get(decodeURIComponent(id ?? ""));
      if (request.method !== "DELETE" || given !== KICK_KEY) response.writeHead(401);
      else response.writeHead(client === undefined ? 404 : 204);
      if (given === KICK_KEY) client?.close();
      response.end();
    }).listen(0, "127.0.0.1");
    await Promise.all([once(tcp, "listening"), once(api, "listening")]);
    const [{ port }, { port: apiPort }] = [tcp.address() as AddressInfo, api.address() as AddressInfo];
    const [key = "", secret = ""] = KICK_KEY.split(":");
    return new AskingBroker({
      url: `mqtt://127.0.0.1:${port}`,
      kickUrl: `http://${key}:${encodeURIComponent(secret)}@127.0.0.1:${apiPort}/api/v5/clients/{clientid}`,
      async stop() {
        api.close();
        tcp.close();
        await new Promise<void>((resolve) => aedes.close(resolve));
      },
    });
  }
}

/** One query; EMQX treats anything but a 200 with a result as "ignore". */
async function ask(path: string, body: unknown, token = TOKEN): Promise<string> {
  const response = await fetch(suncrewUrl + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const { data } = brokerAnswerSchema.safeParse(await response.json());
  return response.status === 200 && data !== undefined ? data.result : "ignore";
}

async function signIn(serial: string, password: string, more: IClientOptions = {}): Promise<MqttClient> {
  const options = { clientId: serial, username: serial, password, reconnectPeriod: 0, ...more };
  const client = await mqtt.connectAsync(broker.url, options, false);
  client.on("error", () => {});
  clients.push(client);
  return client;
}

const closed = (client: MqttClient) => new Promise<void>((resolve) => client.once("close", () => resolve()));

async function provision(serial: string): Promise<string> {
  const { devices } = await (await server.as("admin")).ask(provisionDevices, { body: { first_serial: serial } });
  return devices[0]?.secret ?? "";
}

beforeAll(async () => {
  broker = await AskingBroker.start();
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  server = await createTestApp({
    settings: { brokerAuthToken: TOKEN },
    brokerAccounts: authCallbackAccounts("http", kickByHttp(broker.kickUrl, fetch, log)),
    onLog: (line) => void lines.push(line),
  });
  await server.app.http.listen({ port: 0, host: "127.0.0.1" });
  suncrewUrl = `http://127.0.0.1:${(server.app.http.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
  await server.close();
  await broker.stop();
});

describe("protocol rule 9: a broker that queries Suncrew over HTTP", () => {
  test("protocol rule 9: a provisioned device signs in and reaches its own topics only", async () => {
    const client = await signIn("EMQ-1", await provision("EMQ-1"));
    const granted = await client.subscribeAsync(topicOf("EMQ-1", "command"), { qos: 1 });
    expect(granted).toMatchObject([{ qos: 1 }]);
    expect(await client.subscribeAsync(topicOf("EMQ-1", "firmware"), { qos: 1 })).toMatchObject([{ qos: 1 }]);
    await client.publishAsync(topicOf("EMQ-1", "state"), "{}", { qos: 1 });
    await client.publishAsync(topicOf("EMQ-1", "firmware/state"), "{}", { qos: 1 });
    for (const filter of ["#", "scr/v1/+/command", topicOf("OWN-1", "command"), topicOf("EMQ-1", "state")]) {
      expect(await ask(brokerAclPath, { username: "EMQ-1", topic: filter, action: "subscribe" })).toBe("deny");
    }
    for (const topic of [
      topicOf("EMQ-1", "command"),
      topicOf("OWN-1", "state"),
      topicOf("EMQ-1", "firmware"),
      "scr/v1/EMQ-1/firmware/other",
    ]) {
      expect(await ask(brokerAclPath, { username: "EMQ-1", topic, action: "publish" })).toBe("deny");
    }
  });

  test("protocol rule 9: a wrong secret and another's client id are refused; names that are no device's are left to the broker", async () => {
    const secret = await provision("EMQ-2");
    await expect(signIn("EMQ-2", "wrong")).rejects.toThrow(/not authorized/i);
    await expect(signIn("EMQ-2", secret, { clientId: "EMQ-1" })).rejects.toThrow(/not authorized/i);
    const stranger = { username: "suncrew", password: "its own", clientid: randomUUID() };
    expect(await ask(brokerAuthPath, stranger)).toBe("ignore");
    expect(await ask(brokerAuthPath, { ...stranger, username: "\0" })).toBe("ignore");
    expect(await ask(brokerAclPath, { username: "suncrew", topic: "scr/v1/+/state", action: "subscribe" })).toBe(
      "ignore",
    );
    expect([await ask(brokerAuthPath, {}), await ask(brokerAclPath, { username: "EMQ-2" })]).toEqual(["deny", "deny"]);
  });

  test("protocol rule 9: rotating a secret ends the connection and the old secret; retiring ends both for good", async () => {
    const old = await provision("EMQ-3");
    const client = await signIn("EMQ-3", old);
    const cut = closed(client);
    const admin = await server.as("admin");
    const { secret } = await admin.ask(rotateDeviceSecret, { params: { serial: "EMQ-3" } });
    await cut;
    await expect(signIn("EMQ-3", old)).rejects.toThrow(/not authorized/i);
    const again = await signIn("EMQ-3", secret);
    const cutAgain = closed(again);
    await admin.ask(retireDevice, { params: { serial: "EMQ-3" } });
    await cutAgain;
    await expect(signIn("EMQ-3", secret)).rejects.toThrow(/not authorized/i);
    expect(await ask(brokerAclPath, { username: "EMQ-3", topic: topicOf("EMQ-3", "state"), action: "publish" })).toBe(
      "deny",
    );
    expect(lines.join()).not.toContain(secret);
    expect(lines.join()).not.toContain("secret of the api");
  });

  test("protocol rule 9: calls without the token get no answer, and if no token is set the calls do not exist", async () => {
    const right = { username: "OWN-1", password: server.fixtures.ownRobot.secret, clientid: "OWN-1" };
    expect(await ask(brokerAuthPath, right)).toBe("allow");
    for (const token of ["", "wrong", `${TOKEN}x`, TOKEN.slice(1)]) {
      expect(await ask(brokerAuthPath, right, token)).toBe("ignore");
    }
    const nobody = await server.as(null);
    expect(await nobody.raw(brokerAuthPath, { method: "POST", body: right })).toMatchObject({ status: 401 });
    const other = await createTestApp();
    const answer = await (await other.as(null)).raw(brokerAuthPath, { method: "POST", body: right });
    expect(answer.status).toBe(404);
    await other.close();
  });

  test("protocol rule 9: a broker whose call does not end the connection is called again", async () => {
    const log = pino({ level: "silent" });
    const kick = kickByHttp(broker.kickUrl.replace("key:", "wrong:"), fetch, log);
    await expect(kick("EMQ-1")).rejects.toThrow("did not end the device's connection");
    await expect(kickByHttp("http://127.0.0.1:1/c/{clientid}", fetch, log)("EMQ-1")).rejects.toThrow("did not end");
  });
});
