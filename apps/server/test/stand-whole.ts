import { sql } from "kysely";
import type { Db } from "../src/platform/database/database.ts";

/** What administration changes, with the column that names a row and the one that takes it away. */
const tables = [
  { name: "partners", key: "id", gone: "deleted_at" },
  { name: "users", key: "id", gone: "deleted_at" },
  { name: "sites", key: "id", gone: "deleted_at" },
  { name: "devices", key: "serial", gone: "retired_at" },
  { name: "robots", key: "id", gone: "deleted_at" },
  { name: "report_templates", key: "id", gone: "deleted_at" },
] as const;

/** Remembers the rows as they are now, for `standWhole`. */
export async function rememberWhole(db: Db): Promise<void> {
  await sql`create schema whole`.execute(db);
  for (const { name } of tables) {
    await sql`create table whole.${sql.raw(name)} as select * from ${sql.table(name)}`.execute(db);
  }
}

/** Counts up only: a lower one would give another command of the robot the same number. */
const neverPutBack = "last_command_seq";

/** Puts every remembered row back, takes away what came after it, and lets ended sessions live again. */
export async function standWhole(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const { name, key, gone } of tables) {
      // Away first, so that nobody has a name or serial number that a remembered row gets back.
      await sql`update ${sql.table(name)} t set ${sql.ref(gone)} = coalesce(t.${sql.ref(gone)}, now())
        where not exists (select from whole.${sql.raw(name)} w where w.${sql.ref(key)} = t.${sql.ref(key)})`.execute(
        tx,
      );
    }
    for (const { name, key } of tables) {
      const { rows } = await sql<{ column_name: string }>`select column_name from information_schema.columns
        where table_schema = 'public' and table_name = ${name} and column_name not in (${key}, ${neverPutBack})`.execute(
        tx,
      );
      const columns = sql.join(rows.map((row) => sql.ref(row.column_name)));
      await sql`update ${sql.table(name)} t set (${columns}) =
        (select ${columns} from whole.${sql.raw(name)} w where w.${sql.ref(key)} = t.${sql.ref(key)})
        where exists (select from whole.${sql.raw(name)} w where w.${sql.ref(key)} = t.${sql.ref(key)})`.execute(tx);
    }
    await tx.updateTable("sessions").set({ ended_at: null }).execute();
  });
}
