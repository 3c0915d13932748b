import { setTimeout as pause } from "node:timers/promises";
import type { BridgeWatch } from "./bridge-watch.ts";
import type { ServerPlace } from "./killed-servers.ts";
import type { SeededRandom } from "./wait-and-random.ts";

/** Between two kills, and until the killed server is restarted, in milliseconds. */
const PAUSE_MS = [2_000, 5_500] as const;
const AWAY_MS = [500, 3_000] as const;
const ALL_AWAY_MS = [2_000, 4_000] as const;
/** How often all are killed at once, spread over the time. */
const ALL_AT_ONCE = 2;
/** Of the others, the share aimed at the bridge. */
const THE_BRIDGE = 0.5;

/**
 * Kills servers at random, for a time, and restarts them. Single ones only while another answers: intervals without any
 * server come from killing all at once, not from a machine that is slow to start them.
 */
export class ServerKiller {
  readonly #places: readonly ServerPlace[];
  readonly #watch: BridgeWatch;
  readonly #random: SeededRandom;
  readonly #restarts = new Set<Promise<void>>();
  /** Kills of single servers, and times when all were killed. */
  kills = 0;
  allKilled = 0;

  constructor(places: readonly ServerPlace[], watch: BridgeWatch, random: SeededRandom) {
    this.#places = places;
    this.#watch = watch;
    this.#random = random;
  }

  /** Resolves when the time is over and every server is back. Throws if one does not come back. */
  async work(ms: number): Promise<void> {
    const beganMs = Date.now();
    for (;;) {
      await pause(this.#random.between(...PAUSE_MS));
      const share = (Date.now() - beganMs) / ms;
      if (share >= 1) break;
      if (share > (this.allKilled + 1) / (ALL_AT_ONCE + 1)) await this.#killAll();
      else await this.#killOne();
    }
    await Promise.all(this.#restarts);
  }

  async #killOne(): Promise<void> {
    const alive = this.#places.filter(({ answering }) => answering !== null);
    const wanted = this.#random.next() < THE_BRIDGE ? this.#watch.holder : null;
    const random = this.#random.pick(alive);
    const victim = alive.find(({ answering }) => answering === wanted) ?? random;
    if (victim === undefined || alive.length < 2) return;
    await this.#kill(victim, this.#random.between(...AWAY_MS));
  }

  async #killAll(): Promise<void> {
    this.allKilled += 1;
    const downtimeMs = this.#random.between(...ALL_AWAY_MS);
    await Promise.all(this.#places.map((place) => this.#kill(place, downtimeMs)));
  }

  async #kill(place: ServerPlace, awayMs: number): Promise<void> {
    const name = place.answering;
    const atMs = await place.kill();
    if (atMs === null) return;
    this.kills += 1;
    if (name !== null) this.#watch.killed(name, atMs);
    const restart = pause(awayMs).then(() => place.start());
    restart.catch(() => undefined);
    this.#restarts.add(restart);
  }
}
