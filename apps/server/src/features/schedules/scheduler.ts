import { dueDecision } from "@suncrew/domain/schedules/due-decision.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { withTimeout } from "../../platform/clock.ts";
import { databaseNow, probeWrite, type Tx } from "../../platform/database/database.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { ListeningPeriod } from "../../platform/broker.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { type Commands, lockRobots, showChange } from "../commands/public.ts";
import { closeLostRun, findLostRuns, findStopsDue, readFailedStarts, type StopDue } from "../runs/public.ts";
import { seenAt } from "../sites/public.ts";
import type { Forecasts } from "../weather/public.ts";
import { decideSchedule, findUndecided, type WorthOfRobots } from "./decisions.repository.ts";
import { type DueKind, type DueSchedule, findDue, recordWaiting } from "./schedules.repository.ts";
import { forEachConcurrently, PeriodicTasks } from "../../platform/periodic-task.ts";
import { runDue, retryStart, stopRuns } from "./scheduled-runs.ts";
import { WAITING_FOR_BROKER } from "./scheduler-messages.ts";

/** How often every server polls for due work. */
const POLL_MS = 1_000;
const LOST_RUNS_POLL_MS = 10_000;
/** Once the database is back, every server has recorded within this time which Stops it sent during the outage. */
const STOPS_RECORDED_MS = 2_000;
/**
 * Suncrew's own STOPs mask what a robot reports of Stops that are not recorded yet, so starts wait this much longer, in
 * milliseconds.
 */
const START_DELAY_MS = 10_000;
const DECIDE_AGAIN_MS = 60_000;
/** Robots stopped per transaction. */
const STOP_BATCH_SIZE = 100;
/** Concurrent transactions of one kind. */
const CONCURRENCY = 3;

export interface SchedulerDependencies extends Pick<
  Dependencies,
  "db" | "clock" | "clocks" | "broker" | "settings" | "log"
> {
  readonly commands: Pick<Commands, "dispatch" | "blocksDueStart">;
  readonly forecasts: Pick<Forecasts, "adviceFor">;
  readonly worthOf: WorthOfRobots;
  /** Receives how long after its due time a schedule was served, in milliseconds. */
  readonly onServed?: (lateMs: number) => void;
}

/**
 * Runs schedules, on every server concurrently: PostgreSQL says what is due, and its locks and the unique index of runs
 * limit each due time to one run per robot. Whatever a crashed server leaves undone, the others pick up.
 */
export class Scheduler implements Service {
  readonly #deps: SchedulerDependencies;
  readonly #tasks: PeriodicTasks;
  readonly #dispatches = new Set<Promise<void>>();
  /** Nothing is started before this monotonic time, because the database was unreachable. */
  #startsFromMs = -Infinity;
  /** Since when database and broker have been reachable and the clock that dates robots' states has been right. */
  readonly #listening: ListeningPeriod;
  /** By schedule, from when on a decision that failed is tried again. */
  readonly #decideAgainMs = new Map<number, number>();
  #ended = false;

