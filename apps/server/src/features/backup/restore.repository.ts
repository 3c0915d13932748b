import { sql } from "kysely";
import { countOtherConnections, makeSchema, migrateIn } from "../../platform/database/migrate.ts";
import type { Tx } from "../../platform/database/database.ts";
import { StartError } from "../../platform/errors.ts";
import { readTables } from "./dump.repository.ts";
import type { Manifest } from "./manifest.ts";

/** Throws a StartError unless the database is empty and nobody else uses it. */
export async function refuseUsedDatabase(tx: Tx): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = current_schema()) and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      and not exists (select from pg_depend d where d.objid = pg_class.oid and d.deptype = 'e')
    order by relname limit 1`.execute(tx);
  const [first] = rows;
  if (first !== undefined) {
    throw new StartError(
      `The database is not empty (it has ${first.name}), and nothing was changed. A backup is restored into an empty one: ` +
        "create another database and name that, or another DATA_DIR for the embedded one.",
    );
  }
  const others = await countOtherConnections(tx);
  if (others > 0) {
    throw new StartError(
      `The database has ${others} other ${others === 1 ? "connection" : "connections"} open, and nothing was changed. ` +
        "Stop every Suncrew server and whatever else uses it, then run it again.",
    );
  }
}

/** The schema of the backup, empty. Throws a SchemaError if the backup's is newer than this program's. */
export async function addRestoredSchema(tx: Tx, { migrations, partitions }: Manifest): Promise<void> {
  await makeSchema(tx, migrations);
  for (const { name, parent, bound } of partitions) {
    const { rows } = await sql<{ there: boolean }>`select to_regclass(${name}) is not null as there`.execute(tx);
    if (rows[0]?.there === true) continue;
    await sql`create table ${sql.table(name)} partition of ${sql.table(parent)} ${sql.raw(bound)}`.execute(tx);
  }
}

/** A foreign key that is taken away while rows are loaded. */
export interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Empties the tables of what the migrations inserted, and switches off what would compute rows that the backup has, or
 * refuse a row before the one that it refers to.
 */
export async function prepareTables(tx: Tx, manifest: Manifest): Promise<readonly ForeignKey[]> {
  const tables = await readTables(tx);
  const known = new Map(tables.map(({ name, columns }) => [name, new Set(columns)]));
  for (const { name, columns } of manifest.tables) {
    const has = known.get(name);
    const lacking = has === undefined ? name : columns.find((column) => !has.has(column));
    if (lacking !== undefined) throw new StartError(`The backup's schema is not that of its migrations: ${lacking}.`);
  }
  await sql`truncate ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(tx);
  for (const { name } of tables) await sql`alter table ${sql.table(name)} disable trigger user`.execute(tx);
  const { rows: foreignKeys } = await sql<ForeignKey>`
    select c.relname as "table", k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
    order by c.relname, k.conname`.execute(tx);
  for (const { table, name } of foreignKeys) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(tx);
  }
  return foreignKeys;
}

/** After the rows: sequences, foreign keys and triggers, the newer migrations of this program, and its permissions. */
export async function completeSchema(
  tx: Tx,
  { sequences }: Manifest,
  foreignKeys: readonly ForeignKey[],
  serverAccount: string | null,
): Promise<void> {
  for (const { name, value, called } of sequences) {
    await sql`select setval(${name}::regclass, ${value}::bigint, ${called})`.execute(tx);
  }
  for (const { table, name, definition } of foreignKeys) {
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(tx);
  }
  for (const { name } of await readTables(tx)) {
    await sql`alter table ${sql.table(name)} enable trigger user`.execute(tx);
  }
  await migrateIn(tx, serverAccount);
  await sql`analyze`.execute(tx);
}
