import { sql } from "kysely";
import { hasCode } from "../errors.ts";
import type { Db, Executor, Tx } from "./database.ts";
import { isLockTimeout, setLockTimeout } from "./transactions.ts";

/**
 * What a migration does to large tables after its transaction, while servers of its version and of the one before work
 * (decision 40). `rows`: one statement that changes a limited number of rows, repeated in transactions of its own until
 * it changes none. `index`: one `create index concurrently` or `drop index concurrently`, which PostgreSQL allows only
 * outside transactions.
 */
interface MigrationStep {
  readonly kind: "rows" | "index";
  readonly statement: string;
}

/** Steps follow the rest of a migration, each after a line that begins with `-- step: rows` or `-- step: index`. */
const stepLine = /^-- step: (rows|index)\b.*$/m;

/** A migration's statements for one transaction, and the steps that follow it. */
export function partsOfMigration(text: string): { readonly schema: string; readonly steps: readonly MigrationStep[] } {
  const [schema = "", ...rest] = text.split(stepLine);
  const steps: MigrationStep[] = [];
  for (let nth = 0; nth < rest.length; nth += 2) {
    steps.push({ kind: rest[nth] === "index" ? "index" : "rows", statement: (rest[nth + 1] ?? "").trim() });
  }
  return { schema, steps };
}

export interface StepProgress {
  readonly name: string;
  /** From 1. */
  readonly step: number;
  readonly steps: number;
  /** Changed so far by this run; null for an index. */
  readonly rows: number | null;
  readonly isDone: boolean;
}

interface StepContext {
  readonly db: Db;
  /** The migration's file name. */
  readonly name: string;
  /** From 0. */
  readonly nth: number;
}

/** Any number all servers agree on: one process builds an index at a time. */
const INDEX_LOCK = 7_305_013;
/** How long a step waits for a row that somebody has locked, in milliseconds; then it lets them pass and retries. */
const LOCK_WAIT_MS = 1_000;
/** The longest pause between two batches, in milliseconds; shorter after short batches, so that servers get half the disk. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * Runs the steps of a migration that its transaction has recorded and that are not done yet. Several processes may call
 * it at once, and one that is interrupted continues where it was.
 */
export async function runMigrationSteps(
  db: Db,
  name: string,
  steps: readonly MigrationStep[],
  onProgress: (progress: StepProgress) => void,
): Promise<void> {
  for (const [nth, { kind, statement }] of steps.entries()) {
    const context = { db, name, nth };
    const report = (rows: number | null, isDone: boolean) =>
      onProgress({ name, step: nth + 1, steps: steps.length, rows, isDone });
    if (kind === "rows") await changeRows(context, statement, report);
    else await buildIndex(context, statement, report);
  }
}

/** Runs some steps of a migration in the caller's transaction, for a database that nobody else uses. */
export async function runStepsIn(tx: Tx, name: string, steps: readonly MigrationStep[]): Promise<void> {
  for (const { kind, statement } of steps) {
    if (kind === "index") await sql.raw(statement.replace(/\bconcurrently\b/i, "")).execute(tx);
    else while (((await sql.raw(statement).execute(tx)).numAffectedRows ?? 0n) > 0n) continue;
    await sql`update migrations set steps_done = steps_done + 1 where name = ${name}`.execute(tx);
  }
}

async function changeRows(
  { db, name, nth }: StepContext,
  statement: string,
  report: (rows: number, isDone: boolean) => void,
): Promise<void> {
  for (let total = 0; ;) {
    const beganAt = performance.now();
    const changed = await unlessLocked(() =>
      db.transaction().execute(async (tx) => {
        await setLockTimeout(tx, LOCK_WAIT_MS);
        if (await isStepDone(tx, name, nth)) return "done before";
        const { numAffectedRows } = await sql.raw(statement).execute(tx);
        if (numAffectedRows === undefined) throw new Error(`A step of ${name} is not one insert, update or delete.`);
        if (numAffectedRows === 0n) await markStepDone(tx, name, nth);
        return Number(numAffectedRows);
      }),
    );
    if (changed === "done before" || changed === 0) return report(total, true);
    total += changed ?? 0;
    report(total, false);
    const tookMs = changed === null ? LOCK_WAIT_MS : performance.now() - beganAt;
    await pause(db, Math.min(tookMs, LONGEST_PAUSE_MS));
  }
}

/** Null if somebody else held a lock for too long. */
async function unlessLocked<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isLockTimeout(error) || hasCode(error, "40P01")) return null;
    throw error;
  }
}

async function buildIndex(
  { db, name, nth }: StepContext,
  statement: string,
  report: (rows: null, isDone: boolean) => void,
): Promise<void> {
  const [, verb, index] = /^(create|drop) (?:unique )?index concurrently (?:if exists )?(\w+)/i.exec(statement) ?? [];
  if (index === undefined) throw new Error(`A step of ${name} is no "create index concurrently <name>".`);
  const isNew = verb === "create";
  await db.connection().execute(async (one) => {
    // Not waited for in PostgreSQL: the index would wait for the transaction that waits.
    while (!(await tryIndexLock(one))) await pause(one, LOCK_WAIT_MS);
    try {
      if (await isStepDone(one, name, nth)) return;
      report(null, false);
      const { rows } = await sql<{ valid: boolean }>`
        select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`.execute(one);
      // One that was interrupted stays as an invalid index.
      if (isNew && rows[0]?.valid === false) await sql`drop index concurrently ${sql.id(index)}`.execute(one);
      if (!isNew || rows[0]?.valid !== true) await sql.raw(statement).execute(one);
      await markStepDone(one, name, nth);
      report(null, true);
    } finally {
      await sql`select pg_advisory_unlock(${INDEX_LOCK})`.execute(one);
    }
  });
}

async function tryIndexLock(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${INDEX_LOCK}) as locked`.execute(db);
  return rows[0]?.locked === true;
}

async function isStepDone(db: Executor, name: string, nth: number): Promise<boolean> {
  const { rows } = await sql<{ done: number }>`
    select steps_done as done from migrations where name = ${name} for update`.execute(db);
  return (rows[0]?.done ?? 0) > nth;
}

async function markStepDone(db: Executor, name: string, nth: number): Promise<void> {
  await sql`update migrations set steps_done = ${nth + 1} where name = ${name}`.execute(db);
}

async function pause(db: Executor, ms: number): Promise<void> {
  await sql`select pg_sleep(${ms / 1_000})`.execute(db);
}
