import { changedNow, type Tx } from "../../platform/database/database.ts";
import type { LockedRobot } from "../commands/public.ts";
import type { StandingLock } from "./maintenance-sentences.ts";

export interface OpenLock extends StandingLock {
  readonly id: number;
  readonly former_mode: "auto" | "manual";
}

/** The lock that stands on a robot which this transaction has locked; null where nobody has set one. */
export async function readOpenLock(tx: Tx, robot: LockedRobot): Promise<OpenLock | null> {
  const lock = await tx
    .selectFrom("maintenance_locks as l")
    .innerJoin("sites", "sites.id", "l.site_id")
    .select(["l.id", "l.former_mode", "l.locked_by", "l.locked_at", "l.reason", "sites.timezone"])
    .where("l.robot_id", "=", robot.id)
    .where("l.released_at", "is", null)
    .executeTakeFirst();
  return lock ?? null;
}

export interface NewLock {
  readonly reason: string;
  readonly userId: number;
  readonly name: string;
  /** The MAINTENANCE_ON that carries it. */
  readonly commandId: string;
}

/**
 * Puts a robot in maintenance and writes who did, why and since when; where a release of it was under way, the lock
 * that stands takes these over and waits for the robot again.
 */
export async function storeLock(
  tx: Tx,
  robot: LockedRobot,
  standing: OpenLock | null,
  lock: NewLock,
  now: Date,
): Promise<void> {
  const set = {
    reason: lock.reason,
    locked_by_user_id: lock.userId,
    locked_by: lock.name,
    locked_at: now,
    command_id: lock.commandId,
    confirmed_at: null,
  };
  if (standing !== null) {
    await tx.updateTable("maintenance_locks").set(set).where("id", "=", standing.id).execute();
  } else {
    const { operating_mode: mode } = robot;
    await tx
      .insertInto("maintenance_locks")
      .values({
        ...set,
        robot_id: robot.id,
        site_id: robot.site_id,
        former_mode: mode === "maintenance" ? "auto" : mode,
      })
      .execute();
  }
  await tx.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", robot.id).execute();
  await tx
    .updateTable("robot_state")
    .set({ robot_status: "offline", change_no: changedNow })
    .where("robot_id", "=", robot.id)
    .execute();
}
