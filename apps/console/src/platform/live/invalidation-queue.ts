import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * A busy fleet changes several times a second; what the stream only names is refetched at most this often, in
 * milliseconds.
 */
export const INVALIDATION_PAUSE_MS = 500;

/**
 * Refetches cached answers as the stream names them: at once, then after a pause. A round ends before the next one
 * begins, so that continuous changes do not cancel every answer in transit; those that arrive during a round come next.
 */
export class InvalidationQueue {
  readonly #client: Pick<QueryClient, "invalidateQueries">;
  readonly #pauseMs: number;
  readonly #keys = new Map<string, QueryKey>();
  #isReading = false;

  constructor(client: Pick<QueryClient, "invalidateQueries">, pauseMs = INVALIDATION_PAUSE_MS) {
    this.#client = client;
    this.#pauseMs = pauseMs;
  }

  note(key: QueryKey): void {
    this.#keys.set(JSON.stringify(key), key);
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    // All that one event names is refetched in one round.
    await Promise.resolve();
    while (this.#keys.size > 0) {
      const round = [...this.#keys.values()];
      this.#keys.clear();
      await Promise.all(round.map((queryKey) => this.#client.invalidateQueries({ queryKey })));
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    }
    this.#isReading = false;
  }
}
