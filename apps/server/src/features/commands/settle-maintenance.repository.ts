import { robotStatusOf } from "@suncrew/domain/robots/status-mapping.ts";
import { type Selectable, sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { MaintenanceLocksTable } from "../../platform/database/schema.ts";
import { auditCommands } from "./command-records.repository.ts";
import { type Command, insertCommands, type LockedRobot, type NewCommand } from "./command-rows.repository.ts";

/** Suncrew itself, as the records name it. */
const SUNCREW = "Suncrew";

/** A command that its robot, which this transaction has locked, has just shown. */
interface Shown {
  readonly robot: LockedRobot;
  readonly command: Command;
}

const idsOf = (shown: readonly Shown[]) => sql<number>`any(${shown.map(({ robot }) => robot.id)}::int[])`;

/** Protocol rule 8: the robots show MAINTENANCE and stand, so their locks are "confirmed by the robot". */
export async function confirmLocks(tx: Tx, shown: readonly Shown[], now: Date): Promise<void> {
  if (shown.length === 0) return;
  await tx
    .updateTable("maintenance_locks")
    .set({ confirmed_at: now })
    .where("robot_id", "=", idsOf(shown))
    .where("released_at", "is", null)
    .where("confirmed_at", "is", null)
    .execute();
}

/** The robots show that they were released: their locks end, the former mode returns and their status is shown again. */
export async function applyReleases(tx: Tx, shown: readonly Shown[], now: Date): Promise<void> {
  if (shown.length === 0) return;
  const locks = new Map((await endLocks(tx, shown, now)).map((lock) => [lock.robot_id, lock]));
  const states = await tx
    .selectFrom("robot_state")
    .select(["robot_id", "online", "status"])
    .where("robot_id", "=", idsOf(shown))
    .execute();
  const seen = new Map(states.map((state) => [state.robot_id, state]));
  const released = shown.map(({ robot, command }) => {
    const lock = locks.get(robot.id);
    // A robot that was locked at the robot itself has its mode still.
    const mode = robot.operating_mode === "maintenance" ? (lock?.former_mode ?? "auto") : robot.operating_mode;
    const { online = false, status = null } = seen.get(robot.id) ?? {};
    const robotStatus = robotStatusOf({ online, operatingMode: mode, deviceStatus: status });
    const before = { operating_mode: robot.operating_mode, ...shownLock(lock) };
    return { robot, command, before, mode, robotStatus };
  });
  const changes = JSON.stringify(
    released.map(({ robot, mode, robotStatus }) => ({ id: robot.id, mode, status: robotStatus })),
  );
  await sql`
    with released as (select * from json_to_recordset(${changes}::json) n (id int, mode text, status text)),
    shown as (update robot_state s set robot_status = n.status from released n where s.robot_id = n.id)
    update robots r set operating_mode = n.mode from released n where r.id = n.id`.execute(tx);
  const audited = released.map(({ robot, command, before, mode }) => {
    return { robot, command, outcome: "DONE" as const, before, after: { operating_mode: mode, ...shownLock() } };
  });
  await auditCommands(tx, audited, now);
}

type EndedLock = Pick<
  Selectable<MaintenanceLocksTable>,
  "robot_id" | "former_mode" | "reason" | "locked_by" | "locked_at"
>;

/** Who locked it, why and since when; of no lock, nothing. */
function shownLock(lock?: EndedLock) {
  const { reason = null, locked_by = null, locked_at = null } = lock ?? {};
  return { reason, locked_by, locked_at };
}

async function endLocks(tx: Tx, shown: readonly Shown[], now: Date): Promise<EndedLock[]> {
  const releases = shown.map(({ robot, command }) => ({
    robot_id: robot.id,
    by: command.requested_by,
    user_id: command.user_id,
  }));
  const { rows } = await sql<EndedLock>`
    update maintenance_locks l set released_at = ${now}, released_by = n.by, released_by_user_id = n.user_id
    from json_to_recordset(${JSON.stringify(releases)}::json) n (robot_id int, by text, user_id int)
    where l.robot_id = n.robot_id and l.released_at is null
    returning l.robot_id, l.former_mode, l.reason, l.locked_by, l.locked_at`.execute(tx);
  return rows;
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

/** The robots show that they have lost their locks, or were released at the robot itself: they are locked again (rule 8). */
export async function lockAgain(tx: Tx, robots: readonly LockedRobot[], now: Date): Promise<void> {
  if (robots.length === 0) return;
  const command: NewCommand = {
    verb: "MAINTENANCE_ON",
    params: {},
    mode: "AUTO",
    actionType: "SYSTEM",
    userId: null,
    requestedBy: SUNCREW,
  };
  const locks = await insertCommands(
    tx,
    robots.map((robot) => ({ robot, command })),
    now,
  );
  await sql`
    update maintenance_locks l set command_id = c.id, confirmed_at = null
    from commands c where c.id = any(${locks.map(({ id }) => id)}::uuid[]) and l.robot_id = c.robot_id
      and l.released_at is null`.execute(tx);
  const lockOf = new Map(locks.map((lock) => [lock.robot_id, lock]));
  const audited = robots.flatMap((robot) => {
    const lock = lockOf.get(robot.id);
    const reason = `Robot ${robot.serial_number} has left maintenance by itself while its lock stands.`;
    return lock ? [{ robot, command: lock, outcome: "DONE" as const, reason }] : [];
  });
  await auditCommands(tx, audited, now);
}
