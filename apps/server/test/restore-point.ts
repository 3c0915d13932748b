import { sql } from "kysely";
import pg from "pg";
import { changedNow, type Db } from "../src/platform/database/database.ts";

type Rows = <T>(text: string) => Promise<readonly T[]>;

/**
 * The current rows of every table, and the current value of every sequence, as one SQL text that restores them.
 * Running it takes milliseconds; `except` lists tables that it leaves unchanged.
 */
export async function restoringSql(rows: Rows, except: readonly string[] = []): Promise<string> {
  const tables = await rows<{ name: string; columns: string }>(`
    select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname`);
  const sequences = await rows<{ name: string; value: string; called: boolean }>(`
    select quote_ident(sequencename) as name, coalesce(last_value, start_value)::text as value, last_value is not null as called
    from pg_sequences where schemaname = 'public'`);
  const restored = tables.filter(({ name }) => !except.includes(name));
  // No triggers or foreign keys: all rows that belong together are restored together.
  const statements = ["begin", "set local session_replication_role = replica"];
  for (const { name } of restored) statements.push(`delete from ${name}`);
  for (const { name, columns } of restored) {
    const [row] = await rows<{ content: string | null }>(`select json_agg(t)::text as content from ${name} t`);
    if (row?.content === undefined || row.content === null) continue;
    statements.push(`insert into ${name} (${columns}) overriding system value
      select ${columns} from json_populate_recordset(null::${name}, ${pg.escapeLiteral(row.content)})`);
  }
  for (const { name, value, called } of sequences)
    statements.push(`select from setval('${name}', ${value}, ${called})`);
  return [...statements, "commit"].join(";\n");
}

export interface RestorePoint {
  /** Restores every row, and revives ended sessions. */
  restore(): Promise<void>;
}

/** Remembers all current rows. Sessions survive a restore. */
export async function createRestorePoint(db: Db): Promise<RestorePoint> {
  const rows: Rows = async <T>(text: string) => (await sql.raw<T>(text).execute(db)).rows;
  const restore = await restoringSql(rows, ["sessions"]);
  return {
    async restore() {
      await sql.raw(restore).execute(db);
      // No trigger tells a server's kept answers that rows have changed back.
      await db.updateTable("sites").set({ change_no: changedNow }).execute();
      await db.updateTable("sessions").set({ ended_at: null }).where("ended_at", "is not", null).execute();
    },
  };
}
