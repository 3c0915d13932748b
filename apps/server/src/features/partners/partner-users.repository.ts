import { usernameFor } from "@suncrew/domain/partners/username.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** Any number all servers agree on; one at a time looks for a username that is free. */
const USERNAMES_LOCK = 7_305_006;

export interface PartnerUser {
  readonly id: number;
  readonly username: string;
}

/** What a partner's user is called and reached by: the partner's contact person and e-mail. */
export interface UserFacts {
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
