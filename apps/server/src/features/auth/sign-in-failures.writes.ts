import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { FORGOTTEN_MS, type SignInLimit, waitAfter } from "./sign-in-limits.ts";

/** What failures are counted for, with its limit: an account or an address. */
export interface Counted {
  readonly key: string;
  readonly limit: SignInLimit;
}

class Refused extends Error {
  readonly waitMs: number;
  constructor(waitMs: number) {
    super("refused");
    this.waitMs = waitMs;
  }
}

/**
 * Counts a try as failed before its password is looked at, so that any number of tries at once count each. Returns
 * null where the try may go on, or for how many milliseconds it may not; then nothing is counted. Keys are always
 * taken in the order given, so that two tries never wait for each other.
 */
export async function countTry(db: Db, counted: readonly Counted[], now: Date): Promise<number | null> {
  try {
    await db.transaction().execute(async (tx) => {
      for (const each of counted) await countOne(tx, each, now);
    });
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.waitMs;
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
  if (row === undefined) throw new Refused(await waitOf(tx, key, now));
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

/** The try was right after all: the account begins anew, the address has one failure less. */
export async function forgetTry(db: Executor, accountKey: string, addressKey: string): Promise<void> {
  await forgetAccount(db, accountKey);
  await db.deleteFrom("sign_in_failures").where("key", "=", addressKey).where("failures", "=", 1).execute();
  await db
    .updateTable("sign_in_failures")
    .set((eb) => ({ failures: eb("failures", "-", 1), locked_until: null }))
    .where("key", "=", addressKey)
    .where("failures", ">", 1)
    .execute();
}

export async function forgetAccount(db: Executor, accountKey: string): Promise<void> {
  await db.deleteFrom("sign_in_failures").where("key", "=", accountKey).execute();
}

/** Removes what counts no more. */
export async function forgetOldFailures(db: Executor, now: Date): Promise<void> {
  await db
    .deleteFrom("sign_in_failures")
    .where("last_failed_at", "<", new Date(now.getTime() - FORGOTTEN_MS))
    .where((eb) => eb.or([eb("locked_until", "is", null), eb("locked_until", "<=", now)]))
    .execute();
}
