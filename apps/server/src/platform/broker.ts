import { connect, type IClientOptions, type ISubscriptionMap, type MqttClient } from "mqtt";
import { Socket } from "node:net";
import type { Logger } from "pino";
import { type Cancel, type Clock, SystemClock, timeAt } from "./clock.ts";
import type { Dependencies } from "./dependencies.ts";
import { errorText } from "./errors.ts";
import { BrokerUnavailableError, Outage } from "./outages.ts";

export interface ReceivedMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** Stored by the broker before this subscription: a last known value, not live. */
  readonly retained: boolean;
}

/** The server's own connection to the MQTT broker. */
export interface Broker {
  readonly connected: boolean;
  /** Resolves when the broker has acknowledged the message (QoS 1); rejects without a connection. */
  publish(topic: string, payload: string, options?: { readonly retain?: boolean }): Promise<void>;
  /**
   * Plain subscription, QoS 1, renewed after a reconnect unless that is up to the caller. The broker sends what it
   * retains, to every handler of these topics. Resolves to a function that ends it.
   */
  subscribe(topics: readonly string[], onMessage: (message: ReceivedMessage) => void): Promise<() => Promise<void>>;
  onConnectionChange(listener: (connected: boolean) => void): () => void;
  close(): Promise<void>;
}

export interface BrokerOptions {
  readonly url: string;
  readonly clientId: string;
  readonly username?: string;
  readonly password?: string;
  readonly log: Logger;
  readonly clock?: Clock;
  /** False if subscriptions are not renewed after a reconnect; true by default. */
  readonly resubscribe?: boolean;
  /** Names it in log lines about outages; "the MQTT broker" by default. */
  readonly name?: string;
}

/** Connects in the background and stays connected: an unreachable broker is retried every second. */
export function openBroker(options: BrokerOptions): Broker {
  const settings: IClientOptions = {
    clientId: options.clientId,
    clean: true,
    reconnectPeriod: 1_000,
    connectTimeout: 5_000,
    keepalive: 15,
    resubscribe: options.resubscribe ?? true,
    queueQoSZero: false,
    ...(options.username !== undefined && { username: options.username }),
    ...(options.password !== undefined && { password: options.password }),
  };
  const { log, clock = new SystemClock(), name = "the MQTT broker" } = options;
  return new MqttBroker(connect(options.url, settings), new Outage(name, log, clock));
}

/** The address without user and password, for people and logs. */
export function withoutSecret(url: string): string {
  const parsed = new URL(url);
  parsed.username = "";
  parsed.password = "";
  return parsed.toString();
}

class MqttBroker implements Broker {
  readonly #client: MqttClient;
  readonly #outage: Outage;
  readonly #handlers = new Map<(message: ReceivedMessage) => void, readonly string[]>();
  #isClosing = false;
  #isCorked = false;

  constructor(client: MqttClient, outage: Outage) {
    this.#client = client;
    this.#outage = outage;
    client.on("connect", () => {
      // Nagle's algorithm would delay every small message by some 40 ms.
      if (client.stream instanceof Socket) client.stream.setNoDelay(true);
      outage.end();
    });
    client.on("close", () => {
      // When it reconnects, however late, the library would resend whatever the broker had not acknowledged: even an old
      // START (protocol rule 5). Retrying is up to the caller, whose promise rejects.
      for (const messageId of Object.keys(client.outgoing)) client.removeOutgoingMessage(Number(messageId));
      if (!this.#isClosing && !outage.isOn) outage.begin("The connection ended.");
    });
    client.on("error", (error) => {
      if (!this.#isClosing) outage.begin(errorText(error));
    });
    client.on("message", (topic, payload, packet) => {
      this.#acknowledgeTogether();
      for (const handler of this.#handlers.keys()) handler({ topic, payload, retained: packet.retain });
    });
  }

  get connected(): boolean {
    return this.#client.connected;
  }

  /** The library acknowledges each message by a write of its own: those that arrived together leave together. */
  #acknowledgeTogether(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.#client;
    stream.cork();
    setImmediate(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  async publish(topic: string, payload: string, { retain = false } = {}): Promise<void> {
    // Without this check the client would queue the message and send it whenever the broker comes back.
    if (!this.#client.connected) throw new BrokerUnavailableError("The MQTT broker is not connected.");
    await this.#client.publishAsync(topic, payload, { qos: 1, retain });
  }

  async subscribe(
    topics: readonly string[],
    onMessage: (message: ReceivedMessage) => void,
  ): Promise<() => Promise<void>> {
    this.#handlers.set(onMessage, topics);
    try {
      // Otherwise the library would skip topics to which it is subscribed.
      const resubscribe = { resubscribe: true };
      const wanted = Object.fromEntries(topics.map((topic) => [topic, { qos: 1 as const }]));
      await this.#client.subscribeAsync({ ...wanted, ...resubscribe } as ISubscriptionMap);
    } catch (error) {
      this.#handlers.delete(onMessage);
      throw this.#client.connected
        ? error
        : new BrokerUnavailableError("The MQTT broker is not connected.", { cause: error });
    }
    return async () => {
      this.#handlers.delete(onMessage);
      const others = new Set([...this.#handlers.values()].flat());
      const unused = topics.filter((topic) => !others.has(topic));
      if (unused.length === 0) return;
      const unsubscribed = this.#client.unsubscribeAsync(unused);
      // Without a connection it is only noted, so that the client does not subscribe again on reconnect.
      if (this.#client.connected) await unsubscribed;
      else unsubscribed.catch(() => {});
    };
  }

  onConnectionChange(listener: (connected: boolean) => void): () => void {
    const up = () => listener(true);
    const down = () => listener(false);
    this.#client.on("connect", up);
    this.#client.on("close", down);
    return () => {
      this.#client.off("connect", up);
      this.#client.off("close", down);
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#outage.stop();
    await this.#client.endAsync(true);
  }
}

/**
 * Since when this server has been receiving from robots without a gap, as far as it knows; what they reported before
 * proves nothing. Uses the monotonic clock, so that setting the clock changes nothing.
 */
export class ListeningPeriod {
  readonly #deps: Pick<Dependencies, "clock" | "broker">;
  #sinceMs: number;

  constructor(deps: Pick<Dependencies, "clock" | "broker">) {
    this.#deps = deps;
    this.#sinceMs = deps.clock.monotonicMs();
  }

  get since(): Date {
    return timeAt(this.#deps.clock, this.#sinceMs);
  }

  get forMs(): number {
    return this.#deps.clock.monotonicMs() - this.#sinceMs;
  }

  /** Something was unavailable, or wrong, until now. */
  restart(): void {
    this.#sinceMs = this.#deps.clock.monotonicMs();
  }

  /** Restarts now and whenever the broker is reached again, until cancelled. */
  follow(): Cancel {
    this.restart();
    return this.#deps.broker.onConnectionChange((connected) => {
      if (connected) this.restart();
    });
  }
}
