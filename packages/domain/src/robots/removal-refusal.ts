import type { Motion } from "@suncrew/contract/robots/robots.ts";
import { STOPPED_MARGIN_MS } from "../devices/protocol-times.ts";
import { DEFAULT_MOTION_LIMITS, type MotionLimits, surelyStoppedAtOf } from "./lost-while-moving.ts";

/** What the server knows about a robot to be deleted, moved or retired, read while the robot's row is locked. */
export interface MotionEvidence {
  /** Its device is locked out for good, so nothing can reach it anyway. */
  readonly deviceRetired: boolean;
  readonly online: boolean;
  readonly motion: Motion | null;
  /**
   * The run in which it was last seen moving, or one that has not ended; `endsAt` is when it stops on its own, null if
   * unknown.
   */
  readonly openRun: { readonly endsAt: Date | null } | null;
  readonly hasOpenStart: boolean;
  readonly hasPendingStop: boolean;
  readonly hasPendingLock: boolean;
  /** It has a firmware offer and does not run the new version yet; its result would be lost. */
  readonly installing: boolean;
  /**
   * When an unconfirmed START that may have reached it expires, if it has not reported anything since; null if there is
   * none.
   */
  readonly lostStartEndsAt: Date | null;
  /** When the server received its last message; null if it never sent one. */
  readonly lastHeardAt: Date | null;
  /**
   * When the broker reported the robot lost; null if it reports the robot connected, or if the server itself has lost
   * the broker and would not learn of a return.
   */
  readonly connectionLostAt: Date | null;
}

/** Why a robot may be moving, or must be stopped first. */
export type MovingReason =
  | "installing"
  | "starting"
  | "stop-unconfirmed"
  | "lock-unconfirmed"
  | "cleaning"
  | "start-unconfirmed";

/** `surelyStoppedAt` is null for a connected robot, which reports its own stop. */
export type StillMoving =
  | { readonly why: MovingReason; readonly where: "there"; readonly surelyStoppedAt: null }
  /** `lost`: it has certainly lost the broker. `unheard`: it is silent but may still be connected. */
  | { readonly why: MovingReason; readonly where: "lost" | "unheard"; readonly surelyStoppedAt: Date };

/**
 * Why a robot must not be deleted, moved or retired now, since nothing could stop it afterwards; null if it has
 * certainly stopped. An unconfirmed Stop or lock blocks like a run does: only the robot's own report proves that it has
 * stopped. An unreachable robot has stopped by protocol rule 4 once it has been without the broker long enough or its
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
  // An installing robot goes offline for a while; its report or the deadline ends that.
  if (robot.online || why === "starting" || why === "installing") return { why, where: "there", surelyStoppedAt: null };
  // It never connected, so it never accepted a START.
  if (robot.lastHeardAt === null) return null;
  const { lastHeardAt, connectionLostAt } = robot;
  const where = connectionLostAt === null ? "unheard" : "lost";
  const surelyStoppedAt = surelyStoppedAtOf({ runEndsAt: endOf(robot), lastHeardAt, connectionLostAt }, limits);
  return now < surelyStoppedAt ? { why, where, surelyStoppedAt } : null;
}

/** What a person has commanded comes first, because it says best what to wait for. */
function whyOf(robot: MotionEvidence, now: Date): MovingReason | null {
  if (robot.hasOpenStart) return "starting";
  if (robot.hasPendingStop) return "stop-unconfirmed";
  if (robot.hasPendingLock) return "lock-unconfirmed";
  if (robot.motion === "MOVING" || robot.openRun !== null) return "cleaning";
  if (robot.installing) return "installing";
  const { lostStartEndsAt } = robot;
  return lostStartEndsAt !== null && now < later(lostStartEndsAt, STOPPED_MARGIN_MS) ? "start-unconfirmed" : null;
}

/** When the last run it may be in ends; null if any end is unknown. */
function endOf(robot: MotionEvidence): Date | null {
  const known = [robot.openRun?.endsAt, robot.lostStartEndsAt].filter((at) => at instanceof Date);
  if (known.length === 0 || (robot.motion === "MOVING" && !robot.openRun?.endsAt)) return null;
  return new Date(Math.max(...known.map((at) => at.getTime())));
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
