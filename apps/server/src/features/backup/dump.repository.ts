import { sql } from "kysely";
import { escapeIdentifier } from "pg";
import type { Executor } from "../../platform/database/database.ts";
import { hasCode } from "../../platform/errors.ts";
import { type AppliedMigration, readAppliedMigrations } from "../../platform/database/migrate.ts";

/** What a backup holds of the database's structure: what the migrations do not say. */
export interface Structure {
  readonly migrations: readonly AppliedMigration[];
  readonly tables: readonly Table[];
  readonly partitions: readonly { readonly name: string; readonly parent: string; readonly bound: string }[];
  readonly sequences: readonly { readonly name: string; readonly value: string; readonly called: boolean }[];
}

export interface Table {
  readonly name: string;
  /**
   * Without those that the database computes, and without transaction numbers, which mean nothing in another database:
   * a restored row has that of its restore, or none (decision 4).
   */
  readonly columns: readonly string[];
}

/**
 * Remembers when the last backup was taken, for the alert about an overdue one. Where this database cannot: one of an
 * older version, or one that only reads, the backup is complete all the same.
 */
export async function recordBackup(db: Executor, takenAt: Date): Promise<void> {
  try {
    await db
      .insertInto("last_backup")
      .values({ taken_at: takenAt })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ taken_at: takenAt }))
      .execute();
  } catch (error) {
    if (!hasCode(error, "42P01", "42501", "25006")) throw error;
  }
}

const ownSchema = sql`(select oid from pg_namespace where nspname = current_schema())`;

/** In a transaction that sees one snapshot. */
export async function readStructure(db: Executor): Promise<Structure> {
  const rowsOf = async <T>(query: ReturnType<typeof sql<T>>) => (await query.execute(db)).rows;
  return {
    migrations: await readAppliedMigrations(db),
    tables: await readTables(db),
    partitions: await rowsOf(sql<Structure["partitions"][number]>`
      select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      where c.relispartition and c.relkind = 'r' and p.relnamespace = ${ownSchema} order by c.relname`),
    sequences: await rowsOf(sql<Structure["sequences"][number]>`
      select sequencename as name, coalesce(last_value, start_value)::text as value, last_value is not null as called
      from pg_sequences where schemaname = current_schema() order by sequencename`),
  };
}

export async function readTables(db: Executor): Promise<readonly Table[]> {
  const { rows } = await sql<Table>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.atttypid <> 'xid8'::regtype
    where c.relnamespace = ${ownSchema} and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname order by c.relname`.execute(db);
  return rows;
}

/** Texts of times and numbers that any PostgreSQL reads as the same values. */
export async function setPlainFormats(db: Executor): Promise<void> {
  await sql`select set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
    set_config('intervalstyle', 'postgres', true), set_config('bytea_output', 'hex', true),
    set_config('extra_float_digits', '1', true), set_config('client_encoding', 'UTF8', true),
    set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(db);
}

const columnList = ({ columns }: Table): string => columns.map((column) => escapeIdentifier(column)).join(", ");

/** A query, because a partitioned table itself cannot be copied. */
export const copyOutStatement = (table: Table): string =>
  `copy (select ${columnList(table)} from ${escapeIdentifier(table.name)}) to stdout`;

export const copyInStatement = (table: Table): string =>
  `copy ${escapeIdentifier(table.name)} (${columnList(table)}) from stdin`;

export async function countRows(db: Executor, table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*)::int8 as rows from ${sql.table(table)}`.execute(db);
  return rows[0]?.rows ?? 0;
}
