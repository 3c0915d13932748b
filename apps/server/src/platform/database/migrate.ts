import { type RawBuilder, sql } from "kysely";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasCode } from "../errors.ts";
import type { Db, Executor, Tx } from "./database.ts";
import { partsOfMigration, runMigrationSteps, runStepsIn, type StepProgress } from "./migration-steps.ts";
import { isLockTimeout, setLockTimeout } from "./transactions.ts";

const folder = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** Any number all servers agree on; one migrates at a time, and no server reads the schema during a migration. */
export const MIGRATION_LOCK = 7_305_001;

/** The application name of a migration's connection; any other connection may be a server. */
export const MIGRATION_CONNECTION = "suncrew-migrate";

/**
 * A migration waits for the lock on a table no longer than this, in milliseconds, since everybody else queues behind it;
 * then it pauses for as long and retries, up to `ATTEMPTS` times.
 */
const LOCK_WAIT_MS = 1_000;
const ATTEMPTS = 60;

interface Migration {
  /** File name. */
  readonly name: string;
  /** Servers of a version that does not know it can run on a database that has it (decision 40). */
  readonly additive: boolean;
  /** Steps on large tables that are still to be run; servers may run before they are. */
  readonly stepsLeft: number;
}

export interface Schema {
  /** The number of the newest migration that the database has; 0 where it has none. */
  readonly database: number;
  /** The number of the newest migration that this program has. */
  readonly program: number;
  /** What this program has and the database has not, in order. */
  readonly missing: readonly Migration[];
  /** Migrations that a newer program applied, in order. */
  readonly newer: readonly Migration[];
  /** Known and applied, but with steps left, in order. */
  readonly unfinished: readonly Migration[];
}

/** Why the schema cannot be used or migrated, as a message for the operator. */
export class SchemaError extends Error {}

/** The first line of a migration says `-- additive` or `-- breaking`; without either it is breaking. */
const isAdditive = (text: string): boolean => /^-- additive\b/.test(text);
const textOf = (name: string): Promise<string> => readFile(join(folder, name), "utf8");
const numberOf = (name: string | undefined): number => Number(name?.slice(0, 4) ?? 0);

/** Compares the database with this program. Waits for a migration in progress. */
export async function readSchema(db: Db): Promise<Schema> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock_shared(${MIGRATION_LOCK})`.execute(tx);
    return compare(tx);
  });
}

async function compare(db: Executor): Promise<Schema> {
  const known = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).toSorted();
  const applied = await readApplied(db);
  const names = new Set(applied.map(({ name }) => name));
  const missing: Migration[] = [];
  for (const name of known.filter((each) => !names.has(each))) {
    const text = await textOf(name);
    missing.push({ name, additive: isAdditive(text), stepsLeft: partsOfMigration(text).steps.length });
  }
  return {
    database: numberOf(applied.at(-1)?.name),
    program: numberOf(known.at(-1)),
    missing,
    newer: applied.filter(({ name }) => !known.includes(name)),
    unfinished: applied.filter(({ name, stepsLeft }) => known.includes(name) && stepsLeft > 0),
  };
}

async function readApplied(db: Executor): Promise<Migration[]> {
  // Read from pg_class: after a wait for another process's migration, `to_regclass` alone still answers from this
  // connection's cache that there is no such table.
  const { rows } = await sql`select from pg_class where oid = to_regclass('migrations')`.execute(db);
  if (rows.length === 0) return [];
  // Older tables lack the columns.
  const applied = sql<Migration>`
    select name, coalesce((to_jsonb(migrations) ->> 'additive')::boolean, false) as additive,
      coalesce((to_jsonb(migrations) ->> 'steps')::int - (to_jsonb(migrations) ->> 'steps_done')::int, 0) as "stepsLeft"
    from migrations order by name collate "C"`;
  return (await applied.execute(db)).rows;
}

/** Throws a SchemaError if this program cannot run on the database because a newer one changed more than it added. */
function refuseNewer({ database, program, missing, newer }: Schema): void {
  const breaking = newer.filter(({ additive }) => !additive || missing.length > 0).map(({ name }) => name);
  if (breaking.length === 0) return;
  throw new SchemaError(
    `The database was made by a newer Suncrew: it has schema ${database}, this Suncrew knows ${program} and cannot run ` +
      `with ${breaking.join(", ")}. Install the newer version.`,
  );
}

/** Throws a SchemaError if a server of this program cannot run on such a database. */
export function requireSchema(schema: Schema): void {
  const { database, program, missing } = schema;
  refuseNewer(schema);
  if (missing.length === 0) return;
  const has = database === 0 ? "has no tables yet" : `has schema ${database}`;
  throw new SchemaError(
    `The database ${has}, this Suncrew needs ${program}. Run \`npm run migrate\`, then start again.`,
  );
}

