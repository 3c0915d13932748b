import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { databaseOn, type OpenDatabase, openDatabase, poolConfig } from "../src/platform/database/database.ts";
import { addFixtures, type Fixtures } from "./fixtures.ts";
import { databaseUrl } from "./owner-and-server-accounts.ts";
import { restoringSql } from "./restore-point.ts";

/** A copy of the migrated template that belongs to this worker. */
interface Copy {
  readonly name: string;
  /** A connection to the copy itself, for the work between two tests. */
  readonly client: pg.Client;
  /** Tables, columns, constraints, triggers and functions as in the template. */
  readonly schema: string;
  /** SQL that restores its initial rows. */
  readonly restore: string;
  /** Kept from one test to the next: a new connection costs PostgreSQL more than most tests do. */
  pool: KeptPool;
}

/** A pool that survives the database of one test. */
class KeptPool extends pg.Pool {
  override end(): Promise<void> {
    return Promise.resolve();
  }

  drop(): Promise<void> {
    return super.end();
  }

  get isBusy(): boolean {
    return this.idleCount < this.totalCount || this.waitingCount > 0;
  }

  /** Forgets what a test did to its connections, such as locks and settings; answers their process numbers. */
  async reset(): Promise<number[]> {
    const clients = await Promise.all(Array.from({ length: this.totalCount }, () => this.connect()));
    return Promise.all(
      clients.map(async (client) => {
        await client.query("discard all");
        const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
        client.release();
        return rows[0]?.pid ?? 0;
      }),
    );
  }
}

interface SeededCopy extends Copy {
  readonly fixtures: Fixtures;
}

/** Copies that no test uses at the moment. Restoring one takes a hundredth of the time it takes to create one. */
const idle: Copy[] = [];
/** The same, with the fixtures in them. */
const idleSeeded: SeededCopy[] = [];

/** A migrated database for one test or file; the caller closes it. */
export async function createTestDatabase(): Promise<OpenDatabase> {
  return opened(idle.pop() ?? (await copyTemplate(async () => ({}))), idle);
}

/** The same with the fixtures in it. */
export async function createSeededDatabase(): Promise<{
  readonly database: OpenDatabase;
  readonly fixtures: Fixtures;
}> {
  const copy = idleSeeded.pop() ?? (await copyTemplate(async (db) => ({ fixtures: await addFixtures(db) })));
  return { database: opened(copy, idleSeeded), fixtures: copy.fixtures };
}

/** A database without tables; the caller drops it. */
export async function createEmptyDatabase(): Promise<{
  readonly connection: pg.ClientConfig;
  readonly url: string;
  drop(): Promise<void>;
}> {
  const { admin, template } = inject("postgres");
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  await asAdmin((client) => client.query(`create database ${name}`));
  const connection = inDatabase(admin, name);
  return {
    connection,
    url: databaseUrl(connection),
    drop: () => asAdmin((client) => client.query(`drop database ${name} with (force)`)),
  };
}

function opened<C extends Copy>(copy: C, home: C[]): OpenDatabase {
  const database = databaseOn(copy.pool, inDatabase(inject("postgres").admin, copy.name));
  return {
    ...database,
    async close() {
      await database.close();
      const oneSided = await oneSidedChanges(copy);
      if (await restored(copy)) home.push(copy);
      if (oneSided.length > 0)
        throw new Error(`In the audit, before and after differ in fields: ${oneSided.join("; ")}`);
    },
  };
}

/** What the audit would show as a change that nobody made: a field that only one of before and after has. */
async function oneSidedChanges({ client }: Copy): Promise<string[]> {
  const { rows } = await client.query<{ told: string }>(`
    select distinct action || ' ' || field as told
    from audit cross join lateral (
      (select jsonb_object_keys(before) except select jsonb_object_keys(after))
      union all (select jsonb_object_keys(after) except select jsonb_object_keys(before))) one_sided (field)
    where before is not null and after is not null`);
  return rows.map(({ told }) => told);
}

/** Prepares the copy for the next test; drops it, and returns false, if its test changed more than rows. */
async function restored(copy: Copy): Promise<boolean> {
  if (copy.pool.isBusy) {
    await copy.pool.drop();
    copy.pool = poolOf(copy.name);
  }
  const kept = await copy.pool.reset();
  // Another connection still open would hold its locks.
  await copy.client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and pid <> all($1::int[])`,
    [kept],
  );
  if ((await schemaOf(copy.client)) === copy.schema) {
    await copy.client.query(copy.restore);
    return true;
  }
  await copy.pool.drop();
  await copy.client.end();
  await asAdmin((client) => client.query(`drop database ${copy.name} with (force)`));
  return false;
}

function poolOf(name: string): KeptPool {
  const config = poolConfig(inDatabase(inject("postgres").admin, name), { poolSize: 5 });
  // However slow the machine is: several servers and the test itself share these few connections.
  const pool = new KeptPool({ ...config, connectionTimeoutMillis: 60_000 });
  // PostgreSQL ends before the workers do, and tests cut connections in use.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", () => {});
  return pool;
}

/** A new copy, with what `seed` has inserted. */
async function copyTemplate<T extends object>(seed: (db: OpenDatabase["db"]) => Promise<T>): Promise<Copy & T> {
  const { admin, template } = inject("postgres");
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  await asAdmin(async (client) => {
    // PostgreSQL copies a template for one session at a time.
    await client.query("select pg_advisory_lock(7305002)");
    await client.query(`create database ${name} template ${template}`);
  });
  const client = new pg.Client(inDatabase(admin, name));
  // PostgreSQL ends before the workers do.
  client.on("error", () => {});
  await client.connect();
  const database = openDatabase(inDatabase(admin, name), { poolSize: 1 });
  const seeded = await seed(database.db);
  await database.close();
  const rows = async <T>(text: string) => (await client.query(text)).rows as T[];
  const [schema, restore] = [await schemaOf(client), await restoringSql(rows)];
  return { ...seeded, name, client, schema, restore, pool: poolOf(name) };
}

/** Monthly partitions are no change: they are created automatically, with the first reading of their month. */
async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(`
    with tables as (
      select oid, relname from pg_class
      where relkind in ('r', 'p', 'v', 'S') and not relispartition
        and relnamespace not in (select oid from pg_namespace where nspname ~ '^(pg_|information_schema)')
    )
    select md5(string_agg(line, ',' order by line)) as schema from (
      select concat('table ', oid, relname) as line from tables
      union all select concat('column ', attrelid, attname, atttypid, attnotnull) from pg_attribute
        where attrelid in (select oid from tables) and attnum > 0
      union all select concat('constraint ', oid, conname, convalidated) from pg_constraint
        where conrelid in (select oid from tables)
      union all select concat('trigger ', oid, tgenabled) from pg_trigger where tgrelid in (select oid from tables)
      union all select concat('function ', oid, md5(prosrc)) from pg_proc where oid >= 16384
      union all select concat('schema ', oid) from pg_namespace where oid >= 16384 and nspname !~ '^pg_'
    ) as schema`);
  return rows[0]?.schema ?? "";
}

/** The settings of a connection to another database of the same PostgreSQL. */
export function inDatabase(admin: pg.ClientConfig, database: string): pg.ClientConfig {
  if (admin.connectionString === undefined) return { ...admin, database };
  const url = new URL(admin.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

async function asAdmin(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(inject("postgres").admin);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
