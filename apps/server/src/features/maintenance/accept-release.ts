import { type ReleaseRefusal, releaseRefusal } from "@suncrew/domain/maintenance/release-refusal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import {
  auditCommands,
  type Audited,
  type Command,
  type CommandOf,
  insertCommands,
  type LockedRobot,
} from "../commands/public.ts";
import type { AskedRobot, Locker, MaintenanceAccepted } from "./accept-lock.ts";
import { releaseRefusalSentences } from "./maintenance-sentences.ts";

/**
 * Protocol rule 8: asks robots that this transaction has locked to leave maintenance. Their locks stand until they show
 * that they have. Also for those that were locked at the robot itself. Answers by robot.
 */
export async function acceptReleases(
  tx: Tx,
  asked: readonly AskedRobot[],
  by: Locker,
  now: Date,
): Promise<Map<number, MaintenanceAccepted>> {
  const accepted = new Map<number, MaintenanceAccepted>();
  const who = { verb: "MAINTENANCE_OFF", user_id: by.userId, requested_by: by.name } as const;
  const refused: Audited[] = [];
  const wanted: CommandOf[] = [];
  for (const { robot, open } of asked) {
    const refusal = refusalOf(robot, open, now);
    if (refusal === null) {
      const order = { params: {}, mode: "AUTO", actionType: by.actionType } as const;
      wanted.push({ robot, command: { verb: who.verb, ...order, userId: by.userId, requestedBy: by.name } });
      continue;
    }
    const status = refusal === "away" || refusal === "stale" ? 504 : 409;
    const error = new HttpError(status, releaseRefusalSentences[refusal](robot.serial_number), { success: false });
    refused.push({ robot, command: who, outcome: "REFUSED", reason: error.message });
    accepted.set(robot.id, { kind: "refused", error });
  }
  await auditCommands(tx, refused, now);
  for (const command of await insertCommands(tx, wanted, now)) {
    accepted.set(command.robot_id, { kind: "stored", commandId: command.id, robotAway: false });
  }
  return accepted;
}

/** The same for one robot. */
export async function acceptRelease(
  tx: Tx,
  robot: LockedRobot,
  open: readonly Command[],
  by: Locker,
  now: Date,
): Promise<MaintenanceAccepted | null> {
  return (await acceptReleases(tx, [{ robot, open }], by, now)).get(robot.id) ?? null;
}

function refusalOf(robot: LockedRobot, open: readonly Command[], now: Date): ReleaseRefusal | null {
  return releaseRefusal(
    {
      deviceRetired: robot.device_retired,
      online: robot.state.online,
      operatingMode: robot.operating_mode,
      deviceMode: robot.state.mode,
      liveStateAt: robot.state.live_at,
      hasUnsettledMaintenanceOn: open.some(({ verb }) => verb === "MAINTENANCE_ON"),
      hasUnsettledMaintenanceOff: open.some(({ verb }) => verb === "MAINTENANCE_OFF"),
    },
    now,
  );
}