interface MigrateOptions {
  readonly besideServers?: boolean;
  /** The account that servers connect as; null if it is the one that migrates. */
  readonly serverAccount?: string | null;
  readonly onProgress?: (progress: StepProgress) => void;
  /** How long the audit is kept from now on, 0 for good; unchanged without it. Only the tables' owner may say so. */
  readonly keepAuditDays?: number;
}

/**
 * Brings the database to this program's newest migration, and returns what it applied; several may call it at once.
 * Migrations are applied in one transaction, or, after one that has steps on large tables, in another once these are
 * done; a database without tables gets everything in one. A `serverAccount` gets its permissions in the same
 * transaction, so that running servers never meet a table that they cannot access. Throws a SchemaError if the database
 * is newer by more than additions, if there is no such account, if others lock its tables for minutes, and, with
 * `besideServers`, if a migration is breaking while others are connected.
 */
export async function migrate(db: Db, options: MigrateOptions = {}): Promise<readonly Migration[]> {
  const applied: Migration[] = [];
  for (;;) {
    const { added, unfinished, isComplete } = await applyWithRetry(db, options);
    applied.push(...added);
    for (const { name } of unfinished) {
      const { steps } = partsOfMigration(await textOf(name));
      await runMigrationSteps(db, name, steps, options.onProgress ?? (() => {}));
    }
    if (isComplete) return applied;
  }
}

async function applyWithRetry(db: Db, options: MigrateOptions): Promise<Applied> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute((tx) => applyMissing(tx, options));
    } catch (error) {
      const isDeadlock = hasCode(error, "40P01");
      if (!isDeadlock && !isLockTimeout(error)) throw error;
      if (attempt === ATTEMPTS) {
        throw new SchemaError(
          "Nothing was changed: tables of the database were locked by others for two minutes. Try again when the database is less busy.",
        );
      }
      await sql`select pg_sleep(${LOCK_WAIT_MS / 1000})`.execute(db);
    }
  }
}

/** What one transaction applied, and whose steps must be run before more can be. */
interface Applied {
  readonly added: readonly Migration[];
  readonly unfinished: readonly Migration[];
  /** Nothing is missing beyond those steps. */
  readonly isComplete: boolean;
}

async function applyMissing(
  tx: Tx,
  { besideServers = false, serverAccount = null, keepAuditDays }: MigrateOptions,
): Promise<Applied> {
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx);
  const schema = await compare(tx);
  refuseNewer(schema);
  const { rows: accounts } = await sql`select from pg_roles where rolname = ${serverAccount}`.execute(tx);
  if (serverAccount !== null && accounts.length === 0) {
    throw new SchemaError(`PostgreSQL has no account "${serverAccount}", which DATABASE_URL names. Create it first.`);
  }
  const added = await addMissing(tx, schema, besideServers);
  // Only a newer version knows which permissions its own tables need.
  if (serverAccount !== null && schema.newer.length === 0) await grantToServers(tx, serverAccount);
  const unfinished = [...schema.unfinished, ...added.filter(({ stepsLeft }) => stepsLeft > 0)];
  const isComplete = added.length === schema.missing.length;
  if (isComplete && keepAuditDays !== undefined) await storeAuditRetention(tx, keepAuditDays);
  return { added, unfinished, isComplete };
}

