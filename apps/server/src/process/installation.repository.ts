import { sql } from "kysely";
import { randomBytes } from "node:crypto";
import { hashPassword, weakPasswordOf } from "../features/auth/public.ts";
import type { Db, Executor } from "../platform/database/database.ts";
import { StartError } from "../platform/embedded/start-error.ts";

/** Row of `installation` by which production recognises a demo's data. */
export const DEMO_MARK = "demo_data";

export async function holdsDemoData(db: Executor): Promise<boolean> {
  const mark = await db.selectFrom("installation").select("key").where("key", "=", DEMO_MARK).executeTakeFirst();
  return mark !== undefined;
}

/** Any number all servers agree on; holds off others while one looks for a Super Admin and makes it. */
const FIRST_ADMIN_LOCK = 7_305_003;

export interface FirstAdmin {
  readonly username: string;
  /** The password generated now, to be shown once; null where the environment gave it. */
  readonly madeUpPassword: string | null;
}

/**
 * Makes the first Super Admin of an installation without one; null where there is one already. Production never has a
 * known password: without one from the environment a random one is made. Several servers may call it at once.
 * Throws a StartError for a weak password, which matters to nobody once there is a Super Admin.
 */
export async function makeFirstAdmin(db: Db, username: string, password: string | null): Promise<FirstAdmin | null> {
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
    if (weak !== null) throw new StartError(`ADMIN_PASSWORD cannot be taken. ${weak}.`, 2);
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
    return { username, madeUpPassword: password === null ? chosen : null };
  });
}
