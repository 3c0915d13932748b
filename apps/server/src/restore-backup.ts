import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Manifest, readManifest, restoreBackup, type Restored } from "./features/backup/public.ts";
import { SchemaError } from "./platform/database/migrate.ts";
import { startEmbeddedPostgres } from "./platform/embedded/postgres.ts";
import { hasCode, StartError } from "./platform/errors.ts";
import { databaseName, openDataFolder } from "./process/data-folder.ts";
import { asOwner, databaseFailure, type OwnerConnection } from "./process/open-database.ts";
import { missingDatabaseError, readSettings } from "./process/settings.ts";

/** `npm run restore`: exits with 0 if everything was restored, with 1 if nothing was, and with 2 for wrong usage. */
const help = `Restores what \`npm run backup\` wrote, into an empty database, with every Suncrew server stopped.

Usage: npm run restore -- FILE [--demo] [--check]

  --demo   a demo's backup, into the demo's embedded database
  --check  only reads the file, and says whether it is complete and what is in it
  --help   this text

DATABASE_URL and MIGRATION_DATABASE_URL, or EMBEDDED=yes and DATA_DIR, say where to, as for the servers. Everything is
restored in one transaction, or nothing is. Newer migrations of this version run afterwards. What was open at the time of
the backup is settled: no robot starts because of it.`;

async function main(): Promise<number> {
  const { file, demo, check, wantsHelp } = readArguments();
  if (wantsHelp) {
    print(help);
    return 0;
  }
  const path = resolve(file);
  if (check) {
    const manifest = await unlessMissing(path, () => readManifest(path));
    print(`${path} is complete: ${contentOf(manifest)}.`);
    return 0;
  }
  const mode = demo ? "demo" : "production";
  // Whatever else production requires does not matter here.
  const settings = readSettings("demo", process.env);
  if ("errors" in settings) throw new StartError(settings.errors.join("\n"), 2);
  const { databaseUrl, secretKey } = settings;
  const missing = mode === "production" && databaseUrl === null ? missingDatabaseError(process.env["EMBEDDED"]) : null;
  if (missing !== null) throw new StartError(missing, 2);
  // Before a database is created for it.
  await unlessMissing(path, () => readManifest(path));
  const dataDir = mode === "demo" || databaseUrl === null ? await openDataFolder({ ...settings, mode }) : null;
  const embedded =
    databaseUrl === null && dataDir !== null
      ? await startEmbeddedPostgres({ dataDir, name: databaseName(mode) })
      : null;
  try {
    const owner: Pick<OwnerConnection, "connection" | "serverAccount"> =
      databaseUrl === null
        ? { connection: embedded?.connection ?? {}, serverAccount: null }
        : asOwner(settings, databaseUrl);
    const { connection, serverAccount } = owner;
    const restored = await restoreBackup({ connection, serverAccount, mode, path, dataDir, secretKey });
    return report(restored, mode);
  } catch (error) {
    throw error instanceof StartError || error instanceof SchemaError ? error : databaseFailure(databaseUrl, error);
  } finally {
    await embedded?.stop();
  }
}

async function unlessMissing<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES", "EISDIR")) {
      throw new StartError(`${path} cannot be read: ${String(error)}`, 2);
    }
    throw error;
  }
}

function contentOf({ tables, migrations, takenAt, version }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const schema = Number(migrations.at(-1)?.name.slice(0, 4));
  return `${rows} rows as of ${takenAt.slice(0, 19).replace("T", " ")} UTC, schema ${schema}, of Suncrew ${version}`;
}

function report({ manifest, auditProblem, otherKey }: Restored, mode: Manifest["mode"]): number {
  print(`Restored: ${contentOf(manifest)}.`);
  const { auditHead, notIncluded } = manifest;
  if (auditProblem !== null) print(`The audit is not as it was sealed: ${auditProblem}`);
  else if (auditHead !== null) print(`The audit is as it was sealed, up to ${auditHead.number}:${auditHead.hash}`);
  print("Whatever happened since is lost. Of what was open then:");
  print("  Starts, settings and releases have failed, and nothing that was due by now starts.");
  print("  Stops and locks that robots had not confirmed are sent again.");
  print("  Rollouts that were running are paused. Waiting mails and monthly reports are given up, not sent twice.");
  print("  Everybody signs in again, with the password of that time.");
  if (otherKey) print("SECRET_KEY is not the one of the backup: generated passwords can no longer be shown.");
  if (mode === "production") {
    print("Before you start servers, look at what people may have changed since: schedules run as they were then, and");
    print("devices that were provisioned, rotated or retired since are to be rotated or retired again.");
    if (notIncluded.length > 0) print(`Not in the backup: ${notIncluded.join(", ")}.`);
  }
  return auditProblem === null ? 0 : 1;
}

function readArguments() {
  const wrong = "Name one backup: `npm run restore -- --help` explains it.";
  try {
    const flag = { type: "boolean", default: false } as const;
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { demo: flag, check: flag, help: { ...flag, short: "h" } },
    });
    const [file = "", ...rest] = positionals;
    if (!values.help && (file === "" || rest.length > 0)) throw new StartError(wrong, 2);
    return { file, demo: values.demo, check: values.check, wantsHelp: values.help };
  } catch {
    throw new StartError(wrong, 2);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message || String(error) : String(error)}\n`);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}
