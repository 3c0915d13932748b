import type { Motion } from "@suncrew/contract/robots/robots.ts";
import { STOPPED_MARGIN_MS } from "../commands/limits.ts";
import { DEFAULT_MOTION_LIMITS, type MotionLimits, surelyStoppedAtOf } from "./lost-while-moving.ts";

/** What the server knows of a robot that is to be taken away or cut off, read under the lock on the robot's row. */
export interface MotionEvidence {
  /** Its device was cut off for good: nothing reaches it, whatever is decided. */
  readonly deviceRetired: boolean;
  readonly online: boolean;
  readonly motion: Motion | null;
  /**
   * The run in which it was last seen moving, or one that has not ended; `endsAt` is when it stops by itself, null where
   * nobody knows.
   */
  readonly openRun: { readonly endsAt: Date | null } | null;
  readonly hasOpenStart: boolean;
  readonly hasPendingStop: boolean;
  readonly hasPendingLock: boolean;
  /** It was offered new firmware and has not shown it yet: nobody would hear what came of it. */
  readonly installing: boolean;
  /**
   * When a START runs out that was not confirmed and may have reached it, and after which it has shown nothing; null
   * where there is none.
   */
  readonly lostStartEndsAt: Date | null;
  /** Server receipt of whatever was heard of it last; null where it never spoke. */
  readonly lastHeardAt: Date | null;
  /**
   * When the broker said that it had lost the robot; null where it says that the robot is there, or where the server is
   * without the broker itself and would not hear of a return.
   */
  readonly connectionLostAt: Date | null;
}

/** Why a robot may move, or must be told to stop before it is let go. */
export type MovingReason =
  | "installing"
  | "starting"
  | "stop-unconfirmed"
  | "lock-unconfirmed"
  | "cleaning"
  | "start-unconfirmed";

/** `standsAt` is null where a robot is there: it shows by itself that it stands. */
export type StillMoving =
  | { readonly why: MovingReason; readonly where: "there"; readonly standsAt: null }
  /** `lost`: it surely is without its broker. `unheard`: it is silent, and may have its broker all the same. */
  | { readonly why: MovingReason; readonly where: "lost" | "unheard"; readonly standsAt: Date };

/**
 * Why a robot must not be deleted, sent elsewhere or cut off now, or null where it surely stands: nothing could stop it
 * any more. A Stop or lock that it has not confirmed is no less a reason than a run: only what it shows proves that it
 * stands. One that is away stands by protocol rule 4: once it has been without its broker for long enough, or once its
 * run is over.
 */
export function mayStillMove(
  robot: MotionEvidence,
  now: Date,
  limits: MotionLimits = DEFAULT_MOTION_LIMITS,
): StillMoving | null {
  if (robot.deviceRetired) return null;
  const why = whyOf(robot, now);
  if (why === null) return null;
  // A robot that installs is away for a while, and shows by itself or by its deadline that it is done.
  if (robot.online || why === "starting" || why === "installing") return { why, where: "there", standsAt: null };
  // It never connected, so it never took a START.
  if (robot.lastHeardAt === null) return null;
  const { lastHeardAt, connectionLostAt } = robot;
  const where = connectionLostAt === null ? "unheard" : "lost";
  const standsAt = surelyStoppedAtOf({ runEndsAt: endOf(robot), lastHeardAt, connectionLostAt }, limits);
  return now < standsAt ? { why, where, standsAt } : null;
}

/** What is under way by order of a person comes first: it says best what to wait for. */
function whyOf(robot: MotionEvidence, now: Date): MovingReason | null {
  if (robot.hasOpenStart) return "starting";
  if (robot.hasPendingStop) return "stop-unconfirmed";
  if (robot.hasPendingLock) return "lock-unconfirmed";
  if (robot.motion === "MOVING" || robot.openRun !== null) return "cleaning";
  if (robot.installing) return "installing";
  const { lostStartEndsAt } = robot;
  return lostStartEndsAt !== null && now < later(lostStartEndsAt, STOPPED_MARGIN_MS) ? "start-unconfirmed" : null;
}

/** When the last of what it may be moving for ends; null where that is not known of all. */
function endOf(robot: MotionEvidence): Date | null {
  const known = [robot.openRun?.endsAt, robot.lostStartEndsAt].filter((at) => at instanceof Date);
  if (known.length === 0 || (robot.motion === "MOVING" && !robot.openRun?.endsAt)) return null;
  return new Date(Math.max(...known.map((at) => at.getTime())));
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