  constructor(deps: SchedulerDependencies) {
    this.#deps = deps;
    this.#listening = new ListeningPeriod(deps);
    this.#listening.follow();
    const starting = (name: string, due: () => Promise<void>, afterMs = 0) => {
      const work = () => this.#unlessRecentlyUnreachable(due, afterMs);
      return { name, everyMs: POLL_MS, work, atStart: true };
    };
    const closeLostRuns = () => this.#ifClockIsRight(() => this.#closeLostRuns());
    const stopOverdueRuns = () => this.#ifClockIsRight(() => this.#stopOverdueRuns());
    this.#tasks = new PeriodicTasks(deps, [
      {
        name: "cleaning by need",
        everyMs: POLL_MS,
        work: () => this.#ifClockIsRight(() => this.#decide()),
        atStart: true,
      },
      { name: "overdue runs", everyMs: POLL_MS, work: stopOverdueRuns, atStart: true },
      starting("due schedules", () => this.#runDueSchedules("on-time"), START_DELAY_MS),
      // Separate, because the weather may take seconds to arrive.
      starting("schedules by weather", () => this.#runDueSchedules("weather-dependent"), START_DELAY_MS),
      // Separate, because after a long downtime there is much to record, and nobody waits for it.
      starting("overdue schedules", () => this.#runDueSchedules("overdue")),
      starting("retried starts", () => this.#retryStarts(), START_DELAY_MS),
      { name: "lost runs", everyMs: LOST_RUNS_POLL_MS, work: closeLostRuns },
    ]);
  }

  async start(): Promise<void> {
    this.#ended = false;
    this.#listening.restart();
    await this.#tasks.start();
  }

  async stop(): Promise<void> {
    this.#ended = true;
    await this.#tasks.stop();
    await Promise.all(this.#dispatches);
  }

  /** Does all due work once; resolves when it is stored and handed to the broker. */
  async runOnce(): Promise<void> {
    await this.#tasks.runOnce({ together: true });
    await Promise.all(this.#dispatches);
  }

  /** Protocol rule 12: by an unreliable clock nothing is due, nor has anything been missed. */
  async #ifClockIsRight(work: () => Promise<void>): Promise<void> {
    if (!isClockWrong(this.#deps)) await work();
  }

  /**
   * What a person stopped while the database was unreachable must be known before anything starts (protocol rule 3),
   * and so must the time: a clock may have jumped since the clocks were last compared. A database that answers but stores
   * nothing, because its disk is full, counts as unreachable until it stores again.
   */
  async #unlessRecentlyUnreachable(work: () => Promise<void>, afterMs: number): Promise<void> {
    const { db, clock, clocks } = this.#deps;
    const requestedMs = clock.monotonicMs();
    const wasUnreachable = requestedMs < this.#startsFromMs + START_DELAY_MS;
    const check = clocks === undefined ? databaseNow(db) : clocks.check();
    const answered = Promise.all([check, wasUnreachable && probeWrite(db)]).then(
      () => true,
      () => false,
    );
    const isReachable = (await withTimeout(clock, answered, STOPS_RECORDED_MS)) ?? false;
    const answeredMs = clock.monotonicMs();
    const isLate = answeredMs - requestedMs > STOPS_RECORDED_MS;
    if (!isReachable || isLate || isClockWrong(this.#deps)) this.#restartListening();
    if (answeredMs >= this.#startsFromMs + afterMs) await work();
  }

  /** No bridge has stored robots' messages until now. */
  #restartListening(): void {
    this.#listening.restart();
    this.#startsFromMs = this.#deps.clock.monotonicMs() + STOPS_RECORDED_MS;
  }

  /** While nothing can be stored, people's Stops go out without their rows, on other servers, too. */
  async #canStore(): Promise<boolean> {
    try {
      await probeWrite(this.#deps.db);
      return true;
    } catch {
      this.#restartListening();
      return false;
    }
  }

  /** Failures are logged and tried again: a minute later, or when it is due, if that is sooner. */
  async #decide(): Promise<void> {
    const { db, clock, log } = this.#deps;
    const now = clock.now();
    const nowMs = clock.monotonicMs();
    for (const [id, againMs] of this.#decideAgainMs) if (againMs <= nowMs) this.#decideAgainMs.delete(id);
    for (const schedule of await findUndecided(db, now, [...this.#decideAgainMs.keys()])) {
      if (this.#ended) return;
      try {
        await decideSchedule(this.#deps, schedule, this.#deps.worthOf);
      } catch (error) {
        const dueInMs = schedule.next_run_at.getTime() - now.getTime();
        this.#decideAgainMs.set(
          schedule.id,
          nowMs + (dueInMs > 0 ? Math.min(dueInMs, DECIDE_AGAIN_MS) : DECIDE_AGAIN_MS),
        );
        log.error({ error, scheduleId: schedule.id }, "failed to decide whether a schedule runs; it is tried again");
      }
    }
  }

  async #runDueSchedules(only: DueKind): Promise<void> {
    const { db, clock } = this.#deps;
    const due = await findDue(db, clock.now(), only);
    if (due.length === 0 || !(await this.#canStore())) return;
    // Requested together, because each may take seconds; the forecasts are cached by place.
    const withWeather = await Promise.all(
      due.map(async (schedule) => ({ schedule, tooWet: await this.#isTooWet(schedule) })),
    );
    await forEachConcurrently(withWeather, CONCURRENCY, ({ schedule, tooWet }) => this.#serve(schedule, tooWet));
  }

  /** Whether the day's weather prevents the run; unknown weather does not. Null if the schedule ignores the weather. */
  async #isTooWet(schedule: DueSchedule): Promise<boolean | null> {
    if (!schedule.skip_on_rain) return null;
    return (await this.#deps.forecasts.adviceFor(schedule)) === "not-recommended";
  }

  async #serve(schedule: DueSchedule, tooWet: boolean | null): Promise<void> {
    const { db, clock, broker, log } = this.#deps;
    try {
      // Not locked, so that a server connected to the broker can serve it.
      if (!broker.connected && !isMissed(schedule, clock.now())) {
        await recordWaiting(db, schedule.id, schedule.next_run_at, WAITING_FOR_BROKER);
        return;
      }
      for (let moreDue = true; moreDue && !this.#ended;) {
        const context = { ...this.#startContext(), canSend: broker.connected, tooWet };
        const served = await transactionWithRetry(db, (tx) => runDue(tx, schedule.id, context));
        if (served !== null) this.#deps.onServed?.(context.now.getTime() - schedule.next_run_at.getTime());
        this.#dispatch(served?.commandIds ?? []);
        moreDue = served?.moreDue ?? false;
      }
    } catch (error) {
      if (isDatabaseUnreachable(error)) this.#restartListening();
      // A schedule that cannot be served must not delay the others.
      log.error({ error, scheduleId: schedule.id }, "failed to process a due schedule; retrying within a second");
    }
  }

  async #stopOverdueRuns(): Promise<void> {
    const { db, clock } = this.#deps;
    const due = await findStopsDue(db, clock.now());
    const batches = Array.from({ length: Math.ceil(due.length / STOP_BATCH_SIZE) }, (_, nth) =>
      due.slice(nth * STOP_BATCH_SIZE, (nth + 1) * STOP_BATCH_SIZE),
    );
    await forEachConcurrently(batches, CONCURRENCY, (batch) => this.#stopBatch(batch));
  }

  /** A robot that cannot be stopped must not delay the others: if a batch fails, each is tried alone. */
  async #stopBatch(batch: readonly StopDue[]): Promise<void> {
    const { db, clock, log } = this.#deps;
    if (this.#ended) return;
    try {
      this.#dispatch(await transactionWithRetry(db, (tx) => stopRuns(tx, batch, clock.now())));
    } catch (error) {
      if (batch.length > 1) for (const run of batch) await this.#stopBatch([run]);
      else log.error({ error, runs: batch }, "failed to stop a planned run; retrying within a second");
    }
  }

  async #retryStarts(): Promise<void> {
    const { db, clock, broker } = this.#deps;
    if (!broker.connected) return;
    const failed = await readFailedStarts(db, clock.now());
    if (failed.length === 0 || !(await this.#canStore())) return;
    await forEachConcurrently(failed, CONCURRENCY, (run) =>
      this.#inRobotTransaction(run.robot_id, (tx) => retryStart(tx, run, this.#startContext())),
    );
  }

  #startContext() {
    const { clock, commands } = this.#deps;
    const isStopUnrecorded = (robotId: number) => commands.blocksDueStart(robotId);
    return { now: clock.now(), listeningSince: this.#listening.since, isStopUnrecorded };
  }

  async #closeLostRuns(): Promise<void> {
    const lost = await findLostRuns(this.#deps.db, seenAt(this.#deps));
    await forEachConcurrently(lost, CONCURRENCY, ({ id, robot_id }) =>
      this.#inRobotTransaction(robot_id, async (tx) => {
        await lockRobots(tx, [robot_id]);
        if (await closeLostRun(tx, id, seenAt(this.#deps))) await showChange(tx, [robot_id]);
        return null;
      }),
    );
  }

  /** A robot whose run cannot be served must not delay the others. */
  async #inRobotTransaction(robotId: number, work: (tx: Tx) => Promise<string | null>): Promise<void> {
    if (this.#ended) return;
    try {
      const commandId = await transactionWithRetry(this.#deps.db, work);
      if (commandId !== null) this.#dispatch([commandId]);
    } catch (error) {
      if (isDatabaseUnreachable(error)) this.#restartListening();
      this.#deps.log.error({ error, robotId }, "failed to process a planned run; retrying within a second");
    }
  }

  /** After the commit. What a crash loses here is recovered: STOPs by the settler, STARTs as never sent. */
  #dispatch(commandIds: readonly string[]): void {
    if (commandIds.length === 0) return;
    const dispatch = this.#deps.commands
      .dispatch(commandIds)
      .catch((error: unknown) => this.#deps.log.error({ error }, "failed to send scheduled commands"))
      .finally(() => this.#dispatches.delete(dispatch));
    this.#dispatches.add(dispatch);
  }
}

function isMissed({ next_run_at, duration_minutes }: DueSchedule, now: Date): boolean {
  return dueDecision(next_run_at, duration_minutes, now).kind === "missed";
}
