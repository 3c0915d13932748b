import { connect, type IClientOptions, type MqttClient } from "mqtt";
import { Socket } from "node:net";
import type { Logger } from "pino";
import { type Cancel, type Clock, SystemClock, timeAt } from "./clock.ts";
import { BrokerUnavailableError, errorText, Outage } from "./outages.ts";

export interface ReceivedMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** Kept by the broker from before this subscription: tells last-known values only. */
  readonly retained: boolean;
}

/** The server's own connection to the MQTT broker. */
export interface Broker {
  readonly connected: boolean;
  /** Resolves when the broker has taken the message (QoS 1); rejects where there is no connection. */
  publish(topic: string, payload: string): Promise<void>;
  /** Plain subscription, QoS 1, renewed after a reconnect. Resolves to what ends it. */
  subscribe(topics: readonly string[], onMessage: (message: ReceivedMessage) => void): Promise<() => Promise<void>>;
  onConnectionChange(listener: (connected: boolean) => void): () => void;
  close(): Promise<void>;
}

interface BrokerOptions {
  readonly url: string;
  readonly clientId: string;
  readonly username?: string;
  readonly password?: string;
  readonly log: Logger;
  /** Tells how long it was away. */
  readonly clock?: Clock;
  /** Begins the sentences of its outages; "the MQTT broker" unless given. */
  readonly name?: string;
}

/** Opens the connection in the background and keeps it: an unreachable broker is retried every second. */
export function openBroker(options: BrokerOptions): Broker {
  const settings: IClientOptions = {
    clientId: options.clientId,
    clean: true,
    reconnectPeriod: 1_000,
    connectTimeout: 5_000,
    keepalive: 15,
    resubscribe: true,
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
  readonly #handlers = new Set<(message: ReceivedMessage) => void>();
  #isClosing = false;

  constructor(client: MqttClient, outage: Outage) {
    this.#client = client;
    this.#outage = outage;
    client.on("connect", () => {
      this.#withoutDelay();
      outage.end();
    });
    client.on("close", () => {
      this.#forgetUnconfirmed();
      if (!this.#isClosing && !outage.isOn) outage.begin("The connection ended.");
    });
    client.on("error", (error) => {
      if (!this.#isClosing) outage.begin(errorText(error));
    });
    client.on("message", (topic, payload, packet) => {
      for (const handler of this.#handlers) handler({ topic, payload, retained: packet.retain });
    });
  }

  get connected(): boolean {
    return this.#client.connected;
  }

  async publish(topic: string, payload: string): Promise<void> {
    // Without this check the client would keep the message and send it whenever the broker comes back.
    if (!this.#client.connected) throw new BrokerUnavailableError("The MQTT broker is not connected.");
    await this.#client.publishAsync(topic, payload, { qos: 1, retain: false });
  }

  async subscribe(
    topics: readonly string[],
    onMessage: (message: ReceivedMessage) => void,
  ): Promise<() => Promise<void>> {
    this.#handlers.add(onMessage);
    try {
      await this.#client.subscribeAsync([...topics], { qos: 1 });
    } catch (error) {
      this.#handlers.delete(onMessage);
      throw this.#client.connected
        ? error
        : new BrokerUnavailableError("The MQTT broker is not connected.", { cause: error });
    }
    return async () => {
      this.#handlers.delete(onMessage);
      const unsubscribed = this.#client.unsubscribeAsync([...topics]);
      // Without a connection it is only noted, so that the next one does not subscribe again.
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

  /**
   * The library would send again, after any time, what the broker had not confirmed as the connection broke: an old
   * START too (protocol rule 5). Whoever publishes decides about repetitions; its promise rejects.
   */
  #forgetUnconfirmed(): void {
    for (const messageId of Object.keys(this.#client.outgoing)) this.#client.removeOutgoingMessage(Number(messageId));
  }

  /** Nagle's algorithm would hold every small message back for some 40 ms. */
  #withoutDelay(): void {
    const { stream } = this.#client;
    if (stream instanceof Socket) stream.setNoDelay(true);
  }
}

/**
 * Since when this server hears robots without a gap, as far as it knows; what they showed before is no proof. Counted by
 * the monotonic clock, so that a clock that is set changes nothing.
 */
export class ListeningPeriod {
  readonly #clock: Clock;
  readonly #broker: Broker;
  #sinceMs: number;

  constructor({ clock, broker }: { readonly clock: Clock; readonly broker: Broker }) {
    this.#clock = clock;
    this.#broker = broker;
    this.#sinceMs = clock.monotonicMs();
  }

  get since(): Date {
    return timeAt(this.#clock, this.#sinceMs);
  }

  get forMs(): number {
    return this.#clock.monotonicMs() - this.#sinceMs;
  }

  /** Something was away, or wrong, up to now. */
  restart(): void {
    this.#sinceMs = this.#clock.monotonicMs();
  }

  /** Begins now, and anew whenever the broker is reached again, until that is cancelled. */
  follow(): Cancel {
    this.restart();
    return this.#broker.onConnectionChange((connected) => {
      if (connected) this.restart();
    });
  }
}
