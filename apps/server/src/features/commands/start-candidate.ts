import { type StartRefusal, startRefusal } from "@suncrew/domain/commands/start-refusal.ts";
import type { Command, LockedRobot } from "./command-rows.repository.ts";

/**
 * Protocol rules 2, 8, 9 and 12: why a START of a locked robot would be refused now, or null where it may be sent. `open`
 * are the robot's commands that are not settled, read under the lock.
 */
export function refusalOf(robot: LockedRobot, open: readonly Command[], now: Date): StartRefusal | null {
  const has = (verb: Command["verb"]) => open.some((command) => command.verb === verb);
  return startRefusal(
    {
      deviceRetired: robot.device_retired,
      online: robot.state.online,
      motion: robot.state.motion,
      operatingMode: robot.operating_mode,
      deviceMode: robot.state.mode,
      liveStateAt: robot.state.live_at,
      clockSkewMs: robot.state.clock_skew_ms,
      installing: robot.installing !== null,
      hasOpenStart: has("START"),
      hasUnsettledStop: has("STOP"),
      hasUnsettledMaintenanceOn: has("MAINTENANCE_ON"),
    },
    now,
  );
}
