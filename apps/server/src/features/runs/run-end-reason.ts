import type { RunEndReason, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { mapDeviceStatus } from "@suncrew/domain/robots/status-mapping.ts";

/** What the server knows where a motion ended and the robot did not tell why. */
export interface RunEnding {
  /** The verb of the newest STOP or MAINTENANCE_ON that the robot took since the run began. */
  readonly stoppedBy: "STOP" | "MAINTENANCE_ON" | null;
  readonly deviceStatus: StateMessage["status"];
  /** The robot was away, or connected anew, since it was last seen moving. */
  readonly wasAway: boolean;
  readonly plannedEndAt: Date | null;
  readonly endedAt: Date;
}

/** A robot that stops by its own clock may be seen stopped this much before the time by ours. */
const CLOCK_TOLERANCE_MS = 2_000;

/** The likeliest reason; the robot's own RUN_ENDED corrects it when it comes. */
export function likelyEndReason(ending: RunEnding): RunEndReason {
  if (ending.stoppedBy !== null) return ending.stoppedBy === "STOP" ? "STOP" : "MAINTENANCE";
  if (mapDeviceStatus(ending.deviceStatus) === "critical") return "FAULT";
  if (ending.wasAway) return "LINK_LOST";
  const { plannedEndAt, endedAt } = ending;
  if (plannedEndAt && endedAt.getTime() >= plannedEndAt.getTime() - CLOCK_TOLERANCE_MS) return "MAX_DURATION";
  return "FINISHED";
}
