import type { Logger } from "pino";

/**
 * What must be stopped, in reverse order of its start, each within its own time limit and what those before it left of
 * theirs: on a busy machine, one that needs longer has it, and all together take no longer than the sum of the limits.
 */
export class StopList {
  readonly #parts: { name: string; limitMs: number; stop: () => Promise<unknown> }[] = [];
  #running: Promise<void> | null = null;

  add(name: string, limitMs: number, stop: () => Promise<unknown>): void {
    this.#parts.push({ name, limitMs, stop });
  }

  /** True once stopping began: nothing more should be started. */
  get stopping(): boolean {
    return this.#running !== null;
  }

  /** Stops everything once; later calls wait for the first. A part that fails or hangs does not block the others. */
  async run(log: Logger): Promise<void> {
    this.#running ??= this.#stopAll(log);
    await this.#running;
  }

  async #stopAll(log: Logger): Promise<void> {
    let limitAtMs = performance.now();
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      const { name, limitMs, stop } = part;
      limitAtMs += limitMs;
      const leftMs = limitAtMs - performance.now();
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<"late">((resolve) => (timer = setTimeout(() => resolve("late"), leftMs)));
      try {
        if ((await Promise.race([stop(), limit])) === "late")
          log.warn({ part: name }, "a component did not stop in time");
      } catch (error) {
        log.warn({ part: name, error }, "a component failed while stopping");
      }
      clearTimeout(timer);
    }
  }
}
