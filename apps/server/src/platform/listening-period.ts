import type { Broker } from "./broker.ts";
import { type Cancel, type Clock, timeAt } from "./clock.ts";

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
