import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { createPartner, updatePartner } from "@suncrew/contract/partners/partners.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import { usernameFor } from "@suncrew/domain/partners/partners.ts";
import { type Selectable, sql } from "kysely";
import { anyInt, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type PartnerContent = BodyOf<typeof createPartner>;
/** The same for an edit: omitted fields keep their value. */
type PartnerEdit = Omit<BodyOf<typeof updatePartner>, "version">;
export type PartnerRow = Selectable<Tables["partners"]>;

/**
 * Locks a partner that sites or devices are assigned to, so that it is not deleted before the transaction ends. Null if
 * it does not exist. Call it before locking a site or device: edits and deletions of partners lock in that order.
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

/** Locks the partner against other changes, before its user and its sites. Null if it does not exist. */
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

export async function updatePartnerRow(tx: Tx, partnerId: number, edit: PartnerEdit): Promise<void> {
  await tx
    .updateTable("partners")
    .set({ ...edit, version: sql<number>`version + 1` })
    .where("id", "=", partnerId)
    .execute();
}

export async function deletePartnerRow(tx: Tx, partnerId: number, now: Date): Promise<void> {
  await tx.updateTable("partners").set({ deleted_at: now }).where("id", "=", partnerId).execute();
}

/** Returns the devices of a deleted partner to the operator. Resolves to their number. */
export async function returnDevices(tx: Tx, partnerId: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("devices")
    .set({ partner_id: IN_HOUSE_PARTNER_ID, last_site_id: null })
    .where("partner_id", "=", partnerId)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Names of the sites that the partner maintains, sorted. */
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

/** Advisory lock: one server at a time picks a free username. */
const USERNAMES_LOCK = 7_305_006;

export interface PartnerUser {
  readonly id: number;
  readonly username: string;
}

/** Name and address of a partner's user: the partner's contact person and email. */
interface UserContact {
  readonly name: string;
  readonly email: string;
}

/** Locks the partner's users; the first is the one that the console shows. */
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

/** Creates a partner's user with a readable, free username derived from `nameSource`. */
export async function insertPartnerUser(
  tx: Tx,
  user: UserContact & { readonly partnerId: number; readonly nameSource: string; readonly passwordHash: string },
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

export async function updateUsersOf(tx: Tx, partnerId: number, contact: UserContact): Promise<void> {
  await tx
    .updateTable("users")
    .set(contact)
    .where("partner_id", "=", partnerId)
    .where("deleted_at", "is", null)
    .execute();
}

/** `sealFor` encrypts the password, which Super Admins can read until the user sets another one. */
export async function setGeneratedPassword(
  tx: Tx,
  userId: number,
  { hash, sealFor }: { readonly hash: string; readonly sealFor: (userId: number) => string },
  now: Date,
): Promise<void> {
  await tx
    .updateTable("users")
    .set({ password_hash: hash, enc_password: sealFor(userId), password_made_at: now })
    .where("id", "=", userId)
    .execute();
}

export async function deleteUsers(tx: Tx, userIds: readonly number[], now: Date): Promise<void> {
  await tx
    .updateTable("users")
    .set({ deleted_at: now, enc_password: null })
    .where("id", "=", anyInt(userIds))
    .execute();
}
