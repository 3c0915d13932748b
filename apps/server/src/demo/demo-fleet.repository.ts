import { timezoneAt } from "@suncrew/domain/sites/timezone.ts";
import type { Tx } from "../platform/database/database.ts";
import { type DemoPark, demoPartners } from "./demo-parks.ts";
import type { DemoRobot } from "./demo-robots.ts";

const IN_HOUSE = 1;
/** Rows of one statement: PostgreSQL takes 65,535 values at once. */
const BATCH = 1_000;

/** Adds parks of the demo; one whose name a person has taken meanwhile is left out. */
export async function insertParks(tx: Tx, parks: readonly DemoPark[]): Promise<void> {
  const partners = await tx.selectFrom("partners").select(["id", "name"]).where("deleted_at", "is", null).execute();
  const rows = parks.map(({ partner: key, ...park }) => {
    const partner = demoPartners.find((candidate) => candidate.key === key);
    const partnerId = partners.find(({ name }) => name === partner?.name)?.id;
    return {
      ...park,
      maintenance_partner_id: partnerId ?? IN_HOUSE,
      maintenance_contact: partnerId === undefined ? null : (partner?.contact_info ?? null),
      timezone: timezoneAt(park.latitude, park.longitude),
    };
  });
  for (const batch of batchesOf(rows))
    await tx
      .insertInto("sites")
      .values(batch)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Adds robots to the parks that are there by name; what a person has taken meanwhile is left out. */
export async function insertRobots(tx: Tx, parks: readonly DemoPark[], robots: readonly DemoRobot[]): Promise<void> {
  const sites = await tx.selectFrom("sites").select(["id", "name"]).where("deleted_at", "is", null).execute();
  const siteIds = new Map(sites.map(({ id, name }) => [name, id]));
  const rows = robots.flatMap((robot) => {
    const siteId = siteIds.get(parks[robot.park]?.name ?? "");
    if (siteId === undefined) return [];
    return {
      site_id: siteId,
      robot_name: robot.name,
      serial_number: robot.serial,
      motor_type: robot.motorType,
      control_type: robot.controlType,
      installation_date: robot.installed,
      operating_mode: robot.mode === "AUTO" ? ("auto" as const) : ("manual" as const),
      initial_battery_level: robot.battery,
      initial_firmware_version: robot.firmware,
    };
  });
  for (const batch of batchesOf(rows))
    await tx
      .insertInto("robots")
      .values(batch)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

function batchesOf<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, index) =>
    rows.slice(index * BATCH, (index + 1) * BATCH),
  );
}
