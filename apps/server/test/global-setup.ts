import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../src/platform/embedded/postgres.ts";
import { inDatabase } from "./test-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * The PostgreSQL of this run: `template` is migrated and empty, and the names of its copies begin with its name.
     */
    postgres: { readonly admin: pg.ClientConfig; readonly template: string };
  }
}

interface TestPostgres {
  /** May create and drop databases. */
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

async function asAdmin(admin: pg.ClientConfig, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(admin);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Runs once for all workers: one PostgreSQL, with one migrated database for them to copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  const { admin } = postgres;
  const template = `suncrew_test_${process.pid}`;
  await asAdmin(admin, async (client) => void (await client.query(`create database ${template}`)));
  const database = openDatabase(inDatabase(admin, template));
  await migrate(database.db);
  await database.close();
  project.provide("postgres", { admin, template });
  return async () => {
    await asAdmin(admin, async (client) => {
      const ours = "select datname from pg_database where starts_with(datname, $1)";
      const { rows } = await client.query<{ datname: string }>(ours, [template]);
      for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
    });
    await postgres.stop();
  };
}
