import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { copyServer, newestMigration } from "../../../test/copied-checkout.ts";
import { createOwnerAndServerAccounts, type OwnerAndServerAccounts } from "../../../test/owner-and-server-accounts.ts";
import { expectReady } from "../../../test/expect-ready.ts";
import { compiledBefore, runMigrate, runSuncrew } from "../../../test/suncrew-process.ts";

const thisCheckout = fileURLToPath(new URL("../../../../..", import.meta.url));
const SECRET_KEY = "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG";

let folder: string;
let from: OwnerAndServerAccounts;
let to: OwnerAndServerAccounts;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-backup-"));
  const name = () => `${inject("postgres").template}_${randomBytes(6).toString("hex")}`;
  from = await createOwnerAndServerAccounts(inject("postgres").admin, name());
  to = await createOwnerAndServerAccounts(inject("postgres").admin, name());
  await runMigrate(from);
});
afterAll(async () => {
  await from.drop();
  await to.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program of the repository to its end, as npm does. */
async function run(
  program: "write-backup" | "restore-backup" | "verify-audit",
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  checkout = thisCheckout,
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const child = spawn(process.execPath, [join(checkout, `apps/server/src/${program}.ts`), ...words], {
    env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], ...compiledBefore, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (printed += part.toString()));
  await once(child, "close");
  return { code: child.exitCode, printed: printed.trim() };
}

/** How many backups of the last hour the database remembers. */
async function recordedBackups(connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rowCount } = await client.query("select from last_backup where taken_at > now() - interval '1 hour'");
  await client.end();
  return rowCount;
}

describe("npm run backup and npm run restore", () => {
  test("a newer version restores what this one backed up beside its server, migrates it, and its server runs on it", async () => {
    const serve = (databaseUrl: string, checkout = thisCheckout) =>
      runSuncrew(
        ["production"],
        {
          DATABASE_URL: databaseUrl,
          EMBEDDED: "yes",
          DATA_DIR: join(folder, "data"),
          SECRET_KEY,
          HOST: "127.0.0.1",
          PORT: "0",
          MQTT_PORT: "0",
          ADMIN_PASSWORD: "morning sun over ridges 42",
        },
        { checkout },
      );
    const running = serve(from.serverUrl);
    await running.ready();
    const environment = { DATABASE_URL: from.serverUrl, SECRET_KEY, METRICS_TOKEN: "sixteen-characters-or-more" };
    const backedUp = await run("write-backup", [folder], environment);
    await running.interrupt();
    expect(backedUp).toMatchObject({ code: 0 });
    expect(backedUp.printed).toMatch(/^Backed up to \S+\.tar: \d+ rows as of .* UTC, schema \d+, /);
    expect(backedUp.printed).toContain("secrets (DATABASE_URL, SECRET_KEY, METRICS_TOKEN)");
    expect(backedUp.printed).not.toContain(SECRET_KEY);
    const [file = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tar"));
    expect((await stat(join(folder, file))).mode & 0o077).toBe(0);

    const number = String(newestMigration() + 1).padStart(4, "0");
    const words = "-- additive\nalter table robots add column made_up text not null default 'new';\n";
    const newer = await copyServer(join(folder, "newer"), { [`${number}_made_up.sql`]: words });
    const owner = { DATABASE_URL: to.serverUrl, MIGRATION_DATABASE_URL: to.ownerUrl, SECRET_KEY };
    const look = await run("restore-backup", [join(folder, file), "--check"], {});
    expect(look.printed).toMatch(/is complete: \d+ rows as of/);
    const restored = await run("restore-backup", [join(folder, file)], owner, newer);
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.printed).toMatch(/^Restored: \d+ rows/);
    const head = /head in it: (\d+:[0-9a-f]{64})/.exec(backedUp.printed)?.[1] ?? "";
    const verified = await run("verify-audit", head === "" ? [] : ["--head", head], { DATABASE_URL: to.serverUrl });
    expect(verified).toMatchObject({ code: 0 });
    const client = new pg.Client({ connectionString: to.ownerUrl });
    await client.connect();
    const { rows } = await client.query("select max(name) as newest from migrations");
    await client.end();
    // For the alert about an overdue backup, there and here.
    expect([await recordedBackups(from.ownerUrl), await recordedBackups(to.ownerUrl)]).toEqual([1, 1]);
    expect(rows).toEqual([{ newest: `${number}_made_up.sql` }]);
    // With its own account, which the restore gave what servers need.
    const again = serve(to.serverUrl, newer);
    await expectReady(again);
    expect(again.printed()).not.toContain("could change the audit");
    await again.interrupt();

    const twice = await run("restore-backup", [join(folder, file)], owner, newer);
    expect(twice.code).toBe(1);
    expect(twice.printed).toContain("The database is not empty");
    // The backup of the newer version is not for this one.
    const newest = join(folder, "newest.backup");
    expect(await run("write-backup", [newest], { DATABASE_URL: to.serverUrl, SECRET_KEY }, newer)).toMatchObject({
      code: 0,
    });
    await to.drop();
    to = await createOwnerAndServerAccounts(inject("postgres").admin, `${inject("postgres").template}_restored`);
    const older = await run("restore-backup", [newest], { DATABASE_URL: to.ownerUrl });
    expect(older.code).toBe(1);
    expect(older.printed).toContain(`It is of a newer Suncrew: it has schema ${Number(number)}`);
  });

  test("wrong usage and what cannot be read or written is explained, without a secret", async () => {
    const environment = { DATABASE_URL: from.serverUrl };
    expect(await run("write-backup", [], environment)).toMatchObject({ code: 2 });
    expect((await run("write-backup", ["--help"], {})).printed).toContain("FILE_OR_FOLDER");
    expect((await run("restore-backup", ["--help"], {})).printed).toContain("--check");
    const nowhere = await run("write-backup", [join(folder, "no/such/folder/file")], environment);
    expect([nowhere.code, nowhere.printed]).toEqual([2, expect.stringContaining("cannot be written")]);
    const unset = await run("write-backup", [folder], {});
    expect([unset.code, unset.printed]).toEqual([2, expect.stringContaining("DATABASE_URL is missing")]);
    const missing = await run("restore-backup", [join(folder, "missing.tar")], environment);
    expect([missing.code, missing.printed]).toEqual([2, expect.stringContaining("cannot be read")]);
    await writeFile(join(folder, "text"), "no backup\n".repeat(500));
    const text = await run("restore-backup", [join(folder, "text")], environment);
    expect([text.code, text.printed]).toEqual([1, expect.stringContaining("no backup of Suncrew")]);
    const away = { DATABASE_URL: "postgres://nobody:secret@127.0.0.1:1/none" };
    const unreachable = await run("write-backup", [join(folder, "away")], away);
    expect([unreachable.code, unreachable.printed]).toEqual([1, expect.stringContaining("cannot be used")]);
    expect(unreachable.printed).not.toContain("secret");
    expect(await readdir(folder)).not.toContain("away");
  });
});
