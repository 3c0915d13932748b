import { may } from "@suncrew/domain/auth/permissions.ts";
import { settingsRefusal } from "@suncrew/domain/commands/settings-refusal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { forbidden, HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditCommand } from "./command-records.repository.ts";
import { insertCommand, type LockedRobot, lockRobot, readOpenCommands } from "./command-rows.repository.ts";
import { refusalSentences } from "./command-sentences.ts";
import { findRobotOf } from "./commands.queries.ts";

/** The settings to change; those left out stay. Speeds in percent. */
export interface SettingsChange {
  readonly cleaning_direction?: "FORWARD" | "REVERSE" | undefined;
  readonly main_motor_speed?: number | undefined;
  readonly brush_motor_speed?: number | undefined;
}

export type AcceptedSettings =
  | { readonly kind: "stored"; readonly commandId: string }
  | { readonly kind: "refused"; readonly error: HttpError };

/** Decides about a change of settings under the lock on the robot, and stores it as a SET; the robot's row changes once it is confirmed. */
export async function acceptSettings(
  tx: Tx,
  deps: Pick<Dependencies, "clock">,
  viewer: Viewer,
  robotId: number,
  change: SettingsChange,
): Promise<AcceptedSettings> {
  const target = await findRobotOf(viewer, tx, robotId);
  const robot = await lockRobot(tx, target.robotId);
  if (robot === null || robot.deleted_at !== null || robot.site_id !== target.siteId) throw notFound("Robot");
  const now = deps.clock.now();
  const refusal = await refusalOf(tx, viewer, robot, change, now);
  const who = { verb: "SET", user_id: viewer.userId, requested_by: viewer.name } as const;
  if (refusal !== null) {
    await auditCommand(tx, robot, who, { outcome: "REFUSED", reason: refusal.message, after: { ...change } }, now);
    return { kind: "refused", error: refusal };
  }
  const { cleaning_direction: direction, main_motor_speed: main, brush_motor_speed: brush } = change;
  const stored = await insertCommand(
    tx,
    robot,
    {
      verb: "SET",
      params: {
        ...(direction !== undefined && { direction: direction === "FORWARD" ? ("FWD" as const) : ("REV" as const) }),
        ...(main !== undefined && { "main-speed": main }),
        ...(brush !== undefined && { "brush-speed": brush }),
      },
      mode: "AUTO",
      actionType: "MANUAL",
      userId: viewer.userId,
      requestedBy: viewer.name,
    },
    now,
  );
  return { kind: "stored", commandId: stored.id };
}

async function refusalOf(
  tx: Tx,
  viewer: Viewer,
  robot: LockedRobot,
  change: SettingsChange,
  now: Date,
): Promise<HttpError | null> {
  const { main_motor_speed: main, brush_motor_speed: brush } = change;
  const speedsDiffer =
    (main ?? robot.main_motor_speed) !== robot.main_motor_speed ||
    (brush ?? robot.brush_motor_speed) !== robot.brush_motor_speed;
  if (speedsDiffer && !may(viewer.role, "changeMotorSpeeds"))
    return forbidden("Only Super Admins can change motor speeds.");
  const open = await readOpenCommands(tx, [robot.id]);
  const refusal = settingsRefusal(
    {
      deviceRetired: robot.device_retired,
      online: robot.state.online,
      operatingMode: robot.operating_mode,
      deviceMode: robot.state.mode,
      liveStateAt: robot.state.live_at,
      hasUnsettledMaintenanceOn: open.some((command) => command.verb === "MAINTENANCE_ON"),
    },
    now,
  );
  return (
    refusal &&
    new HttpError(
      refusal === "away" || refusal === "stale" ? 504 : 409,
      refusalSentences[refusal](robot.serial_number),
      {
        success: false,
      },
    )
  );
}
