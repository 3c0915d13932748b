import { sql } from "kysely";
import { createHmac } from "node:crypto";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import {
  accountLimit,
  FORGOTTEN_MS,
  IN_TURN_FROM,
  KNOWN_MS,
  KNOWN_PER_USER,
  LONGEST_QUEUE_MS,
  type SignInLimit,
  TURN_EVERY_MS,
  waitAfter,
} from "./sign-in-limits.ts";

/** What failures are counted against, with its limit: a caller at an account, an address, or an account. */
export interface Counted {
  readonly key: string;
  readonly limit: SignInLimit;
}

/** Thrown to roll back what an attempt that has to wait has counted so far. */
class MustWait extends Error {
  readonly waitMs: number;
  constructor(waitMs: number) {
    super("must wait");
    this.waitMs = waitMs;
  }
}

/**
 * Counts an attempt as failed before its password is checked, so that each of many concurrent ones counts. Resolves to
 * null if it may proceed, or to the milliseconds that it has to wait; then nothing is counted. Keys are locked in the
 * given order, so that two attempts cannot deadlock.
 */
export async function countAttempt(db: Db, counted: readonly Counted[], now: Date): Promise<number | null> {
  try {
    await db.transaction().execute(async (tx) => {
      for (const each of counted) await countOne(tx, each, now);
    });
    return null;
  } catch (error) {
    if (error instanceof MustWait) return error.waitMs;
    throw error;
  }
}

async function countOne(tx: Tx, { key, limit }: Counted, now: Date): Promise<void> {
  const row = await tx
    .insertInto("sign_in_failures")
    .values({ key, failures: 1, last_failed_at: now, locked_until: null })
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet({
          failures: sql<number>`case when sign_in_failures.last_failed_at < ${new Date(now.getTime() - FORGOTTEN_MS)}
            then 1 else sign_in_failures.failures + 1 end`,
          last_failed_at: now,
        })
        .where((eb) =>
          eb.or([eb("sign_in_failures.locked_until", "is", null), eb("sign_in_failures.locked_until", "<=", now)]),
        ),
    )
    .returning("failures")
    .executeTakeFirst();
  if (row === undefined) throw new MustWait(await waitOf(tx, key, now));
  const waitMs = waitAfter(row.failures, limit);
  await tx
    .updateTable("sign_in_failures")
    .set({ locked_until: waitMs === 0 ? null : new Date(now.getTime() + waitMs) })
    .where("key", "=", key)
    .execute();
}

async function waitOf(tx: Tx, key: string, now: Date): Promise<number> {
  const row = await tx.selectFrom("sign_in_failures").select("locked_until").where("key", "=", key).executeTakeFirst();
  return Math.max(1, (row?.locked_until?.getTime() ?? 0) - now.getTime());
}

/**
 * Queues callers that an account does not know once many of them have failed there. Resolves to null if it is this
 * one's turn, or to the milliseconds until then; the turn is reserved for it, however often others try.
 */
export async function takeTurn(db: Db, accountKey: string, callerKey: string, now: Date): Promise<number | null> {
  return db.transaction().execute(async (tx) => {
    const account = await lockRow(tx, accountKey);
    if (account === undefined || account.failures < IN_TURN_FROM) return null;
    if (account.last_failed_at.getTime() < now.getTime() - FORGOTTEN_MS) return null;
    const caller = await lockRow(tx, callerKey);
    const lockedMs = (caller?.locked_until?.getTime() ?? 0) - now.getTime();
    if (lockedMs > 0) return lockedMs;
    const mine = caller?.turn_at?.getTime() ?? null;
    if (mine !== null && mine > now.getTime() - FORGOTTEN_MS) {
      await tx.updateTable("sign_in_failures").set({ turn_at: null }).where("key", "=", callerKey).execute();
      return null;
    }
    const turnMs = Math.max(now.getTime(), account.turn_at?.getTime() ?? 0);
    const waitMs = turnMs - now.getTime();
    if (waitMs > LONGEST_QUEUE_MS) return waitMs;
    await tx
      .updateTable("sign_in_failures")
      .set({ turn_at: new Date(turnMs + TURN_EVERY_MS) })
      .where("key", "=", accountKey)
      .execute();
    if (waitMs === 0) return null;
    const turn = { locked_until: new Date(turnMs), turn_at: new Date(turnMs) };
    await tx
      .insertInto("sign_in_failures")
      .values({ key: callerKey, failures: 0, last_failed_at: now, ...turn })
      .onConflict((conflict) => conflict.column("key").doUpdateSet(turn))
      .execute();
    return waitMs;
  });
}

async function lockRow(tx: Tx, key: string) {
  return tx.selectFrom("sign_in_failures").selectAll().where("key", "=", key).forUpdate().executeTakeFirst();
}

