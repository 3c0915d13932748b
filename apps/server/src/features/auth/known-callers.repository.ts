import { sql } from "kysely";
import { createHmac } from "node:crypto";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { KNOWN_MS, KNOWN_PER_USER } from "./sign-in-limits.ts";

/** Who tries a password: the network address it comes from, and what the browser says that it keeps. */
export interface Caller {
  readonly address: string;
  /** Null where the program keeps none. */
  readonly browser: string | null;
}

/** The caller as it is kept for a user: hashed with the server's key, and of no use for another user. */
function keysOf(secretKey: string, userId: number, { address, browser }: Caller) {
  const keyed = (kind: string, value: string) =>
    `${kind}:${createHmac("sha256", secretKey).update(`known-${kind}:${userId}:${value}`).digest("base64url")}`;
  return { browser: browser === null ? null : keyed("browser", browser), address: keyed("address", address) };
}

/** As what the user has signed in before: that browser, else that address; null as neither. */
export async function knownAs(
  db: Executor,
  secretKey: string,
  userId: number,
  caller: Caller,
  now: Date,
): Promise<string | null> {
  const keys = keysOf(secretKey, userId, caller);
  const rows = await db
    .selectFrom("known_callers")
    .select("key")
    .where("user_id", "=", userId)
    .where("key", "in", [keys.address, ...(keys.browser === null ? [] : [keys.browser])])
    .where("last_signed_in_at", ">", new Date(now.getTime() - KNOWN_MS))
    .execute();
  const known = rows.map(({ key }) => key);
  return known.find((key) => key === keys.browser) ?? known[0] ?? null;
}

/** The user has signed in from there: the newest are known for some weeks. */
export async function rememberCaller(
  tx: Tx,
  secretKey: string,
  userId: number,
  caller: Caller,
  now: Date,
): Promise<void> {
  const { browser, address } = keysOf(secretKey, userId, caller);
  // In one order everywhere, so that two sign-ins never wait for each other.
  for (const key of browser === null ? [address] : [address, browser]) {
    await tx
      .insertInto("known_callers")
      .values({ user_id: userId, key, last_signed_in_at: now })
      .onConflict((conflict) => conflict.columns(["user_id", "key"]).doUpdateSet({ last_signed_in_at: now }))
      .execute();
  }
  await sql`
    delete from known_callers where user_id = ${userId} and key in (
      select key from known_callers where user_id = ${userId}
      order by last_signed_in_at desc, key offset ${KNOWN_PER_USER} for update skip locked)`.execute(tx);
}

/** Whoever had the former password is a stranger from now on. */
export async function forgetCallersOf(db: Executor, userId: number): Promise<void> {
  await db.deleteFrom("known_callers").where("user_id", "=", userId).execute();
}

/** Removes those that are known no more. */
export async function forgetOldCallers(db: Executor, now: Date): Promise<void> {
  await db
    .deleteFrom("known_callers")
    .where("last_signed_in_at", "<=", new Date(now.getTime() - KNOWN_MS))
    .execute();
}
