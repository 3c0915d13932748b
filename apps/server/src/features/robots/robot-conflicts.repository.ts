import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { ErrorCode } from "@suncrew/contract/http/error-codes.ts";
import { type SerialBlockedReason, serialBlockedReason } from "@suncrew/domain/devices/serial-numbers.ts";
import { DUPLICATE_ROBOT_NAME, robotNameKey } from "@suncrew/domain/robots/robot-name.ts";
import { sql } from "kysely";
import { anyInt, type Tx } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";

/** The name, site and device that a robot is to have; `id` if it already exists. */
export interface NamedRobot {
  readonly id?: number;
  readonly site_id: number;
  readonly robot_name: string;
  readonly serial_number: string;
}

export type RobotConflict = FieldError & {
  readonly field: "serial_number" | "robot_name";
  readonly status: 400 | 409;
  readonly code: ErrorCode;
};

/** For an account without a partner, which has no devices. */
const NO_PARTNER = 0;

/** `preview` neither locks rows nor waits for any. */
export type ConflictCheck = "to store" | "preview";

/**
 * §5 Robot form: the conflicts of each of the robots with what is stored, in order. Free devices are locked, so that
 * they cannot be retired, allocated or assigned concurrently; so lock robots to be changed first. A device that a robot
 * already has is not locked.
 */
export async function robotConflicts(
  tx: Tx,
  asking: Pick<Viewer, "role" | "partnerId">,
  robots: readonly NamedRobot[],
  check: ConflictCheck = "to store",
): Promise<RobotConflict[][]> {
  const serials = [...new Set(robots.map((robot) => robot.serial_number))].toSorted();
  const siteIds = [...new Set(robots.map((robot) => robot.site_id))];
  const others = await tx
    .selectFrom("robots as r")
    .innerJoin("sites as s", "s.id", "r.site_id")
    .select(["r.id", "r.site_id", "r.robot_name", "r.serial_number", "s.maintenance_partner_id as sitePartnerId"])
    .where("r.deleted_at", "is", null)
    .where((eb) =>
      eb.or([eb("r.site_id", "=", anyInt(siteIds)), eb("r.serial_number", "=", sql<string>`any(${serials}::text[])`)]),
    )
    .execute();
  const bySerial = new Map(others.map((other) => [other.serial_number, other]));
  const free = serials.filter((serial) => !bySerial.has(serial));
  const devices = await readDevices(tx, free, check);
  const partners = await readSitePartners(tx, siteIds);
  const byName = new Map(others.map((other) => [placeOf(other), other.id]));
  const isOther = (id: number | undefined, own: number | undefined) => id !== undefined && id !== own;
  return robots.map((robot) => {
    const conflicts: RobotConflict[] = [];
    const holder = bySerial.get(robot.serial_number);
    const device = devices.get(robot.serial_number) ?? null;
    // A robot may keep its own device, even a retired one.
    const isOwn = holder !== undefined && holder.id === robot.id;
    const blockedReason = isOwn
      ? null
      : serialBlockedReason({
          askingPartnerId: asking.role === "SUPER_ADMIN" ? null : (asking.partnerId ?? NO_PARTNER),
          sitePartnerId: partners.get(robot.site_id) ?? null,
          device,
          otherRobot: holder ?? device?.sensorOf ?? null,
        });
    if (blockedReason !== null) conflicts.push(serialConflict(robot.serial_number, blockedReason, asking, device));
    if (isOther(byName.get(placeOf(robot)), robot.id)) {
      conflicts.push({ status: 409, code: "ROBOT_NAME_TAKEN", field: "robot_name", message: DUPLICATE_ROBOT_NAME });
    }
    return conflicts;
  });
}

interface KnownDevice {
  readonly partnerId: number;
  readonly partnerName: string;
  readonly isRetired: boolean;
  /** The site whose weather sensor it is. */
  readonly sensorOf: { readonly sitePartnerId: number | null } | null;
}

/** Devices that were never provisioned are absent. */
async function readDevices(
  tx: Tx,
  serials: readonly string[],
  check: ConflictCheck,
): Promise<ReadonlyMap<string, KnownDevice>> {
  if (serials.length === 0) return new Map();
  const devices = await tx
    .selectFrom("devices as d")
    .select(["d.serial", "d.partner_id as partnerId"])
    .select(sql<boolean>`d.retired_at is not null`.as("isRetired"))
    // Not joined: a device that was allocated to another partner while this call waited for its lock would be missing.
    .select(sql<string>`(select p.name from partners p where p.id = d.partner_id)`.as("partnerName"))
    .where("d.serial", "=", sql<string>`any(${[...serials]}::text[])`)
    .orderBy("d.serial")
    .$if(check === "to store", (query) => query.forNoKeyUpdate())
    .execute();
  // Read after locking: a query that waited for the locks would miss a sensor that was assigned in the meantime.
  const sensors = await tx
    .selectFrom("site_sensors as n")
    .innerJoin("sites as s", "s.id", "n.site_id")
    .select(["n.serial", "s.maintenance_partner_id as sitePartnerId"])
    .where("n.serial", "=", sql<string>`any(${[...serials]}::text[])`)
    .execute();
  const sensorOf = new Map(sensors.map(({ serial, ...site }) => [serial, site]));
  return new Map(
    devices.map(({ serial, ...device }) => [serial, { ...device, sensorOf: sensorOf.get(serial) ?? null }]),
  );
}

/** The partner of each site; null without one. */
async function readSitePartners(tx: Tx, siteIds: readonly number[]): Promise<ReadonlyMap<number, number | null>> {
  const sites = await tx
    .selectFrom("sites")
    .select(["id", "maintenance_partner_id"])
    .where("id", "=", anyInt(siteIds))
    .execute();
  return new Map(sites.map((site) => [site.id, site.maintenance_partner_id]));
}

/** Names no site, because it may be another partner's. */
function serialConflict(
  serial: string,
  blockedReason: SerialBlockedReason,
  { role }: Pick<Viewer, "role">,
  device: KnownDevice | null,
): RobotConflict {
  const unknown = role === "SUPER_ADMIN" ? "a provisioned device" : "a device that is allocated to your company";
  const conflicts: Record<SerialBlockedReason, Pick<RobotConflict, "status" | "code" | "message">> = {
    unknown: { status: 400, code: "SERIAL_UNKNOWN", message: `${serial} is not the serial number of ${unknown}.` },
    retired: { status: 400, code: "DEVICE_RETIRED", message: `The device ${serial} has been retired.` },
    taken: {
      status: 409,
      code: "SERIAL_TAKEN",
      message: `${device?.sensorOf ? "A site's weather sensor" : "Another robot"} already has the serial number ${serial}.`,
    },
    "another partner's": {
      status: 409,
      code: "DEVICE_OF_OTHER_PARTNER",
      message: `The device ${serial} is allocated to ${device?.partnerName ?? "another partner"}, which does not maintain this site. Allocate it to the partner of this site first.`,
    },
  };
  return { field: "serial_number", ...conflicts[blockedReason] };
}

function placeOf({ site_id, robot_name }: Pick<NamedRobot, "site_id" | "robot_name">): string {
  return `${site_id} ${robotNameKey(robot_name)}`;
}
