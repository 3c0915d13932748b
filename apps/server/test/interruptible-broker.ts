import type { Broker, ReceivedMessage } from "../src/platform/broker.ts";

type Delivery = "pass" | "lose" | "fail";

/** A broker connection that a test can cut, and whose messages it can lose or fail. */
export class InterruptibleBroker implements Broker {
  readonly #inner: Broker;
  readonly #listeners = new Set<(connected: boolean) => void>();
  readonly #endInner: () => void;
  #cut = false;
  /** Decides about each message: sent, lost without the sender noticing, or failed after it was sent. */
  deliveryOf: (topic: string, payload: string) => Delivery = () => "pass";
  /** Every published message, in order. */
  readonly published: { readonly topic: string; readonly payload: string }[] = [];

  constructor(inner: Broker) {
    this.#inner = inner;
    this.#endInner = inner.onConnectionChange((connected) => {
      if (!this.#cut) this.#notify(connected);
    });
  }

  get connected(): boolean {
    return !this.#cut && this.#inner.connected;
  }

  setCut(cut: boolean): void {
    this.#cut = cut;
    this.#notify(this.connected);
  }

  async publish(topic: string, payload: string): Promise<void> {
    if (!this.connected) throw new Error("The MQTT broker is not connected.");
    this.published.push({ topic, payload });
    const delivery = this.deliveryOf(topic, payload);
    if (delivery === "lose") return new Promise(() => {});
    await this.#inner.publish(topic, payload);
    if (delivery === "fail") throw new Error("The connection broke while the message was in transit.");
  }

  subscribe(topics: readonly string[], onMessage: (message: ReceivedMessage) => void): Promise<() => Promise<void>> {
    return this.#inner.subscribe(topics, onMessage);
  }

  onConnectionChange(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#endInner();
    await this.#inner.close();
  }

  #notify(connected: boolean): void {
    for (const listener of this.#listeners) listener(connected);
  }
}
