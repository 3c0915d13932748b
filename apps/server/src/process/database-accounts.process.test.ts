import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { login } from "@suncrew/contract/auth/auth.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { provisionDevices } from "@suncrew/contract/devices/devices.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { createRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { reportPdf } from "@suncrew/contract/reports/reports.ts";
import { createSite } from "@suncrew/contract/sites/site-forms.ts";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { sealBatch } from "../features/audit/audit-chain.repository.ts";
import { openDatabase } from "../platform/database/database.ts";
import { expectReady } from "../../test/expect-ready.ts";
import { compiledBefore, runMigrate, runSuncrew, type SuncrewRun } from "../../test/suncrew-process.ts";
import { createOwnerAndServerAccounts, type OwnerAndServerAccounts } from "../../test/owner-and-server-accounts.ts";

const SECRET_KEY = "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG";
const ADMIN_PASSWORD = "meadow-lantern-42";
const MAY_CHANGE = "the account of DATABASE_URL could change the audit: let another one own the tables";

let folder: string;
let database: OwnerAndServerAccounts;
let run: SuncrewRun | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-accounts-"));
  const { admin, template } = inject("postgres");
  database = await createOwnerAndServerAccounts(admin, `${template}_${randomBytes(6).toString("hex")}`);
});
afterEach(async () => {
  await run?.interrupt();
  run = null;
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function serve(databaseUrl: string): SuncrewRun {
  run = runSuncrew(["production"], {
    DATABASE_URL: databaseUrl,
    EMBEDDED: "yes",
    DATA_DIR: folder,
    SECRET_KEY,
    ADMIN_PASSWORD,
    HOST: "127.0.0.1",
    PORT: "0",
    MQTT_PORT: "0",
    LOG_LEVEL: "info",
  });
  return run;
}

async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Runs a program of the repository to its end, with the servers' account. */
async function program(name: string, words: readonly string[]): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../${name}.ts`, import.meta.url)), ...words], {
    env: { PATH: process.env["PATH"], ...compiledBefore, DATABASE_URL: database.serverUrl, SECRET_KEY },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (printed += part.toString()));
  await once(child, "close");
  return { code: child.exitCode, printed };
}

/** The SQLSTATE with which a statement is refused; null if it succeeded. */
async function refusalOf(client: pg.Client, statement: string): Promise<string | null> {
  await client.query("begin");
  try {
    await client.query(statement);
    return null;
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.code ?? "none") : "none";
  } finally {
    await client.query("rollback");
  }
}

/** Makes calls as the first Super Admin. */
async function signIn(url: string) {
  const ask = async (route: RouteSpec, body: unknown, token: string | null = null) => {
    const answer = await fetch(url + route.path, {
      method: route.method,
      headers: { "content-type": "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: text.startsWith("{") ? (JSON.parse(text) as unknown) : null };
  };
  const { token } = login.response.parse((await ask(login, { username: "admin", password: ADMIN_PASSWORD })).body);
  return (route: RouteSpec, body: unknown) => ask(route, body, token);
}

describe("set-up: a servers' account separate from the one that owns the tables", () => {
  test("servers work with it, and the database refuses it any change to the audit", async () => {
    const migrated = await runMigrate(database);
    const { username } = new URL(database.serverUrl);
    expect(migrated).toMatchObject({
      code: 0,
      printed: expect.stringMatching(`The account ${username} may use it, and cannot change the audit.$`) as string,
    });
    expect(await runMigrate(database)).toMatchObject({ code: 0 });
    const server = serve(database.serverUrl);
    await expectReady(server);
    const { url } = await server.ready();

    const ask = await signIn(url);
    const siteForm = {
      name: "Sambhar Lake Solar",
      address: "Lake Road 4, Gudha",
      district: "Nagaur",
      state: "Rajasthan",
      pin_code: "341509",
      commissioning_date: "2024-04-01",
      latitude: 26.9091,
      longitude: 75.0893,
      maintenance_partner_id: 1,
    };
    const { siteId } = createSite.response.parse((await ask(createSite, siteForm)).body);
    expect((await ask(provisionDevices, { first_serial: "SCR-7001" })).status).toBe(201);
    const robot = {
      site_id: siteId,
      robot_name: "Robot 1",
      serial_number: "SCR-7001",
      installation_date: "2024-04-01",
      motor_type: "BLDC",
      control_type: "PLC",
    };
    const { robotId } = createRobot.response.parse((await ask(createRobot, robot)).body);
    const press = (command: "START" | "STOP") =>
      ask(sendCommand, { robotId: "SCR-7001", robotObjectId: robotId, siteId, command });
    expect((await press("START")).body).toMatchObject({ success: false });
    expect((await press("STOP")).body).toMatchObject({ pending: true });
    const day = (fromNow: number) => new Date(Date.now() + fromNow * 86_400_000).toISOString().slice(0, 10);
    const report = { site_id: siteId, from: `${day(-1)} 00:00:00`, to: `${day(2)} 00:00:00` };
    expect((await ask(reportPdf, report)).text).toMatch(/^%PDF/);

    await using client = await connect(database.serverUrl);
    const { rows: months } = await client.query<{ owner: string }>(
      "select relowner::regrole::text as owner from pg_class where relname ~ '^readings_\\d{4}_\\d\\d$'",
    );
    expect(months.map(({ owner }) => owner)).toEqual(Array(2).fill(new URL(database.ownerUrl).username));
    const { rows: log } = await client.query("select action, status from activity order by log_id");
    expect(log).toMatchObject([{ action: "START", status: "REFUSED" }, { action: "STOP" }]);
    const unsealed = "select ((select count(*) from audit) - (select count(*) from audit_seals))::int as rows";
    await expect.poll(async () => (await client.query(unsealed)).rows).toEqual([{ rows: 0 }]);
    // What is old is deleted with it, and the audit cut as far as the owner allows; who calls that chooses nothing.
    for (const statement of deletions)
      expect([statement, await refusalOf(client, statement)]).toEqual([statement, null]);
    expect(await refusalOf(client, `select drop_readings_partition('${day(0)}')`)).toBe("P0001");
    expect((await client.query("select cut_audit() as rows")).rows).toEqual([{ rows: 0 }]);
    await client.query("select ensure_readings_partition('2001-01-01')");
    expect((await client.query("select drop_readings_partition('2001-01-15') as rows")).rows).toEqual([{ rows: "0" }]);
    expect((await client.query("select to_regclass('readings_2001_01') as name")).rows).toEqual([{ name: null }]);
    for (const statement of forbidden)
      expect([statement, await refusalOf(client, statement)]).toEqual([statement, "42501"]);

    expect(run?.said()).not.toContain(MAY_CHANGE);
    expect(await program("verify-audit", [])).toMatchObject({ code: 0 });
    expect(await program("admin", ["end-sessions", "admin"])).toMatchObject({ code: 0 });
    expect((await program("migrate-database", [])).printed).toContain("Nothing to do");
  });

  test("the owner says how long the audit is kept: then servers cut it there, and what is left is proven", async () => {
    expect(await runMigrate(database)).toMatchObject({ code: 0 });
    const owner = openDatabase({ connectionString: database.ownerUrl }, { poolSize: 1 });
    const add = async (daysAgo: number, count: number) => {
      const at = new Date(Date.now() - daysAgo * 86_400_000);
      await sql`insert into audit (at, actor, action, entity, outcome)
        select ${at}, 'Anita Rao', 'UPDATE', 'robot', 'DONE' from generate_series(1, ${count}::int)`.execute(owner.db);
      await sealBatch(owner.db, at);
    };
    await add(500, 5);
    await add(300, 2);
    await owner.close();
    await using client = await connect(database.serverUrl);
    const cut = async () => (await client.query("select cut_audit() as rows")).rows;
    expect(await cut()).toEqual([{ rows: 0 }]);
    const environment = { KEEP_AUDIT_DAYS: "400" };
    expect(await runMigrate({ ...database, environment })).toMatchObject({ code: 0 });
    expect(await cut()).toEqual([{ rows: 5 }]);
    const begins = /^The chain begins after seal 5 of [\d-]{10} \(5:[0-9a-f]{64}\); earlier rows were removed on /;
    expect(await program("verify-audit", [])).toMatchObject({
      code: 0,
      printed: expect.stringMatching(begins) as string,
    });
    // What a server's environment says has no effect.
    await serve(database.serverUrl).ready();
    expect(run?.said()).toContain("KEEP_AUDIT_DAYS is not what `npm run migrate` stored, which counts");
  });

  test("a later migration grants access to its tables in the same transaction, and revokes excessive rights", async () => {
    await runMigrate(database);
    await using owner = await connect(database.ownerUrl);
    const { username } = new URL(database.serverUrl);
    await owner.query(`grant update (actor), truncate on audit to ${username}; create table made_up (id serial)`);
    await using client = await connect(database.serverUrl);
    expect(await refusalOf(client, "update audit set actor = 'me'")).toBeNull();
    expect(await refusalOf(client, "insert into made_up default values")).toBeNull();
    await serve(database.serverUrl).ready();
    expect(run?.said()).toContain(MAY_CHANGE);
    expect(await runMigrate(database)).toMatchObject({ code: 0 });
    expect(await refusalOf(client, "update audit set actor = 'me'")).toBe("42501");
    expect(await refusalOf(client, "truncate audit")).toBe("42501");
  });

  test("a single account keeps working, with a warning of what it could do; another account is told what it lacks", async () => {
    const early = serve(database.serverUrl);
    expect(await early.ended()).toBe(1);
    expect(await runMigrate(database.ownerUrl)).toMatchObject({ code: 0 });
    const alone = serve(database.ownerUrl);
    await alone.ready();
    expect(alone.said().split(MAY_CHANGE)).toHaveLength(2);
    await alone.interrupt();
    const closed = serve(database.serverUrl);
    expect(await closed.ended()).toBe(1);
    expect(closed.said()).toContain("gives the servers' account what it needs");
    // The same command changes from one account to two.
    expect(await runMigrate(database)).toMatchObject({ code: 0 });
    await serve(database.serverUrl).ready();
    expect(run?.said()).not.toContain(MAY_CHANGE);
  });

  test("migrate reports which of the two URLs is wrong", async () => {
    const other = new URL(database.serverUrl);
    other.username = "nobody_of_that_name";
    expect(await runMigrate({ ...database, serverUrl: other.href })).toEqual({
      code: 1,
      printed: 'PostgreSQL has no account "nobody_of_that_name", which DATABASE_URL names. Create it first.',
    });
    other.pathname = "/elsewhere";
    expect(await runMigrate({ ...database, serverUrl: other.href })).toEqual({
      code: 2,
      printed: "DATABASE_URL and MIGRATION_DATABASE_URL must name the same database.",
    });
    const beyond = await runMigrate({ ...database, ownerUrl: "postgres://owner:secret@db.example/suncrew" });
    expect(beyond).toMatchObject({
      code: 2,
      printed: expect.stringMatching(/^MIGRATION_DATABASE_URL names /) as string,
    });
  });
});

const grownTables =
  "robot_events robot_presence runs commands activity activity_texts alerts robot_days kept_reports outgoing_mails sessions";
const deletions = [
  ...grownTables.split(" ").map((table) => `delete from ${table}`),
  "lock table activity in share row exclusive mode",
  "select drop_readings_partition('2001-01-01')",
  "select delete_unpartitioned_readings(now(), 10)",
];

/** Everything that would change or hide history, or allow that. */
const forbidden = [
  "update audit set actor = 'me'",
  "delete from audit",
  "truncate audit",
  "truncate audit cascade",
  "alter table audit disable trigger all",
  "alter table audit disable trigger audit_awaits_seal",
  "alter table audit rename to elsewhere",
  "alter table audit owner to current_user",
  "drop table audit cascade",
  "drop trigger audit_awaits_seal on audit",
  "create trigger mine before insert on audit for each row execute function await_audit_seal()",
  "create rule mine as on insert to audit do instead nothing",
  "create policy mine on audit using (false)",
  "create or replace function await_audit_seal() returns trigger language plpgsql as 'begin return null; end'",
  "drop function await_audit_seal() cascade",
  "update audit_seals set hash = decode(repeat('00', 32), 'hex')",
  "delete from audit_seals",
  "truncate audit_seals",
  "drop table audit_seals",
  "update audit_names set words = ''",
  "update audit_retention set keep_days = 365",
  "insert into audit_retention (one, keep_days) values (true, 365) on conflict (one) do update set keep_days = 365",
  "insert into audit_beginning (number, hash, sealed_at, cut_at) values (1, decode(repeat('00', 32), 'hex'), now(), now())",
  "create or replace function cut_audit() returns integer language sql as 'select 0'",
  "delete from migrations",
  "alter table users add column mine text",
  "create table mine (id integer)",
  "set session_replication_role = replica",
  // Somebody without the right to grant only gets a warning, and nothing is granted.
  "grant update on audit to public; update audit set actor = 'me'",
];
