import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { createPartner, updatePartner } from "@suncrew/contract/partners/partners.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/device-allocation.ts";
import { usernameFor } from "@suncrew/domain/partners/partners.ts";
import { type Selectable, sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Tx } from "../../platform/database/database.ts";
import type { PartnersTable } from "../../platform/database/schema.ts";

/** What people type about a partner. */
export type PartnerContent = BodyOf<typeof createPartner>;
/** The same of an edit: what is left out stays as it is. */
type PartnerEdit = Omit<BodyOf<typeof updatePartner>, "version">;
export type PartnerRow = Selectable<PartnersTable>;

/**
 * Holds a partner that sites or devices are given to until the transaction ends, so that it is not deleted meanwhile.
 * Null where it is not there. To be called before a site's or device's row is locked: who edits or deletes the partner
 * locks in that order.
 */
export async function lockLivePartner(
  tx: Tx,
  partnerId: number,
): Promise<{ readonly id: number; readonly name: string } | null> {
  const row = await tx
    .selectFrom("partners")
    .select(["id", "name"])
    .where("id", "=", partnerId)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  return row ?? null;
}

/** The partner, for this transaction alone; null where it is not there. Taken before its user and its sites. */
export async function lockPartner(tx: Tx, partnerId: number): Promise<PartnerRow | null> {
  const row = await tx
    .selectFrom("partners")
    .selectAll()
    .where("id", "=", partnerId)
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ?? null;
}

export async function insertPartner(tx: Tx, content: PartnerContent, now: Date): Promise<number> {
  const { id } = await tx
    .insertInto("partners")
    .values({ ...content, created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export async function changePartner(tx: Tx, partnerId: number, edit: PartnerEdit): Promise<void> {
  await tx
    .updateTable("partners")
    .set({ ...edit, version: sql<number>`version + 1` })
    .where("id", "=", partnerId)
    .execute();
}

export async function removePartner(tx: Tx, partnerId: number, now: Date): Promise<void> {
  await tx.updateTable("partners").set({ deleted_at: now }).where("id", "=", partnerId).execute();
}

/** The devices of a partner that is deleted go to the operator; answers how many there were. */
export async function takeDevicesBack(tx: Tx, partnerId: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("devices")
    .set({ partner_id: IN_HOUSE_PARTNER_ID, last_site_id: null })
    .where("partner_id", "=", partnerId)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Names of the sites that the partner maintains, in their order. */
export async function siteNamesOf(tx: Tx, partnerId: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("sites")
    .select("name")
    .where("maintenance_partner_id", "=", partnerId)
    .where("deleted_at", "is", null)
    .orderBy("name")
    .execute();
  return rows.map(({ name }) => name);
}

/** Tells everybody who has sites of the partner on screen what it is called now. */
export async function showOnSites(tx: Tx, partnerId: number): Promise<void> {
  await tx
    .updateTable("sites")
    .set({ change_no: changedNow })
    .where("maintenance_partner_id", "=", partnerId)
    .where("deleted_at", "is", null)
    .execute();
  await announceChange(tx);
}

/** Any number all servers agree on; one at a time looks for a username that is free. */
const USERNAMES_LOCK = 7_305_006;

export interface PartnerUser {
  readonly id: number;
  readonly username: string;
}

/** What a partner's user is called and reached by: the partner's contact person and e-mail. */
interface UserFacts {
  readonly name: string;
  readonly email: string;
}

/** The partner's users that are there, held for this transaction; the first is the one that is shown. */
export async function lockUsersOf(tx: Tx, partnerId: number): Promise<PartnerUser[]> {
  return tx
    .selectFrom("users")
    .select(["id", "username"])
    .where("partner_id", "=", partnerId)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

/** Makes a partner's user under a readable name, after `nameSource`, that nobody has. */
export async function insertPartnerUser(
  tx: Tx,
  user: UserFacts & { readonly partnerId: number; readonly nameSource: string; readonly passwordHash: string },
  now: Date,
): Promise<PartnerUser> {
  await sql`select pg_advisory_xact_lock(${USERNAMES_LOCK})`.execute(tx);
  const taken = await tx
    .selectFrom("users")
    .select(sql<string>`lower(username)`.as("username"))
    .where("deleted_at", "is", null)
    .execute();
  const names = new Set(taken.map(({ username }) => username));
  return tx
    .insertInto("users")
    .values({
      username: usernameFor(user.nameSource, (username) => names.has(username)),
      name: user.name,
      email: user.email,
      role: "PARTNER",
      partner_id: user.partnerId,
      password_hash: user.passwordHash,
      created_at: now,
    })
    .returning(["id", "username"])
    .executeTakeFirstOrThrow();
}

export async function changeUsersOf(tx: Tx, partnerId: number, facts: UserFacts): Promise<void> {
  await tx
    .updateTable("users")
    .set({ ...facts })
    .where("partner_id", "=", partnerId)
    .where("deleted_at", "is", null)
    .execute();
}

/** `sealed` is the password as it is stored for Super Admins to read. */
export async function givePassword(
  tx: Tx,
  userId: number,
  password: { readonly hash: string; readonly sealed: string },
  now: Date,
): Promise<void> {
  await tx
    .updateTable("users")
    .set({ password_hash: password.hash, enc_password: password.sealed, password_made_at: now })
    .where("id", "=", userId)
    .execute();
}

export async function removeUsers(tx: Tx, userIds: readonly number[], now: Date): Promise<void> {
  await tx
    .updateTable("users")
    .set({ deleted_at: now, enc_password: null })
    .where("id", "=", sql<number>`any(${[...userIds]}::int[])`)
    .execute();
}
