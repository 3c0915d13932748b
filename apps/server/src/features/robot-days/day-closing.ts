import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { closeDay, correctDays, findDayToClose, findStaleSites, openFirstDays } from "./robot-days.repository.ts";

const CHECK_INTERVAL_MS = 30_000;
/** A round ends after this time: while years of an older installation are computed, PostgreSQL mostly does other things. */
const ROUND_MS = 10_000;

type DayClosingDependencies = Pick<Dependencies, "db" | "clock" | "clocks" | "log">;

/**
 * Closes the days of all sites as they end, oldest first, and corrects closed ones where something came late. All
 * servers do so at once: the row of a site's next day is locked by the one that works on the site.
 */
export class DayClosing extends PeriodicTasks {
  readonly #deps: DayClosingDependencies;

  constructor(deps: DayClosingDependencies) {
    const work = (stopping: AbortSignal) => this.#closeDue(stopping);
    super(deps, [{ name: "days of robots", everyMs: CHECK_INTERVAL_MS, work }]);
    this.#deps = deps;
  }

  async #closeDue(stopping: AbortSignal): Promise<void> {
    if (isClockWrong(this.#deps)) return;
    const { db, clock, log } = this.#deps;
    const endsMs = performance.now() + ROUND_MS;
    const mayContinue = () => !stopping.aborted && performance.now() < endsMs;
    const now = clock.now();
    await openFirstDays(db);
    /** Sites that failed in this round: they do not keep others from being closed. */
    const failed = new Set<number>();
    const attempt = async (siteId: number, work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (error) {
        failed.add(siteId);
        log.error({ error, siteId }, "failed to compute the days of a site; the next round tries again");
      }
    };
    const correct = async (siteId: number) => {
      while (mayContinue() && (await correctDays(db, siteId, now)));
    };
    for (const siteId of await findStaleSites(db)) await attempt(siteId, () => correct(siteId));
    while (mayContinue()) {
      const siteId = await findDayToClose(db, now, failed);
      if (siteId === null) return;
      await attempt(siteId, () => closeDay(db, siteId, now, mayContinue));
    }
  }
}
