import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { type OpenDatabase, openDatabase } from "../src/platform/database/database.ts";

/** A database of its own for a test file, copied from the migrated template; `close` drops it. */
export async function createTestDatabase(): Promise<OpenDatabase> {
  const { admin, template } = inject("postgres");
  const name = `suncrew_test_${randomBytes(6).toString("hex")}`;
  await runAsAdmin(admin, (client) => copyTemplate(client, name, template));
  const database = openDatabase(withDatabase(admin, name), { poolSize: 5 });
  return {
    ...database,
    async close() {
      await database.close();
      await runAsAdmin(admin, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

function withDatabase(admin: pg.ClientConfig, name: string): pg.ClientConfig {
  if (admin.connectionString === undefined) return { ...admin, database: name };
  const url = new URL(admin.connectionString);
  url.pathname = `/${name}`;
  return { connectionString: url.href };
}

/** PostgreSQL copies a template for one at a time. */
async function copyTemplate(client: pg.Client, name: string, template: string): Promise<void> {
  await client.query("select pg_advisory_lock(7305002)");
  await client.query(`create database ${name} template ${template}`);
}

async function runAsAdmin(admin: pg.ClientConfig, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(admin);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
