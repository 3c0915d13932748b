import { HEARS_SINCE_MS } from "@suncrew/domain/alerts/away-robots.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Parts, Service } from "../../platform/parts.ts";
import { Rounds } from "../../platform/rounds.ts";
import { seenAt } from "../sites/public.ts";
import { lookForAwayRobots } from "./away-robots.writes.ts";
import { lookForLostRobots, touchLostRobots } from "./lost-robots.writes.ts";

const LOOK_MS = 10_000;
/** A robot that may be moving where nobody sees it is told of within seconds. */
const LOOK_FOR_LOST_MS = 2_000;

type WatchParts = Pick<Parts, "db" | "clock" | "broker" | "settings" | "log">;

/**
 * Raises the alerts about robots that are not heard any more: those that were last seen moving, at once; those that have
 * been away for too long, and sites that went dark. Every server looks, by the time of the database.
 */
export class AlertWatch implements Service {
  readonly #parts: WatchParts;
  readonly #rounds: Rounds;
  readonly #roundsForLost: Rounds;
  /** Since when this server could hear of robots. */
  #hearsSince: Date;
  #cancels: Cancel[] = [];
  #touching: Promise<void> = Promise.resolve();

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#hearsSince = parts.clock.now();
    this.#rounds = new Rounds(parts.log, () => this.#round());
    this.#roundsForLost = new Rounds(parts.log, () => lookForLostRobots(parts.db, seenAt(parts)));
  }

  async start(): Promise<void> {
    const { db, clock, broker, log } = this.#parts;
    this.#hearsSince = clock.now();
    this.#cancels = [
      broker.onConnectionChange((connected) => {
        if (connected) this.#hearsSince = clock.now();
        this.#touching = touchLostRobots(db).catch((error: unknown) => {
          log.warn({ error }, "robots that are lost were not told anew");
        });
      }),
      clock.every(LOOK_FOR_LOST_MS, () => void this.#roundsForLost.look()),
      clock.every(LOOK_MS, () => void this.look()),
    ];
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await this.#touching;
    await this.#roundsForLost.idle();
    await this.#rounds.idle();
  }

  /** Looks once; resolves when what was due is stored. */
  async look(): Promise<void> {
    await this.#roundsForLost.look();
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
