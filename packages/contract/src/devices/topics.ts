import { serialSchema } from "../http/values.ts";
import {
  ackMessageSchema,
  commandMessageSchema,
  connectionMessageSchema,
  eventMessageSchema,
  firmwareOfferMessageSchema,
  firmwareStateMessageSchema,
  stateMessageSchema,
  weatherMessageSchema,
} from "./messages.ts";

export const TOPIC_ROOT = "scr/v1";

/** The last part of each topic: who publishes it, how, and its payload's schema. */
export const leaves = {
  connection: { from: "robot", qos: 1, retained: true, schema: connectionMessageSchema },
  state: { from: "robot", qos: 1, retained: true, schema: stateMessageSchema },
  ack: { from: "robot", qos: 1, retained: false, schema: ackMessageSchema },
  event: { from: "robot", qos: 1, retained: false, schema: eventMessageSchema },
  command: { from: "server", qos: 1, retained: false, schema: commandMessageSchema },
  firmware: { from: "server", qos: 1, retained: false, schema: firmwareOfferMessageSchema },
  "firmware/state": { from: "robot", qos: 1, retained: true, schema: firmwareStateMessageSchema },
  weather: { from: "sensor", qos: 1, retained: false, schema: weatherMessageSchema },
} as const;

export type Leaf = keyof typeof leaves;
export type RobotLeaf = { [L in Leaf]: (typeof leaves)[L]["from"] extends "robot" ? L : never }[Leaf];

export type ServerLeaf = { [L in Leaf]: (typeof leaves)[L]["from"] extends "server" ? L : never }[Leaf];
/** What devices publish, robots and weather sensors. */
export type DeviceLeaf = Exclude<Leaf, ServerLeaf>;

export const robotLeaves: readonly RobotLeaf[] = ["connection", "state", "ack", "event", "firmware/state"];
/** The broker lets every device publish all of them: what it is assigned to says which of them count. */
export const deviceLeaves: readonly DeviceLeaf[] = [...robotLeaves, "weather"];
export const serverLeaves: readonly ServerLeaf[] = ["command", "firmware"];

/** Servers tell each other here which Stops they sent without a record; no robot may read or write it. */
export const STOP_NOTICES_TOPIC = "suncrew/stops";

/** Both sides drop larger messages unparsed; more than twice the size of the largest valid one. */
export const MAX_MESSAGE_BYTES = 32_768;

export function topicOf(serial: string, leaf: Leaf): string {
  return `${TOPIC_ROOT}/${serial}/${leaf}`;
}

/** Splits a topic into serial and leaf; null for topics outside the protocol. */
export function parseTopic(topic: string): { serial: string; leaf: Leaf } | null {
  const [root, version, serial, ...rest] = topic.split("/");
  const leaf = rest.join("/");
  if (`${root}/${version}` !== TOPIC_ROOT) return null;
  if (!Object.hasOwn(leaves, leaf) || !serialSchema.safeParse(serial).success) return null;
  return { serial: serial as string, leaf: leaf as Leaf };
}
