import { sql } from "kysely";
import { changedNow, type Tx } from "../../platform/database/database.ts";
import type { Command, LockedRobot } from "../commands/public.ts";
import type { OpenLock } from "./accept-locks.ts";

/**
 * The open locks of robots which this transaction has locked, by robot; none for robots that are not in maintenance.
 */
export async function readOpenLocks(
  tx: Tx,
  targets: readonly { readonly robot: LockedRobot }[],
): Promise<Map<number, OpenLock>> {
  const locks = await tx
    .selectFrom("maintenance_locks as l")
    .innerJoin("sites", "sites.id", "l.site_id")
    .select(["l.robot_id", "l.locked_by", "l.locked_at", "l.reason", "sites.timezone"])
    .where("l.robot_id", "=", sql<number>`any(${targets.map(({ robot }) => robot.id)}::int[])`)
    .where("l.released_at", "is", null)
    .execute();
  return new Map(locks.map(({ robot_id, ...lock }) => [robot_id, lock]));
}

/** Who locks, and why. */
export interface NewLock {
  readonly reason: string;
  readonly userId: number;
  readonly name: string;
}

/**
 * Puts robots in maintenance and stores who did, why and since when; if a release of one was in progress, the existing
 * lock takes these over and waits for the robot again. `command` is the MAINTENANCE_ON that carries it.
 */
export async function storeLocks(
  tx: Tx,
  stored: readonly { readonly robot: LockedRobot; readonly command: Command }[],
  lock: NewLock,
  now: Date,
): Promise<void> {
  if (stored.length === 0) return;
  const rows = stored.map(({ robot, command }) => ({
    robot_id: robot.id,
    site_id: robot.site_id,
    reason: lock.reason,
    locked_by_user_id: lock.userId,
    locked_by: lock.name,
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
  const robotIds = sql<number>`any(${rows.map((row) => row.robot_id)}::int[])`;
  await tx.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", robotIds).execute();
  await tx
    .updateTable("robot_state")
    .set({ robot_status: "offline", change_no: changedNow })
    .where("robot_id", "=", robotIds)
    .execute();
}
