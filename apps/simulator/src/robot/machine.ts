import type { AppliedSettings, RunEndReason } from "@suncrew/contract/devices/messages.ts";
import { EMPTY_BATTERY } from "./conditions.ts";

/** How fast the simulated machine works, drains and charges. */
export interface Machine {
  /** Battery percent per minute of cleaning at speeds of 50. */
  readonly drainPerMinute: number;
  /** Battery percent per minute at the dock. */
  readonly chargePerMinute: number;
  /** Minutes that one pass over the panels takes at a main speed of 50. */
  readonly passMinutes: number;
}

/** A machine whose battery and cleaning run `speed` times as fast as a real one's. */
export function machineAtSpeed(speed: number): Machine {
  return { drainPerMinute: 0.4 * speed, chargePerMinute: 0.8 * speed, passMinutes: 150 / speed };
}

const MINUTE_MS = 60_000;

/** Battery and cleaning progress; independent of commands. */
class Body {
  battery: number;
  #chargerFailed = false;
  #passLeft = 0;
  readonly #machine: Machine;

  constructor(machine: Machine, battery: number) {
    this.#machine = machine;
    this.battery = battery;
  }

  get canCharge(): boolean {
    return !this.#chargerFailed && this.battery < 100;
  }

  /** A failed charger leaves the battery at this percentage, or below; null if the charger works. */
  failCharger(at: number | null): void {
    this.#chargerFailed = at !== null;
    if (at !== null) this.battery = Math.min(this.battery, at);
  }

  beginPass(): void {
    this.#passLeft = 1;
  }

  clean(elapsedMs: number, settings: AppliedSettings): void {
    this.battery = Math.max(0, this.battery - elapsedMs * this.#drainPerMs(settings));
    this.#passLeft = Math.max(0, this.#passLeft - elapsedMs * this.#passPerMs(settings));
  }

  rest(elapsedMs: number): void {
    if (!this.canCharge) return;
    this.battery = Math.min(100, this.battery + (elapsedMs * this.#machine.chargePerMinute) / MINUTE_MS);
  }

  /** Milliseconds of cleaning until the battery ends it. */
  untilEmptyMs(settings: AppliedSettings): number {
    return Math.max(0, this.battery - EMPTY_BATTERY) / this.#drainPerMs(settings);
  }

  /** Milliseconds of cleaning until the pass is done; never at a main speed of 0. */
  untilDoneMs(settings: AppliedSettings): number {
    const rate = this.#passPerMs(settings);
    return rate === 0 ? Number.POSITIVE_INFINITY : this.#passLeft / rate;
  }

  #drainPerMs({ mainSpeed, brushSpeed }: AppliedSettings): number {
    return (this.#machine.drainPerMinute * (0.5 + (mainSpeed + brushSpeed) / 200)) / MINUTE_MS;
  }

  #passPerMs({ mainSpeed }: AppliedSettings): number {
    return mainSpeed / 50 / (this.#machine.passMinutes * MINUTE_MS);
  }
}

interface Run {
  readonly runId: string;
  /** Monotonic time at which the robot stops by itself, whatever it receives. */
  readonly endsAtMs: number;
}

interface RunEnd {
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
