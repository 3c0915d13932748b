import type { ReceivedMessage } from "../../platform/broker.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { robotTopics } from "./devices.mqtt.ts";

const RETRY_MS = 1_000;

interface SubscriptionListener {
  onMessage(message: ReceivedMessage): void;
  /** Subscribed, for the first time or again: retained messages will follow. */
  onSubscribed(): void;
  /** Resubscribed after a broker outage, in which messages were missed. */
  onReconnected(): void;
}

/** What the broker retains has been read once nothing more has come for so many seconds in a row. */
const QUIET_SECONDS = 10;

/**
 * The bridge's subscription to robot messages, surviving broker reconnects. If it is subscribed already, what the
 * broker retains is read over another connection, while live messages go on arriving; what comes over both is ordered by
 * (session, seq), as always (rule 7).
 */
export class RobotSubscription {
  readonly #deps: Pick<Dependencies, "broker" | "clock" | "log">;
  readonly #listener: SubscriptionListener;
  /** Counts the times this server became the bridge of some share; null while it is of none. */
  #wanted: number | null = null;
  #begun = 0;
  /** What it is subscribed by, and for which time. */
  #held: {
    by: number;
    readonly onMessage: (message: ReceivedMessage) => void;
    readonly end: () => Promise<void>;
  } | null = null;
  #settling: Promise<void> = Promise.resolve();
  /** False once the other connection has been lost. */
  #readsApart = true;
  #endReading: () => void = () => {};
  #stopListening: Cancel = () => {};
  #cancelRetry: Cancel = () => {};

  constructor(deps: Pick<Dependencies, "broker" | "clock" | "log">, listener: SubscriptionListener) {
    this.#deps = deps;
    this.#listener = listener;
  }

  begin(): Promise<void> {
    this.#begun += 1;
    this.#wanted = this.#begun;
    this.#readsApart = true;
    this.#stopListening();
    this.#stopListening = this.#deps.broker.onConnectionChange((connected) => {
      if (!connected) return;
      // The connection renews its subscriptions automatically, and is sent what is retained.
      if (this.#held !== null) {
        this.#endReading();
        this.#held.by = this.#begun;
        this.#listener.onReconnected();
      } else void this.#settle();
    });
    return this.#settle();
  }

  /** No message is delivered after this call. */
  end(): Promise<void> {
    this.#wanted = null;
    this.#stopListening();
    this.#cancelRetry();
    return this.#settle();
  }

  /** Resolves when the broker has acknowledged the subscriptions. */
  async idle(): Promise<void> {
    await this.#settling;
  }

  /** Reconciles it with what is wanted, one step at a time: the broker knows one subscription per connection. */
  #settle(): Promise<void> {
    this.#settling = this.#settleAfter(this.#settling);
    return this.#settling;
  }

  async #settleAfter(former: Promise<void>): Promise<void> {
    await former;
    if (this.#held !== null && this.#wanted === null) await this.#unsubscribe();
    const wanted = this.#wanted;
    if (wanted === null || this.#held?.by === wanted || !this.#deps.broker.connected) return;
    if (this.#held === null || !(await this.#readRetained(wanted))) await this.#subscribe(wanted);
  }

  /** False if that cannot be done over another connection. */
  async #readRetained(by: number): Promise<boolean> {
    const { broker, clock, log } = this.#deps;
    const held = this.#held;
    if (held === null || broker.readRetained === undefined || !this.#readsApart) return false;
    this.#endReading();
    let quietSeconds = 0;
    const onMessage = (message: ReceivedMessage) => {
      quietSeconds = 0;
      held.onMessage(message);
    };
    /** Over the first connection, then. */
    const onLost = () => {
      this.#endReading();
      if (this.#held !== held || this.#wanted === null) return;
      this.#readsApart = false;
      held.by = 0;
      void this.#settle();
    };
    try {
      const end = await broker.readRetained(robotTopics, onMessage, onLost);
      const cancel = clock.every(1_000, () => {
        quietSeconds += 1;
        if (quietSeconds >= QUIET_SECONDS) this.#endReading();
      });
      this.#endReading = () => {
        this.#endReading = () => {};
        cancel();
        void end().catch(() => {});
      };
    } catch (error) {
      log.warn({ reason: error }, "what the broker retains cannot be read over another connection");
      return false;
    }
    held.by = by;
    if (this.#wanted === by) this.#listener.onSubscribed();
    return true;
  }

  async #subscribe(by: number): Promise<void> {
    const former = this.#held;
    const onMessage = (message: ReceivedMessage) => {
      // While it subscribes again, the former handler still counts.
      const isCurrent = onMessage === (this.#held?.onMessage ?? onMessage);
      if (this.#wanted !== null && isCurrent) this.#listener.onMessage(message);
    };
    try {
      const end = await this.#deps.broker.subscribe(robotTopics, onMessage);
      this.#held = { by, onMessage, end };
      await former?.end();
      if (this.#wanted === by) this.#listener.onSubscribed();
    } catch (error) {
      this.#deps.log.warn({ error }, "could not subscribe to robots");
      if (this.#wanted === by) this.#cancelRetry = this.#deps.clock.after(RETRY_MS, () => void this.#settle());
    }
  }

  async #unsubscribe(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    this.#endReading();
    try {
      await held?.end();
    } catch (error) {
      this.#deps.log.warn({ error }, "could not end the subscription to robots");
    }
  }
}
