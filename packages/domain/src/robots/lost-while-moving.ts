import type { Motion } from "@suncrew/contract/robots/robots.ts";
import { MANUAL_RUN_MAX_MINUTES, STOPPED_MARGIN_MS, LINK_LOSS_STOP_MS } from "../commands/limits.ts";

/** How long a robot moves at most, whatever it hears (protocol rule 4), in milliseconds. */
export interface MotionLimits {
  /** The longest that any START lets it move; also taken for a motion that began at the robot itself. */
  readonly longestRunMs: number;
  /** It stops by itself after so long without its broker. */
  readonly withoutBrokerMs: number;
}

export const DEFAULT_MOTION_LIMITS: MotionLimits = {
  longestRunMs: MANUAL_RUN_MAX_MINUTES * 60_000,
  withoutBrokerMs: LINK_LOSS_STOP_MS,
};

/** What the server knows of the motion of a robot that it does not hear any more. */
export interface UnheardMotion {
  /** When its run ends by the `maxDurationS` of its START; null where nobody knows. */
  readonly runEndsAt: Date | null;
  /** Server receipt of whatever was heard of it last. */
  readonly lastHeardAt: Date;
  /**
   * When the broker said that it had lost the robot; null where it says that the robot is there, or where the server is
   * without the broker itself and would not hear of a return.
   */
  readonly connectionLostAt: Date | null;
}

/**
 * When it stops by itself at the latest (protocol rule 4): at the end of its run, or sooner where it surely is without
 * its broker; a robot that is merely silent may have its broker. By its own clock: that it stands is sure a little later.
 */
export function stopsByOf({ runEndsAt, lastHeardAt, connectionLostAt }: UnheardMotion, limits: MotionLimits): Date {
  const byDuration = runEndsAt?.getTime() ?? lastHeardAt.getTime() + limits.longestRunMs;
  const byBroker = connectionLostAt === null ? Infinity : connectionLostAt.getTime() + limits.withoutBrokerMs;
  return new Date(Math.min(byDuration, byBroker));
}

/** From when on it is sure that it stands: its clock, and the moment it notices, may differ from what the server saw. */
export function surelyStoppedAtOf(motion: UnheardMotion, limits: MotionLimits): Date {
  return new Date(stopsByOf(motion, limits).getTime() + STOPPED_MARGIN_MS);
}

export type LostState = "MAY_BE_MOVING" | "MUST_HAVE_STOPPED";

/** A robot that was last seen moving and is not heard any more (protocol rule 13). */
export interface LostWhileMoving {
  readonly state: LostState;
  readonly lostAt: Date;
  readonly stopsBy: Date;
}

/** Protocol rule 13, seen moving is moving: perhaps until rule 4 must have stopped it, and not seen to stand after that. */
export function lostWhileMovingOf(motion: UnheardMotion, limits: MotionLimits, now: Date): LostWhileMoving {
  return {
    state: now < surelyStoppedAtOf(motion, limits) ? "MAY_BE_MOVING" : "MUST_HAVE_STOPPED",
    lostAt: motion.connectionLostAt ?? motion.lastHeardAt,
    stopsBy: stopsByOf(motion, limits),
  };
}

/** The same in words; `clockOf` tells an instant by the clocks of the site. Without a full stop. */
export function lostText({ state, lostAt, stopsBy }: LostWhileMoving, clockOf: (at: Date) => string): string {
  // To the minute, and never a minute too early.
  const by = clockOf(new Date(Math.ceil(stopsBy.getTime() / 60_000) * 60_000));
  const since = `Lost contact while cleaning at ${clockOf(lostAt)}`;
  return state === "MAY_BE_MOVING"
    ? `${since}; may be moving; stops by itself by ${by}`
    : `${since}; must have stopped by itself by ${by}; not seen since`;
}

/** What a robot does as far as anybody knows. */
export type KnownMotion = "MOVING" | "STOPPED" | LostState;

/** `lost` is what rule 13 says of it, null for a robot that is heard or was last seen to stand. */
export function knownMotionOf(motion: Motion | null, lost: Pick<LostWhileMoving, "state"> | null): KnownMotion | null {
  return lost?.state ?? motion;
}

/** It moves, or may: somebody could be hurt by it. */
export function mayMove(motion: KnownMotion | null): boolean {
  return motion === "MOVING" || motion === "MAY_BE_MOVING";
}

/** It was last seen to move, wherever it is now: a Stop is in question until it is seen to stand. */
export function wasSeenMoving(motion: KnownMotion | null): boolean {
  return motion !== null && motion !== "STOPPED";
}
