import { sql } from "kysely";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addDevice, addPartner, addRobot, addSite, type Fixtures } from "../../../test/fixtures.ts";
import { createSeededDatabase } from "../../../test/test-database.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";

const migration = new URL("../../../migrations/0024_devices_of_partners.sql", import.meta.url);
let database: OpenDatabase;
let fixtures: Fixtures;
beforeEach(async () => {
  ({ database, fixtures } = await createSeededDatabase());
});
afterEach(() => database.close());

const day = (number: number) => new Date(Date.UTC(2026, 0, number));

async function deleted(siteId: number, serial: string, on: Date): Promise<void> {
  const { id } = await addRobot(database.db, siteId, serial);
  await database.db.updateTable("robots").set({ deleted_at: on }).where("id", "=", id).execute();
}

async function edited(entity: "robot" | "site", id: number, on: Date, before: object, after: object): Promise<void> {
  const action = entity === "robot" ? "UPDATE_ROBOT" : "UPDATE_SITE";
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  const edit = { at: on, actor: "Anita Rao", action, entity, entity_id: String(id), outcome: "DONE" } as const;
  await database.db
    .insertInto("audit")
    .values({ ...edit, before: was, after: is })
    .execute();
}

/** Resets the database to its form before the upgrade, then upgrades it. */
async function upgrade(): Promise<void> {
  const { db } = database;
  await sql`drop function allocate_device_of_robot, allocate_devices_of_site cascade`.execute(db);
  await sql`alter table devices drop partner_id, drop last_site_id`.execute(db);
  const text = await readFile(migration, "utf8");
  await db.transaction().execute((tx) => sql.raw(text).execute(tx));
}

test("§6: an upgrade allocates devices to the partners that use them or used them last; the rest are the operator's", async () => {
  const { db } = database;
  const { ownSiteId, secondSiteId, foreignSiteId, ownerPartnerId, strangerPartnerId, ownRobot } = fixtures;
  const deletedPartnerId = await addPartner(db, "Former Services", "Gil");
  const deletedSiteId = await addSite(db, "Former Park", deletedPartnerId, 10);
  const inHouseSiteId = await addSite(db, "House Park", 1, 11);
  const callSiteId = await addSite(db, "Call Park", null, 12);
  await addRobot(db, inHouseSiteId, "HOUSE-1");
  await addRobot(db, callSiteId, "CALL-1");
  await deleted(foreignSiteId, "LAST-FAR", day(5));
  await deleted(deletedSiteId, "LAST-FORMER", day(5));
  await db
    .updateTable("partners")
    .set({ deleted_at: day(6) })
    .where("id", "=", deletedPartnerId)
    .execute();
  // Replaced on the 7th at the owner's site, after another partner's robot had it until the 5th.
  await deleted(foreignSiteId, "REPLACED-1", day(5));
  const robot = (serial_number: string, site_id: number) => ({ robot_name: "Row", serial_number, site_id });
  await edited("robot", ownRobot.id, day(7), robot("REPLACED-1", ownSiteId), robot("OWN-1", ownSiteId));
  // The site was another partner's when the robot was deleted there.
  await deleted(secondSiteId, "LAST-BEFORE", day(8));
  await deleted(secondSiteId, "LAST-AFTER", day(10));
  const of = (partner: number) => ({ maintenance_partner_id: partner });
  await edited("site", secondSiteId, day(9), of(strangerPartnerId), of(ownerPartnerId));
  await addDevice(db, "NEVER-1");
  await upgrade();
  const rows = await db.selectFrom("devices").select(["serial", "partner_id"]).orderBy("serial").execute();
  expect(Object.fromEntries(rows.map(({ serial, partner_id }) => [serial, partner_id]))).toEqual({
    "OWN-1": ownerPartnerId,
    "OWN-2": ownerPartnerId,
    "FAR-1": strangerPartnerId,
    "HOUSE-1": 1,
    "CALL-1": 1,
    "LAST-FAR": strangerPartnerId,
    "LAST-FORMER": 1,
    "REPLACED-1": ownerPartnerId,
    "LAST-BEFORE": 1,
    "LAST-AFTER": ownerPartnerId,
    "NEVER-1": 1,
    "FREE-1": 1,
  });
});
