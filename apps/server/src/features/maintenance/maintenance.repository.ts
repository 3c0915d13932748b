import { anyInt, changedNow, type Tx } from "../../platform/database/database.ts";
import type { Command, LockedRobot } from "../commands/public.ts";

/**
 * The open locks of robots which this transaction has locked, by robot; none for robots that are not in maintenance.
 */
export async function readOpenLocks(tx: Tx, targets: readonly { readonly robot: LockedRobot }[]) {
  const locks = await tx
    .selectFrom("maintenance_locks as l")
    .innerJoin("sites", "sites.id", "l.site_id")
    .select(["l.robot_id", "l.locked_by", "l.locked_at", "l.reason", "sites.timezone"])
    .where("l.robot_id", "=", anyInt(targets.map(({ robot }) => robot.id)))
    .where("l.released_at", "is", null)
    .execute();
  return new Map(locks.map((lock) => [lock.robot_id, lock]));
}
export type OpenLock = NonNullable<ReturnType<Awaited<ReturnType<typeof readOpenLocks>>["get"]>>;

/**
 * Puts robots in maintenance and stores who did, why and since when; if a release of one was in progress, the existing
 * lock takes these over and waits for the robot again. `command` is the MAINTENANCE_ON that carries it.
 */
export async function storeLocks(
  tx: Tx,
  stored: readonly { readonly robot: LockedRobot; readonly command: Command }[],
  reason: string,
  now: Date,
): Promise<void> {
  if (stored.length === 0) return;
  const rows = stored.map(({ robot, command }) => ({
    robot_id: robot.id,
    site_id: robot.site_id,
    reason,
    locked_by_user_id: command.user_id,
    locked_by: command.requested_by,
    locked_at: now,
    former_mode: robot.operating_mode === "maintenance" ? ("auto" as const) : robot.operating_mode,
    command_id: command.id,
  }));
  await tx
    .insertInto("maintenance_locks")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("robot_id")
        .where("released_at", "is", null)
        .doUpdateSet((eb) => ({
          reason: eb.ref("excluded.reason"),
          locked_by_user_id: eb.ref("excluded.locked_by_user_id"),
          locked_by: eb.ref("excluded.locked_by"),
          locked_at: eb.ref("excluded.locked_at"),
          command_id: eb.ref("excluded.command_id"),
          confirmed_at: null,
        })),
    )
    .execute();
  const robotIds = anyInt(rows.map(({ robot_id }) => robot_id));
  await tx.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", robotIds).execute();
  await tx
    .updateTable("robot_state")
    .set({ robot_status: "offline", change_no: changedNow })
    .where("robot_id", "=", robotIds)
    .execute();
}
