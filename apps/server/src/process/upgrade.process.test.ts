import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { login } from "@suncrew/contract/auth/auth.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { copyServer, newestMigration } from "../../test/copied-checkout.ts";
import { PASSWORD, usernames } from "../../test/fixtures.ts";
import { emptyTables, RELEASES_FOLDER } from "../../test/releases.ts";
import { untilBlocked } from "../../test/row-locks.ts";
import { expectReady } from "../../test/expect-ready.ts";
import { runMigrate, runSuncrew, type RunOptions, type SuncrewRun } from "../../test/suncrew-process.ts";
import { inDatabase } from "../../test/test-database.ts";
import { verifyAudit } from "../features/audit/public.ts";
import { restoreBackup } from "../features/backup/public.ts";
import { openDatabase } from "../platform/database/database.ts";
import { MIGRATION_LOCK, readSchema } from "../platform/database/migrate.ts";

let folder: string;
const newest = newestMigration();
let databaseUrl: string;
let closeDatabase: () => Promise<void>;
const runs: SuncrewRun[] = [];

const numbered = (number: number) => String(number).padStart(4, "0");
/** The migration of a fictitious next version. */
const next = (words: string) => ({ [`${numbered(newest + 1)}_made_up.sql`]: words });
const additive = "-- additive\nalter table robots add column made_up text not null default 'new';\n";
const breaking = "-- breaking\nalter table robots add column made_up text;\n";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-upgrade-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  ({ databaseUrl, closeDatabase } = await emptyDatabase());
});
afterEach(async () => {
  for (const run of runs.splice(0)) {
    if (run.child.exitCode === null && run.child.signalCode === null) await run.interrupt();
  }
  await closeDatabase();
});

