import { outcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { type createRobot, ROBOT_FIELDS, type robotBodySchema } from "@suncrew/contract/robots/robot-forms.ts";
import { sql } from "kysely";
import type { z } from "zod";
import { announceScope } from "../../platform/change-signal.ts";
import { anyInt, changedNow, type Tx } from "../../platform/database/database.ts";
import { endAlertsOf, moveAlerts } from "../alerts/public.ts";
import { type AuditActor, recordChanges } from "../audit/public.ts";
import { type LockedRobot, settleRemoved } from "../commands/public.ts";
import { closeRunsOfDeletedRobots } from "../runs/public.ts";

/** What the Robot form stores. */
export type RobotForm = z.output<typeof robotBodySchema>;

export type NewRobot = BodyOf<typeof createRobot>;

type StoredRobot = Pick<LockedRobot, "id" | "serial_number">;

/**
 * Stores robots in one statement and makes them visible to every console; returns them in order. The caller has locked
 * their sites (`lockSites`) and checked `robotConflicts` in this transaction, and requests their status after the
 * commit. A serial number or name stored concurrently violates a unique index, upon which `transactionWithRetry`
 * retries.
 */
export async function insertRobots(tx: Tx, robots: readonly NewRobot[], now: Date): Promise<StoredRobot[]> {
  if (robots.length === 0) return [];
  const { rows } = await sql<StoredRobot>`
    insert into robots (site_id, robot_name, serial_number, motor_type, control_type, installation_date, operating_mode,
      initial_battery_level, initial_status, initial_firmware_version, created_at)
    select n.site_id, n.robot_name, n.serial_number, n.motor_type, n.control_type, n.installation_date, n.operating_mode,
      n.battery_level, n.status, n.firmware_version, ${now}
    from json_to_recordset(${JSON.stringify(robots)}::json) n (site_id int, robot_name text, serial_number text,
      motor_type text, control_type text, installation_date date, operating_mode text, battery_level int, status text,
      firmware_version text)
    returning id, serial_number`.execute(tx);
  await announceScope(tx);
  const stored = new Map(rows.map((row) => [row.serial_number, row]));
  return robots.flatMap((robot) => stored.get(robot.serial_number) ?? []);
}

/** The form of a robot, which this transaction has locked, and the version of its last edit. */
export async function readRobotForm(tx: Tx, robotId: number): Promise<RobotForm & { readonly version: number }> {
  return tx
    .selectFrom("robots")
    .select([...ROBOT_FIELDS, "version"])
    .where("id", "=", robotId)
    .executeTakeFirstOrThrow();
}

export function isSameForm(one: RobotForm, other: RobotForm): boolean {
  return ROBOT_FIELDS.every((field) => one[field] === other[field]);
}

/** Stores an edit. A foreign key takes the robot's state row to its new site. */
export async function changeRobotRow(tx: Tx, robotId: number, form: RobotForm): Promise<void> {
  await tx
    .updateTable("robots")
    .set(form)
    .set((eb) => ({ version: eb("version", "+", 1) }))
    .where("id", "=", robotId)
    .execute();
}

/**
 * Resets everything the former machine showed or reported. The state row is replaced, so that a transaction waiting for
 * the old row, to store the former machine's messages, finds none. Each machine numbers its events from one, so the
 * former's are deleted; what they reported is in the runs.
 */
export async function resetRobotState(tx: Tx, robotId: number, now: Date): Promise<void> {
  await tx.deleteFrom("robot_state").where("robot_id", "=", robotId).execute();
  // `goodbye_at`: a run that was due earlier was planned for the former machine, and the person who replaced it may be
  // standing next to the robot.
  await sql`insert into robot_state (robot_id, site_id, goodbye_at) select id, site_id, ${now} from robots
    where id = ${robotId}`.execute(tx);
  await tx.deleteFrom("robot_events").where("robot_id", "=", robotId).execute();
  await endAlertsOf(tx, [robotId], now);
}

/** Takes a robot's open alerts and its lock to another site. History remains where it happened. */
export async function moveWithRobot(tx: Tx, robotId: number, siteId: number): Promise<void> {
  await moveAlerts(tx, robotId, siteId);
  await tx
    .updateTable("maintenance_locks")
    .set({ site_id: siteId })
    .where("robot_id", "=", robotId)
    .where("released_at", "is", null)
    .execute();
  await announceScope(tx);
}

/** The name of the group of a robot, which this transaction has locked; null if it is in none. */
export async function groupNameOf(tx: Tx, robotId: number): Promise<string | null> {
  const group = await tx
    .selectFrom("robot_group_members as m")
    .innerJoin("robot_groups as g", "g.id", "m.group_id")
    .select("g.group_name")
    .where("m.robot_id", "=", robotId)
    .executeTakeFirst();
  return group?.group_name ?? null;
}

/**
 * Soft-deletes stopped robots in no group, which this transaction has locked: history keeps them, and their serial
 * numbers are free. Their open commands, runs, alerts and locks end. A machine in maintenance keeps its own lock until
 * somebody assigns its serial number to a robot and releases it.
 */
export async function removeRobots(tx: Tx, robots: readonly LockedRobot[], by: AuditActor, now: Date): Promise<void> {
  if (robots.length === 0) return;
  const reason = outcomeText("ROBOT_DELETED", { name: by.name });
  const ids = robots.map(({ id }) => id);
  const these = anyInt(ids);
  await settleRemoved(tx, robots, reason, now);
  await closeRunsOfDeletedRobots(tx, ids, reason, now);
  await tx
    .updateTable("maintenance_locks")
    .set({ released_at: now, released_by: by.name, released_by_user_id: by.userId })
    .where("robot_id", "=", these)
    .where("released_at", "is", null)
    .execute();
  await endAlertsOf(tx, ids, now);
  await tx
    .updateTable("robot_state")
    .set({ online: false, robot_status: "offline", change_no: changedNow })
    .where("robot_id", "=", these)
    .execute();
  await tx.updateTable("robots").set({ deleted_at: now }).where("id", "=", these).execute();
  const records = robots.map(({ id, site_id, robot_name, serial_number }) => {
    const before = { robot_name, serial_number, site_id };
    return { actor: by, action: "DELETE_ROBOT", entity: "robot", entityId: id, siteId: site_id, before, at: now };
  });
  await recordChanges(tx, records);
  await announceScope(tx);
}
