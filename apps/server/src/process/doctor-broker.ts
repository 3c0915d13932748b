import { randomUUID } from "node:crypto";
import {
  MAX_MESSAGE_BYTES,
  deviceLeaves,
  serverLeaves,
  STOP_NOTICES_TOPIC,
  TOPIC_ROOT,
  topicOf,
} from "@suncrew/contract/devices/topics.ts";
import { connect as connectMqtt, type IConnackPacket, type MqttClient } from "mqtt";
import pino from "pino";
import { BrokerUpdateError } from "../platform/broker-accounts/broker-accounts.ts";
import { DynamicSecurity } from "../platform/broker-accounts/dynamic-security.ts";
import { openBroker } from "../platform/broker.ts";
import { SystemClock } from "../platform/clock.ts";
import { codeOf, errorText } from "../platform/errors.ts";
import { type Found, ok, problem, warning } from "./doctor-findings.ts";
import type { BrokerSettings } from "./settings.ts";

const CONNECT_MS = 5_000;
/** Retained messages arrive at once; there is one or two for each robot that ever connected. */
const RETAINED_MS = 1_000;
/** MQTT's reason codes and return codes for an account that is refused. */
const refusedCodes: readonly unknown[] = [4, 5, 134, 135];
const RIGHTS = "Give the account of MQTT_URL the lines of `servers.acl` in docs/operating.md.";

/** Looks at a broker with the servers' account. Publishes only on topics that no robot has. */
export async function checkBroker(url: string): Promise<readonly Found[]> {
  const { host, protocol } = new URL(url);
  let version: 4 | 5 = 5;
  let connection: Connection;
  try {
    connection = await connect(url, 5);
  } catch {
    // An older broker; or a failure that the second attempt meets, too.
    version = 4;
    try {
      connection = await connect(url, 4);
    } catch (error) {
      return [connectionProblem(error)];
    }
  }
  const { client, answer } = connection;
  try {
    const encrypted = protocol === "mqtts:" || protocol === "wss:";
    const says = `Connected to ${host} by MQTT ${version === 5 ? "5" : "3.1.1"}, ${encrypted ? "with" : "without"} TLS`;
    const found = [ok(says), ...limits(answer), ...(await mayListen(client)), ...(await maySend(client, version))];
    const isAllowed = found.every(({ level }) => level !== "problem");
    return isAllowed ? [...found, ...(await mayTellServers(client))] : found;
  } finally {
    await client.endAsync(true).catch(() => {});
  }
}

interface Connection {
  readonly client: MqttClient;
  readonly answer: IConnackPacket;
}

async function connect(url: string, protocolVersion: 4 | 5): Promise<Connection> {
  const clientId = `suncrew-doctor-${randomUUID()}`;
  const client = connectMqtt(url, { clientId, protocolVersion, reconnectPeriod: 0, connectTimeout: CONNECT_MS });
  const { promise, resolve, reject } = Promise.withResolvers<IConnackPacket>();
  client.on("connect", resolve);
  client.on("error", reject);
  client.on("close", () => reject(new Error("the connection was closed")));
  try {
    return { client, answer: await promise };
  } catch (error) {
    client.end(true);
    throw error;
  }
}

function connectionProblem(error: unknown): Found {
  const code = codeOf(error);
  const reason = error instanceof Error ? errorText(error) : String(error);
  const says = `It cannot be reached: ${reason}.`;
  const refused = error instanceof Error && "code" in error && refusedCodes.includes(error.code);
  if (refused) return problem("It refuses the account.", "Correct account and password in MQTT_URL, or at the broker.");
  if (code.includes("CERT") || code.includes("SELF_SIGNED") || code.startsWith("ERR_TLS")) {
    return problem(says, "Name the authority of its certificate in NODE_EXTRA_CA_CERTS, and its name in MQTT_URL.");
  }
  return problem(says, "Start the broker, or correct protocol, host and port in MQTT_URL.");
}

/** What a broker of MQTT 5 says that it cannot do. */
function limits({ properties = {} }: IConnackPacket): Found[] {
  const { maximumPacketSize = Infinity, retainAvailable, wildcardSubscriptionAvailable } = properties;
  const found: Found[] = [];
  if (maximumPacketSize < MAX_MESSAGE_BYTES) {
    const says = `It accepts messages of ${maximumPacketSize} bytes only`;
    found.push(problem(says, `Set its limit to ${MAX_MESSAGE_BYTES} or more (Mosquitto: message_size_limit).`));
  }
  if (retainAvailable === false || wildcardSubscriptionAvailable === false) {
    found.push(problem("It keeps no retained messages, or knows no wildcards", "Switch both on at the broker."));
  }
  return found;
}

