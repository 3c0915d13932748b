import type { Broker, ReceivedMessage } from "../src/platform/broker.ts";

export interface PublishedMessage {
  readonly topic: string;
  readonly payload: string;
  readonly retain?: boolean;
}

/** An in-memory broker connection, for tests of HTTP calls that involve no robot. */
export class MemoryBroker implements Broker {
  readonly published: PublishedMessage[] = [];
  readonly #handlers = new Set<(message: ReceivedMessage) => void>();
  readonly #listeners = new Set<(connected: boolean) => void>();
  #connected = true;

  get connected(): boolean {
    return this.#connected;
  }

  setConnected(connected: boolean): void {
    this.#connected = connected;
    for (const listener of this.#listeners) listener(connected);
  }

  /** Delivers a message, or an empty one, to every subscriber as if a robot had sent it. */
  receive(topic: string, message: unknown, retained = false): void {
    const payload = Buffer.from(message === "" ? "" : JSON.stringify(message));
    for (const handler of this.#handlers) handler({ topic, payload, retained });
  }

  async publish(topic: string, payload: string, options: { readonly retain?: boolean } = {}): Promise<void> {
    if (!this.#connected) throw new Error("The MQTT broker is not connected.");
    this.published.push({ topic, payload, ...options });
  }

  async subscribe(
    _topics: readonly string[],
    onMessage: (message: ReceivedMessage) => void,
  ): Promise<() => Promise<void>> {
    this.#handlers.add(onMessage);
    return async () => {
      this.#handlers.delete(onMessage);
    };
  }

  onConnectionChange(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#handlers.clear();
    this.#listeners.clear();
  }
}
