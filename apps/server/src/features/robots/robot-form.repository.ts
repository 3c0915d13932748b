import { sql } from "kysely";
import { announceScope } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { endAlertsOf, moveAlerts } from "../alerts/public.ts";

/** What the Robot form changes, as it is stored. */
export interface RobotForm {
  readonly site_id: number;
  readonly robot_name: string;
  readonly serial_number: string;
  readonly motor_type: string | null;
  readonly control_type: string | null;
  /** `YYYY-MM-DD`. */
  readonly installation_date: string;
}

const fields = ["site_id", "robot_name", "serial_number", "motor_type", "control_type", "installation_date"] as const;

/** The form of a robot that this transaction has locked, and which edit it comes from. */
export async function readRobotForm(tx: Tx, robotId: number): Promise<RobotForm & { readonly version: number }> {
  return tx
    .selectFrom("robots")
    .select([...fields, "version"])
    .where("id", "=", robotId)
    .executeTakeFirstOrThrow();
}

/** True where nothing would be stored differently. */
export function isSameForm(one: RobotForm, other: RobotForm): boolean {
  return fields.every((field) => one[field] === other[field]);
}

/** Stores an edit; its state row follows a robot to another site by itself. */
export async function changeRobotRow(tx: Tx, robotId: number, form: RobotForm): Promise<void> {
  const { site_id, robot_name, serial_number, motor_type, control_type, installation_date } = form;
  await tx
    .updateTable("robots")
    .set({ site_id, robot_name, serial_number, motor_type, control_type, installation_date })
    .set((eb) => ({ version: eb("version", "+", 1) }))
    .where("id", "=", robotId)
    .execute();
}

/**
 * Another machine is the robot now: nothing that the former one showed or told holds for it. The state row is a new one,
 * so that who waited for the former row to store what the former machine said finds none. A machine counts its events
 * from one, so those of the former are forgotten; what they told is in the runs.
 */
export async function becomeOtherMachine(tx: Tx, robotId: number, now: Date): Promise<void> {
  await tx.deleteFrom("robot_state").where("robot_id", "=", robotId).execute();
  // A run that was due before was planned for what is gone: whoever did this may stand beside the robot.
  await sql`insert into robot_state (robot_id, site_id, goodbye_at) select id, site_id, ${now} from robots
    where id = ${robotId}`.execute(tx);
  await tx.deleteFrom("robot_events").where("robot_id", "=", robotId).execute();
  await endAlertsOf(tx, [robotId], now);
}

/** What holds for a robot now goes with it to another site: its open alerts and its lock. History stays where it was. */
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
