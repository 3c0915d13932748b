import { CLOCK_SKEW_MS } from "../devices/protocol-times.ts";
import type { StartRefusal } from "../commands/command-refusals.ts";

const MINUTE_MS = 60_000;

/** A run is still started if it is late by less than this. */
export const STARTS_LATE_UP_TO_MS = 10 * MINUTE_MS;

export type DueDecision =
  | { readonly kind: "start"; readonly stopDueAt: Date }
  | { readonly kind: "missed"; readonly reason: "too-late" | "end-past" | "restored"; readonly stopDueAt: Date };

/** Whether a schedule "when worth it" runs is decided this long before, so that people see it in time. */
const DECIDED_AHEAD_MS = 120 * MINUTE_MS;

export function decidesAt(dueAt: Date): Date {
  return new Date(dueAt.getTime() - DECIDED_AHEAD_MS);
}

/** When a run that is due at that time ends; late ones end at the same time. */
export function stopDueAt(dueAt: Date, durationMinutes: number): Date {
  return new Date(dueAt.getTime() + durationMinutes * MINUTE_MS);
}

/**
 * Decisions, Time: a run that was missed while no server was up starts late, and ends on time, unless it is 10 minutes
 * late or its end has passed. One that was due when the database was restored from a backup does not start: it may have
 * run already, or somebody may have called it off (decision 60). Only for runs that are due: throws a RangeError before.
 */
export function dueDecision(
  dueAt: Date,
  durationMinutes: number,
  now: Date,
  restoredAt: Date | null = null,
): DueDecision {
  const lateMs = now.getTime() - dueAt.getTime();
  if (!(lateMs >= 0)) throw new RangeError(`This run is due at ${dueAt.toISOString()} and not yet.`);
  const end = stopDueAt(dueAt, durationMinutes);
  if (restoredAt !== null && dueAt <= restoredAt) return { kind: "missed", reason: "restored", stopDueAt: end };
  if (lateMs >= STARTS_LATE_UP_TO_MS) return { kind: "missed", reason: "too-late", stopDueAt: end };
  if (now >= end) return { kind: "missed", reason: "end-past", stopDueAt: end };
  return { kind: "start", stopDueAt: end };
}

/**
 * Every online robot sends something within this time: they report every 30 s, and a new bridge requests their state at
 * once.
 */
export const HEARD_WITHIN_MS = 30_000;

/** What is known about a robot whose run is due. */
export interface DueRobot {
  /** Why it cannot be started now; null if it could. */
  readonly refusal: StartRefusal | null;
  readonly connection: "ONLINE" | "OFFLINE" | "CONNECTION_BROKEN" | null;
  /** When the broker reported its connection. */
  readonly connectionAt: Date | null;
  readonly liveStateAt: Date | null;
  /** Robot's clock minus the server's at that state, in milliseconds. */
  readonly clockSkewMs: number | null;
  /** The highest seq of a recorded command that the robot has reported. */
  readonly lastSeq: number;
  readonly recordedSeq: number;
  /** A server has sent it a person's Stop that is not recorded yet. */
  readonly isStopUnrecorded: boolean;
}

interface WaitTimes {
  readonly dueAt: Date;
  readonly listeningSince: Date;
  readonly now: Date;
}

/** What a due run waits for; it waits no longer than `STARTS_LATE_UP_TO_MS`, see `dueDecision`. */
export type RunWait = "unheard" | "unrecorded" | "silent" | "late-state" | "stopping" | "weather";

/**
 * People deal with these themselves: the robot is locked or cut off, and would send nothing newer. Nor is a storm waited
 * for.
 */
const permanentRefusals: readonly (StartRefusal | null)[] = ["maintenance", "retired", "weather-limit"];

/**
 * Decision 45: what a robot's due run waits for, or null if it is decided now. `listeningSince` is when Suncrew began
 * to receive from robots: what they showed before does not prove that they are there, and what they did not show is no
 * reason to skip them. A robot that reported OFFLINE, or that had not been heard of at the due time for as long as a
 * run may be late, is not waited for.
 */
export function runWait(robot: DueRobot, { dueAt, listeningSince, now }: WaitTimes): RunWait | null {
  const { refusal, liveStateAt, clockSkewMs } = robot;
  if (permanentRefusals.includes(refusal)) return null;
  if (robot.isStopUnrecorded || hasUnrecordedStop(robot, dueAt)) return "unrecorded";
  const isHeard = liveStateAt !== null && liveStateAt >= listeningSince;
  if (isHeard && refusal === null) return null;
  if (now.getTime() - listeningSince.getTime() < HEARD_WITHIN_MS) return "unheard";
  if (!isHeard) return mayComeBack(robot, dueAt) ? "unheard" : null;
  // It has been stored or in progress for long: the robot's current state decides.
  if (refusal === "clock" && clockSkewMs !== null && clockSkewMs < -CLOCK_SKEW_MS) return "late-state";
  if (refusal === "stop-unsettled") return "stopping";
  // Nobody has compared it with the limits while no server was up.
  if (refusal === "weather-unknown") return "weather";
  if (refusal === "away" || refusal === "stale") return mayComeBack(robot, dueAt) ? "silent" : null;
  return null;
}

/**
 * The robot has had an unrecorded command since the due time: only a person's Stop goes out without its row
 * (protocol rule 3). A seq is its time in Unix milliseconds or slightly more.
 */
export function hasUnrecordedStop(
  { lastSeq, recordedSeq }: Pick<DueRobot, "lastSeq" | "recordedSeq">,
  dueAt: Date,
): boolean {
  return lastSeq > recordedSeq && lastSeq >= dueAt.getTime();
}

function mayComeBack({ connection, connectionAt, liveStateAt }: DueRobot, dueAt: Date): boolean {
  if (connection === "OFFLINE") return false;
  const lastHeardMs = Math.max(connectionAt?.getTime() ?? 0, liveStateAt?.getTime() ?? 0);
  return dueAt.getTime() - lastHeardMs < STARTS_LATE_UP_TO_MS;
}
