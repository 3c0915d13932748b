import { setTimeout as pause } from "node:timers/promises";

const LOOK_MS = 50;

/** Waits until something has happened. Throws `sentence` if it takes longer than the limit. */
export async function until(isSo: () => boolean | Promise<boolean>, limitMs: number, sentence: string): Promise<void> {
  const limit = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > limit) throw new Error(`${sentence} within ${limitMs / 1000} s.`);
    await pause(LOOK_MS);
  }
}

/** Random numbers that are the same with the same seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.next() * from.length)];
  }
}
