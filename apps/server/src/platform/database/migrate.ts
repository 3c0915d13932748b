import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import type { Db } from "./database.ts";

const folder = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** Any number all servers agree on; holds off others while one migrates. */
const MIGRATION_LOCK = 7_305_001;

/**
 * Brings the database to the newest migration, all in one transaction; several servers may call it at once.
 * Throws where the database is newer than this program.
 */
export async function migrate(db: Db): Promise<void> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).toSorted();
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx);
    await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`.execute(
      tx,
    );
    const applied = new Set(
      (await sql<{ name: string }>`select name from migrations`.execute(tx)).rows.map((row) => row.name),
    );
    const unknown = [...applied].filter((name) => !files.includes(name));
    if (unknown.length > 0) {
      throw new Error(`The database was made by a newer Suncrew (it has ${unknown.join(", ")}). Install that version.`);
    }
    for (const name of files.filter((file) => !applied.has(file))) {
      await sql.raw(await readFile(`${folder}/${name}`, "utf8")).execute(tx);
      await sql`insert into migrations (name) values (${name})`.execute(tx);
    }
  });
}
