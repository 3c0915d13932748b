import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import type { Workers } from "../../platform/workers/workers.ts";
import { computeSoilingTask } from "./soiling-inputs.repository.ts";
import { claimSoiling, planSoiling, storeSoiling } from "./soiling-queue.repository.ts";

const CHECK_INTERVAL_MS = 60_000;
/** A round ends after this time: PostgreSQL mostly does other things. */
const ROUND_MS = 10_000;
const owner = { person: "soiling of all sites", team: "soiling" };

/**
 * Keeps what is known of every site's soiling current, and its alert. All servers do so at once: each site is claimed in
 * its row. One site after another, in a worker, so that nothing else that this server does waits for it.
 */
export class SoilingWatch extends PeriodicTasks {
  readonly #deps: Pick<Dependencies, "db" | "clock" | "clocks" | "log">;
  readonly #workers: Workers;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "clocks" | "log">, workers: Workers) {
    const work = (stopping: AbortSignal) => this.#computeDue(stopping);
    super(deps, [{ name: "soiling", everyMs: CHECK_INTERVAL_MS, work }]);
    this.#deps = deps;
    this.#workers = workers;
  }

  async #computeDue(stopping: AbortSignal): Promise<void> {
    if (isClockWrong(this.#deps)) return;
    const { db, clock, log } = this.#deps;
    const endsMs = performance.now() + ROUND_MS;
    await planSoiling(db, clock.now());
    while (!stopping.aborted && performance.now() < endsMs) {
      const now = clock.now();
      const claim = await claimSoiling(db, now);
      if (claim === null) return;
      try {
        const work = { siteId: claim.siteId, now };
        const computed = await this.#workers.run(computeSoilingTask, work, { owner, signal: stopping });
        if (computed !== null) await storeSoiling(db, claim, computed, now);
      } catch (error) {
        // Another server computes it, or this one after its next start.
        if (stopping.aborted) return;
        log.error({ error, siteId: claim.siteId }, "failed to compute the soiling of a site; it is tried again");
      }
    }
  }
}
