import { sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";

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
