import { sql } from "kysely";
import type { Db } from "./database.ts";
import { isDatabaseUnreachable } from "./database-errors.ts";

/** A standby, or one that was set to read only, as PostgreSQL itself would refuse a write. */
class ReadOnly extends Error {
  readonly code = "25006";
}

/** Rejects, as a write would, where the database only reads. */
export async function rejectReadOnly(db: Db): Promise<void> {
  const { rows } = await sql<{ reads_only: boolean }>`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as reads_only
  `.execute(db);
  if (rows[0]?.reads_only !== false) throw new ReadOnly("The database only reads.");
}

/** PostgreSQL keeps these rows in a temporary file: with 64 kB of memory some 100 kB of them are too many. */
export const spillToDisk = sql`select count(*) from generate_series(1, 5000)`;

/**
 * Rejects where the database cannot store. Takes a little room on its disk, by rows that are too many for its memory, and
 * in its journal; touches no table, and leaves nothing.
 */
export async function probeWrite(db: Db): Promise<void> {
  await rejectReadOnly(db);
  try {
    await db.transaction().execute(async (tx) => {
      await sql`set local work_mem = '64kB'`.execute(tx);
      await spillToDisk.execute(tx);
      await sql`select pg_logical_emit_message(true, 'suncrew', 'ready?')`.execute(tx);
    });
  } catch (error) {
    // An account that may not is no fault of the database.
    if (isDatabaseUnreachable(error)) throw error;
  }
}
