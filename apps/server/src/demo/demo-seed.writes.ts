import { timezoneAt } from "@suncrew/domain/sites/timezone.ts";
import { hashPassword } from "../features/auth/public.ts";
import { demoSignIns } from "../features/config/public.ts";
import { hashDeviceSecret, storeDeviceSecrets } from "../features/devices/public.ts";
import type { Db, Executor, Tx } from "../platform/database/database.ts";
import type { DemoDevice } from "./demo-devices.ts";
import { demoParks, type DemoPartnerKey, demoPartners, demoSignInPartner } from "./demo-parks.ts";
import { demoRobots } from "./demo-robots.ts";

/** Row of `installation` by which production recognises a demo's data. */
export const DEMO_MARK = "demo_data";
const IN_HOUSE = 1;

export type SeedResult = "seeded" | "kept" | "not-a-demo";

/**
 * Fills an empty database with the demo, all or nothing; one that was filled before only gets its devices' secrets.
 * Writes nothing where the database holds people that are no demo's.
 */
export async function seedDemo(db: Db, devices: readonly DemoDevice[]): Promise<SeedResult> {
  return await db.transaction().execute(async (tx) => {
    const secrets = devices.map(({ serial, secret }) => ({ serial, secretSha256: hashDeviceSecret(secret) }));
    if (await holdsDemoData(tx)) {
      await storeDeviceSecrets(tx, secrets);
      return "kept";
    }
    if ((await tx.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined) return "not-a-demo";
    await storeDeviceSecrets(tx, secrets);
    const partnerIds = await insertPartners(tx);
    await insertUsers(tx, partnerIds);
    const siteIds = await insertParks(tx, partnerIds);
    await insertRobots(tx, siteIds);
    await tx.insertInto("installation").values({ key: DEMO_MARK, value: new Date().toISOString() }).execute();
    return "seeded";
  });
}

export async function holdsDemoData(db: Executor): Promise<boolean> {
  return (
    (await db.selectFrom("installation").select("key").where("key", "=", DEMO_MARK).executeTakeFirst()) !== undefined
  );
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

async function insertParks(tx: Tx, partnerIds: PartnerIds): Promise<number[]> {
  const ids: number[] = [];
  for (const { partner, ...park } of demoParks) {
    const { id } = await tx
      .insertInto("sites")
      .values({
        ...park,
        maintenance_partner_id: partner === null ? IN_HOUSE : (partnerIds.get(partner) ?? IN_HOUSE),
        maintenance_contact: demoPartners.find(({ key }) => key === partner)?.contact_info ?? null,
        timezone: timezoneAt(park.latitude, park.longitude),
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    ids.push(id);
  }
  return ids;
}

async function insertRobots(tx: Tx, siteIds: readonly number[]): Promise<void> {
  for (const robot of demoRobots) {
    const siteId = siteIds[robot.park];
    if (siteId === undefined) throw new Error(`${robot.serial} stands in no park of the demo.`);
    await tx
      .insertInto("robots")
      .values({
        site_id: siteId,
        robot_name: robot.name,
        serial_number: robot.serial,
        motor_type: robot.motorType,
        control_type: robot.controlType,
        installation_date: robot.installed,
        operating_mode: robot.mode === "AUTO" ? "auto" : "manual",
        initial_battery_level: robot.battery,
        initial_firmware_version: robot.firmware,
      })
      .execute();
  }
}
