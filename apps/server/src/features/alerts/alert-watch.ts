import { HEARS_SINCE_MS } from "@suncrew/domain/alerts/away-robots.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Parts, Service } from "../../platform/parts.ts";
import { Rounds } from "../../platform/rounds.ts";
import { lookForAwayRobots } from "./away-robots.writes.ts";

const LOOK_MS = 10_000;

/**
 * Raises the alerts that are due by time alone: robots that have been away for too long, and sites that went dark. Every
 * server looks, by the time of the database.
 */
export class AlertWatch implements Service {
  readonly #parts: Pick<Parts, "db" | "clock" | "broker" | "log">;
  readonly #rounds: Rounds;
  /** Since when this server could hear of robots. */
  #hearsSince: Date;
  #cancels: Cancel[] = [];

  constructor(parts: Pick<Parts, "db" | "clock" | "broker" | "log">) {
    this.#parts = parts;
    this.#hearsSince = parts.clock.now();
    this.#rounds = new Rounds(parts.log, () => this.#round());
  }

  async start(): Promise<void> {
    const { clock, broker } = this.#parts;
    this.#hearsSince = clock.now();
    this.#cancels = [
      broker.onConnectionChange((connected) => {
        if (connected) this.#hearsSince = clock.now();
      }),
      clock.every(LOOK_MS, () => void this.look()),
    ];
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await this.#rounds.idle();
  }

  /** Looks once; resolves when what was due is stored. */
  async look(): Promise<void> {
    await this.#rounds.look();
  }

  async #round(): Promise<void> {
    const { db, clock, broker } = this.#parts;
    // Without its broker every robot seems to be away, and after it robots take a moment to be back.
    const hearsForMs = clock.now().getTime() - this.#hearsSince.getTime();
    if (!broker.connected || hearsForMs < HEARS_SINCE_MS) return;
    await lookForAwayRobots(db, clock.now());
  }
}
