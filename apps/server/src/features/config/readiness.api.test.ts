import { ready } from "@suncrew/contract/config/config.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";

let reserved: OpenDatabase;
let server: TestApp;

/** A schema in which a test can shadow PostgreSQL's own functions. */
const IN_FRONT = "-c search_path=in_front,public,pg_catalog";

/** A server whose commands connect to the database with these settings. */
async function open(options: string): Promise<void> {
  server = await createTestApp({
    reservedDb: (connection) => (reserved = openDatabase({ ...connection, options }, { poolSize: 1 })).db,
  });
}

beforeEach(({ task }) => open(task.name.includes("read-only") ? "-c default_transaction_read_only=on" : IN_FRONT));
afterEach(async () => {
  await server.close();
  await reserved.close();
});

/** As a load balancer asks, after shared answers and periodic write checks have expired. */
async function ask(): Promise<readonly [number, string]> {
  server.clock.advance(5_000);
  return askAtOnce();
}

async function askAtOnce(): Promise<readonly [number, string]> {
  const { status, body } = await (await server.as(null)).raw(ready.path);
  const answer = status === 200 ? ready.response.parse(body).status : (body as { message: string }).message;
  return [status, answer];
}

describe("protocol rule 11: a server is ready if a START could work", () => {
  test("without a bridge it is not, with one it is", async () => {
    expect(await ask()).toEqual([503, "No server is the bridge to the robots."]);
    await server.app.start();
    expect(await ask()).toEqual([200, "ready"]);
  });

  test("a bridge without its broker reports it to every server", async () => {
    await server.app.start();
    expect(await ask()).toEqual([200, "ready"]);
    server.broker.setConnected(false);
    expect(await ask()).toEqual([503, "The MQTT broker cannot be reached."]);
    // As seen by a server that reaches the broker itself.
    const seen = async () => {
      server.clock.advance(1_000);
      return sql`select from pg_locks where locktype = 'advisory' and granted and objid = 7305003
        and database = (select oid from pg_database where datname = current_database())`
        .execute(server.db)
        .then(({ rows }) => rows.length);
    };
    await expect.poll(seen).toBe(1);
    server.broker.setConnected(true);
    await expect.poll(seen).toBe(0);
    expect(await ask()).toEqual([200, "ready"]);
  });

  test("a bridge elsewhere that is cut off from the broker is reported", async () => {
    await sql`select pg_advisory_lock(7305002), pg_advisory_lock(7305003)`.execute(server.db);
    expect(await ask()).toEqual([503, "A server that is the bridge to robots cannot reach the MQTT broker."]);
    await sql`select pg_advisory_unlock_all()`.execute(server.db);
  });
});

describe("set-up: /api/ready checks the database as a START does", () => {
  beforeEach(() => server.app.start());

  test("a read-only database is not ready", async () => {
    expect(await ask()).toEqual([503, "The database can only be read at the moment."]);
  });

  test("a full disk is reported as such, and tried only every few seconds", async () => {
    expect(await ask()).toEqual([200, "ready"]);
    // Shadows PostgreSQL's own function, and fails as it does with a full disk.
    await sql`create schema in_front`.execute(server.db);
    await sql`
      create function in_front.pg_logical_emit_message(boolean, text, text) returns text language plpgsql as $$
      begin
        raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
      end $$`.execute(server.db);
    server.clock.advance(2_000);
    expect(await askAtOnce()).toEqual([200, "ready"]);
    expect(await ask()).toEqual([503, "The database's disk is full or cannot be written."]);
  });

  test.each([
    ["commands", () => reserved.db, 1],
    ["calls", () => server.db, 5],
  ] as const)("exhausted connections for %s are reported", async (whose, pool, size) => {
    expect(await ask()).toEqual([200, "ready"]);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const taken = Array.from({ length: size }, () => Promise.withResolvers<void>());
    const holding = taken.map((one) =>
      pool()
        .transaction()
        .execute(async (tx) => {
          await sql`select 1`.execute(tx);
          one.resolve();
          await held;
        }),
    );
    await Promise.all(taken.map(({ promise }) => promise));
    server.clock.advance(1_000);
    const asked = askAtOnce();
    let isAnswered = false;
    void asked.finally(() => (isAnswered = true));
    await expect
      .poll(() => {
        server.clock.advance(1_000);
        return isAnswered;
      })
      .toBe(true);
    expect(await asked).toEqual([503, `All database connections that this server reserves for ${whose} are in use.`]);
    release();
    await Promise.all(holding);
  });

  test("however many ask at the same time, and for a second, the database is queried once", async () => {
    await sql`create schema in_front create sequence looks`.execute(server.db);
    await sql`
      create function in_front.pg_is_in_recovery() returns boolean language sql as $$
        select nextval('in_front.looks') is null
      $$`.execute(server.db);
    const answers = await Promise.all(Array.from({ length: 200 }, askAtOnce));
    expect(answers).toEqual(answers.map(() => [200, "ready"]));
    server.clock.advance(999);
    await askAtOnce();
    const { rows } = await sql<{ looks: number }>`select last_value as looks from in_front.looks`.execute(server.db);
    expect(rows).toEqual([{ looks: 1 }]);
    server.clock.advance(1);
    await askAtOnce();
    const { rows: later } = await sql<{ looks: number }>`select last_value as looks from in_front.looks`.execute(
      server.db,
    );
    expect(later).toEqual([{ looks: 2 }]);
  });
});
