import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import type { Db } from "../src/platform/database/database.ts";

/** One backup for each release, with rows in every table that it had. */
export const RELEASES_FOLDER = fileURLToPath(new URL("./releases", import.meta.url));

/** Tables without a row. */
export async function emptyTables(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`.execute(
    db,
  );
  const empty: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length === 0) empty.push(name);
  }
  return empty;
}
