import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import {
  answerPending,
  auditCommand,
  type Command,
  insertCommand,
  type LockedRobot,
  overtakeStarts,
  pendingSentences,
  type Requester,
  settleOvertaken,
} from "../commands/public.ts";
import { readOpenLock, storeLock } from "./locks.writes.ts";
import { alreadyLocked } from "./maintenance-sentences.ts";

/** What became of a lock or release in its transaction; a refusal is on record and told after the commit. */
export type MaintenanceAccepted =
  | { readonly kind: "stored"; readonly commandId: string; readonly robotAway: boolean }
  | { readonly kind: "refused"; readonly error: HttpError };

/** A person of this name; the lock and the release are always somebody's. */
export type Locker = Requester & { readonly userId: number };

/**
 * Protocol rule 8: locks a robot that this transaction has locked, wherever it is and whatever it does. A START under
 * way is overtaken, and so is a release. Refused only where the lock stands already.
 */
export async function acceptLock(
  tx: Tx,
  robot: LockedRobot,
  open: readonly Command[],
  by: Locker,
  reason: string,
  now: Date,
): Promise<MaintenanceAccepted> {
  const who = { verb: "MAINTENANCE_ON", user_id: by.userId, requested_by: by.name } as const;
  const standing = await readOpenLock(tx, robot);
  const releases = open.filter(({ verb }) => verb === "MAINTENANCE_OFF");
  if (standing !== null && releases.length === 0) {
    const error = new HttpError(409, alreadyLocked(robot.serial_number, standing), { success: false });
    await auditCommand(tx, robot, who, { outcome: "REFUSED", reason: error.message, after: { reason } }, now);
    return { kind: "refused", error };
  }
  await overtakeStarts(tx, robot, open, now);
  for (const release of releases) await settleOvertaken(tx, robot, release, now);
  const command = await insertCommand(
    tx,
    robot,
    {
      verb: "MAINTENANCE_ON",
      params: {},
      mode: "AUTO",
      actionType: by.actionType,
      userId: by.userId,
      requestedBy: by.name,
    },
    now,
  );
  await storeLock(tx, robot, standing, { reason, userId: by.userId, name: by.name, commandId: command.id }, now);
  const before = { operating_mode: robot.operating_mode, ...(standing && { reason: standing.reason }) };
  const after = { operating_mode: "maintenance", reason };
  await auditCommand(tx, robot, who, { outcome: "DONE", before, after }, now);
  const robotAway = !robot.state.online;
  if (robotAway) {
    await answerPending(tx, robot, command, pendingSentences.MAINTENANCE_ON.away(robot.serial_number), now);
  }
  return { kind: "stored", commandId: command.id, robotAway };
}
