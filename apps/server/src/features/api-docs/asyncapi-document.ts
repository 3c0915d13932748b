import { type Leaf, leaves, MAX_MESSAGE_BYTES, TOPIC_ROOT } from "@suncrew/contract/devices/topics.ts";
import { serialSchema } from "@suncrew/contract/http/values.ts";
import type { z } from "zod";
import { productVersion } from "../../platform/product-version.ts";
import { webhookParts } from "./asyncapi-webhooks.ts";
import { capitalised, sentSchema } from "./json-schema.ts";

const description = `Robots speak MQTT 3.1.1 or 5 with any broker; Suncrew is another client of it. The operations here are the server's:
what it **receives** a robot publishes, what it **sends** a robot subscribes to. Everything is JSON in UTF-8 with QoS 1, and a
message above ${MAX_MESSAGE_BYTES} bytes is dropped unread. Times are in RFC 3339 format with an offset; the server sends UTC. How to build a
robot, from its first connection on, is described in docs/device-guide.md.

1. A robot never acts on an old START, SET or MAINTENANCE_OFF: its \`session\` must be the current one, \`expiresAt\` must not
   have passed, and \`seq\` must be above the highest that the robot has accepted. It ignores a retained command.
2. START is sent only to a robot that has reported in its current session within 45 s, and not to one that is moving.
3. STOP is accepted at any time, whatever its session or age, unless a START with a higher \`seq\` was accepted in the same
   session. For an offline robot it stays pending and is sent again.
4. A robot stops by itself \`maxDurationS\` after it accepted the START, and after 300 s without its broker.
5. A repeated command \`id\` is acknowledged again and acts once.
6. A command has worked when a live state shows it: \`motion\`, \`applied\` or \`mode\`, with \`lastSeq\` at or above its \`seq\`.
7. A robot is offline after its last will, after OFFLINE, or after 90 s without a state. It raises \`session\` before every
   connect.
8. MAINTENANCE_ON includes a stop, and the robot keeps it across power loss; nothing moves it until MAINTENANCE_OFF.
9. A robot signs in with its serial number and its own secret, and can access only its own topics.
10. A message that cannot be parsed is counted, logged and dropped.
11. One server at a time stores what robots send; any of them may send commands.
12. The server's clock decides on order and age. A robot whose clock is more than 30 s off is not started.
13. Firmware is offered to a robot that is stopped, in AUTO or MANUAL mode, with 50 % battery or more. The robot accepts an
    offer only in its current session and before \`expiresAt\`, and each \`id\` once; otherwise it answers REJECTED. It downloads
    the file, checks its size and SHA-256, installs it, and refuses every START with BUSY until it is done. The update has
    worked when a live state shows the new version in \`firmware\`. A robot that loses power has either its old firmware
    or the complete new one.

14. \`session\` and \`eventSeq\` start at the current Unix time in seconds and only grow. A value more than a day ahead of the
    server's time is dropped, and raises an alert; so does a lower session.

15. A weather sensor is a device of its own at a site. It publishes \`weather\` and nothing else, at least every 30 s and at
    once in a gust; a reading counts for 90 s, and only if (session, seq) is above that of the one before. A retained
    reading, or one that a robot sends, counts for nothing.

A robot reports its state at every change and at least every 30 s. It repeats an event until RECEIVED names its \`eventSeq\`.

Apart from robots, the channel \`webhook\` tells other programs over HTTPS what happens, as docs/webhooks.md describes.`;

/** A title and a summary for each leaf. */
export const leafTexts: Readonly<Record<Leaf, { readonly title: string; readonly summary: string }>> = {
  connection: {
    title: "Connection",
    summary: "A robot has connected, is disconnecting, or has lost its connection (its last will).",
  },
  state: {
    title: "State",
    summary: "What a robot is doing now, its condition, and the last command that it has accepted.",
  },
  ack: {
    title: "Acknowledgement",
    summary: "A robot has accepted a command, has executed it, or refuses it, and why.",
  },
  event: { title: "Event", summary: "A run or an alert began or ended; repeated until RECEIVED." },
  command: { title: "Command", summary: "A command or a query to one robot." },
  firmware: { title: "Firmware offer", summary: "New firmware for one robot, and where to download it." },
  weather: {
    title: "Weather reading",
    summary: "What the weather sensor of a site has just measured.",
  },
  "firmware/state": {
    title: "Firmware progress",
    summary: "The progress of a robot with the firmware it was offered.",
  },
};

