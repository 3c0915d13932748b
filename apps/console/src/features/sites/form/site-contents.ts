import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { mayStillMove } from "@suncrew/domain/robots/removal-refusal.ts";

/** How much is deleted with a site. */
export interface SiteContents {
  readonly robots: number;
  readonly groups: number;
  readonly schedules: number;
}

/**
 * Robots that are or may be cleaning, or are being started, according to the stream. The server's rule knows more, such
 * as an unconfirmed Stop and when a connection was lost: it decides, and nothing is refused here that it would accept.
 */
export function movingSerials(robots: readonly RobotLive[], now: Date): readonly string[] {
  return robots
    .filter((robot) => {
      if (robot.lost_while_moving !== null) return robot.lost_while_moving.state === "MAY_BE_MOVING";
      const lastHeardAt = robot.last_updated_at === null ? null : new Date(robot.last_updated_at);
      const known = {
        deviceRetired: false,
        online: robot.online,
        motion: robot.motion,
        openRun: robot.current_run === null ? null : { endsAt: null },
        hasOpenStart: robot.open_command?.verb === "START",
        hasPendingStop: false,
        hasPendingLock: false,
        installing: robot.firmware_update !== null,
        lostStartEndsAt: null,
        lastHeardAt,
        connectionLostAt: lastHeardAt,
      };
      return mayStillMove(known, now) !== null;
    })
    .map((robot) => robot.serial_number);
}

const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;

/** As in "4 robots, 2 groups and 1 schedule"; zero counts are left out. */
export function contentsText({ robots, groups, schedules }: SiteContents): string | null {
  const parts = [
    robots > 0 && counted(robots, "robot", "robots"),
    groups > 0 && counted(groups, "group", "groups"),
    schedules > 0 && counted(schedules, "schedule", "schedules"),
  ].filter((part) => part !== false);
  const last = parts.pop();
  if (last === undefined) return null;
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

/** This many serial numbers are named, the rest is counted. */
const NAMED = 3;

/** Why the site cannot be deleted now; null if it can. `isAnyLost`: one of them was lost while moving. */
export function movingSentence(moving: readonly string[], isAnyLost = false): string | null {
  if (moving.length === 0) return null;
  const named = moving.slice(0, NAMED).join(", ");
  const more = moving.length - NAMED;
  const who = more > 0 ? `${named} and ${more} more` : named;
  // A Stop for a lost one stays pending until it is back, or it stops by itself before.
  const doing = isAnyLost ? "cleaning or may be moving" : "cleaning";
  return moving.length === 1
    ? `${who} is ${doing}. Stop it first: a site can only be deleted while its robots are stopped.`
    : `${who} are ${doing}. Stop them first: a site can only be deleted while its robots are stopped.`;
}