/** The password was right: resets the caller, and takes back the failure that was counted against what it shares. */
export async function forgetFailure(db: Executor, callerKey: string, shared: readonly string[]): Promise<void> {
  await db.deleteFrom("sign_in_failures").where("key", "=", callerKey).execute();
  for (const key of shared) {
    await db
      .updateTable("sign_in_failures")
      .set((eb) => ({ failures: eb("failures", "-", 1), locked_until: null }))
      .where("key", "=", key)
      .where("failures", ">", 0)
      .execute();
  }
}

/**
 * Resets the failures of a user whose password somebody else has replaced, even if guesses had locked it out, and all
 * its known callers: one that had the former password may be the reason.
 */
export async function forgetAttemptsOf(
  db: Executor,
  secretKey: string,
  user: { readonly id: number; readonly username: string },
): Promise<void> {
  const { account, callers } = new AttemptKeys(secretKey, user.username);
  await db
    .deleteFrom("sign_in_failures")
    .where((eb) => eb.or([eb("key", "=", account), eb(sql<boolean>`starts_with(key, ${callers})`, "=", true)]))
    .execute();
  await forgetCallersOf(db, user.id);
}

/**
 * Callers that are locked at an account, and accounts whose unknown callers are queued because of many failures: by
 * their keys, with the time until which they are.
 */
export async function readLocked(db: Executor, now: Date): Promise<{ key: string; until: Date }[]> {
  const rows = await db
    .selectFrom("sign_in_failures")
    .select(["key", "failures", "last_failed_at", "locked_until"])
    .where("failures", ">=", accountLimit.lockedFrom)
    .where("last_failed_at", ">", new Date(now.getTime() - FORGOTTEN_MS))
    .execute();
  return rows.flatMap(({ key, failures, last_failed_at, locked_until }) => {
    if (key.startsWith("user:")) {
      const until = new Date(last_failed_at.getTime() + FORGOTTEN_MS);
      return failures >= IN_TURN_FROM ? [{ key, until }] : [];
    }
    return locked_until !== null && locked_until > now ? [{ key, until: locked_until }] : [];
  });
}

/** Removes failures that no longer count. */
export async function forgetOldFailures(db: Executor, now: Date): Promise<void> {
  await db
    .deleteFrom("sign_in_failures")
    .where("last_failed_at", "<", new Date(now.getTime() - FORGOTTEN_MS))
    .where((eb) => eb.or([eb("locked_until", "is", null), eb("locked_until", "<=", now)]))
    .where((eb) => eb.or([eb("turn_at", "is", null), eb("turn_at", "<", new Date(now.getTime() - FORGOTTEN_MS))]))
    .execute();
}

/** What failures at a name count against: keyed and hashed, because people type passwords into the wrong field. */
export class AttemptKeys {
  readonly account: string;
  /** The common prefix of the keys of all its callers. */
  readonly callers: string;
  readonly #secretKey: string;

  constructor(secretKey: string, username: string) {
    this.#secretKey = secretKey;
    const hash = this.#hash(`sign-in:${username.toLowerCase()}`);
    this.account = `user:${hash}`;
    this.callers = `caller:${hash}:`;
  }

  caller(of: string): string {
    return `${this.callers}${this.#hash(`sign-in-caller:${of}`)}`;
  }

  #hash(text: string): string {
    return createHmac("sha256", this.#secretKey).update(text).digest("base64url");
  }
}

/** Who tries a password: the network address, and the identifier that the browser stores. */
export interface Caller {
  readonly address: string;
  /** Null for a program that stores none. */
  readonly browser: string | null;
}

/** The caller as stored for a user: hashed with the server's key, and useless for another user. */
function keysOf(secretKey: string, userId: number, { address, browser }: Caller) {
  const keyed = (kind: string, value: string) =>
    `${kind}:${createHmac("sha256", secretKey).update(`known-${kind}:${userId}:${value}`).digest("base64url")}`;
  return { browser: browser === null ? null : keyed("browser", browser), address: keyed("address", address) };
}

/** The key under which the user knows the caller: its browser, otherwise its address, otherwise null. */
export async function findKnownCaller(
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

/** Remembers where the user signed in from; the newest callers are known for some weeks. */
export async function rememberCaller(
  tx: Tx,
  secretKey: string,
  userId: number,
  caller: Caller,
  now: Date,
): Promise<void> {
  const { browser, address } = keysOf(secretKey, userId, caller);
  // Always in this order, so that two sign-ins cannot deadlock.
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

/** Makes all callers of the user unknown: one that had the former password may be among them. */
export async function forgetCallersOf(db: Executor, userId: number): Promise<void> {
  await db.deleteFrom("known_callers").where("user_id", "=", userId).execute();
}

/** Removes those that are no longer known. */
export async function forgetOldCallers(db: Executor, now: Date): Promise<void> {
  await db
    .deleteFrom("known_callers")
    .where("last_signed_in_at", "<=", new Date(now.getTime() - KNOWN_MS))
    .execute();
}
