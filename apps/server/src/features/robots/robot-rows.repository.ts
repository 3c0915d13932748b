import { sql } from "kysely";
import { announceScope } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";

/** A robot that is not stored yet, its name and texts as the contract has trimmed them. */
export interface NewRobot {
  readonly site_id: number;
  readonly robot_name: string;
  readonly serial_number: string;
  readonly motor_type: string | null;
  readonly control_type: string | null;
  /** `YYYY-MM-DD`. */
  readonly installation_date: string;
  /** Shown until the robot reports its own. */
  readonly battery_level: number;
  readonly operating_mode: "auto" | "manual";
  readonly status: string;
  readonly firmware_version: string;
}

export interface StoredRobot {
  readonly id: number;
  readonly serial_number: string;
}

/**
 * Stores robots in one statement and lets every console see them; answers them in their order. Who calls has locked
 * their sites (`lockSites`) and asked `robotConflicts` in this transaction. A serial number or name that somebody else stored at this moment breaks a unique
 * index, which `decide` takes as a reason to begin anew. Robots that may be connected already are asked for their state
 * by `askForStatus`, after the commit.
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
