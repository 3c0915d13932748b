import { overlapMs, type Stretch } from "./bridge-times.ts";
import { TAKEOVER_LIMIT_MS } from "./bridge-watch.ts";
import type { Motion } from "./fleet.ts";
import type { TestSystem } from "./test-system.ts";
import type { PlannedRun } from "./schedule-load.ts";

/** When there was no server, when a robot's bridge stored what it sent, and how slow the machine was at worst. */
export interface Times {
  readonly gaps: readonly Stretch[];
  readonly bridgeOf: (serial: string) => readonly Stretch[];
  readonly slowestTakeoverMs: number;
}

export interface RunsVerdict {
  readonly problems: readonly string[];
  /** How many robots' runs were planned. */
  readonly runs: number;
  /**
   * From the due time until the robot moved, in milliseconds; those due while no server was up are in a separate list.
   */
  readonly delays: readonly number[];
  readonly delaysWithoutServer: readonly number[];
  /** Runs that Suncrew stopped because no bridge was there in time to see their robots move. */
  readonly unseen: number;
  /** From the planned end until the robot stopped, in milliseconds; negative if it stopped before. */
  readonly overruns: readonly number[];
}

/** A robot moves this long after its due time at the latest, if servers were up all the time. */
const START_LIMIT_MS = 10_000;
/**
 * A START that a killed server left behind is retried once it has failed: this much later, plus the time without a
 * server.
 */
const START_ANEW_MS = 20_000;
/**
 * A START that may have been sent is retried 3 s later than one that certainly was not (protocol rules 5 and 6), and
 * once a bridge has seen the STOP that followed it.
 */
const MAY_HAVE_BEEN_SENT_MS = 3_000 + TAKEOVER_LIMIT_MS;
/**
 * A bridge that stores has queried a robot that a command waits for, and has stored its answer, after this long at
 * most; on a machine so busy that takeovers last longer, after as long as those. A robot that moved while no bridge was
 * there for that long before its START had to be confirmed (protocol rule 6) was seen by nobody: it is stopped, and a
 * run that once moved is not retried.
 */
const SEEN_MS = 2_000;
/**
 * A robot stops this long after its planned end at the latest: without a server it stops by itself, and it may have
 * accepted its START up to 5 s after the server counted how long it may move.
 */
const STOP_LIMIT_MS = 6_000;
/** It must not stop much earlier either. */
const EARLY_MS = 2_000;

