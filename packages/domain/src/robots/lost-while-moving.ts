import type { Motion } from "@suncrew/contract/robots/robots.ts";
import { LINK_LOSS_STOP_MS, MANUAL_RUN_MAX_MINUTES, STOPPED_MARGIN_MS } from "../devices/protocol-times.ts";

/** The longest a robot keeps moving without contact (protocol rule 4). */
export interface MotionLimits {
  /** The longest run any START allows; also assumed for motion started at the robot itself. */
  readonly longestRunMs: number;
  /** It stops on its own after this long without the broker. */
  readonly withoutBrokerMs: number;
}

export const DEFAULT_MOTION_LIMITS: MotionLimits = {
  longestRunMs: MANUAL_RUN_MAX_MINUTES * 60_000,
  withoutBrokerMs: LINK_LOSS_STOP_MS,
};

/** What the server knows about the motion of a robot that has gone silent. */
export interface UnheardMotion {
  /** When its run ends by its START's `maxDurationS`; null if unknown. */
  readonly runEndsAt: Date | null;
  /** When the server received its last message. */
  readonly lastHeardAt: Date;
  /**
   * When the broker reported the robot lost; null if it reports the robot connected, or if the server itself has lost
   * the broker and would not learn of a return.
   */
  readonly connectionLostAt: Date | null;
}

/**
 * When it stops on its own at the latest (protocol rule 4): at the end of its run, or sooner if it has certainly lost
 * the broker; a merely silent robot may still be connected. By its own clock, so it is certain only a little later.
 */
export function stopsByOf({ runEndsAt, lastHeardAt, connectionLostAt }: UnheardMotion, limits: MotionLimits): Date {
  const byDuration = runEndsAt?.getTime() ?? lastHeardAt.getTime() + limits.longestRunMs;
  const byBroker = connectionLostAt === null ? Infinity : connectionLostAt.getTime() + limits.withoutBrokerMs;
  return new Date(Math.min(byDuration, byBroker));
}

/** When it has certainly stopped, allowing for its clock and for when it noticed the loss. */
export function surelyStoppedAtOf(motion: UnheardMotion, limits: MotionLimits): Date {
  return new Date(stopsByOf(motion, limits).getTime() + STOPPED_MARGIN_MS);
}

export type LostState = "MAY_BE_MOVING" | "MUST_HAVE_STOPPED";

/** A robot that was last seen moving and has gone silent (protocol rule 13). */
export interface LostWhileMoving {
  readonly state: LostState;
  readonly lostAt: Date;
  readonly stopsBy: Date;
}

/** Protocol rule 13: last seen moving counts as moving until rule 4 must have stopped it, which nobody has seen. */
export function lostWhileMovingOf(motion: UnheardMotion, limits: MotionLimits, now: Date): LostWhileMoving {
  return {
    state: now < surelyStoppedAtOf(motion, limits) ? "MAY_BE_MOVING" : "MUST_HAVE_STOPPED",
    lostAt: motion.connectionLostAt ?? motion.lastHeardAt,
    stopsBy: stopsByOf(motion, limits),
  };
}

/** The same in the site's local time. */
export interface LostTimes {
  readonly state: LostState;
  readonly lostAt: string;
  readonly stopsBy: string;
}

/** `clockOf` formats an instant in the site's local time. */
export function lostTimes({ state, lostAt, stopsBy }: LostWhileMoving, clockOf: (at: Date) => string): LostTimes {
  // Rounded up to the minute, never too early.
  const by = clockOf(new Date(Math.ceil(stopsBy.getTime() / 60_000) * 60_000));
  return { state, lostAt: clockOf(lostAt), stopsBy: by };
}

/** The same as text, without a full stop. */
export function lostText({ state, lostAt, stopsBy }: LostTimes): string {
  const since = `Lost contact while cleaning at ${lostAt}`;
  return state === "MAY_BE_MOVING"
    ? `${since}; may be moving; stops by itself by ${stopsBy}`
    : `${since}; must have stopped by itself by ${stopsBy}; not seen since`;
}

/** What a robot is doing, as far as known. */
export type KnownMotion = "MOVING" | "STOPPED" | LostState;

/** `lost` is rule 13's verdict, null for a robot that is online or was last seen stopped. */
export function knownMotionOf(motion: Motion | null, lost: Pick<LostWhileMoving, "state"> | null): KnownMotion | null {
  return lost?.state ?? motion;
}

/** It is moving, or may be: somebody could be hurt by it. */
export function mayMove(motion: KnownMotion | null): boolean {
  return motion === "MOVING" || motion === "MAY_BE_MOVING";
}

/** It was last seen moving, whether or not it is online: it can be stopped until it is seen stopped. */
export function wasSeenMoving(motion: KnownMotion | null): boolean {
  return motion !== null && motion !== "STOPPED";
}
