import type { Admin } from "@suncrew/contract/admins/admins.ts";
import { generatedPasswordUntil } from "@suncrew/domain/auth/passwords.ts";
import { sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { endSessionsOf } from "../../platform/sessions.ts";
import { type AuditRecord, recordAudit } from "../audit/public.ts";
import { forgetTriesOf } from "./password-attempts.ts";
import { forgetCallersOf } from "./sign-in-attempts.repository.ts";

/** A user as sign-in needs it; never answered. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly role: "SUPER_ADMIN" | "PARTNER";
  readonly partnerId: number | null;
  readonly passwordHash: string;
  /** When the server made the password up; null where a person chose it. */
  readonly passwordMadeAt: Date | null;
}

/** Users that are there, and whose partner is. */
function accounts(db: Executor) {
  return db
    .selectFrom("users")
    .leftJoin("partners", "partners.id", "users.partner_id")
    .select(["users.id", "users.username", "users.name", "users.email", "users.role"])
    .select([
      "users.partner_id as partnerId",
      "users.password_hash as passwordHash",
      "users.password_made_at as passwordMadeAt",
    ])
    .where("users.deleted_at", "is", null)
    .where("partners.deleted_at", "is", null);
}

/** The user of that name in any case, unless the user or the user's partner was deleted. */
export async function readAccount(db: Executor, username: string): Promise<Account | null> {
  const row = await accounts(db)
    .where(sql<string>`lower(users.username)`, "=", sql<string>`lower(${username})`)
    .executeTakeFirst();
  return row ?? null;
}

/** The user of that id, unless the user or the user's partner was deleted. */
export async function readAccountOf(db: Executor, userId: number): Promise<Account | null> {
  return (await accounts(db).where("users.id", "=", userId).executeTakeFirst()) ?? null;
}

/**
 * Holds the user as it was read until the transaction ends. False where it is gone or has another password since: what
 * a former password allows must not begin after that password has ended.
 */
export async function holdAccount(tx: Tx, account: Account): Promise<boolean> {
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

/** Gives the user an own password, unless it has another one than was read, or is gone: then false. */
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

/** Who changes Super Admins, and when. */
export interface AdminWork {
  readonly tx: Tx;
  readonly actor: AuditRecord["actor"];
  readonly at: Date;
}

interface NewAdmin {
  readonly username: string;
  readonly name: string;
  readonly email: string;
}

export interface NamedUser {
  readonly id: number;
  readonly username: string;
  readonly role: "SUPER_ADMIN" | "PARTNER";
}

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

/** Makes a further Super Admin with a generated password; null where somebody has the username, in any case. */
export async function insertAdmin(work: AdminWork, admin: NewAdmin, passwordHash: string): Promise<number | null> {
  const { tx, at } = work;
  const made = await tx
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
  if (made === undefined) return null;
  await record(work, { action: "CREATE_ADMIN", entityId: made.id, after: { ...admin } });
  return made.id;
}

/** The user of that name in any case; null where there is none. */
export async function findUser(db: Executor, username: string): Promise<NamedUser | null> {
  const row = await db
    .selectFrom("users")
    .select(["id", "username", "role"])
    .where("deleted_at", "is", null)
    .where(sql<string>`lower(username)`, "=", username.toLowerCase())
    .executeTakeFirst();
  return row ?? null;
}

/** The Super Admin of that id, held for this transaction; null where there is none. */
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
 * Gives a Super Admin a generated password, ends the sessions of the former one and answers how many there were. Without
 * the servers' key what was counted as failed sign-ins is not found, and goes on counting.
 */
export async function giveAdminPassword(
  work: AdminWork,
  user: NamedUser,
  passwordHash: string,
  secretKey: string | null,
): Promise<number> {
  const { tx, at } = work;
  await tx
    .updateTable("users")
    .set({ password_hash: passwordHash, password_made_at: at })
    .where("id", "=", user.id)
    .execute();
  const ended = await endSessionsOf(tx, [user.id], at);
  await (secretKey === null ? forgetCallersOf(tx, user.id) : forgetTriesOf(tx, secretKey, user));
  await record(work, { action: "RESET_PASSWORD", entityId: user.id, after: { sessions_ended: ended } });
  return ended;
}

/** Removes a Super Admin and ends its sessions. */
export async function deleteAdmin(work: AdminWork, { id, username, name, email }: NamedUser & NewAdmin): Promise<void> {
  const { tx, at } = work;
  await tx.updateTable("users").set({ deleted_at: at, enc_password: null }).where("id", "=", id).execute();
  const open_sessions = await endSessionsOf(tx, [id], at);
  await forgetCallersOf(tx, id);
  await record(work, { action: "DELETE_ADMIN", entityId: id, before: { username, name, email, open_sessions } });
}

/** Ends every session of the user and answers how many there were. */
export async function endAllSessions(work: AdminWork, user: NamedUser): Promise<number> {
  const ended = await endSessionsOf(work.tx, [user.id], work.at);
  await record(work, { action: "END_SESSIONS", entityId: user.id, after: { sessions_ended: ended } });
  return ended;
}

interface OpenSession {
  readonly username: string;
  readonly role: string;
  readonly since: Date;
  readonly until: Date;
}

/** Sessions that are not over, of one user or of all, the newest first. */
export async function openSessionsOf(db: Executor, userId: number | null): Promise<OpenSession[]> {
  return db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .leftJoin("partners", "partners.id", "users.partner_id")
    .select(["users.username", "users.role", "sessions.created_at as since", "sessions.expires_at as until"])
    .where("sessions.ended_at", "is", null)
    .where("sessions.expires_at", ">", sql<Date>`now()`)
    .where("users.deleted_at", "is", null)
    .where("partners.deleted_at", "is", null)
    .$if(userId !== null, (query) => query.where("users.id", "=", userId))
    .orderBy("sessions.created_at", "desc")
    .execute();
}

async function record(
  { tx, actor, at }: AdminWork,
  done: Pick<AuditRecord, "action" | "entityId" | "before" | "after">,
): Promise<void> {
  await recordAudit(tx, { actor, entity: "user", outcome: "DONE", ...done, at });
}
