interface Planned {
  readonly atMs: number;
  readonly act: (at: Date) => Promise<void> | void;
}

/** What happens, in the order of its time; what happens may plan more. */
export class Timeline {
  /** By time; of the same time, as they were planned. */
  readonly #planned: Planned[] = [];
  #next = 0;

  plan(at: Date, act: Planned["act"]): void {
    const atMs = at.getTime();
    let low = this.#next;
    let high = this.#planned.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#planned[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
      else high = middle;
    }
    this.#planned.splice(low, 0, { atMs, act });
  }

  /** Lets everything before `end` happen; the rest never does. */
  async playUntil(end: Date): Promise<void> {
    for (;;) {
      const next = this.#planned[this.#next];
      if (next === undefined || next.atMs >= end.getTime()) return;
      this.#next += 1;
      await next.act(new Date(next.atMs));
      // What is over is dropped now and then, so that planning stays cheap.
      if (this.#next < 512) continue;
      this.#planned.splice(0, this.#next);
      this.#next = 0;
    }
  }
}

export const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