/** A database without tables, and the URL that a server is given for it. */
async function emptyDatabase() {
  const { admin, template } = inject("postgres");
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  const asAdmin = async (statement: string) => {
    const client = new pg.Client(admin);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await asAdmin(`create database ${name}`);
  const { connectionString, host = "", port, user } = inDatabase(admin, name);
  return {
    databaseUrl: connectionString ?? `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    closeDatabase: () => asAdmin(`drop database ${name} with (force)`),
  };
}

async function connect(): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

function serve(options: RunOptions = {}): SuncrewRun {
  const run = runSuncrew(
    ["production"],
    {
      DATABASE_URL: databaseUrl,
      EMBEDDED: "yes",
      DATA_DIR: join(folder, `data-${runs.length}`),
      SECRET_KEY: "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG",
      HOST: "127.0.0.1",
      PORT: "0",
      MQTT_PORT: "0",
      LOG_LEVEL: "warn",
    },
    options,
  );
  runs.push(run);
  return run;
}

async function checkout(name: string, migrations: Readonly<Record<string, string>> = {}): Promise<string> {
  return copyServer(join(folder, name), migrations);
}

describe("set-up: npm run migrate", () => {
  test("comes before production's first server; of two concurrent runs one migrates; after that there is nothing to do", async () => {
    const early = serve();
    expect(await early.ended()).toBe(1);
    expect(early.said()).toBe(
      `The database has no tables yet, this Suncrew needs ${newest}. Run \`npm run migrate\`, then start again.`,
    );
    const look = await runMigrate(databaseUrl, ["--check"]);
    expect(look.code).toBe(1);
    expect(look.printed).toContain(`the database has no tables yet, this Suncrew needs ${newest}`);
    const both = await Promise.all([runMigrate(databaseUrl), runMigrate(databaseUrl)]);
    expect(both.filter(({ code }) => code !== 0).map(({ printed }) => printed)).toEqual([]);
    expect(both.filter(({ printed }) => printed.includes("0001_first_light.sql"))).toHaveLength(1);
    expect(both.map(({ printed }) => printed.split("\n").at(-1))).toEqual(
      expect.arrayContaining([
        `Nothing to do: the database has schema ${newest}.`,
        `The database has schema ${newest} now; it had none.`,
      ]),
    );
    expect(await runMigrate(databaseUrl, ["--check"])).toEqual({
      code: 0,
      printed: `Nothing to do: the database has schema ${newest}.`,
    });
    await expectReady(serve());
  });

  test("a run that waited for another's migration sees what that one added", async () => {
    const database = openDatabase({ connectionString: databaseUrl }, { poolSize: 1 });
    const watcher = openDatabase({ connectionString: databaseUrl }, { poolSize: 1 });
    try {
      expect((await readSchema(database.db)).database).toBe(0);
      await using other = await connect();
      await other.query("begin");
      await other.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      const read = readSchema(database.db);
      await untilBlocked(watcher.db);
      await other.query("create table migrations (name text primary key)");
      await other.query("insert into migrations values ('0001_first_light.sql')");
      await other.query("commit");
      expect((await read).database).toBe(1);
    } finally {
      await Promise.all([database.close(), watcher.close()]);
    }
  });

  test("explains wrong usage and a missing database", async () => {
    expect((await runMigrate(databaseUrl, ["--help"])).printed).toContain("--check");
    expect((await runMigrate(databaseUrl, ["--all"])).code).toBe(2);
    const without = await runMigrate("");
    expect(without.code).toBe(2);
    expect(without.printed).toContain("DATABASE_URL is missing");
    const away = await runMigrate("postgres://nobody:secret@127.0.0.1:1/none");
    expect(away.code).toBe(1);
    expect(away.printed).toMatch(/^The database at 127\.0\.0\.1:1\/none cannot be used: /);
    expect(away.printed).not.toContain("secret");
  });

  test("additive migrations run beside servers of the previous version, which keep running and can start on the result", async () => {
    await runMigrate(databaseUrl);
    const newer = await checkout("additive", next(additive));
    const running = serve();
    await expectReady(running);
    const early = serve({ checkout: newer });
    expect(await early.ended()).toBe(1);
    expect(early.said()).toBe(
      `The database has schema ${newest}, this Suncrew needs ${newest + 1}. Run \`npm run migrate\`, then start again.`,
    );
    expect(await runMigrate(databaseUrl, [], newer)).toEqual({
      code: 0,
      printed: `${numbered(newest + 1)}_made_up.sql\nThe database has schema ${newest + 1} now; it had ${newest}.`,
    });
    await expectReady(running);
    await expectReady(serve({ checkout: newer }));
    const back = serve();
    await expectReady(back);
    expect(back.printed()).toContain("the database has a newer version's schema, with additions only");
    expect((await runMigrate(databaseUrl)).printed).toContain(`newer than this Suncrew's ${newest} by additions only`);
  });

  test("breaking migrations do not run while a server is connected, and keep the previous version from starting", async () => {
    await runMigrate(databaseUrl);
    const newer = await checkout("breaking", next(breaking));
    const running = serve();
    await expectReady(running);
    const refused = await runMigrate(databaseUrl, [], newer);
    expect(refused.code).toBe(1);
    expect(refused.printed).toMatch(/^Nothing was changed: servers of the version before cannot run with \d+_made_up/);
    expect(refused.printed).toContain("Stop every Suncrew server");
    await expectReady(running);
    await running.interrupt();
    expect((await runMigrate(databaseUrl, [], newer)).code).toBe(0);
    const old = serve();
    expect(await old.ended()).toBe(1);
    expect(old.said()).toContain(`made by a newer Suncrew: it has schema ${newest + 1}, this Suncrew knows ${newest}`);
  });

  test("protocol rule 3: while it waits for a locked table, other queries are let through", async () => {
    await runMigrate(databaseUrl);
    const newer = await checkout("waiting", next(additive));
    await using holder = await connect();
    await using other = await connect();
    await holder.query("begin; select from robots");
    const migrating = runMigrate(databaseUrl, [], newer);
    const waits = "select from pg_locks where relation = 'robots'::regclass and not granted";
    while ((await other.query(waits)).rowCount === 0) await new Promise((resolve) => setImmediate(resolve));
    // Behind a migration that waits indefinitely this would not be answered before the lock is released.
    await other.query("select count(*) from robots");
    await holder.query("commit");
    expect((await migrating).code).toBe(0);
  });
});

