import { DUPLICATE_ROBOT_NAME, robotNameKey } from "@suncrew/domain/robots/robot-name.ts";
import { sql } from "kysely";
import type { FieldError } from "@suncrew/contract/http/error.ts";
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

/** What a robot is to be called, where, and on which device; `id` where it is stored already. */
export interface NamedRobot {
  readonly id?: number;
  readonly site_id: number;
  readonly robot_name: string;
  readonly serial_number: string;
}

export type RobotConflict = FieldError & { readonly field: "serial_number" | "robot_name"; readonly status: 400 | 409 };

/** `preview` only looks: nobody's row is held for it, nor waited for. */
export type ConflictCheck = "to store" | "preview";

/**
 * §5 Robot form, against what is stored: what is wrong with each of the robots, in their order; nothing where it may be
 * stored. Free devices are locked against being retired, so robots, where some are to be changed, are locked before; a
 * device that a robot has already is left alone.
 */
export async function robotConflicts(
  tx: Tx,
  robots: readonly NamedRobot[],
  check: ConflictCheck = "to store",
): Promise<RobotConflict[][]> {
  const serials = [...new Set(robots.map((robot) => robot.serial_number))].toSorted();
  const siteIds = [...new Set(robots.map((robot) => robot.site_id))];
  const others = await tx
    .selectFrom("robots")
    .select(["id", "site_id", "robot_name", "serial_number"])
    .where("deleted_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("site_id", "=", sql<number>`any(${siteIds}::int[])`),
        eb("serial_number", "=", sql<string>`any(${serials}::text[])`),
      ]),
    )
    .execute();
  const bySerial = new Map(others.map((other) => [other.serial_number, other.id]));
  const free = serials.filter((serial) => !bySerial.has(serial));
  const provisioned = await readDevices(tx, free, check);
  const byName = new Map(others.map((other) => [placeOf(other), other.id]));
  const isOther = (id: number | undefined, own: number | undefined) => id !== undefined && id !== own;
  return robots.map((robot) => {
    const found: RobotConflict[] = [];
    const holder = bySerial.get(robot.serial_number);
    const retiredAt = provisioned.get(robot.serial_number);
    // A robot keeps the device that it has, also a retired one.
    if (holder === undefined && retiredAt !== null) found.push(unfitSerial(robot.serial_number, retiredAt));
    // No site is named: it may be another partner's.
    if (isOther(holder, robot.id)) {
      const message = `Another robot has the serial number ${robot.serial_number} already.`;
      found.push({ status: 409, field: "serial_number", message });
    }
    if (isOther(byName.get(placeOf(robot)), robot.id)) {
      found.push({ status: 409, field: "robot_name", message: DUPLICATE_ROBOT_NAME });
    }
    return found;
  });
}

/** When each of the devices was retired, null for one in service; absent is what was never provisioned. */
async function readDevices(
  tx: Tx,
  serials: readonly string[],
  check: ConflictCheck,
): Promise<ReadonlyMap<string, Date | null>> {
  if (serials.length === 0) return new Map();
  const devices = await tx
    .selectFrom("devices")
    .select(["serial", "retired_at"])
    .where("serial", "=", sql<string>`any(${[...serials]}::text[])`)
    .orderBy("serial")
    .$if(check === "to store", (query) => query.forShare())
    .execute();
  return new Map(devices.map((device) => [device.serial, device.retired_at]));
}

function unfitSerial(serial: string, retiredAt: Date | undefined): RobotConflict {
  const message =
    retiredAt === undefined
      ? `${serial} is not the serial number of a provisioned device.`
      : `The device ${serial} has been retired.`;
  return { status: 400, field: "serial_number", message };
}

function placeOf({ site_id, robot_name }: Pick<NamedRobot, "site_id" | "robot_name">): string {
  return `${site_id} ${robotNameKey(robot_name)}`;
}