/** For how many days the audit is kept, as its owner stored it; 0: for good. */
export async function readAuditRetention(db: Executor): Promise<number> {
  const { rows } = await sql<{ days: number }>`select keep_days as days from audit_retention`.execute(db);
  return rows[0]?.days ?? 0;
}

/** A change of it is on record in the audit itself. Whoever is not the owner may run this while nothing changes. */
async function storeAuditRetention(tx: Tx, days: number): Promise<void> {
  const former = await readAuditRetention(tx);
  if (former === days) return;
  await sql`update audit_retention set keep_days = ${days}`.execute(tx);
  await sql`
    insert into audit (at, actor, action, entity, outcome, before, after)
    values (clock_timestamp(), 'Suncrew', 'SET_AUDIT_RETENTION', 'audit', 'DONE',
      jsonb_build_object('keep_days', ${former}::int), jsonb_build_object('keep_days', ${days}::int))`.execute(tx);
}

/**
 * Applies what is missing: to a database without tables all of it, otherwise up to the first migration with steps, which
 * the next ones may rely on.
 */
async function addMissing(tx: Tx, schema: Schema, besideServers: boolean): Promise<readonly Migration[]> {
  if (schema.missing.length === 0) return [];
  if (besideServers && schema.database > 0) await refuseBreakingBesideServers(tx, schema.missing);
  await setLockTimeout(tx, LOCK_WAIT_MS);
  await addMigrationsTable(tx);
  if (schema.unfinished.length > 0) return [];
  const added: Migration[] = [];
  for (const migration of schema.missing) {
    await apply(tx, migration);
    if (schema.database === 0) {
      // Its tables are empty, and nobody else uses them.
      await runStepsIn(tx, migration.name, partsOfMigration(await textOf(migration.name)).steps);
      added.push({ ...migration, stepsLeft: 0 });
    } else {
      added.push(migration);
      if (migration.stepsLeft > 0) break;
    }
  }
  return added;
}

