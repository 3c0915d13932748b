import type { AppliedSettings, RunEndReason } from "@suncrew/contract/devices/messages.ts";
import { Body, type Machine } from "./body.ts";

interface Run {
  readonly runId: string;
  /** Monotonic time at which the robot stops by itself, whatever it receives. */
  readonly endsAtMs: number;
}

export interface RunEnd {
  readonly runId: string;
  readonly reason: RunEndReason;
  /** How long before the end of the step the run ended. */
  readonly agoMs: number;
}

/** The current run, and the body that cleans or rests. */
export class Drive {
  readonly body: Body;
  #run: Run | null = null;

  constructor(machine: Machine, battery: number) {
    this.body = new Body(machine, battery);
  }

  get runId(): string | null {
    return this.#run?.runId ?? null;
  }

  begin(run: Run): void {
    this.#run = run;
    this.body.beginPass();
  }

  /** Stops; returns the run that this ended, or null. */
  halt(): string | null {
    const runId = this.runId;
    this.#run = null;
    return runId;
  }

  /**
   * Protocol rule 4: lets monotonic time pass and ends the run at the earliest moment that ends it, even within
   * a long step. `linkEndsAtMs` is when a robot without broker stops, null while it has one.
   */
  advance(fromMs: number, toMs: number, settings: AppliedSettings, linkEndsAtMs: number | null): RunEnd | null {
    if (this.#run === null) {
      this.body.rest(toMs - fromMs);
      return null;
    }
    const end = this.#endOf(this.#run, fromMs, settings, linkEndsAtMs);
    const stopsAtMs = Math.min(toMs, Math.max(fromMs, end.atMs));
    this.body.clean(stopsAtMs - fromMs, settings);
    if (end.atMs > toMs) return null;
    const { runId } = this.#run;
    this.#run = null;
    this.body.rest(toMs - stopsAtMs);
    return { runId, reason: end.reason, agoMs: toMs - stopsAtMs };
  }

  #endOf(run: Run, fromMs: number, settings: AppliedSettings, linkEndsAtMs: number | null) {
    const ends: { atMs: number; reason: RunEndReason }[] = [
      { atMs: run.endsAtMs, reason: "MAX_DURATION" },
      { atMs: fromMs + this.body.untilDoneMs(settings), reason: "FINISHED" },
      { atMs: fromMs + this.body.untilEmptyMs(settings), reason: "BATTERY" },
      { atMs: linkEndsAtMs ?? Number.POSITIVE_INFINITY, reason: "LINK_LOST" },
    ];
    return ends.reduce((first, end) => (end.atMs < first.atMs ? end : first));
  }
}
