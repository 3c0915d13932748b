import { type RawBuilder, sql } from "kysely";
import type { Executor, Tx } from "./database.ts";

/**
 * What the servers' account may do with these tables; with every other one it may read, add, change and remove rows
 * (decision 47). Rows wait in `audit_unsealed` until they are sealed: whoever takes one from there is found out.
 */
const limited: ReadonlyMap<string, string> = new Map([
  ["audit", "select, insert"],
  ["audit_seals", "select, insert"],
  ["audit_unsealed", "select, insert, delete"],
  ["audit_names", "select, insert"],
  ["audit_reasons", "select, insert"],
  ["migrations", "select"],
]);
const USUAL = "select, insert, update, delete";

/** True where PostgreSQL knows an account of this name. */
export async function accountExists(db: Executor, account: string): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${account}`.execute(db);
  return rows.length > 0;
}

/**
 * Gives the servers' account what servers need of the tables that the connected account owns, and nothing more; may be
 * called again and again. Tables that a later migration makes are open to it from the beginning.
 */
export async function grantToServers(tx: Tx, account: string): Promise<void> {
  const { rows: relations } = await sql<{ name: string; kind: string }>`
    select relname as name, relkind as kind from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and relkind in ('r', 'p', 'S') and not relispartition and relowner = (select oid from pg_roles where rolname = current_user)
    order by relname`.execute(tx);
  const { rows: functions } = await sql<{ signature: string }>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = (select oid from pg_namespace where nspname = current_schema())
      and proowner = (select oid from pg_roles where rolname = current_user) order by 1`.execute(tx);
  const { rows: schemas } = await sql<{ name: string }>`select current_schema() as name`.execute(tx);
  const to = sql.id(account);
  const schema = sql.id(schemas[0]?.name ?? "public");
  const grant = async (rights: string, on: string, things: readonly RawBuilder<unknown>[]): Promise<void> => {
    if (things.length === 0) return;
    const list = sql`${sql.raw(on)} ${sql.join(things)}`;
    await sql`revoke all on ${list} from ${to}`.execute(tx);
    await sql`grant ${sql.raw(rights)} on ${list} to ${to}`.execute(tx);
  };
  await sql`grant usage on schema ${schema} to ${to}`.execute(tx);
  const tables = relations.filter(({ kind }) => kind !== "S").map(({ name }) => name);
  for (const rights of new Set([USUAL, ...limited.values()])) {
    const those = tables.filter((name) => (limited.get(name) ?? USUAL) === rights);
    await grant(
      rights,
      "table",
      those.map((name) => sql.id(name)),
    );
  }
  const sequences = relations.filter(({ kind }) => kind === "S");
  await grant(
    "usage",
    "sequence",
    sequences.map(({ name }) => sql.id(name)),
  );
  await grant(
    "execute",
    "function",
    functions.map(({ signature }) => sql.raw(signature)),
  );
  for (const rights of [`${USUAL} on tables`, "usage on sequences", "execute on functions"]) {
    await sql`alter default privileges in schema ${schema} grant ${sql.raw(rights)} to ${to}`.execute(tx);
  }
}

/**
 * True where this account, by itself or by what it can make itself, could change or remove what the audit holds: it owns
 * the tables, their schema or the database, or was given more than to add to them.
 */
export async function couldChangeAudit(db: Executor, account: string): Promise<boolean> {
  const { rows } = await sql<{ could: boolean }>`
    select exists (
      select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_database d on d.datname = current_database()
      where c.oid in (to_regclass('audit'), to_regclass('audit_seals')) and (
        pg_has_role(${account}::name, c.relowner, 'MEMBER') or pg_has_role(${account}::name, n.nspowner, 'MEMBER')
        or pg_has_role(${account}::name, d.datdba, 'MEMBER')
        or has_table_privilege(${account}::name, c.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')
        or has_any_column_privilege(${account}::name, c.oid, 'UPDATE'))
    ) or exists (
      select from pg_roles r where r.rolname = ${account} and (r.rolsuper
        -- Up to PostgreSQL 15 whoever makes accounts may join any.
        or (r.rolcreaterole and current_setting('server_version_num')::int < 160000))
    ) or exists (
      select from pg_roles r where r.rolname in ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files')
        and pg_has_role(${account}::name, r.oid, 'MEMBER')
    ) as could`.execute(db);
  return rows[0]?.could !== false;
}

/** The account that the connection has. */
export async function connectedAccount(db: Executor): Promise<string> {
  const { rows } = await sql<{ account: string }>`select current_user as account`.execute(db);
  return rows[0]?.account ?? "";
}
