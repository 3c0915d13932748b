import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../src/platform/embedded/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL of this run: `template` is migrated and empty, for each test file to copy. */
    postgres: { readonly admin: pg.ClientConfig; readonly template: string };
  }
}

interface TestPostgres {
  /** May make and drop databases. */
  readonly admin: pg.ClientConfig;
  stop(): Promise<void>;
}

/** The same suite runs on the embedded PostgreSQL, or on the one that TEST_DATABASE_URL names. */
async function startPostgres(): Promise<TestPostgres> {
  const url = process.env["TEST_DATABASE_URL"];
  if (url !== undefined && url !== "") return { admin: { connectionString: url }, stop: () => Promise.resolve() };
  const dataDir = await mkdtemp(join(tmpdir(), "suncrew-test-"));
  const embedded = await startEmbeddedPostgres({
    dataDir,
    programsDir: join(tmpdir(), `suncrew-postgres-${userInfo().uid}`),
    durable: false,
  });
  return {
    admin: { ...embedded.connection, database: "postgres" },
    async stop() {
      await embedded.stop();
      for (const folder of [dataDir, embedded.connection.host]) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function run(admin: pg.ClientConfig, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(admin);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The settings of a connection to another database of the same PostgreSQL. */
function inDatabase(admin: pg.ClientConfig, database: string): pg.ClientConfig {
  if (admin.connectionString === undefined) return { ...admin, database };
  const url = new URL(admin.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

/** Runs once for all workers: one PostgreSQL, one migrated database for them to copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  const template = `suncrew_template_${process.pid}`;
  await run(postgres.admin, `create database ${template}`);
  const database = openDatabase(inDatabase(postgres.admin, template));
  await migrate(database.db);
  await database.close();
  project.provide("postgres", { admin: postgres.admin, template });
  return async () => {
    await run(postgres.admin, `drop database if exists ${template} with (force)`);
    await postgres.stop();
  };
}
