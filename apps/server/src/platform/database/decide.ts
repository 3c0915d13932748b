import { inTransaction } from "./after-commit.ts";
import type { Db, Tx } from "./database.ts";

/** Thrown in a transaction that found what it had read before its locks changed meanwhile. */
export class ConcurrentChangeError extends Error {
  constructor() {
    super("What this transaction had read was changed before it held its locks.");
    this.name = "ChangedMeanwhile";
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
