import { sql } from "kysely";
import { randomBytes } from "node:crypto";
import { hashPassword, weakPasswordOf } from "../features/auth/public.ts";
import type { Db, Executor } from "../platform/database/database.ts";
import { StartError } from "../platform/errors.ts";

/** The row of `installation` by which production recognises a demo's data. */
export const DEMO_MARK = "demo_data";

export async function holdsDemoData(db: Executor): Promise<boolean> {
  const mark = await db.selectFrom("installation").select("key").where("key", "=", DEMO_MARK).executeTakeFirst();
  return mark !== undefined;
}

/** Any number all servers agree on; only one at a time looks for a Super Admin and creates it. */
const FIRST_ADMIN_LOCK = 7_305_014;

export interface FirstAdmin {
  readonly username: string;
  /** The generated password, to be shown once; null if it came from the environment. */
  readonly generatedPassword: string | null;
}

/**
 * Creates the first Super Admin of an installation; null if there is one already. Production never has a known password:
 * without one from the environment it is random. Several servers may call it at once. Throws a StartError for a weak
 * password, unless there is a Super Admin already.
 */
export async function createFirstAdmin(db: Db, username: string, password: string | null): Promise<FirstAdmin | null> {
  const chosen = password ?? randomBytes(15).toString("base64url");
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${FIRST_ADMIN_LOCK})`.execute(tx);
    const admins = tx
      .selectFrom("users")
      .select("id")
      .where("role", "=", "SUPER_ADMIN")
      .where("deleted_at", "is", null);
    if ((await admins.limit(1).executeTakeFirst()) !== undefined) return null;
    const weak = weakPasswordOf(chosen, { username });
    if (weak !== null) throw new StartError(`ADMIN_PASSWORD is not acceptable. ${weak}.`, 2);
    await tx
      .insertInto("users")
      .values({
        username,
        name: username,
        role: "SUPER_ADMIN",
        partner_id: null,
        password_hash: await hashPassword(chosen),
        password_made_at: password === null ? sql<Date>`now()` : null,
      })
      .execute();
    return { username, generatedPassword: password === null ? chosen : null };
  });
}
