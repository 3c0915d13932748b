import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { copyServer, newestMigration } from "../../test/copied-checkout.ts";
import { runMigrate, runSuncrew, type RunOptions, type SuncrewRun } from "../../test/suncrew-process.ts";
import { inDatabase } from "../../test/test-database.ts";

// Each test starts whole servers: its time says nothing about speed.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

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

const isReady = async (run: SuncrewRun) => (await fetch(`${(await run.ready()).url}/api/ready`)).status;

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
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
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
    expect(await isReady(serve())).toBe(200);
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
    expect(await isReady(running)).toBe(200);
    const early = serve({ checkout: newer });
    expect(await early.ended()).toBe(1);
    expect(early.said()).toBe(
      `The database has schema ${newest}, this Suncrew needs ${newest + 1}. Run \`npm run migrate\`, then start again.`,
    );
    expect(await runMigrate(databaseUrl, [], newer)).toEqual({
      code: 0,
      printed: `${numbered(newest + 1)}_made_up.sql\nThe database has schema ${newest + 1} now; it had ${newest}.`,
    });
    expect(await isReady(running)).toBe(200);
    expect(await isReady(serve({ checkout: newer }))).toBe(200);
    const back = serve();
    expect(await isReady(back)).toBe(200);
    expect(back.printed()).toContain("the database has a newer version's schema, with additions only");
    expect((await runMigrate(databaseUrl)).printed).toContain(`newer than this Suncrew's ${newest} by additions only`);
  });

  test("breaking migrations do not run while a server is connected, and keep the previous version from starting", async () => {
    await runMigrate(databaseUrl);
    const newer = await checkout("breaking", next(breaking));
    const running = serve();
    expect(await isReady(running)).toBe(200);
    const refused = await runMigrate(databaseUrl, [], newer);
    expect(refused.code).toBe(1);
    expect(refused.printed).toMatch(/^Nothing was changed: servers of the version before cannot run with \d+_made_up/);
    expect(refused.printed).toContain("Stop every Suncrew server");
    expect(await isReady(running)).toBe(200);
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