/** A leaf's name in the document, where references cannot contain a slash. */
export function leafName(leaf: Leaf): string {
  const [first = "", ...others] = leaf.split("/");
  return [first, ...others.map(capitalised)].join("");
}

const refTo = (...path: string[]) => ({ $ref: `#/${path.join("/")}` });

function forEachLeaf<T>(make: (leaf: Leaf) => T): Record<string, T> {
  return Object.fromEntries((Object.keys(leaves) as Leaf[]).map((leaf) => [leafName(leaf), make(leaf)]));
}

/** The AsyncAPI document of the device protocol, from the topics and the schemas that the server parses with. */
export function asyncApiDocument() {
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Suncrew device protocol and webhooks",
      version: productVersion(),
      description,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    servers: {
      broker: {
        host: "{host}",
        protocol: "secure-mqtt",
        protocolVersion: "3.1.1",
        description: "The installation's broker; TLS is required unless it runs on the same machine.",
        variables: { host: { description: "Host and port", default: "localhost:8883" } },
        security: [refTo("components", "securitySchemes", "device")],
        bindings: {
          mqtt: {
            cleanSession: true,
            lastWill: {
              topic: `${TOPIC_ROOT}/{serial}/connection`,
              qos: leaves.connection.qos,
              retain: leaves.connection.retained,
              message: "A connection message with the state CONNECTION_BROKEN",
            },
            bindingVersion: "0.2.0",
          },
        },
      },
      webhook: webhookParts.server,
    },
    channels: {
      ...forEachLeaf((leaf) => ({
        address: `${TOPIC_ROOT}/{serial}/${leaf}`,
        title: leafTexts[leaf].title,
        description: leafTexts[leaf].summary,
        servers: [refTo("servers", "broker")],
        parameters: { serial: refTo("components", "parameters", "serial") },
        messages: { [leafName(leaf)]: refTo("components", "messages", leafName(leaf)) },
      })),
      ...webhookParts.channels,
    },
    operations: {
      ...Object.fromEntries((Object.keys(leaves) as Leaf[]).map((leaf) => [operationId(leaf), operationOf(leaf)])),
      sendEvent: webhookParts.operation,
    },
    components: {
      securitySchemes: {
        device: {
          type: "userPassword",
          description: "User name and client id are the serial number; the password is the device's own secret.",
        },
      },
      parameters: {
        serial: {
          description: `The serial number of the device, matching the pattern ${serialPattern()}.`,
          examples: ["SCR-1001"],
        },
      },
      messages: {
        ...forEachLeaf((leaf) => ({
          name: leafName(leaf),
          title: leafTexts[leaf].title,
          summary: leafTexts[leaf].summary,
          contentType: "application/json",
          payload: refTo("components", "schemas", leafName(leaf)),
          examples: messageExamples[leaf],
        })),
        ...webhookParts.messages,
      },
      schemas: { ...forEachLeaf((leaf) => sentSchema(leaves[leaf].schema, "draft-7")), ...webhookParts.schemas },
    },
  };
}

function operationId(leaf: Leaf): string {
  return `${leaves[leaf].from === "server" ? "send" : "receive"}${capitalised(leafName(leaf))}`;
}

function operationOf(leaf: Leaf): object {
  const { from, qos, retained } = leaves[leaf];
  return {
    action: from === "server" ? "send" : "receive",
    channel: refTo("channels", leafName(leaf)),
    title: `${from === "server" ? "To a robot" : `From a ${from}`}: ${leafTexts[leaf].title.toLowerCase()}`,
    summary: `${leafTexts[leaf].summary} QoS ${qos}, ${retained ? "retained" : "not retained"}.`,
    messages: [refTo("channels", leafName(leaf), "messages", leafName(leaf))],
    bindings: { mqtt: { qos, retain: retained, bindingVersion: "0.2.0" } },
  };
}

function serialPattern(): string {
  const { pattern } = sentSchema(serialSchema);
  return typeof pattern === "string" ? `\`${pattern}\`` : "defined by the API";
}

