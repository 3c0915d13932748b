import { sql } from "kysely";
import { recordAudit } from "../features/audit/public.ts";
import { forgetCallersOf, forgetTriesOf, hashPassword } from "../features/auth/public.ts";
import { type Db, type Executor, type Tx, databaseNow } from "../platform/database/database.ts";
import { endSessionsOf } from "../platform/sessions.ts";

/** Who did it, where somebody ran a program on the server: no user of Suncrew. */
const SERVER_CONSOLE = { userId: null, name: "Server console" };

export interface NewAdmin {
  readonly username: string;
  readonly name: string;
  readonly email: string;
}

export interface NamedUser {
  readonly id: number;
  readonly username: string;
  readonly role: "SUPER_ADMIN" | "PARTNER";
}

/** Makes a further Super Admin with a generated password; false where somebody has the username, in any case. */
export async function createAdmin(db: Db, admin: NewAdmin, password: string): Promise<boolean> {
  const password_hash = await hashPassword(password);
  return db.transaction().execute(async (tx) => {
    const at = await databaseNow(tx);
    const made = await tx
      .insertInto("users")
      .values({ ...admin, role: "SUPER_ADMIN", partner_id: null, password_hash, password_made_at: at, created_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (made === undefined) return false;
    await record(tx, { action: "CREATE_ADMIN", entityId: made.id, after: { ...admin }, at });
    return true;
  });
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

/**
 * Gives a Super Admin a generated password, ends the sessions of the former one and answers how many there were. Without
 * the servers' key what was counted as failed sign-ins is not found, and goes on counting.
 */
export async function replaceLostPassword(
  db: Db,
  user: NamedUser,
  password: string,
  secretKey: string | null,
): Promise<number> {
  const password_hash = await hashPassword(password);
  return db.transaction().execute(async (tx) => {
    const at = await databaseNow(tx);
    await tx.updateTable("users").set({ password_hash, password_made_at: at }).where("id", "=", user.id).execute();
    const ended = await endSessionsOf(tx, [user.id], at);
    await (secretKey === null ? forgetCallersOf(tx, user.id) : forgetTriesOf(tx, secretKey, user));
    await record(tx, { action: "RESET_PASSWORD", entityId: user.id, after: { sessions_ended: ended }, at });
    return ended;
  });
}

/** Ends every session of the user and answers how many there were. */
export async function endAllSessions(db: Db, user: NamedUser): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const at = await databaseNow(tx);
    const ended = await endSessionsOf(tx, [user.id], at);
    await record(tx, { action: "END_SESSIONS", entityId: user.id, after: { sessions_ended: ended }, at });
    return ended;
  });
}

export interface OpenSession {
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

interface Done {
  readonly action: string;
  readonly entityId: number;
  readonly after: Record<string, unknown>;
  readonly at: Date;
}

async function record(tx: Tx, done: Done): Promise<void> {
  await recordAudit(tx, { actor: SERVER_CONSOLE, entity: "user", outcome: "DONE", ...done });
}
