import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** A user as sign-in needs it; never answered. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly role: "SUPER_ADMIN" | "PARTNER";
  readonly partnerId: number | null;
  readonly passwordHash: string;
}

/** The user of that name in any case, unless the user or the user's partner was deleted. */
export async function readAccount(db: Executor, username: string): Promise<Account | null> {
  const row = await db
    .selectFrom("users")
    .leftJoin("partners", "partners.id", "users.partner_id")
    .select(["users.id", "users.username", "users.name", "users.email", "users.role"])
    .select(["users.partner_id as partnerId", "users.password_hash as passwordHash"])
    .where(sql<string>`lower(users.username)`, "=", sql<string>`lower(${username})`)
    .where("users.deleted_at", "is", null)
    .where("partners.deleted_at", "is", null)
    .executeTakeFirst();
  return row ?? null;
}