/** Compares what was planned with what is recorded and with what the robots truly did. Call it when all is over. */
export async function checkRuns(
  system: TestSystem,
  planned: readonly PlannedRun[],
  times: Times,
): Promise<RunsVerdict> {
  const all = await system.db.selectFrom("runs").selectAll().execute();
  const rows = all.filter(({ planned }) => planned);
  const motions = system.fleet.motions.filter(({ runId }) => runId !== null);
  const starts = await system.db.selectFrom("commands").where("verb", "=", "START").selectAll().execute();
  const startsByRun = new Map(starts.map((start) => [start.run_id, start]));
  const keyOf = (scheduleId: number | null, dueMs: number, robotId: number) => `${scheduleId} ${dueMs} ${robotId}`;
  const byKey = Map.groupBy(rows, (row) => keyOf(row.schedule_id, row.due_at?.getTime() ?? 0, row.robot_id));
  const byRun = Map.groupBy(motions, ({ runId }) => runId);
  const problems: string[] = [];
  const delays: number[] = [];
  const delaysWithoutServer: number[] = [];
  const overruns: number[] = [];
  let runs = 0;
  let unseen = 0;

  for (const { scheduleId, group, dueMs, endMs } of planned) {
    const downtimeMs = downtimeAround(times.gaps, dueMs);
    for (const robot of group.robots) {
      runs += 1;
      const key = keyOf(scheduleId, dueMs, robot.id);
      const found = byKey.get(key) ?? [];
      byKey.delete(key);
      const name = `${group.name}, ${robot.serial}, due ${new Date(dueMs).toISOString()}`;
      const wrong = (what: string) => problems.push(`${name}: ${what}`);
      const [row, ...others] = found;
      if (row === undefined) {
        wrong("no run on record.");
        continue;
      }
      if (others.length > 0) wrong(`${found.length} runs on record.`);
      // A retried run has another name, so each name means one motion.
      const moved = byRun.get(row.id) ?? [];
      const [motion] = moved;
      const start = startsByRun.get(row.id);
      const wasStopped = row.outcome === "STOPPED" && row.reason === "STOP" && start?.outcome === "UNCONFIRMED";
      const wasUnseen = wasStopped && motion !== undefined && !wasSeeable(motion, start.settle_by, times);
      if (wasUnseen) unseen += 1;
      if (row.outcome !== "COMPLETED" && !wasUnseen) wrong(`the run ended ${row.outcome}: ${row.reason}`);
      if (row.began_at !== null && row.stop_command_id === null && row.reason !== "MAX_DURATION" && !wasUnseen) {
        wrong("the run was left without its STOP.");
      }
      if (moved.length !== 1) wrong(`the robot moved ${moved.length} times.`);
      if (motion === undefined) continue;
      const delay = motion.fromMs - dueMs;
      (downtimeMs > 0 ? delaysWithoutServer : delays).push(delay);
      if (delay < 0) wrong(`the robot moved ${-delay} ms too early.`);
      const before = starts.filter((one) => one.robot_id === robot.id && one.issued_at.getTime() >= dueMs);
      const tried = before.filter((one) => one.outcome === "UNCONFIRMED" && one.settle_by.getTime() < motion.fromMs);
      const retryMs = downtimeMs > 0 ? downtimeMs + START_ANEW_MS : tried.length * MAY_HAVE_BEEN_SENT_MS;
      if (delay > START_LIMIT_MS + retryMs) wrong(`the robot moved ${delay} ms late.`);
      const overrun = (motion.untilMs ?? Infinity) - endMs;
      if (!wasUnseen) overruns.push(overrun);
      if (overrun > STOP_LIMIT_MS) wrong(`the robot moved on for ${overrun} ms.`);
      if (overrun < -EARLY_MS && !wasUnseen) wrong(`the robot stood ${-overrun} ms too early.`);
    }
  }
  for (const row of [...byKey.values()].flat()) problems.push(`A run that nobody planned: ${JSON.stringify(row)}`);
  problems.push(...strangers(system, planned, new Set(all.map(({ id }) => id))));
  return { problems, runs, delays, delaysWithoutServer, unseen, overruns };
}

/** Motions of planned robots that belong to no recorded run. */
function strangers(system: TestSystem, planned: readonly PlannedRun[], runIds: ReadonlySet<string>): string[] {
  const serials = new Set(planned.flatMap(({ group }) => group.robots.map(({ serial }) => serial)));
  const isStrange = ({ serial, runId }: Motion) => serials.has(serial) && (runId === null || !runIds.has(runId));
  return system.fleet.motions.filter(isStrange).map(({ serial }) => `${serial} moved without a run on record.`);
}

/** True if its bridge stored for long enough between the robot's first move and the end of its START's time. */
function wasSeeable({ serial, fromMs }: Motion, settleBy: Date, { bridgeOf, slowestTakeoverMs }: Times): boolean {
  const neededMs = Math.max(SEEN_MS, slowestTakeoverMs);
  return bridgeOf(serial).some((time) => overlapMs(time, { fromMs, untilMs: settleBy.getTime() }) >= neededMs);
}

/** How long no server was up in a run's first moments or up to them, in milliseconds. */
function downtimeAround(gaps: readonly Stretch[], dueMs: number): number {
  const near = gaps.filter(({ fromMs, untilMs }) => fromMs <= dueMs + START_LIMIT_MS && untilMs > dueMs);
  return near.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
}
