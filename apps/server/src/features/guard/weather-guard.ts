import { passedPhrase } from "@suncrew/domain/texts/passed-limit.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { setLockTimeout, transactionWithRetry } from "../../platform/database/transactions.ts";
import { forEachConcurrently, PeriodicTasks } from "../../platform/periodic-task.ts";
import { acceptOrders, type Commands, lockRobots } from "../commands/public.ts";
import { findRobotsInWeather, judgeDue, type ReadHours, type RobotInWeather } from "./guard.repository.ts";

/** How often every server looks; a site is judged by one of them, and less often. */
const ROUND_MS = 1_000;
/** Sites stopped at a time. */
const CONCURRENCY = 3;
/** Robots that others hold for longer are stopped by the next round. */
const LOCK_WAIT_MS = 1_000;

/** Who stops robots where a limit is passed, as the activity log and the runs name it. */
export const WEATHER_GUARD = "Wind and rain guard";

const stopOrder = {
  verb: "STOP",
  by: { userId: null, name: WEATHER_GUARD, actionType: "SYSTEM" },
  mode: "AUTO",
  maxDurationS: 0,
} as const;

interface WeatherGuardDependencies extends Pick<Dependencies, "db" | "clock" | "clocks" | "log"> {
  readonly commands: Pick<Commands, "dispatch">;
  readonly readHours: ReadHours;
}

/**
 * Compares the weather of sites with their limits, and stops the robots where one is passed, on every server
 * concurrently: rows say what is due, so whatever a server leaves undone by dying, another does. STARTs are refused by
 * the stored verdict (`startRefusal`); nothing here ever starts a robot.
 */
export class WeatherGuard implements Service {
  readonly #deps: WeatherGuardDependencies;
  readonly #tasks: PeriodicTasks;
  readonly #dispatches = new Set<Promise<void>>();

  constructor(deps: WeatherGuardDependencies) {
    this.#deps = deps;
    this.#tasks = new PeriodicTasks(deps, [
      { name: "weather limits", everyMs: ROUND_MS, work: () => this.#judge(), atStart: true },
      // Separate, so that a forecast that cannot be read delays no Stop.
      { name: "stops by weather", everyMs: ROUND_MS, work: () => this.#stopRobots(), atStart: true },
    ]);
  }

  async start(): Promise<void> {
    await this.#tasks.start();
  }

  async stop(): Promise<void> {
    await this.#tasks.stop();
    await Promise.all(this.#dispatches);
  }

  /** Does all due work once; resolves when it is stored and handed to the broker. */
  async runOnce(): Promise<void> {
    await this.#tasks.runOnce();
    await Promise.all(this.#dispatches);
  }

  async #judge(): Promise<void> {
    const { db, clock, readHours } = this.#deps;
    // By a wrong clock the hours are others (protocol rule 12); another server judges, or nothing starts.
    for (let more = !isClockWrong(this.#deps); more;) {
      more = await transactionWithRetry(db, (tx) => judgeDue(tx, readHours, clock.now()));
    }
  }

  async #stopRobots(): Promise<void> {
    const bySite = Map.groupBy(await findRobotsInWeather(this.#deps.db), ({ siteId }) => siteId);
    await forEachConcurrently([...bySite.values()], CONCURRENCY, (robots) => this.#stopAtSite(robots));
  }

  /** A robot that cannot be stopped must not delay the others: if a site fails, each is tried alone. */
  async #stopAtSite(robots: readonly RobotInWeather[]): Promise<void> {
    const { db, clock, log } = this.#deps;
    try {
      const stops = await transactionWithRetry(db, async (tx) => {
        await setLockTimeout(tx, LOCK_WAIT_MS);
        const ids = robots.map(({ id }) => id);
        const locked = await lockRobots(tx, ids, { skipLocked: robots.length > 1 });
        // Read again under the locks: somebody may have stopped them meanwhile.
        const moving = await findRobotsInWeather(tx, [...locked.keys()]);
        const [first] = moving;
        if (first === undefined) return [];
        const atSite = moving.flatMap(({ id, siteId }) => (siteId === first.siteId ? [id] : []));
        const order = first.passed === null ? stopOrder : { ...stopOrder, because: passedPhrase(first.passed) };
        const accepted = await acceptOrders(tx, first.siteId, atSite, order, clock.now());
        return accepted.flatMap(({ accepted: each }) => (each.kind === "stored" ? [each.command.id] : []));
      });
      this.#dispatch(stops);
    } catch (error) {
      if (robots.length > 1) for (const robot of robots) await this.#stopAtSite([robot]);
      else log.error({ error, robotId: robots[0]?.id }, "failed to stop a robot in bad weather; retrying in a second");
    }
  }

  /** After the commit; if this server dies here, the settler of another one sends them. */
  #dispatch(commandIds: readonly string[]): void {
    if (commandIds.length === 0) return;
    const dispatch = this.#deps.commands
      .dispatch(commandIds)
      .catch((error: unknown) => this.#deps.log.error({ error }, "failed to send Stops in bad weather"))
      .finally(() => this.#dispatches.delete(dispatch));
    this.#dispatches.add(dispatch);
  }
}