interface MessageExample<L extends Leaf> {
  readonly name: string;
  readonly summary: string;
  readonly payload: z.input<(typeof leaves)[L]["schema"]>;
}

const session = 1_763_706_000;
const runId = "01980a6e-5f00-7000-8000-000000000001";
const commandId = "01980a6e-5f00-7000-8000-000000000002";
const ts = "2026-11-21T06:30:00.000Z";
const envelope = { v: 1, id: commandId, session, issuedAt: ts, by: "Asha Rao" } as const;

/** One or two real messages of each leaf; the compiler and a test check them against the schemas. */
export const messageExamples: { readonly [L in Leaf]: readonly MessageExample<L>[] } = {
  connection: [{ name: "online", summary: "A robot has connected", payload: { v: 1, state: "ONLINE", session, ts } }],
  state: [
    {
      name: "cleaning",
      summary: "A robot is cleaning and has accepted command 1763706600000",
      payload: {
        seq: 42,
        ts,
        session,
        status: "start",
        motion: "MOVING",
        mode: "AUTO",
        battery: 81.5,
        charging: false,
        applied: { direction: "FWD", mainSpeed: 75, brushSpeed: 60 },
        runId,
        lastSeq: 1_763_706_600_000,
        lastCommandId: commandId,
        firmware: "2.4.1",
        alerts: [],
      },
    },
  ],
  ack: [
    { name: "accepted", summary: "Accepted", payload: { id: commandId, status: "ACCEPTED", code: null, ts } },
    { name: "rejected", summary: "Refused", payload: { id: commandId, status: "REJECTED", code: "BATTERY_LOW", ts } },
  ],
  event: [
    {
      name: "runEnded",
      summary: "A STOP has ended a run",
      payload: { eventSeq: 1_763_706_012, session, ts, kind: "RUN_ENDED", runId, at: ts, battery: 64, reason: "STOP" },
    },
  ],
  "firmware/state": [
    {
      name: "downloading",
      summary: "Half of the file has been downloaded",
      payload: {
        v: 1,
        offerId: commandId,
        session,
        seq: 5,
        ts,
        phase: "DOWNLOADING",
        percent: 50,
        version: "2.5.0",
        code: null,
      },
    },
    {
      name: "failed",
      summary: "The downloaded file is not the one that was offered",
      payload: {
        v: 1,
        offerId: commandId,
        session,
        seq: 9,
        ts,
        phase: "FAILED",
        percent: 100,
        version: "2.5.0",
        code: "HASH_MISMATCH",
      },
    },
  ],
  weather: [
    {
      name: "calm",
      summary: "Light wind, no rain",
      payload: { v: 1, seq: 42, session, ts, gust_kmh: 14.8, rain_mm_h: 0, temperature_c: 34.2 },
    },
    {
      name: "gusts",
      summary: "A storm, measured by a sensor without a rain gauge",
      payload: { v: 1, seq: 43, session, ts, gust_kmh: 71.6, rain_mm_h: null, temperature_c: 29.5 },
    },
  ],
  firmware: [
    {
      name: "offer",
      summary: "Firmware 2.5.0, to be accepted within 15 minutes",
      payload: {
        ...envelope,
        expiresAt: "2026-11-21T06:45:00.000Z",
        url: `https://suncrew.example/api/firmware/file/${commandId}?expires=1763707500&signature=${"0".repeat(64)}`,
        size: 1_048_576,
        sha256: "a".repeat(64),
        version: "2.5.0",
      },
    },
  ],
  command: [
    {
      name: "start",
      summary: "Clean until stopped, for at most 480 minutes",
      payload: {
        ...envelope,
        expiresAt: "2026-11-21T06:30:05.000Z",
        verb: "START",
        seq: 1_763_706_600_000,
        runId,
        maxDurationS: 28_800,
        params: { status: "start", direction: "FWD", "main-speed": 75, "brush-speed": 60 },
      },
    },
    {
      name: "stop",
      summary: "Stop",
      payload: { ...envelope, expiresAt: "2026-11-21T06:31:00.000Z", verb: "STOP", seq: 1_763_706_600_001 },
    },
  ],
};
