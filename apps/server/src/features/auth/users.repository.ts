import type { Admin } from "@suncrew/contract/admins/admins.ts";
import { generatedPasswordUntil } from "@suncrew/domain/auth/passwords.ts";
import { sql } from "kysely";
import { databaseNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { endSessionsOf, openSessions } from "../../platform/sessions.ts";
import type { ChangeDetails } from "../audit/public.ts";
import { forgetAttemptsOf, forgetCallersOf } from "./sign-in-attempts.repository.ts";
import { withdrawLinksOf } from "./wallboard-links.ts";

/** A user as sign-in needs it; never sent to anybody. */
export type Account = NonNullable<Awaited<ReturnType<typeof readAccountOf>>>;

/** Users that are not deleted, and whose partner is not. */
function accounts(db: Executor) {
  return (
    db
      .selectFrom("users")
      .leftJoin("partners", "partners.id", "users.partner_id")
      .select(["users.id", "users.username", "users.name", "users.email", "users.role"])
      .select(["users.partner_id as partnerId", "users.password_hash as passwordHash"])
      // When the server generated the password; null if a person chose it.
      .select("users.password_made_at as passwordMadeAt")
      .where("users.deleted_at", "is", null)
      .where("partners.deleted_at", "is", null)
  );
}

/** The user with that name in any case, unless the user or the user's partner was deleted. */
export async function readAccount(db: Executor, username: string): Promise<Account | null> {
  const row = await accounts(db)
    .where(sql<string>`lower(users.username)`, "=", sql<string>`lower(${username})`)
    .executeTakeFirst();
  return row ?? null;
}

/** The names by which Super Admins sign in. */
export async function readAdminNames(db: Executor): Promise<string[]> {
  const rows = await accounts(db).where("users.role", "=", "SUPER_ADMIN").orderBy("users.id").execute();
  return rows.map(({ username }) => username);
}

/** The user with that id, unless the user or the user's partner was deleted. */
export async function readAccountOf(db: Executor, userId: number) {
  return (await accounts(db).where("users.id", "=", userId).executeTakeFirst()) ?? null;
}

/**
 * Locks the user until the transaction ends. False if it was deleted or its password changed since it was read: what a
 * former password allows must not begin once that password is replaced.
 */
export async function lockAccount(tx: Tx, account: Account): Promise<boolean> {
  const row = await tx
    .selectFrom("users")
    .select("id")
    .where("id", "=", account.id)
    .where("password_hash", "=", account.passwordHash)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores a password that the user chose. False if the user was deleted or its password changed since it was read. */
export async function replacePassword(tx: Tx, account: Account, passwordHash: string): Promise<boolean> {
  const changed = await tx
    .updateTable("users")
    .set({ password_hash: passwordHash, enc_password: null, password_made_at: null })
    .where("id", "=", account.id)
    .where("password_hash", "=", account.passwordHash)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

/** A change of Super Admins in progress, which completes its audit details. */
export interface AdminChange {
  readonly tx: Tx;
  readonly details: ChangeDetails;
  readonly at: Date;
}

type NewAdmin = Pick<Account, "username" | "name" | "email">;
export type NamedUser = Pick<Account, "id" | "username" | "role">;

/** Super Admins by username, as of `now`. */
export async function readAdmins(db: Executor, now: Date): Promise<Admin[]> {
  const rows = await db
    .selectFrom("users as u")
    .select(["u.id", "u.username", "u.name", "u.email", "u.created_at", "u.password_made_at"])
    .select((eb) =>
      eb
        .selectFrom("sessions as s")
        .select((s) => s.fn.max("s.created_at").as("at"))
        .whereRef("s.user_id", "=", "u.id")
        .where("s.ended_at", "is", null)
        .where("s.expires_at", ">", now)
        .as("signed_in_at"),
    )
    .where("u.role", "=", "SUPER_ADMIN")
    .where("u.deleted_at", "is", null)
    .orderBy(sql`lower(u.username)`)
    .execute();
  return rows.map(({ created_at, password_made_at, signed_in_at, ...admin }) => ({
    ...admin,
    created_at: created_at.toISOString(),
    password_until: password_made_at && generatedPasswordUntil(password_made_at).toISOString(),
    signed_in_at: signed_in_at?.toISOString() ?? null,
  }));
}

/** Creates a Super Admin with a generated password; null if the username is taken, in any case. */
export async function insertAdmin(
  { tx, details, at }: AdminChange,
  admin: NewAdmin,
  passwordHash: string,
): Promise<number | null> {
  const created = await tx
    .insertInto("users")
    .values({
      ...admin,
      role: "SUPER_ADMIN",
      partner_id: null,
      password_hash: passwordHash,
      password_made_at: at,
      created_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (created === undefined) return null;
  details.entityId = created.id;
  details.after = admin;
  return created.id;
}

/** The user with that name, in any case; null if there is none. */
export async function findUser(db: Executor, username: string): Promise<NamedUser | null> {
  const row = await db
    .selectFrom("users")
    .select(["id", "username", "role"])
    .where("deleted_at", "is", null)
    .where(sql<string>`lower(username)`, "=", username.toLowerCase())
    .executeTakeFirst();
  return row ?? null;
}

/** Locks the Super Admin with that id; null if there is none. */
export async function lockAdmin(tx: Tx, id: number): Promise<(NamedUser & NewAdmin) | null> {
  const row = await tx
    .selectFrom("users")
    .select(["id", "username", "name", "email", "role"])
    .where("id", "=", id)
    .where("role", "=", "SUPER_ADMIN")
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Gives a Super Admin a generated password and ends the sessions of the former one. Resolves to their number. Without
 * the server's key the failed sign-ins counted cannot be found, and still count.
 */
export async function setAdminPassword(
  { tx, details, at }: AdminChange,
  user: NamedUser,
  passwordHash: string,
  secretKey: string | null,
): Promise<number> {
  await tx
    .updateTable("users")
    .set({ password_hash: passwordHash, password_made_at: at })
    .where("id", "=", user.id)
    .execute();
  const ended = await endSessionsOf(tx, [user.id], at);
  details.entityId = user.id;
  details.after = { sessions_ended: ended };
  await (secretKey === null ? forgetCallersOf(tx, user.id) : forgetAttemptsOf(tx, secretKey, user));
  return ended;
}

/** Deletes a Super Admin and ends its sessions. */
export async function deleteAdmin(
  { tx, details, at }: AdminChange,
  { id, username, name, email }: NamedUser & NewAdmin,
): Promise<void> {
  await tx.updateTable("users").set({ deleted_at: at, enc_password: null }).where("id", "=", id).execute();
  const open_sessions = await endSessionsOf(tx, [id], at);
  await forgetCallersOf(tx, id);
  details.before = { username, name, email, open_sessions };
  details.after = null;
}

/** Ends every session of the user, and withdraws its links to wallboards. Resolves to the sessions' number. */
export async function endAllSessions({ tx, details, at }: AdminChange, { id }: NamedUser): Promise<number> {
  await withdrawLinksOf(tx, id, at);
  const ended = await endSessionsOf(tx, [id], at);
  details.entityId = id;
  details.after = { sessions_ended: ended };
  return ended;
}

/** Open sessions of one user or of all, the newest first. */
export async function openSessionsOf(db: Executor, userId: number | null) {
  return openSessions(db, await databaseNow(db))
    .select(["users.username", "users.role", "sessions.created_at as since", "sessions.expires_at as until"])
    .$if(userId !== null, (query) => query.where("users.id", "=", userId))
    .orderBy("sessions.created_at", "desc")
    .execute();
}
