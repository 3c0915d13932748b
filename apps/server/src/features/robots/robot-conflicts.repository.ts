import type { FieldError } from "@suncrew/contract/http/error.ts";
import { type SerialObstacle, serialObstacle } from "@suncrew/domain/devices/serial-numbers.ts";
import { DUPLICATE_ROBOT_NAME, robotNameKey } from "@suncrew/domain/robots/robot-name.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";

/** What a robot is to be called, where, and on which device; `id` where it is stored already. */
export interface NamedRobot {
  readonly id?: number;
  readonly site_id: number;
  readonly robot_name: string;
  readonly serial_number: string;
}

export type RobotConflict = FieldError & { readonly field: "serial_number" | "robot_name"; readonly status: 400 | 409 };

/** Whose account has no partner, which has no device either. */
const NO_PARTNER = 0;

/** `preview` only looks: nobody's row is held for it, nor waited for. */
export type ConflictCheck = "to store" | "preview";

/**
 * §5 Robot form, against what is stored: what is wrong with each of the robots, in their order; nothing where it may be
 * stored. Devices that are free are locked against being retired, allocated or taken by anybody else, so robots, where
 * some are to be changed, are locked before; a device that a robot has already is left alone.
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
      eb.or([
        eb("r.site_id", "=", sql<number>`any(${siteIds}::int[])`),
        eb("r.serial_number", "=", sql<string>`any(${serials}::text[])`),
      ]),
    )
    .execute();
  const bySerial = new Map(others.map((other) => [other.serial_number, other]));
  const free = serials.filter((serial) => !bySerial.has(serial));
  const devices = await readDevices(tx, free, check);
  const partners = await readSitePartners(tx, siteIds);
  const byName = new Map(others.map((other) => [placeOf(other), other.id]));
  const isOther = (id: number | undefined, own: number | undefined) => id !== undefined && id !== own;
  return robots.map((robot) => {
    const found: RobotConflict[] = [];
    const holder = bySerial.get(robot.serial_number);
    const device = devices.get(robot.serial_number) ?? null;
    // A robot keeps the device that it has, also a retired one.
    const isKept = holder !== undefined && holder.id === robot.id;
    const obstacle = isKept
      ? null
      : serialObstacle({
          askingPartnerId: asking.role === "SUPER_ADMIN" ? null : (asking.partnerId ?? NO_PARTNER),
          sitePartnerId: partners.get(robot.site_id) ?? null,
          device,
          otherRobot: holder ?? null,
        });
    if (obstacle !== null) found.push(unfitSerial(robot.serial_number, obstacle, asking, device));
    if (isOther(byName.get(placeOf(robot)), robot.id)) {
      found.push({ status: 409, field: "robot_name", message: DUPLICATE_ROBOT_NAME });
    }
    return found;
  });
}

interface KnownDevice {
  readonly partnerId: number;
  readonly partnerName: string;
  readonly isRetired: boolean;
}

/** Absent is what was never provisioned. */
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
    // Not joined: a device that was allocated to another while this call waited for it would be lost.
    .select(sql<string>`(select p.name from partners p where p.id = d.partner_id)`.as("partnerName"))
    .where("d.serial", "=", sql<string>`any(${[...serials]}::text[])`)
    .orderBy("d.serial")
    .$if(check === "to store", (query) => query.forNoKeyUpdate())
    .execute();
  return new Map(devices.map(({ serial, ...device }) => [serial, device]));
}

/** The partner of each site, null where it has none. */
async function readSitePartners(tx: Tx, siteIds: readonly number[]): Promise<ReadonlyMap<number, number | null>> {
  const sites = await tx
    .selectFrom("sites")
    .select(["id", "maintenance_partner_id"])
    .where("id", "=", sql<number>`any(${[...siteIds]}::int[])`)
    .execute();
  return new Map(sites.map((site) => [site.id, site.maintenance_partner_id]));
}

/** No site is named: it may be another partner's. */
function unfitSerial(
  serial: string,
  obstacle: SerialObstacle,
  { role }: Pick<Viewer, "role">,
  device: KnownDevice | null,
): RobotConflict {
  const unknown = role === "SUPER_ADMIN" ? "a provisioned device" : "a device that is allocated to your company";
  const told: Record<SerialObstacle, Pick<RobotConflict, "status" | "message">> = {
    unknown: { status: 400, message: `${serial} is not the serial number of ${unknown}.` },
    retired: { status: 400, message: `The device ${serial} has been retired.` },
    taken: { status: 409, message: `Another robot has the serial number ${serial} already.` },
    "another partner's": {
      status: 409,
      message: `The device ${serial} is allocated to ${device?.partnerName ?? "another partner"}, which does not maintain this site. Allocate it to the partner of this site first.`,
    },
  };
  return { field: "serial_number", ...told[obstacle] };
}

function placeOf({ site_id, robot_name }: Pick<NamedRobot, "site_id" | "robot_name">): string {
  return `${site_id} ${robotNameKey(robot_name)}`;
}