/** Subscribes as the bridge does, and counts what the broker has kept. */
async function mayListen(client: MqttClient): Promise<Found[]> {
  const serials = new Set<string>();
  client.on("message", (topic, _payload, packet) => {
    if (packet.retain) serials.add(topic);
  });
  const refused: string[] = [];
  for (const leaf of deviceLeaves) {
    const topic = topicOf("+", leaf);
    const granted = await client.subscribeAsync(topic, { qos: 1 }).catch(() => []);
    if (!granted.some(({ qos }) => qos === 1 || qos === 2)) refused.push(topic);
  }
  if (refused.length > 0) return [problem(`It does not let Suncrew listen to ${refused.join(", ")}`, RIGHTS)];
  await new Promise((resolve) => setTimeout(resolve, RETAINED_MS));
  return [
    ok(
      serials.size === 0
        ? "It lets Suncrew listen; it has kept no message of a robot, which is right before the first one connects"
        : `It lets Suncrew listen, and has kept ${serials.size} messages of robots`,
    ),
  ];
}

/** With topics of a robot that does not exist. */
async function maySend(client: MqttClient, version: 4 | 5): Promise<Found[]> {
  const serial = `suncrew-doctor-${randomUUID().slice(0, 8)}`;
  const refused: string[] = [];
  for (const leaf of serverLeaves) {
    // Some brokers close the connection instead of refusing the message.
    const closed = new Promise<boolean>((resolve) => client.once("close", () => resolve(false)));
    const sent = client.publishAsync(topicOf(serial, leaf), "{}", { qos: 1, retain: false }).then(
      () => true,
      () => false,
    );
    if (!client.connected || !(await Promise.race([sent, closed]))) refused.push(topicOf("+", leaf));
  }
  if (refused.length > 0) return [problem(`It does not let Suncrew send on ${refused.join(", ")}`, RIGHTS)];
  if (version === 5) return [ok("It lets Suncrew send to robots")];
  const says = `It took a message below ${TOPIC_ROOT}/, which with MQTT 3.1.1 does not prove that it delivers it`;
  return [
    warning(says, "Start a robot, or check the account's rights at the broker: it may write `command` and `firmware`."),
  ];
}

/** Whether what one server says about Stops reaches another, by an empty message, which says nothing. */
async function mayTellServers(client: MqttClient): Promise<Found[]> {
  const topic = `${STOP_NOTICES_TOPIC}/suncrew-doctor-${randomUUID().slice(0, 8)}`;
  const arrived = new Promise<boolean>((resolve) => {
    client.on("message", (of) => of === topic && resolve(true));
    client.once("close", () => resolve(false));
  });
  await client.subscribeAsync(topic, { qos: 1 }).catch(() => {});
  // The answer is what arrives: with MQTT 3.1.1 a refusal looks like a success.
  client.publishAsync(topic, "", { qos: 1, retain: false }).catch(() => {});
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), RETAINED_MS));
  if (await Promise.race([arrived, late])) return [];
  return [problem(`It does not let Suncrew's servers tell each other of Stops on ${STOP_NOTICES_TOPIC}/#`, RIGHTS)];
}

/** The devices' accounts, as far as they can be looked at without changing one. */
export async function checkBrokerAccounts(settings: BrokerSettings): Promise<readonly Found[]> {
  switch (settings.form) {
    case "dynamic-security":
      return dynamicSecurity(settings.adminUrl);
    case "http": {
      const says = "The broker asks Suncrew with the token of BROKER_AUTH_TOKEN";
      const todo = "Set BROKER_KICK_URL, so that a retired device is cut off at once.";
      return [settings.kickUrl === null ? warning(`${says}; no connection is closed`, todo) : ok(says)];
    }
    case "manual":
      return [ok("You enter devices' accounts at the broker yourself")];
    case "embedded":
      return [ok("The embedded broker asks the database")];
  }
}

async function dynamicSecurity(url: string): Promise<readonly Found[]> {
  const broker = openBroker({
    url,
    clientId: `suncrew-doctor-${randomUUID()}`,
    log: pino({ level: "silent" }),
  });
  try {
    const isConnected = await connected(broker);
    if (!isConnected) {
      return [problem("The account of BROKER_ADMIN_URL cannot connect", "Correct its address, account and password.")];
    }
    // Without a device it only checks the plugin and its defaults.
    await new DynamicSecurity(broker, new SystemClock(), pino({ level: "silent" })).put([]);
    return [ok("The dynamic-security plugin answers, and allows only what it names")];
  } catch (error) {
    if (!(error instanceof BrokerUpdateError)) throw error;
    const todo =
      error.why === "refused"
        ? "See docs/operating.md, Mosquitto's dynamic-security plugin."
        : "Load the plugin, and let the account of BROKER_ADMIN_URL use $CONTROL/dynamic-security/#.";
    return [problem(error.message.replace(/\.$/, ""), todo)];
  } finally {
    await broker.close();
  }
}

async function connected(broker: ReturnType<typeof openBroker>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(broker.connected), CONNECT_MS);
  });
  const now = new Promise<boolean>((resolve) => {
    broker.onConnectionChange((is) => is && resolve(true));
    if (broker.connected) resolve(true);
  });
  const is = await Promise.race([now, late]);
  clearTimeout(timer);
  return is;
}
