import type { AppliedSettings } from "@suncrew/contract/devices/messages.ts";
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
export class Body {
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
