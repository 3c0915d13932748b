import { dueDecision } from "@suncrew/domain/schedules/due-decision.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { type Cancel, withTimeout } from "../../platform/clock.ts";
import { databaseNow, type Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { ListeningPeriod } from "../../platform/broker.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { type Commands, lockRobots, showChange } from "../commands/public.ts";
import { closeLostRun, findFailedStarts, findLostRuns, findStopsDue, type StopDue } from "../runs/public.ts";
import { seenAt } from "../sites/public.ts";
import type { Forecasts } from "../weather/public.ts";
import { type DueKind, type DueSchedule, findDue, recordWaiting } from "./schedules.repository.ts";
import { forEachConcurrently, PeriodicTask } from "../../platform/periodic-task.ts";
import { runDue, retryStart, stopRuns } from "./scheduled-runs.ts";
import { WAITING_FOR_BROKER } from "./scheduler-messages.ts";

/** Every server looks for what is due this often. */
const POLL_MS = 1_000;
const LOST_RUNS_POLL_MS = 10_000;
/** Every server has put on record within this, once the database is back, which Stops went out while it was away. */
const STOPS_RECORDED_MS = 2_000;
/**
 * Suncrew's own STOPs hide what a robot tells of Stops that are not on record yet: whatever would start a robot waits so
 * much longer, in milliseconds.
 */
const START_DELAY_MS = 10_000;
/** Robots stopped in one transaction. */
const STOP_BATCH_SIZE = 100;
/** Transactions of one kind at the same time. */
const CONCURRENCY = 3;

export interface SchedulerDependencies extends Pick<
  Dependencies,
  "db" | "clock" | "clocks" | "broker" | "settings" | "log"
> {
  readonly commands: Pick<Commands, "dispatch">;
  readonly forecasts: Pick<Forecasts, "adviceFor">;
  /** Told how long after its due time a schedule was served, in milliseconds. */
  readonly onServed?: (lateMs: number) => void;
}

/**
 * Makes schedules run, on every server at once: PostgreSQL says what is due, and its locks and the unique index of runs
 * keep each due time to one run for each robot. Whatever a server leaves undone by dying, the others find.
 */
export class Scheduler implements Service {
  readonly #deps: SchedulerDependencies;
  readonly #everySecond: readonly PeriodicTask[];
  readonly #lost: PeriodicTask;
  readonly #sending = new Set<Promise<void>>();
  /** Before this moment of the monotonic clock nothing is started: the database was away. */
  #startsFromMs = -Infinity;
  /** Database and broker were there since, and the clock by which robots' states are dated was right. */
  readonly #hearing: ListeningPeriod;
  #cancels: Cancel[] = [];
  #ended = false;

  constructor(deps: SchedulerDependencies) {
    this.#deps = deps;
    this.#hearing = new ListeningPeriod(deps);
    this.#hearing.follow();
    const rounds = (work: () => Promise<void>) => new PeriodicTask(deps.log, () => this.#whileTimeIsKnown(work));
    const starts = (work: () => Promise<void>, afterMs = 0) =>
      new PeriodicTask(deps.log, () => this.#unlessJustAway(work, afterMs));
    this.#everySecond = [
      rounds(() => this.#stopWhatIsOver()),
      starts(() => this.#runWhatIsDue("on-time"), START_DELAY_MS),
      // Apart, because the weather may take seconds to be had.
      starts(() => this.#runWhatIsDue("asks-weather"), START_DELAY_MS),
      // Apart, because after a long downtime there is much to put on record, and nobody waits for it.
      starts(() => this.#runWhatIsDue("overdue")),
      starts(() => this.#startAnew(), START_DELAY_MS),
    ];
    this.#lost = rounds(() => this.#closeLost());
  }

  async start(): Promise<void> {
    const { clock } = this.#deps;
    this.#ended = false;
    this.#hearing.restart();
    this.#cancels = [
      clock.every(POLL_MS, () => {
        for (const rounds of this.#everySecond) void rounds.run();
      }),
      clock.every(LOST_RUNS_POLL_MS, () => void this.#lost.run()),
    ];
    for (const rounds of this.#everySecond) void rounds.run();
  }

  async stop(): Promise<void> {
    this.#ended = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await Promise.all([...this.#everySecond, this.#lost].map((rounds) => rounds.idle()));
    await Promise.all(this.#sending);
  }

  /** Looks at everything once; resolves when what was due is stored and handed to the broker. */
  async look(): Promise<void> {
    await Promise.all([...this.#everySecond, this.#lost].map((rounds) => rounds.run()));
    await Promise.all(this.#sending);
  }

  /** Protocol rule 12: by a clock that nobody can rely on nothing is due, nor has anything been missed. */
  async #whileTimeIsKnown(work: () => Promise<void>): Promise<void> {
    if (!isClockWrong(this.#deps)) await work();
  }

  /**
   * What a person stopped while the database was away must be known before anything starts (protocol rule 3), and so must
   * the time: since the clocks were compared last, one may have jumped.
   */
  async #unlessJustAway(work: () => Promise<void>, afterMs: number): Promise<void> {
    const { db, clock, clocks } = this.#deps;
    const askedMs = clock.monotonicMs();
    const look = clocks === undefined ? databaseNow(db) : clocks.look();
    const answered = look.then(
      () => true,
      () => false,
    );
    const isThere = (await withTimeout(clock, answered, STOPS_RECORDED_MS)) ?? false;
    const answeredMs = clock.monotonicMs();
    const isLate = answeredMs - askedMs > STOPS_RECORDED_MS;
    if (!isThere || isLate || isClockWrong(this.#deps)) this.#startOver();
    if (answeredMs >= this.#startsFromMs + afterMs) await work();
  }

  /** No bridge stored what robots said up to now. */
  #startOver(): void {
    this.#hearing.restart();
    this.#startsFromMs = this.#deps.clock.monotonicMs() + STOPS_RECORDED_MS;
  }

  async #runWhatIsDue(only: DueKind): Promise<void> {
    const { db, clock } = this.#deps;
    const due = await findDue(db, clock.now(), only);
    // All are asked for at once, because each may take seconds; the answers are kept by place.
    const asked = await Promise.all(
      due.map(async (schedule) => ({ schedule, tooWet: await this.#isTooWet(schedule) })),
    );
    await forEachConcurrently(asked, CONCURRENCY, ({ schedule, tooWet }) => this.#serve(schedule, tooWet));
  }

  /** The day's weather holds the run; unknown weather holds nothing up. Null where the schedule does not ask. */
  async #isTooWet({ skipOnRain, site }: DueSchedule): Promise<boolean | null> {
    if (!skipOnRain) return null;
    return (await this.#deps.forecasts.adviceFor(site)) === "not-recommended";
  }

  async #serve(schedule: DueSchedule, tooWet: boolean | null): Promise<void> {
    const { db, clock, broker, log } = this.#deps;
    try {
      // Left alone, so that another server which reaches the broker finds it unlocked.
      if (!broker.connected && !isMissed(schedule, clock.now())) {
        await recordWaiting(db, schedule.id, schedule.nextRunAt, WAITING_FOR_BROKER);
        return;
      }
      for (let moreDue = true; moreDue && !this.#ended;) {
        const listeningSince = this.#hearing.since;
        const circumstances = { now: clock.now(), canSend: broker.connected, listeningSince, tooWet };
        const served = await transactionWithRetry(db, (tx) => runDue(tx, schedule.id, circumstances));
        if (served !== null) this.#deps.onServed?.(circumstances.now.getTime() - schedule.nextRunAt.getTime());
        this.#send(served?.commandIds ?? []);
        moreDue = served?.moreDue ?? false;
      }
    } catch (error) {
      // One schedule that cannot be served must not hold up the others.
      log.error({ error, scheduleId: schedule.id }, "serving a schedule failed; trying again within a second");
    }
  }

  async #stopWhatIsOver(): Promise<void> {
    const { db, clock } = this.#deps;
    const due = await findStopsDue(db, clock.now());
    const batches = Array.from({ length: Math.ceil(due.length / STOP_BATCH_SIZE) }, (_, nth) =>
      due.slice(nth * STOP_BATCH_SIZE, (nth + 1) * STOP_BATCH_SIZE),
    );
    await forEachConcurrently(batches, CONCURRENCY, (batch) => this.#stopBatch(batch));
  }

  /** One robot that cannot be stopped must not hold up the others: where many fail, each is tried alone. */
  async #stopBatch(batch: readonly StopDue[]): Promise<void> {
    const { db, clock, log } = this.#deps;
    if (this.#ended) return;
    try {
      this.#send(await transactionWithRetry(db, (tx) => stopRuns(tx, batch, clock.now())));
    } catch (error) {
      if (batch.length > 1) for (const run of batch) await this.#stopBatch([run]);
      else log.error({ error, runs: batch }, "stopping a planned run failed; trying again within a second");
    }
  }

  async #startAnew(): Promise<void> {
    const { db, clock, broker } = this.#deps;
    if (!broker.connected) return;
    const failed = await findFailedStarts(db, clock.now());
    await forEachConcurrently(failed, CONCURRENCY, (run) =>
      this.#robotWork(run.robot_id, (tx) => retryStart(tx, run, this.#hearing.since, clock.now())),
    );
  }

  async #closeLost(): Promise<void> {
    const lost = await findLostRuns(this.#deps.db, seenAt(this.#deps));
    await forEachConcurrently(lost, CONCURRENCY, ({ id, robot_id }) =>
      this.#robotWork(robot_id, async (tx) => {
        await lockRobots(tx, [robot_id]);
        if (await closeLostRun(tx, id, seenAt(this.#deps))) await showChange(tx, [robot_id]);
        return null;
      }),
    );
  }

  /** One robot whose run cannot be served must not hold up the others. */
  async #robotWork(robotId: number, work: (tx: Tx) => Promise<string | null>): Promise<void> {
    if (this.#ended) return;
    try {
      const commandId = await transactionWithRetry(this.#deps.db, work);
      if (commandId !== null) this.#send([commandId]);
    } catch (error) {
      this.#deps.log.error({ error, robotId }, "serving a planned run failed; trying again within a second");
    }
  }

  /** After the commit. What is lost here by dying is found again: STOPs by the settler, STARTs as never sent. */
  #send(commandIds: readonly string[]): void {
    if (commandIds.length === 0) return;
    const sending = this.#deps.commands
      .dispatch(commandIds)
      .catch((error: unknown) => this.#deps.log.error({ error }, "sending scheduled commands failed"))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}

function isMissed({ nextRunAt, durationMinutes }: DueSchedule, now: Date): boolean {
  return dueDecision(nextRunAt, durationMinutes, now).kind === "missed";
}
