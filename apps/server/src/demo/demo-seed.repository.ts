import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { timezoneAt } from "@suncrew/domain/sites/timezone.ts";
import { sql } from "kysely";
import { z } from "zod";
import { demoSignIns, hashPassword } from "../features/auth/public.ts";
import { storeSensor } from "../features/guard/public.ts";
import { hashDeviceSecret, storeDeviceSecrets } from "../features/devices/public.ts";
import type { Db, Executor, Tx } from "../platform/database/database.ts";
import { StartError } from "../platform/errors.ts";
import { DEMO_MARK, holdsDemoData } from "../process/installation.repository.ts";
import type { RequestedFleet } from "../process/options.ts";
import type { DemoDevice } from "./demo-simulator.ts";
import {
  demoFleet,
  type DemoRobot,
  demoSensor,
  demoSerialsOfPartner,
  type FleetSize,
  defaultFleet,
} from "./demo-fleet.ts";
import { type DemoPark, type DemoPartnerKey, demoPartners, demoSignInPartner } from "./demo-parks.ts";
import { markHistory } from "./history/demo-history.repository.ts";

export type SeedResult = "seeded" | "grown" | "unchanged" | "not-a-demo";

/**
 * Fills an empty database with a demo of this size, atomically; an existing demo gets whatever is missing for the size,
 * and its devices' secrets. Writes nothing if the database has users that are not a demo's. A requested history is left
 * to `completeHistory`.
 */
