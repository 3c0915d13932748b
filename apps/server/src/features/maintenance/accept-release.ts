import { releaseRefusal } from "@suncrew/domain/maintenance/release-refusal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { auditCommand, type Command, insertCommand, type LockedRobot } from "../commands/public.ts";
import type { Locker, MaintenanceAccepted } from "./accept-lock.ts";
import { releaseRefusalSentences } from "./maintenance-sentences.ts";

/**
 * Protocol rule 8: asks a robot that this transaction has locked to leave maintenance. Its lock stands until it shows
 * that it has. Also for a robot that was locked at the robot itself.
 */
export async function acceptRelease(
  tx: Tx,
  robot: LockedRobot,
  open: readonly Command[],
  by: Locker,
  now: Date,
): Promise<MaintenanceAccepted> {
  const refusal = releaseRefusal(
    {
      online: robot.state.online,
      operatingMode: robot.operating_mode,
      deviceMode: robot.state.mode,
      liveStateAt: robot.state.live_at,
      hasUnsettledMaintenanceOn: open.some(({ verb }) => verb === "MAINTENANCE_ON"),
      hasUnsettledMaintenanceOff: open.some(({ verb }) => verb === "MAINTENANCE_OFF"),
    },
    now,
  );
  if (refusal !== null) {
    const status = refusal === "away" || refusal === "stale" ? 504 : 409;
    const error = new HttpError(status, releaseRefusalSentences[refusal](robot.serial_number), { success: false });
    const who = { verb: "MAINTENANCE_OFF", user_id: by.userId, requested_by: by.name } as const;
    await auditCommand(tx, robot, who, { outcome: "REFUSED", reason: error.message }, now);
    return { kind: "refused", error };
  }
  const { id } = await insertCommand(
    tx,
    robot,
    {
      verb: "MAINTENANCE_OFF",
      params: {},
      mode: "AUTO",
      actionType: by.actionType,
      userId: by.userId,
      requestedBy: by.name,
    },
    now,
  );
  return { kind: "stored", commandId: id, robotAway: false };
}
