import { sql } from "kysely";
import type { Db, Tx } from "./database.ts";

type AfterCommit = (db: Db) => void;

const plannedBy = new WeakMap<Tx, AfterCommit[]>();

/** A transaction that does, once it is committed, what `afterCommit` has planned within it. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const planned: AfterCommit[] = [];
  const result = await db.transaction().execute((tx) => {
    plannedBy.set(tx, planned);
    return work(tx);
  });
  for (const each of planned) each(db);
  return result;
}

/** Plans what is true only once the transaction is committed. It is not done where that never happens. */
export function afterCommit(tx: Tx, work: AfterCommit): void {
  plannedBy.get(tx)?.push(work);
}

/** Thrown in a transaction that found what it had read before its locks changed meanwhile. */
export class ConcurrentChangeError extends Error {
  constructor() {
    super("What this transaction had read was changed before it held its locks.");
    this.name = "ConcurrentChangeError";
  }
}

/** A unique value that was saved twice at once, and two transactions that waited for each other. */
const decidedAgain: readonly unknown[] = ["23505", "40P01"];
const ATTEMPTS = 4;

/**
 * Runs a decision in a transaction, again where another one came between: then it sees what that one has committed
 * and refuses in plain words instead of failing.
 */
export async function transactionWithRetry<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(db, work);
    } catch (error) {
      if (attempt === ATTEMPTS || !mayBeDecidedAgain(error)) throw error;
    }
  }
}

function mayBeDecidedAgain(error: unknown): boolean {
  if (error instanceof ConcurrentChangeError) return true;
  return error instanceof Error && "code" in error && decidedAgain.includes(error.code);
}

/** PostgreSQL's code for a lock that was not to be had within `lock_timeout`. */
const LOCK_NOT_AVAILABLE = "55P03";

/** From here on this transaction waits for no lock longer than this; then it fails, as `isLockTaken` tells. */
export async function setLockTimeout(tx: Tx, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${Math.ceil(ms)}ms`}, true)`.execute(tx);
}

/** True where a transaction failed because somebody else kept what it wanted to lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE;
}
