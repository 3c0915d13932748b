import type { FleetClock } from "./clock.ts";

/** A robot that waits to connect. */
export interface Connecting {
  /** Raises and saves the session that the connect will use. */
  prepare(): void;
  /** Resolves once connected, failed or no longer wanted; never rejects. */
  connect(): Promise<void>;
}

export interface GateOptions {
  readonly flush: () => Promise<void>;
  readonly maxConcurrent: number;
  readonly clock: FleetClock;
  readonly onError: (error: unknown) => void;
}

const RETRY_MS = 1_000;

/**
 * Limits how many robots connect at a time. Their sessions are raised together and stored in one write, which ends before
 * the first of them connects (protocol rule 1).
 */
export class ConnectGate {
  readonly #options: GateOptions;
  #waiting: Connecting[] = [];
  #ready: Connecting[] = [];
  #preparing = false;
  #connecting = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  enter(robot: Connecting): void {
    this.#waiting.push(robot);
    if (this.#preparing) return;
    this.#preparing = true;
    // On the next turn of the event loop, so that all robots that enter now share one write.
    setImmediate(() => void this.#prepare());
  }

  /** Drops all waiting robots. */
  clear(): void {
    this.#waiting = [];
    this.#ready = [];
  }

  async #prepare(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      for (const robot of batch) robot.prepare();
      try {
        await this.#options.flush();
        this.#ready.push(...batch);
        this.#pump();
      } catch (error) {
        this.#options.onError(error);
        this.#options.clock.after(RETRY_MS, () => batch.forEach((robot) => this.enter(robot)));
      }
    }
    this.#preparing = false;
  }

  #pump(): void {
    while (this.#connecting < this.#options.maxConcurrent) {
      const robot = this.#ready.shift();
      if (robot === undefined) return;
      this.#connecting += 1;
      void robot.connect().finally(() => {
        this.#connecting -= 1;
        this.#pump();
      });
    }
  }
}