describe("set-up: npm run migrate, on large tables", () => {
  /** A trigger fills the column for servers that do not know it. The advisory lock lets a test hold up a step. */
  const inSteps = `-- additive
alter table sessions add column made_up text;
create function fill_made_up() returns trigger language plpgsql as $$
begin
  new.made_up := coalesce(new.made_up, 'new');
  return new;
end $$;
create trigger fill_made_up before insert on sessions for each row execute function fill_made_up();
-- step: rows
with gate as (select pg_advisory_xact_lock(77))
update sessions set made_up = 'old' from gate
  where id in (select id from sessions where made_up is null limit 1000);
-- step: index
create index concurrently sessions_made_up on sessions (made_up);
`;
  const file = `${numbered(newest + 1)}_made_up.sql`;
  const addSessions = (client: pg.Client, count: number) =>
    client.query(
      `insert into sessions (id, user_id, created_at, expires_at, ended_at)
        select gen_random_uuid(), id, now(), now() + interval '1 day', now() from generate_series(1, $1), (select min(id) as id from users) first_user`,
      [count],
    );
  const count = async (client: pg.Client, where: string) =>
    Number((await client.query<{ count: string }>(`select count(*) from sessions where ${where}`)).rows[0]?.count);
  const migrations =
    "from pg_stat_activity where application_name = 'suncrew-migrate' and datname = current_database()";
  async function until(client: pg.Client, query: string): Promise<void> {
    while ((await client.query(query)).rowCount === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const untilItWaits = (client: pg.Client) => until(client, `select ${migrations} and wait_event_type = 'Lock'`);

  test("rows change in steps while servers of both versions run; locked rows are waited for, and it continues where it was interrupted", async () => {
    await runMigrate(databaseUrl);
    const newer = await checkout("in-steps", next(inSteps));
    const running = serve();
    await expectReady(running);
    await using client = await connect();
    await using holder = await connect();
    await addSessions(client, 5_500);
    expect((await runMigrate(databaseUrl, ["--check"], newer)).printed).toContain(
      `${file} (then 2 steps while servers run)`,
    );
    await client.query("select pg_advisory_lock(77)");
    const interrupted = runMigrate(databaseUrl, [], newer);
    await untilItWaits(client);
    await holder.query("begin; select from sessions order by ctid desc limit 1 for update");
    await client.query("select pg_advisory_unlock(77)");
    await until(client, "select from sessions where made_up = 'old' limit 1");
    await untilItWaits(client);
    await client.query(`select pg_terminate_backend(pid) ${migrations}`);
    expect((await interrupted).code).toBe(1);
    const before = await count(client, "made_up = 'old'");
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(5_500);
    expect(await runMigrate(databaseUrl, ["--check"], newer)).toEqual({
      code: 1,
      printed: `${file} (2 steps left; servers may be running)`,
    });

    await expectReady(serve({ checkout: newer }));
    await expectReady(running);
    const migrating = runMigrate(databaseUrl, [], newer);
    await untilItWaits(client);
    await addSessions(client, 1);
    await holder.query("commit");
    expect(await migrating).toEqual({
      code: 0,
      printed: [
        `${file}, step 1 of 2: ${5_500 - before} rows, done`,
        `${file}, step 2 of 2: index, done`,
        `The steps that were left are done: the database has schema ${newest + 1}.`,
      ].join("\n"),
    });
    expect(await count(client, "made_up = 'old'")).toBe(5_500);
    expect(await count(client, "made_up is null")).toBe(0);
    expect((await runMigrate(databaseUrl, [], newer)).printed).toContain("Nothing to do");
    expect((await runMigrate(databaseUrl)).printed).toContain(`newer than this Suncrew's ${newest} by additions only`);
  });

  test("an index that was interrupted is built again; two runs at once share the steps, and what follows waits for them", async () => {
    await runMigrate(databaseUrl);
    const newer = await checkout("in-steps-twice", {
      ...next(inSteps),
      [`${numbered(newest + 2)}_relies_on_it.sql`]:
        "-- additive\nalter table sessions add check (made_up is not null);\n",
    });
    await using client = await connect();
    await using holder = await connect();
    await client.query("insert into users (username, password_hash, name, role) values ('a', 'b', 'c', 'SUPER_ADMIN')");
    await addSessions(client, 5_500);
    // An index that is built concurrently waits for transactions that are older than it.
    await holder.query("begin isolation level repeatable read; select now()");
    const interrupted = runMigrate(databaseUrl, [], newer);
    await until(client, "select from pg_index where indexrelid = to_regclass('sessions_made_up') and not indisvalid");
    await client.query(`select pg_terminate_backend(pid) ${migrations}`);
    expect((await interrupted).code).toBe(1);
    await holder.query("commit");
    await client.query("update sessions set made_up = null; update migrations set steps_done = 0 where steps > 0");

    const both = await Promise.all([runMigrate(databaseUrl, [], newer), runMigrate(databaseUrl, [], newer)]);
    expect(both.filter(({ code }) => code !== 0).map(({ printed }) => printed)).toEqual([]);
    const changed = both.map(({ printed }) => Number(/step 1 of 2: (\d+) rows, done/.exec(printed)?.[1] ?? 0));
    expect(changed.reduce((sum, rows) => sum + rows)).toBe(5_500);
    const { rows } = await client.query(
      "select indisvalid from pg_index where indexrelid = to_regclass('sessions_made_up')",
    );
    expect(rows).toEqual([{ indisvalid: true }]);
    expect(await runMigrate(databaseUrl, ["--check"], newer)).toEqual({
      code: 0,
      printed: `Nothing to do: the database has schema ${newest + 2}.`,
    });
  });
});

/** As a later version would change a table with rows: with steps while servers of both versions work. */
const inSteps = `-- additive
alter table activity add column made_up text;
-- step: rows
update activity set made_up = 'old' where log_id in (select log_id from activity where made_up is null limit 10)
-- step: index
create index concurrently activity_made_up on activity (made_up);
`;

describe("set-up: upgrades from every release", () => {
  const releases = readdirSync(RELEASES_FOLDER).map((name) => name.replace(/\.tar$/, ""));

  test.each(releases)(
    "what %s stored, with rows in every table, is restored, upgraded beside a server, and works on two neighbouring versions",
    async (release) => {
      const none = { serverAccount: null, dataDir: null, secretKey: null };
      const path = join(RELEASES_FOLDER, `${release}.tar`);
      const connection = { connectionString: databaseUrl };
      const { manifest, auditProblem } = await restoreBackup({ connection, mode: "production", path, ...none });
      expect([manifest.version, auditProblem]).toEqual([release, null]);
      const empty = await tablesWithoutRows(connection);
      expect(manifest.tables.map(({ name }) => name).filter((name) => empty.includes(name))).toEqual([]);
      const running = serve();
      await expectReady(running);
      const newer = await checkout(`from-${release}`, next(inSteps));
      const migrated = await runMigrate(databaseUrl, [], newer);
      expect(migrated).toMatchObject({
        code: 0,
        printed: expect.stringContaining("step 2 of 2: index, done") as string,
      });
      const second = serve({ checkout: newer });
      for (const run of [running, second]) await expectReady(run);
      for (const run of [running, second]) expect(await sitesOf(run)).toContain("Ownfield Park");

      const database = openDatabase(connection, { poolSize: 1 });
      expect(await verifyAudit(database.db, manifest.auditHead)).toMatchObject({ wrong: null });
      await database.close();
    },
  );

  /** Tables without rows, before any server deletes what has reached its age. */
  async function tablesWithoutRows(connection: pg.ClientConfig): Promise<string[]> {
    const database = openDatabase(connection, { poolSize: 1 });
    const empty = await emptyTables(database.db);
    await database.close();
    return empty;
  }

  /** The sites that a person of that release finds, signed in with the password of then. */
  async function sitesOf(run: SuncrewRun): Promise<string> {
    const { url } = await run.ready();
    const signedIn = await fetch(`${url}${login.path}`, {
      method: login.method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: usernames.owner, password: PASSWORD }),
    });
    const { token } = login.response.parse(await signedIn.json());
    return (await fetch(`${url}${siteDetails.path}`, { headers: { authorization: `Bearer ${token}` } })).text();
  }
});