export async function seedDemo(
  db: Db,
  size: FleetSize,
  devices: readonly DemoDevice[],
  options: { readonly history: boolean },
): Promise<SeedResult> {
  return await db.transaction().execute(async (tx) => {
    const secretsOf = (some: readonly DemoDevice[]) =>
      some.map(({ serial, secret }) => ({ serial, secretSha256: hashDeviceSecret(secret) }));
    const stored = await storedFleet(tx);
    if (stored !== null) {
      // Somebody may have rotated a device's secret: only lost ones are replaced.
      await storeDeviceSecrets(tx, secretsOf(devices.filter(({ isNew }) => isNew === true)), "replace");
      await storeDeviceSecrets(tx, secretsOf(devices), "keep");
      return await growFleet(tx, stored, size);
    }
    if ((await tx.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined) return "not-a-demo";
    await storeDeviceSecrets(tx, secretsOf(devices), "replace");
    const partnerIds = await insertPartners(tx);
    await insertUsers(tx, partnerIds);
    await allocateFree(tx, partnerIds);
    const { parks, robots } = demoFleet(size);
    await insertParks(tx, parks);
    await insertRobots(tx, parks, robots);
    await insertSensor(tx, parks);
    await storeFleet(tx, size);
    if (options.history) await markHistory(tx, "wanted");
    await tx.insertInto("installation").values({ key: DEMO_MARK, value: new Date().toISOString() }).execute();
    await analyzeTables(tx);
    return "seeded";
  });
}

/** Adds what a larger fleet has and the stored one lacks; sites and robots that people created are not touched. */
async function growFleet(tx: Tx, stored: FleetSize, size: FleetSize): Promise<"grown" | "unchanged"> {
  if (stored.sites === size.sites && stored.robots === size.robots) return "unchanged";
  const { parks, robots } = demoFleet(size);
  const before = new Set(demoFleet(stored).robots.map(({ serial }) => serial));
  await insertParks(tx, parks.slice(stored.sites));
  const missing = robots.filter(({ serial }) => !before.has(serial));
  await insertRobots(tx, parks, missing);
  await storeFleet(tx, size);
  await analyzeTables(tx);
  return "grown";
}

/** Without statistics PostgreSQL would scan these tables, which have just grown by thousands of rows. */
async function analyzeTables(tx: Tx): Promise<void> {
  await sql`analyze sites, devices, robots, robot_state`.execute(tx);
}

type PartnerIds = ReadonlyMap<DemoPartnerKey, number>;

async function insertPartners(tx: Tx): Promise<PartnerIds> {
  const ids = new Map<DemoPartnerKey, number>();
  for (const { key, ...partner } of demoPartners) {
    const { id } = await tx.insertInto("partners").values(partner).returning("id").executeTakeFirstOrThrow();
    ids.set(key, id);
  }
  return ids;
}

/** So that the partner with a sign-in can add robots. */
async function allocateFree(tx: Tx, partnerIds: PartnerIds): Promise<void> {
  const partner_id = partnerIds.get(demoSignInPartner);
  if (partner_id === undefined) return;
  await tx
    .updateTable("devices")
    .set({ partner_id })
    .where("serial", "in", [...demoSerialsOfPartner])
    .execute();
}

async function insertUsers(tx: Tx, partnerIds: PartnerIds): Promise<void> {
  const partner = demoPartners.find(({ key }) => key === demoSignInPartner);
  for (const { username, password, role } of demoSignIns) {
    const isPartner = role === "PARTNER";
    await tx
      .insertInto("users")
      .values({
        username,
        name: isPartner ? (partner?.contact_person ?? "Partner") : "Vikram Mehta",
        email: isPartner ? (partner?.email ?? "") : "vikram.mehta@suncrew.example",
        role,
        partner_id: isPartner ? (partnerIds.get(demoSignInPartner) ?? null) : null,
        password_hash: await hashPassword(password),
      })
      .execute();
  }
}

/** Row that keeps the size of the demo's fleet; a demo of before it existed has the usual one. */
const FLEET_MARK = "demo_fleet";
const sizeSchema = z.object({ sites: z.int(), robots: z.int() });

/** The size that the demo's data has; null where there is none yet. */
async function storedFleet(db: Executor): Promise<FleetSize | null> {
  if (!(await holdsDemoData(db))) return null;
  const row = await db.selectFrom("installation").select("value").where("key", "=", FLEET_MARK).executeTakeFirst();
  return row === undefined ? defaultFleet : sizeSchema.parse(JSON.parse(row.value));
}

async function storeFleet(tx: Tx, size: FleetSize): Promise<void> {
  const value = JSON.stringify(size);
  await tx
    .insertInto("installation")
    .values({ key: FLEET_MARK, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/**
 * The size to run with: the requested one, or the existing one. Throws a StartError if the data has more, because
 * nothing that a person may have worked with is removed.
 */
export async function chooseFleet(db: Executor, requested: RequestedFleet): Promise<FleetSize> {
  const stored = await storedFleet(db);
  const { sites, robots } = stored ?? defaultFleet;
  const size = { sites: requested.sites ?? sites, robots: requested.robots ?? robots };
  if (stored !== null && (size.sites < sites || size.robots < robots)) {
    throw new StartError(
      `The demo's data has ${sites} sites and ${robots} robots, more than requested: add --reset to start over, or leave out --sites and --robots to keep it.`,
      2,
    );
  }
  if (stored !== null && sites < defaultFleet.sites && size.sites > sites) {
    // A larger demo would have had different robots.
    throw new StartError(
      `The demo's data has ${sites} of the ${defaultFleet.sites} sites that every larger demo starts with, and cannot be enlarged: add --reset to start over.`,
      2,
    );
  }
  return size;
}

const IN_HOUSE = 1;
/** Rows of one statement: PostgreSQL takes 65,535 values at once. */
const BATCH = 1_000;

/** Adds parks of the demo, except those whose names are already taken. */
async function insertParks(tx: Tx, parks: readonly DemoPark[]): Promise<void> {
  const partners = await tx.selectFrom("partners").select(["id", "name"]).where("deleted_at", "is", null).execute();
  const rows = parks.map(({ partner: key, facts, ...park }) => {
    const partner = demoPartners.find((candidate) => candidate.key === key);
    const partnerId = partners.find(({ name }) => name === partner?.name)?.id;
    return {
      ...park,
      ...noEnergyFacts,
      ...facts,
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

/** Adds robots to those parks that exist, by name; skips names and serials that are already taken. */
async function insertRobots(tx: Tx, parks: readonly DemoPark[], robots: readonly DemoRobot[]): Promise<void> {
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

/** Without limits it has no effect yet. */
async function insertSensor(tx: Tx, parks: readonly DemoPark[]): Promise<void> {
  const name = parks[demoSensor.park]?.name ?? "";
  const site = await tx.selectFrom("sites").select("id").where("name", "=", name).executeTakeFirst();
  if (site !== undefined) await storeSensor(tx, site.id, demoSensor.serial, new Date());
}

function batchesOf<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, index) =>
    rows.slice(index * BATCH, (index + 1) * BATCH),
  );
}
