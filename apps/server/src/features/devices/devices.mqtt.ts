import type {
  AckMessage,
  EventMessage,
  FirmwareStateMessage,
  WeatherMessage,
} from "@suncrew/contract/devices/messages.ts";
import {
  leaves,
  MAX_MESSAGE_BYTES,
  parseTopic,
  robotLeaves,
  TOPIC_ROOT,
  topicOf,
} from "@suncrew/contract/devices/topics.ts";
import { implausibleCounter } from "@suncrew/domain/devices/reported-values.ts";
import { z } from "zod";
import type { ReceivedMessage } from "../../platform/broker.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { PresenceMessage } from "./presence.ts";

/** The bridge's subscriptions: everything that robots publish (protocol rule 11: no shared subscription). */
export const robotTopics: readonly string[] = robotLeaves.map((leaf) => `${TOPIC_ROOT}/+/${leaf}`);

/** What weather sensors publish; apart, because a broker with the rights of an earlier version refuses it. */
export const sensorTopics: readonly string[] = [topicOf("+", "weather")];

type BadMessageKind =
  | "oversized"
  | "topic"
  | "json"
  | "schema"
  | "unknown-serial"
  | "retained"
  | "counter"
  | "overflow"
  | "over-budget"
  | "refused"
  | "set-aside";

export type IncomingMessage = (
  | PresenceMessage
  | { readonly leaf: "ack"; readonly message: AckMessage; readonly receivedAt: Date }
  | { readonly leaf: "event"; readonly message: EventMessage; readonly receivedAt: Date }
  | { readonly leaf: "firmware/state"; readonly message: FirmwareStateMessage; readonly receivedAt: Date }
  | { readonly leaf: "weather"; readonly message: WeatherMessage; readonly receivedAt: Date }
) & {
  /** Counts what the buffer has received; set when it is added there. */
  arrival?: number;
};

export interface RobotMessages {
  readonly serial: string;
  readonly messages: readonly IncomingMessage[];
}

type Opened =
  | { readonly serial: string; readonly incoming: IncomingMessage }
  | { readonly bad: BadMessageKind; readonly serial: string | null };

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** What stands where a robot's topics have its serial number, valid or not. */
export function serialIn(topic: string): string {
  return topic.split("/", 3)[2] ?? "";
}

/** Parses a message from the broker: size, topic, JSON and schema, in this order (protocol rule 10). Never throws. */
export function openMessage(received: ReceivedMessage, receivedAt: Date): Opened {
  const topic = parseTopic(received.topic);
  const serial = topic?.serial ?? null;
  if (received.payload.length > MAX_MESSAGE_BYTES) return { bad: "oversized", serial };
  if (topic === null || topic.leaf === "command" || topic.leaf === "firmware") return { bad: "topic", serial };
  const json = parseJson(received.payload);
  if (json === undefined) return { bad: "json", serial };
  const { data } = leafSchema.safeParse({ leaf: topic.leaf, message: json });
  if (data === undefined) return { bad: "schema", serial };
  if (data.leaf === "weather") {
    // Nobody knows when a retained reading was received.
    if (received.retained) return { bad: "retained", serial };
    if (implausibleCounter(data.message, receivedAt.getTime(), 0) !== null) return { bad: "counter", serial };
  }
  const isPresence = data.leaf === "connection" || data.leaf === "state";
  const incoming = isPresence ? { ...data, receivedAt, retained: received.retained } : { ...data, receivedAt };
  return { serial: topic.serial, incoming };
}

function parseJson(payload: Buffer): unknown {
  try {
    const text = utf8.decode(payload);
    // PostgreSQL cannot store NUL characters or lone surrogates, and no robot needs them.
    if (text.includes("\\u0000")) return undefined;
    return surrogateEscape.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lone surrogates arrive only as escapes: the decoder above rejects their bytes. */
const surrogateEscape = /\\ud[89a-f]/i;

function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === "string" && !value.isWellFormed()) throw new SyntaxError("half of a surrogate pair");
  return value;
}

const leafSchema = z.discriminatedUnion("leaf", [
  z.object({ leaf: z.literal("connection"), message: leaves.connection.schema }),
  z.object({ leaf: z.literal("state"), message: leaves.state.schema }),
  z.object({ leaf: z.literal("ack"), message: leaves.ack.schema }),
  z.object({ leaf: z.literal("event"), message: leaves.event.schema }),
  z.object({ leaf: z.literal("firmware/state"), message: leaves["firmware/state"].schema }),
  z.object({ leaf: z.literal("weather"), message: leaves.weather.schema }),
]);

/** Each kind of bad message is logged at most this often. */
const LOG_EVERY_MS = 10_000;

/** Counts and logs what the bridge drops, without the content (protocol rule 10). */
export class BadMessages {
  readonly #deps: Pick<Dependencies, "clock" | "log">;
  readonly #counts = new Map<BadMessageKind, number>();
  readonly #loggedAtMs = new Map<BadMessageKind, number>();

  constructor(deps: Pick<Dependencies, "clock" | "log">) {
    this.#deps = deps;
  }

  get counts(): Readonly<Partial<Record<BadMessageKind, number>>> {
    return Object.fromEntries(this.#counts);
  }

  add(kind: BadMessageKind, serial: string | null, dropped = 1): void {
    const count = (this.#counts.get(kind) ?? 0) + dropped;
    this.#counts.set(kind, count);
    const nowMs = this.#deps.clock.monotonicMs();
    const loggedAtMs = this.#loggedAtMs.get(kind);
    if (loggedAtMs !== undefined && nowMs - loggedAtMs < LOG_EVERY_MS) return;
    this.#loggedAtMs.set(kind, nowMs);
    this.#deps.log.warn({ kind, serial, count }, "dropped a robot's message");
  }
}