describe("set-up: npm run serve", () => {
  test("stops cleanly when a service manager stops npm", async () => {
    await runMigrate(databaseUrl);
    const run = serve({ throughNpm: true });
    const { url } = await run.ready();
    run.child.kill("SIGTERM");
    expect(await run.ended()).toBe(0);
    await expect(fetch(`${url}/api/health`)).rejects.toThrow();
  });

  test("builds no console: without one it exits before it uses the database, and says what to run", async () => {
    let connections = 0;
    const listener = createServer(() => (connections += 1)).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const address = listener.address();
    const real = databaseUrl;
    databaseUrl = `postgres://nobody@127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}/none`;
    const run = serve({ checkout: await checkout("no-console"), console: true });
    databaseUrl = real;
    expect(await run.ended()).toBe(1);
    expect(run.said()).toMatch(/^The console is not built: run `npm run build` .*--no-console/);
    expect(connections).toBe(0);
    listener.close();
  });

  test("a console that was built elsewhere is served, even without its sources", async () => {
    const there = await checkout("shipped");
    const dist = join(there, "apps/console/dist");
    await mkdir(dist, { recursive: true });
    await writeFile(join(dist, "index.html"), "<!doctype html><title>Shipped</title>");
    await writeFile(join(dist, ".built-from"), "elsewhere");
    await runMigrate(databaseUrl);
    const { url } = await serve({ checkout: there, console: true }).ready();
    expect(await (await fetch(url)).text()).toContain("<title>Shipped</title>");
  });
});
