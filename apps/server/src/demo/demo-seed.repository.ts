import { sql } from "kysely";
import { demoSignIns, hashPassword } from "../features/auth/public.ts";
import { hashDeviceSecret, storeDeviceSecrets, storeMissingDevices } from "../features/devices/public.ts";
import type { Db, Tx } from "../platform/database/database.ts";
import type { DemoDevice } from "./demo-devices.ts";
import { insertParks, insertRobots } from "./demo-fleet.repository.ts";
import { demoFleet, type FleetSize } from "./demo-fleet.ts";
import { type DemoPartnerKey, demoPartners, demoSignInPartner } from "./demo-parks.ts";
import { demoSerialsOfPartner } from "./demo-robots.ts";
import { DEMO_MARK, storedFleet, storeFleet } from "./fleet-size.repository.ts";
import { markHistory } from "./history/history-mark.repository.ts";

export type SeedResult = "seeded" | "grown" | "kept" | "not-a-demo";

/**
 * Fills an empty database with the demo of this size, all or nothing; one that was filled before gets what is missing
 * of the size, and its devices' secrets. Writes nothing where the database holds people that are no demo's. A history
 * that is wanted is left to `completeHistory`.
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
      // Somebody may have rotated a device's secret: only one that was lost is made anew.
      await storeDeviceSecrets(tx, secretsOf(devices.filter(({ isNew }) => isNew === true)));
      await storeMissingDevices(tx, secretsOf(devices));
      return await growFleet(tx, stored, size);
    }
    if ((await tx.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined) return "not-a-demo";
    await storeDeviceSecrets(tx, secretsOf(devices));
    const partnerIds = await insertPartners(tx);
    await insertUsers(tx, partnerIds);
    await allocateFree(tx, partnerIds);
    const { parks, robots } = demoFleet(size);
    await insertParks(tx, parks);
    await insertRobots(tx, parks, robots);
    await storeFleet(tx, size);
    if (options.history) await markHistory(tx, "wanted");
    await tx.insertInto("installation").values({ key: DEMO_MARK, value: new Date().toISOString() }).execute();
    await learnSizes(tx);
    return "seeded";
  });
}

/** Adds what a larger fleet has and the stored one has not; sites and robots that people made stay as they are. */
async function growFleet(tx: Tx, stored: FleetSize, size: FleetSize): Promise<"grown" | "kept"> {
  if (stored.sites === size.sites && stored.robots === size.robots) return "kept";
  const { parks, robots } = demoFleet(size);
  const before = new Set(demoFleet(stored).robots.map(({ serial }) => serial));
  await insertParks(tx, parks.slice(stored.sites));
  const missing = robots.filter(({ serial }) => !before.has(serial));
  await insertRobots(tx, parks, missing);
  await storeFleet(tx, size);
  await learnSizes(tx);
  return "grown";
}

/** Until PostgreSQL knows how large a table has become it reads thousands of rows the slow way. */
async function learnSizes(tx: Tx): Promise<void> {
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

/** So that the partner of the sign-in can add robots. */
async function allocateFree(tx: Tx, partnerIds: PartnerIds): Promise<void> {
  const partnerId = partnerIds.get(demoSignInPartner);
  if (partnerId === undefined) return;
  const serials = [...demoSerialsOfPartner];
  await tx.updateTable("devices").set({ partner_id: partnerId }).where("serial", "in", serials).execute();
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
