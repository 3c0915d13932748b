import { liveStore } from "../../platform/live/live.ts";

/**
 * Rows follow what robots report at most this often, in milliseconds, and not while a pointer or the keyboard has just
 * been on them: a row must not move away from under a hand. Each row itself shows its robot at once.
 */
export const REORDER_MS = 2_000;

/** Says when the table is to be filtered and sorted again. */
export class FleetPace {
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #heldUntilMs = 0;
  #hadSnapshot = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsubscribe: (() => void) | null = null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#unsubscribe ??= liveStore.subscribe("any", () => this.#note());
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = null;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  };

  /** A number that grows with each time. */
  readonly version = (): number => this.#version;

  /** Somebody is using the rows. */
  readonly hold = (): void => {
    this.#heldUntilMs = Date.now() + REORDER_MS;
  };

  #note(): void {
    // The first robots are shown at once.
    if (liveStore.hasSnapshot() !== this.#hadSnapshot) return this.#tell();
    this.#timer ??= setTimeout(() => this.#due(), this.#leftMs());
  }

  #due(): void {
    this.#timer = undefined;
    const leftMs = this.#leftMs();
    if (leftMs > 0) this.#timer = setTimeout(() => this.#due(), leftMs);
    else this.#tell();
  }

  #leftMs(): number {
    return Math.max(0, Math.max(this.#toldAtMs + REORDER_MS, this.#heldUntilMs) - Date.now());
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#hadSnapshot = liveStore.hasSnapshot();
    this.#toldAtMs = Date.now();
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
