import type { Motion } from "@suncrew/contract/robots/robots.ts";
import { STANDS_MARGIN_MS, STANDS_WITHOUT_BROKER_MS } from "../commands/limits.ts";

/** What the server knows of a robot that is to be taken away, read under the lock on the robot's row. */
export interface MaybeMoving {
  readonly online: boolean;
  readonly motion: Motion | null;
  /** A run of it has begun and has not ended. */
  readonly hasOpenRun: boolean;
  readonly hasOpenStart: boolean;
  /** Server receipt of whatever was heard of it last; null where it never spoke. */
  readonly lastHeardAt: Date | null;
}

/** Why a robot may move now: it shows that it cleans, a START may reach it, or it was cleaning as it was last heard. */
export type StillMoving = "cleaning" | "starting" | "away-cleaning";

/**
 * Why a robot must not be deleted nor sent elsewhere now, or null where it surely stands: nothing could stop it any
 * more. One that is away stands by protocol rule 4 once it has been without its broker for long enough.
 */
export function mayStillMove(robot: MaybeMoving, now: Date): StillMoving | null {
  if (robot.hasOpenStart) return "starting";
  if (robot.motion !== "MOVING" && !robot.hasOpenRun) return null;
  if (robot.online) return "cleaning";
  if (robot.lastHeardAt === null) return null;
  const standsFrom = robot.lastHeardAt.getTime() + STANDS_WITHOUT_BROKER_MS + STANDS_MARGIN_MS;
  return now.getTime() < standsFrom ? "away-cleaning" : null;
}
