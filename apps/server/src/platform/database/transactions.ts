import { sql } from "kysely";
import { hasCode } from "../errors.ts";
import type { Db, Tx } from "./database.ts";

type AfterCommit = (db: Db) => void;

const callbacksOf = new WeakMap<Tx, AfterCommit[]>();

/** Runs a transaction, and after its commit what was registered with `afterCommit`. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const callbacks: AfterCommit[] = [];
  const result = await db.transaction().execute((tx) => {
    callbacksOf.set(tx, callbacks);
    return work(tx);
  });
  for (const each of callbacks) each(db);
  return result;
}

/** Registers work for after the commit of this transaction; it does not run if that never happens. */
export function afterCommit(tx: Tx, work: AfterCommit): void {
  callbacksOf.get(tx)?.push(work);
}

/** Runs a part of a transaction; if it fails, what it wrote is undone and why is answered, and the transaction goes on. */
export async function inSavepoint(tx: Tx, part: () => Promise<void>): Promise<{ readonly error: unknown } | null> {
  await sql`savepoint part`.execute(tx);
  try {
    await part();
    await sql`release savepoint part`.execute(tx);
    return null;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx);
    return { error };
  }
}

/** Thrown in a transaction if what it read before taking its locks has changed. */
export class ConcurrentChangeError extends Error {
  constructor() {
    super("What this transaction had read was changed before it held its locks.");
    this.name = "ConcurrentChangeError";
  }
}

/** A unique violation by a concurrent transaction, and a deadlock. */
const retriedCodes = ["23505", "40P01"];
const ATTEMPTS = 4;

/**
 * Runs a decision in a transaction, and again if it collided with another one: then it sees what the other has
 * committed, and refuses in plain words instead of failing.
 */
export async function transactionWithRetry<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(db, work);
    } catch (error) {
      const mayRetry = error instanceof ConcurrentChangeError || hasCode(error, ...retriedCodes);
      if (attempt === ATTEMPTS || !mayRetry) throw error;
    }
  }
}

/** From now on this transaction waits for no lock longer than this; then it fails, see `isLockTimeout`. */
export async function setLockTimeout(tx: Tx, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${Math.ceil(ms)}ms`}, true)`.execute(tx);
}

/** True if a statement failed because somebody else held a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, "55P03");
}
