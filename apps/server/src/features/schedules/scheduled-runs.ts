import { runSkippedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import type { OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { StartRefusal } from "@suncrew/domain/commands/command-refusals.ts";
import {
  type DueDecision,
  dueDecision,
  type DueRobot,
  hasUnrecordedStop,
  HEARD_WITHIN_MS,
  runWait,
  type RunWait,
  STARTS_LATE_UP_TO_MS,
} from "@suncrew/domain/schedules/due-decision.ts";
import { nextRunAfter } from "@suncrew/domain/schedules/next-run.ts";
import { eveningTexts } from "@suncrew/domain/soiling/cleaning-by-need.ts";
import { v7 as uuidv7 } from "uuid";
import type { Tx } from "../../platform/database/database.ts";
import { readRestoredAt } from "../../platform/database/restore-mark.ts";
import { bringSiteAlert, clearSiteAlerts } from "../alerts/public.ts";
import { recordChange } from "../audit/public.ts";
import {
  acceptOrders,
  type Command,
  type LockedRobot,
  lockRobots,
  readOpenCommands,
  refusalOf,
} from "../commands/public.ts";
import {
  type FailedStart,
  failPlannedRuns,
  insertPlannedRuns,
  type Occurrence,
  reopenForRetry,
  type PlannedRun,
  readFailedStarts,
  readStopsDue,
  SCHEDULER,
  setStopCommands,
  type StopDue,
  robotsWithoutRun,
} from "../runs/public.ts";
import { insertDecision, readDecision } from "./decisions.repository.ts";
import { timesOf } from "./schedule-row.ts";
import { missedReasons, retriedText, scheduledRunReasons, waitingText } from "./scheduler-messages.ts";
import {
  advanceNextRun,
  lockScheduleShared,
  lockDue,
  type LockedSchedule,
  findRobotOverrides,
  readMemberIds,
  findManualOverrides,
  touchGroup,
  recordWaiting,
} from "./schedules.repository.ts";

/** Scheduled commands run with the robots' own stored settings. */
const scheduledOrder = {
  by: { userId: null, name: SCHEDULER, actionType: "SCHEDULED" },
  mode: "AUTO",
} as const;

/** Rule 4: after this long a robot stops by itself, whatever it receives; whole seconds, at least one. */
function secondsUntil(end: Date, now: Date): number {
  return Math.max(1, Math.floor((end.getTime() - now.getTime()) / 1_000));
}

/** What a server knows when it serves a due schedule. */
export interface DueContext {
  readonly now: Date;
  /** False if this server has no broker: starts are left to other servers until they are missed. */
  readonly canSend: boolean;
  /** Since when Suncrew has been able to hear robots, as far as this server knows; older states prove nothing. */
  readonly listeningSince: Date;
  /** Whether some server has sent the robot a person's Stop that has no row yet, as of the call. */
  readonly isStopUnrecorded: (robotId: number) => boolean;
  /** Whether the day's weather prevents the run; null if it was not requested. */
  readonly tooWet: boolean | null;
}

/** What a START depends on besides its robot. */
type StartContext = Pick<DueContext, "listeningSince" | "isStopUnrecorded" | "now">;

/** Occurrences served in one transaction; after a long downtime the rest follow immediately in the next. */
const MAX_OCCURRENCES = 50;

/**
 * Serves a due schedule in the caller's transaction: a run for each robot of the group and each due time, the START
 * commands of those that can run, and the next due time. Null if there was nothing to do; otherwise what to send after
 * the commit, and whether more is due immediately. The lock on the schedule, and the unique index of runs, ensure that
 * this happens once.
 */
export async function runDue(
  tx: Tx,
  scheduleId: number,
  context: DueContext,
): Promise<{ readonly commandIds: readonly string[]; readonly moreDue: boolean } | null> {
  const { now, canSend, listeningSince, tooWet } = context;
  const schedule = await lockDue(tx, scheduleId, now);
  // Skip-on-rain was switched on after the schedule was found: the next poll requests the weather first.
  if (schedule === null || (schedule.skip_on_rain && tooWet === null)) return null;
  const members = await readMemberIds(tx, schedule.group_id);
  const restoredAt = await readRestoredAt(tx);
  const commandIds: string[] = [];
  let next = schedule.next_run_at;
  let served = 0;
  while (next !== null && next <= now && served < MAX_OCCURRENCES) {
    const decision = dueDecision(next, schedule.duration_minutes, now, restoredAt);
    const occurrence = occurrenceOf(schedule, next, decision);
    const held = await whyHeld(tx, schedule, next, { isOver: decision.kind === "missed", now });
    if (held === "undecided") break;
    if (held !== null) {
      await recordHold(tx, occurrence, { outcome: "SKIPPED", reason: held }, members.length, now);
    } else if (decision.kind === "missed") {
      // Robots that were waited for in vain are skipped with the reason for which they waited.
      const wasListening = now.getTime() - listeningSince.getTime() >= HEARD_WITHIN_MS && hasJustEnded(occurrence, now);
      if (wasListening) await startGroup(tx, occurrence, members, { ...context, isOver: true });
      await recordUnstarted(tx, occurrence, members, missed(decision), now);
    } else if (schedule.skip_on_rain && tooWet === true) {
      await recordUnstarted(tx, occurrence, members, skipped(scheduledRunReasons.heldForRain), now);
    } else if (!canSend) {
      break;
    } else {
      const { started, waits } = await startGroup(tx, occurrence, members, context);
      commandIds.push(...started);
      if (waits.size > 0) {
        // It stays due for the rest of the group.
        const isNew = await recordWaiting(tx, schedule.id, next, waitingText(waits));
        if (isNew || started.length > 0) await touchGroup(tx, schedule.group_id);
        return { commandIds, moreDue: false };
      }
    }
    next = nextRunAfter(timesOf(schedule), schedule.timezone, next);
    served += 1;
  }
  if (served === 0) return null;
  await advanceNextRun(tx, schedule.id, next);
  await touchGroup(tx, schedule.group_id);
  return { commandIds, moreDue: served === MAX_OCCURRENCES && next !== null && next <= now };
}

/** Shortly after the end a robot's state still says why it was waited for; long after, it says nothing about that. */
function hasJustEnded({ due_at, stop_due_at }: Occurrence, now: Date): boolean {
  const overMs = Math.min(stop_due_at.getTime(), due_at.getTime() + STARTS_LATE_UP_TO_MS);
  return now.getTime() - overMs < HEARD_WITHIN_MS;
}

function occurrenceOf(schedule: LockedSchedule, due_at: Date, { stopDueAt }: DueDecision): Occurrence {
  const { id, site_id, group_id, group_name } = schedule;
  return { schedule_id: id, site_id, group_id, group_name, due_at, stop_due_at: stopDueAt };
}

/**
 * Refusals that raise no alert of their robot: people locked or retired it, it is already cleaning, or the whole site has
 * one alert about its weather.
 */
const expectedRefusals: readonly string[] = [
  "maintenance",
  "retired",
  "moving",
  "start-open",
  "weather-limit",
  "weather-unknown",
] satisfies StartRefusal[];

/**
 * Starts each robot that can be started and skips the others with the reason. What people did since the run was due
 * takes precedence, however late it is served. Robots worth waiting for (decision 45) are left to a later poll and
 * returned in `waits`, by serial number, with what they wait for. Once `isOver`, nothing starts and no robot is waited
 * for: a robot that cannot start is skipped with that reason, and the others are left to the caller.
 */
async function startGroup(
  tx: Tx,
  occurrence: Occurrence,
  members: readonly number[],
  context: StartContext & { readonly isOver?: boolean },
): Promise<{ readonly started: readonly string[]; readonly waits: ReadonlyMap<string, RunWait> }> {
  const { listeningSince, isStopUnrecorded, now, isOver = false } = context;
  const { due_at: dueAt, stop_due_at: stopDueAt } = occurrence;
  const robots = await lockRobots(tx, await robotsWithoutRun(tx, occurrence, members));
  const { memberIds, reasons } = await findManualOverrides(tx, occurrence, [...robots.values()]);
  const distinct = new Map([...reasons.values()].map((reason) => [keyOf(reason), reason]));
  for (const [key, reason] of distinct) {
    const overridden = [...reasons].flatMap(([robotId, each]) => (keyOf(each) === key ? [robotId] : []));
    await recordUnstarted(tx, occurrence, overridden, skipped(reason), now);
  }
  const due = memberIds.filter((robotId) => !reasons.has(robotId));
  const open = Map.groupBy(await readOpenCommands(tx, due), (command) => command.robot_id);
  const robotIds: number[] = [];
  const waits = new Map<string, RunWait>();
  for (const robotId of due) {
    const robot = robots.get(robotId);
    const refusal = robot ? refusalOf(robot, open.get(robotId) ?? [], now) : null;
    const known = robot && dueRobotOf(robot, refusal, isStopUnrecorded(robotId));
    const wait = known && !isOver ? runWait(known, { dueAt, listeningSince, now }) : null;
    if (robot && wait !== null) waits.set(robot.serial_number, wait);
    else if (!isOver || refusal !== null) robotIds.push(robotId);
  }
  const start = { ...scheduledOrder, verb: "START", maxDurationS: secondsUntil(stopDueAt, now) } as const;
  const orderOf = () => ({ ...start, runId: uuidv7() });
  const all = await acceptOrders(tx, occurrence.site_id, robotIds, orderOf, now);
  const runs = all.map(({ robot, accepted }): PlannedRun => {
    if (accepted.kind === "refused") {
      const { refusal } = accepted;
      const reason = refusal === "start-open" ? scheduledRunReasons.startOpen(robot.serial_number) : accepted.reason;
      return { robotId: robot.id, outcome: "SKIPPED", reason, isAlert: !expectedRefusals.includes(refusal) };
    }
    const { id: commandId, run_id } = accepted.command;
    return { id: run_id ?? uuidv7(), robotId: robot.id, commandId };
  });
  await insertPlannedRuns(tx, occurrence, runs, now);
  await bringUnknownWeather(tx, occurrence.site_id, all, now);
  return { started: runs.flatMap((run) => ("id" in run ? [run.commandId] : [])), waits };
}

/** Once per site, until a run is served in weather that is known. */
async function bringUnknownWeather(
  tx: Tx,
  siteId: number,
  all: Awaited<ReturnType<typeof acceptOrders>>,
  now: Date,
): Promise<void> {
  const reason = all.flatMap(({ accepted }) =>
    accepted.kind === "refused" && accepted.refusal === "weather-unknown" ? [accepted.reason] : [],
  )[0];
  if (reason !== undefined) await bringSiteAlert(tx, siteId, runSkippedAlert(reason), "RUN_SKIPPED", now);
  else if (all.some(({ accepted }) => accepted.kind === "stored"))
    await clearSiteAlerts(tx, [siteId], "RUN_SKIPPED", now);
}

const keyOf = ({ code, params }: OutcomeText) => JSON.stringify([code, params]);

function dueRobotOf(robot: LockedRobot, refusal: StartRefusal | null, isStopUnrecorded: boolean): DueRobot {
  return {
    refusal,
    isStopUnrecorded,
    connection: robot.connection,
    connectionAt: robot.connection_at,
    liveStateAt: robot.live_at,
    clockSkewMs: robot.clock_skew_ms,
    lastSeq: robot.last_seq,
    recordedSeq: robot.last_command_seq,
  };
}

/**
 * Gives a planned run whose START failed through no fault of its robot another START, in the caller's transaction: a
 * server crash must not cost a run. It still ends on time. Returns the START to send after the commit.
 */
export async function retryStart(
  tx: Tx,
  { id, robot_id, schedule_id }: FailedStart,
  { listeningSince, isStopUnrecorded, now }: StartContext,
): Promise<string | null> {
  // Serializes with changes to the schedule and its deletion.
  if (!(await lockScheduleShared(tx, schedule_id))) return null;
  const robot = (await lockRobots(tx, [robot_id])).get(robot_id);
  const [run] = robot ? await readFailedStarts(tx, now, id) : [];
  if (!robot || !run) return null;
  const { live_at, last_seq: lastSeq, last_command_seq: recordedSeq } = robot;
  if (live_at === null || live_at < listeningSince) return null;
  if (isStopUnrecorded(robot_id) || hasUnrecordedStop({ lastSeq, recordedSeq }, run.due_at)) return null;
  if ((await findRobotOverrides(tx, run.due_at, [robot])).size > 0) return null;
  // A start may become possible in the remaining time; recording a refusal each second would flood the log.
  if (refusalOf(robot, await readOpenCommands(tx, [robot_id]), now) !== null) return null;
  const runId = uuidv7();
  const maxDurationS = secondsUntil(run.stop_due_at, now);
  const order = { ...scheduledOrder, verb: "START", runId, maxDurationS } as const;
  const [started] = await acceptOrders(tx, run.site_id, [robot_id], order, now);
  if (started?.accepted.kind !== "stored") return null;
  const { id: commandId } = started.accepted.command;
  await reopenForRetry(tx, run.id, { id: runId, commandId });
  await recordChange(tx, {
    actor: { userId: null, name: SCHEDULER },
    action: "START_SCHEDULED_RUN_ANEW",
    entity: "robot",
    entityId: robot_id,
    siteId: run.site_id,
    reason: retriedText(run.starts + 1),
    after: { run_id: runId, due_at: run.due_at.toISOString() },
    at: now,
  });
  return commandId;
}

/**
 * Stops the robots of planned runs whose time is up, in the caller's transaction. Only open runs are stopped: a robot
 * that ended its run and was started again has a new one. Returns the STOPs to send after the commit.
 */
export async function stopRuns(tx: Tx, due: readonly StopDue[], now: Date): Promise<string[]> {
  const robotIds = due.map(({ robot_id }) => robot_id);
  const robots = await lockRobots(tx, robotIds);
  const open = Map.groupBy(await readOpenCommands(tx, robotIds), (command) => command.robot_id);
  const stops: { id: string; commandId: string }[] = [];
  const toOrder: { readonly id: string; readonly robot: LockedRobot }[] = [];
  const neverBegan: { runId: string; reason: OutcomeText }[] = [];
  const runIds = due.map(({ id }) => id);
  for (const { id, robot_id, began_at, command_id } of await readStopsDue(tx, runIds, now)) {
    const robot = robots.get(robot_id);
    const commands: readonly Command[] = open.get(robot_id) ?? [];
    // A STOP already in progress, from a person or Suncrew, serves as well.
    const inProgress = commands.findLast(({ verb }) => verb === "STOP");
    if (robot === undefined) continue;
    if (began_at === null && !commands.some((command) => command.id === command_id)) {
      neverBegan.push({ runId: id, reason: scheduledRunReasons.neverBegan });
    } else if (inProgress) stops.push({ id, commandId: inProgress.id });
    else toOrder.push({ id, robot });
  }
  await failPlannedRuns(tx, neverBegan, now);
  const ordered = await orderStops(tx, toOrder, now);
  await setStopCommands(tx, [...stops, ...ordered]);
  return ordered.map(({ commandId }) => commandId);
}

async function orderStops(
  tx: Tx,
  runs: readonly { readonly id: string; readonly robot: LockedRobot }[],
  now: Date,
): Promise<{ id: string; commandId: string }[]> {
  const order = { ...scheduledOrder, verb: "STOP", maxDurationS: 0 } as const;
  const runOf = new Map(runs.map(({ id, robot }) => [robot.id, id]));
  const ordered: { id: string; commandId: string }[] = [];
  for (const [siteId, atSite] of Map.groupBy(runs, ({ robot }) => robot.site_id)) {
    const robotIds = atSite.map(({ robot }) => robot.id);
    for (const { robot, accepted } of await acceptOrders(tx, siteId, robotIds, order, now)) {
      const id = runOf.get(robot.id);
      if (id !== undefined && accepted.kind === "stored") ordered.push({ id, commandId: accepted.command.id });
    }
  }
  return ordered;
}

/**
 * Records, in the caller's transaction, that the occurrences of a locked schedule that are due by now will not start,
 * and why. Robots that have already begun carry on.
 */
export async function skipDueOccurrences(
  tx: Tx,
  schedule: LockedSchedule,
  reason: OutcomeText,
  now: Date,
): Promise<void> {
  const members = await readMemberIds(tx, schedule.group_id);
  const restoredAt = await readRestoredAt(tx);
  let next = schedule.next_run_at;
  while (next !== null && next <= now) {
    const decision = dueDecision(next, schedule.duration_minutes, now, restoredAt);
    const why = decision.kind === "missed" ? missed(decision) : skipped(reason);
    const occurrence = occurrenceOf(schedule, next, decision);
    const held = await whyHeld(tx, schedule, next, { isOver: true, now });
    if (held === null) await recordUnstarted(tx, occurrence, members, why, now);
    else if (held !== "undecided")
      await recordHold(tx, occurrence, { outcome: "SKIPPED", reason: held }, members.length, now);
    next = nextRunAfter(timesOf(schedule), schedule.timezone, next);
  }
}

/**
 * Why a schedule "when worth it" does not run at this time; null if it does, or always does. Nothing starts before it is
 * decided; once the time is over, that it was not is the decision.
 */
async function whyHeld(
  tx: Tx,
  schedule: LockedSchedule,
  dueAt: Date,
  { isOver, now }: { readonly isOver: boolean; readonly now: Date },
): Promise<string | null> {
  if (schedule.frequency !== "WHEN_WORTH_IT") return null;
  const decided = await readDecision(tx, schedule.id, dueAt);
  if (decided !== null) return decided.runs ? null : decided.reason;
  if (!isOver) return "undecided";
  const reason = eveningTexts.text("NOT_DECIDED", {});
  await insertDecision(tx, schedule, dueAt, { runs: false, ...reason }, now);
  return reason.text;
}

/** Why robots have a recorded run without any attempt to start it. */
interface UnstartedOutcome {
  readonly outcome: "SKIPPED" | "MISSED";
  readonly reason: OutcomeText;
}

const skipped = (reason: OutcomeText): UnstartedOutcome => ({ outcome: "SKIPPED", reason });
const missed = ({ reason }: Extract<DueDecision, { kind: "missed" }>): UnstartedOutcome => {
  return { outcome: "MISSED", reason: missedReasons[reason] };
};

/** No start was attempted, so the activity log is unchanged; the runs and an audit row say why. */
async function recordUnstarted(
  tx: Tx,
  occurrence: Occurrence,
  members: readonly number[],
  why: UnstartedOutcome,
  now: Date,
): Promise<void> {
  const robotIds = await robotsWithoutRun(tx, occurrence, members);
  const runs = robotIds.map((robotId) => ({ robotId, ...why }));
  await insertPlannedRuns(tx, occurrence, runs, now);
  await recordHold(tx, occurrence, { outcome: why.outcome, reason: why.reason.text }, robotIds.length, now);
}

/**
 * Puts on record that nothing starts. Where it was not worth it no runs are recorded, for none were planned: every count of
 * runs would be of something that nobody wanted.
 */
async function recordHold(
  tx: Tx,
  { schedule_id, site_id, due_at, group_name }: Occurrence,
  { outcome, reason }: { readonly outcome: UnstartedOutcome["outcome"]; readonly reason: string },
  robots: number,
  now: Date,
): Promise<void> {
  await recordChange(tx, {
    actor: { userId: null, name: SCHEDULER },
    action: outcome === "MISSED" ? "MISS_SCHEDULED_RUN" : "HOLD_SCHEDULED_RUN",
    entity: "schedule",
    entityId: schedule_id,
    siteId: site_id,
    outcome: outcome === "MISSED" ? "FAILED" : "REFUSED",
    reason,
    after: { due_at: due_at.toISOString(), group_name, robots },
    at: now,
  });
}
