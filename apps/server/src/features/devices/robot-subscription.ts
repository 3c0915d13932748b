import type { Logger } from "pino";
import type { Broker, ReceivedMessage } from "../../platform/broker.ts";
import type { Cancel, Clock } from "../../platform/clock.ts";
import { robotTopics } from "./devices.mqtt.ts";

const RETRY_MS = 1_000;

export interface SubscriptionListener {
  onMessage(message: ReceivedMessage): void;
  /** Subscribed, or subscribed again after the broker was away: retained messages are coming. */
  onSubscribed(): void;
}

/** The bridge's subscription to what robots say, kept while the broker comes and goes. */
export class RobotSubscription {
  readonly #broker: Broker;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #listener: SubscriptionListener;
  /** Counts the times this server became the bridge; null while it is not. */
  #wanted: number | null = null;
  #begun = 0;
  #held: { readonly by: number; readonly end: () => Promise<void> } | null = null;
  #settling: Promise<void> = Promise.resolve();
  #stopListening: Cancel = () => {};
  #cancelRetry: Cancel = () => {};

  constructor(broker: Broker, clock: Clock, log: Logger, listener: SubscriptionListener) {
    this.#broker = broker;
    this.#clock = clock;
    this.#log = log;
    this.#listener = listener;
  }

  begin(): Promise<void> {
    this.#begun += 1;
    this.#wanted = this.#begun;
    this.#stopListening();
    this.#stopListening = this.#broker.onConnectionChange((connected) => {
      if (!connected) return;
      // The connection renews by itself what it had subscribed.
      if (this.#held !== null) this.#listener.onSubscribed();
      else void this.#settle();
    });
    return this.#settle();
  }

  /** From this call on no message is handed on. */
  end(): Promise<void> {
    this.#wanted = null;
    this.#stopListening();
    this.#cancelRetry();
    return this.#settle();
  }

  /** Resolves when the broker has answered what it was asked. */
  async idle(): Promise<void> {
    await this.#settling;
  }

  /** Makes what is so what is wanted, one step after the other: the broker knows one subscription for a connection. */
  #settle(): Promise<void> {
    this.#settling = this.#settleAfter(this.#settling);
    return this.#settling;
  }

  async #settleAfter(former: Promise<void>): Promise<void> {
    await former;
    if (this.#held !== null && this.#held.by !== this.#wanted) await this.#unsubscribe();
    if (this.#held === null && this.#wanted !== null && this.#broker.connected) await this.#subscribe(this.#wanted);
  }

  async #subscribe(by: number): Promise<void> {
    try {
      const end = await this.#broker.subscribe(robotTopics, (message) => {
        if (this.#wanted === by) this.#listener.onMessage(message);
      });
      this.#held = { by, end };
      if (this.#wanted === by) this.#listener.onSubscribed();
    } catch (error) {
      this.#warn(error, "could not subscribe to robots");
      if (this.#wanted === by) this.#cancelRetry = this.#clock.after(RETRY_MS, () => void this.#settle());
    }
  }

  async #unsubscribe(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    try {
      await held?.end();
    } catch (error) {
      this.#warn(error, "could not end the subscription to robots");
    }
  }

  #warn(error: unknown, sentence: string): void {
    this.#log.warn({ error }, sentence);
  }
}
