import type { StartCandidate } from "../commands/command-refusals.ts";
import { STATE_FRESH_MS } from "../devices/protocol-times.ts";

/** What the server knows about a robot that is to be released, read under the lock on the robot's row. */
export type ReleaseCandidate = Pick<
  StartCandidate,
  "deviceRetired" | "online" | "operatingMode" | "deviceMode" | "liveStateAt" | "hasUnsettledMaintenanceOn"
> & { readonly hasUnsettledMaintenanceOff: boolean };

export type ReleaseRefusal = "not-locked" | "retired" | "away" | "stale" | "lock-unconfirmed" | "release-open";

/**
 * Why a robot cannot be released now, or null if it can. It is released when it shows the release, so it must be
 * connected; and a lock that is still being repeated must not overtake the release (protocol rule 8).
 */
export function releaseRefusal(robot: ReleaseCandidate, now: Date): ReleaseRefusal | null {
  if (robot.operatingMode !== "maintenance" && robot.deviceMode !== "MAINTENANCE") return "not-locked";
  if (robot.deviceRetired) return "retired";
  if (!robot.online || robot.liveStateAt === null) return "away";
  if (robot.hasUnsettledMaintenanceOff) return "release-open";
  if (robot.hasUnsettledMaintenanceOn) return "lock-unconfirmed";
  return now.getTime() - robot.liveStateAt.getTime() > STATE_FRESH_MS ? "stale" : null;
}