async function addMigrationsTable(tx: Tx): Promise<void> {
  await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`.execute(
    tx,
  );
  await sql`alter table migrations add column if not exists additive boolean not null default false,
    add column if not exists steps integer not null default 0,
    add column if not exists steps_done integer not null default 0`.execute(tx);
}

async function apply(tx: Tx, { name, additive, stepsLeft }: Migration): Promise<void> {
  await sql.raw(partsOfMigration(await textOf(name)).schema).execute(tx);
  await sql`insert into migrations (name, additive, steps) values (${name}, ${additive}, ${stepsLeft})`.execute(tx);
}

async function refuseBreakingBesideServers(tx: Tx, missing: readonly Migration[]): Promise<void> {
  const breaking = missing.filter(({ additive }) => !additive).map(({ name }) => name);
  if (breaking.length === 0) return;
  const count = await countOtherConnections(tx);
  if (count === 0) return;
  throw new SchemaError(
    `Nothing was changed: servers of the version before cannot run with ${breaking.join(", ")}, and the database has ` +
      `${count} other ${count === 1 ? "connection" : "connections"} open. Stop every Suncrew server, then run it again.`,
  );
}

/** Connections to this database that may be servers': all but this one and those that migrate. */
export async function countOtherConnections(db: Executor): Promise<number> {
  // An ordinary account sees neither type nor name of other accounts' connections; PostgreSQL's own have no account.
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and usename is not null
      and coalesce(backend_type, 'client backend') = 'client backend'
      and application_name is distinct from ${MIGRATION_CONNECTION}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A migration that a database had when it was backed up. */
export interface AppliedMigration {
  readonly name: string;
  readonly stepsDone: number;
}

/** The migrations that the database has, in order. */
export async function readAppliedMigrations(db: Executor): Promise<AppliedMigration[]> {
  // Older tables lack the column.
  const { rows } = await sql<AppliedMigration>`
    select name, coalesce((to_jsonb(migrations) ->> 'steps_done')::int, 0) as "stepsDone"
    from migrations order by name collate "C"`.execute(db);
  return rows;
}

/**
 * Gives an empty database exactly these migrations, in the caller's transaction: the schema that a backup was taken of.
 * Throws a SchemaError for one that this program does not know.
 */
export async function makeSchema(tx: Tx, migrations: readonly AppliedMigration[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx);
  const { missing, program } = await compare(tx);
  await addMigrationsTable(tx);
  for (const { name, stepsDone } of migrations) {
    const known = missing.find((each) => each.name === name);
    if (known === undefined) {
      throw new SchemaError(
        `It is of a newer Suncrew: it has schema ${numberOf(migrations.at(-1)?.name)} with ${name}, this Suncrew knows ` +
          `${program}. Install the newer version.`,
      );
    }
    await apply(tx, known);
    const { steps } = partsOfMigration(await textOf(name));
    await runStepsIn(tx, name, steps.slice(0, stepsDone));
  }
}

/** Does what `migrate` does in the caller's transaction, for a database that nobody else uses. */
export async function migrateIn(tx: Tx, serverAccount: string | null): Promise<void> {
  for (;;) {
    const { unfinished, isComplete } = await applyMissing(tx, { serverAccount });
    for (const { name, stepsLeft } of unfinished) {
      const { steps } = partsOfMigration(await textOf(name));
      await runStepsIn(tx, name, steps.slice(steps.length - stepsLeft));
    }
    if (isComplete) return;
  }
}

/**
 * Permissions of the servers' account on these tables; on all others it may read, insert, update and delete (decision
 * 47). Rows wait in `audit_unsealed` until they are sealed: removing one from there is detected.
 */
const limited: ReadonlyMap<string, string> = new Map([
  ["audit", "select, insert"],
  ["audit_seals", "select, insert"],
  ["audit_unsealed", "select, insert, delete"],
  ["audit_names", "select, insert"],
  ["audit_reasons", "select, insert"],
  ["audit_retention", "select"],
  ["audit_beginning", "select"],
  ["migrations", "select"],
]);
const FULL_ACCESS = "select, insert, update, delete";

/**
 * Grants the servers' account what servers need on the tables of the connected account, and nothing more; idempotent.
 * Default privileges cover the tables of later migrations.
 */
async function grantToServers(tx: Tx, account: string): Promise<void> {
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
  const idOf = (name: string) => sql.id(name);
  const grant = async (rights: string, on: string, names: readonly RawBuilder<unknown>[]): Promise<void> => {
    if (names.length === 0) return;
    const list = sql`${sql.raw(on)} ${sql.join(names)}`;
    await sql`revoke all on ${list} from ${to}`.execute(tx);
    await sql`grant ${sql.raw(rights)} on ${list} to ${to}`.execute(tx);
  };
  await sql`grant usage on schema ${schema} to ${to}`.execute(tx);
  const tables = relations.filter(({ kind }) => kind !== "S").map(({ name }) => name);
  for (const rights of new Set([FULL_ACCESS, ...limited.values()])) {
    const names = tables.filter((name) => (limited.get(name) ?? FULL_ACCESS) === rights);
    await grant(rights, "table", names.map(idOf));
  }
  const sequences = relations.filter(({ kind }) => kind === "S").map(({ name }) => name);
  await grant("usage", "sequence", sequences.map(idOf));
  const signatures = functions.map(({ signature }) => sql.raw(signature));
  await grant("execute", "function", signatures);
  for (const rights of [`${FULL_ACCESS} on tables`, "usage on sequences", "execute on functions"]) {
    await sql`alter default privileges in schema ${schema} grant ${sql.raw(rights)} to ${to}`.execute(tx);
  }
}

/**
 * True if this account, directly or by a role it can take, could change or delete audit rows: it owns the tables, their
 * schema or the database, or has more than insert permission.
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
        -- Up to PostgreSQL 15, CREATEROLE may grant itself any role.
        or (r.rolcreaterole and current_setting('server_version_num')::int < 160000))
    ) or exists (
      select from pg_roles r where r.rolname in ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files')
        and pg_has_role(${account}::name, r.oid, 'MEMBER')
    ) as could`.execute(db);
  return rows[0]?.could !== false;
}

export async function connectedAccount(db: Executor): Promise<string> {
  const { rows } = await sql<{ account: string }>`select current_user as account`.execute(db);
  return rows[0]?.account ?? "";
}
