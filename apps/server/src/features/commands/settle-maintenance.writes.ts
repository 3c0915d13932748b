import { robotStatusOf } from "@suncrew/domain/robots/status-mapping.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { auditCommand } from "./command-records.writes.ts";
import { type Command, insertCommand, type LockedRobot } from "./command-rows.writes.ts";

/** Suncrew itself, as the records name it. */
const SUNCREW = "Suncrew";

/** Protocol rule 8: the robot shows MAINTENANCE and stands, so its lock is "confirmed by the robot". */
export async function confirmLock(tx: Tx, robot: LockedRobot, now: Date): Promise<void> {
  await tx
    .updateTable("maintenance_locks")
    .set({ confirmed_at: now })
    .where("robot_id", "=", robot.id)
    .where("released_at", "is", null)
    .where("confirmed_at", "is", null)
    .execute();
}

/** The robot shows that it was released: the lock ends, the former mode returns and its status is shown again. */
export async function applyRelease(tx: Tx, robot: LockedRobot, release: Command, now: Date): Promise<void> {
  const lock = await tx
    .updateTable("maintenance_locks")
    .set({ released_at: now, released_by: release.requested_by, released_by_user_id: release.user_id })
    .where("robot_id", "=", robot.id)
    .where("released_at", "is", null)
    .returning(["former_mode", "reason", "locked_by", "locked_at"])
    .executeTakeFirst();
  const before = { operating_mode: robot.operating_mode, ...lock };
  // A robot that was locked at the robot itself has its mode still.
  const mode = robot.operating_mode === "maintenance" ? (lock?.former_mode ?? "auto") : robot.operating_mode;
  await tx.updateTable("robots").set({ operating_mode: mode }).where("id", "=", robot.id).execute();
  await showStatus(tx, robot.id, mode);
  await auditCommand(tx, robot, release, { outcome: "DONE", before, after: { operating_mode: mode } }, now);
}

/** Writes the status that follows from the mode and from what the robot last showed. */
export async function showStatus(tx: Tx, robotId: number, mode: LockedRobot["operating_mode"]): Promise<void> {
  const { online, status } = await tx
    .selectFrom("robot_state")
    .select(["online", "status"])
    .where("robot_id", "=", robotId)
    .executeTakeFirstOrThrow();
  const robot_status = robotStatusOf({ online, operatingMode: mode, deviceStatus: status });
  await tx.updateTable("robot_state").set({ robot_status }).where("robot_id", "=", robotId).execute();
}

/** Those of the robots that a person has locked. */
export async function readLocked(tx: Tx, robotIds: readonly number[]): Promise<Set<number>> {
  if (robotIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom("maintenance_locks")
    .select("robot_id")
    .where("robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("released_at", "is", null)
    .execute();
  return new Set(rows.map(({ robot_id }) => robot_id));
}

/** The robot shows that it has lost its lock, or was released at the robot itself: it is locked again (rule 8). */
export async function lockAgain(tx: Tx, robot: LockedRobot, now: Date): Promise<void> {
  const lock = await insertCommand(
    tx,
    robot,
    {
      verb: "MAINTENANCE_ON",
      params: {},
      mode: "AUTO",
      actionType: "SYSTEM",
      userId: null,
      requestedBy: SUNCREW,
    },
    now,
  );
  await tx
    .updateTable("maintenance_locks")
    .set({ command_id: lock.id, confirmed_at: null })
    .where("robot_id", "=", robot.id)
    .where("released_at", "is", null)
    .execute();
  const reason = `Robot ${robot.serial_number} has left maintenance by itself while its lock stands.`;
  await auditCommand(tx, robot, lock, { outcome: "DONE", reason }, now);
}
