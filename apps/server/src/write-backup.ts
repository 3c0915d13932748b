import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type BackupInput, type Manifest, writeBackup } from "./features/backup/public.ts";
import { hasCode, StartError } from "./platform/errors.ts";
import { filesBesideDatabase } from "./process/data-folder.ts";
import { variable, variableNames } from "./process/environment-variables.ts";
import { databaseFailure, reachDatabase } from "./process/open-database.ts";

/** `npm run backup`: exits with 0 if the backup is complete, with 1 if it is not, and with 2 for wrong usage. */
const help = `Backs up everything that Suncrew stores, firmware, reports and audit included, in one consistent snapshot. Servers
may be running, and robots working.

Usage: npm run backup -- FILE_OR_FOLDER [--demo]

  FILE_OR_FOLDER  a new file, or a folder that gets one with the time in its name
  --demo          the demo's data instead of production's
  --help          this text

DATABASE_URL, or EMBEDDED=yes and DATA_DIR, are those of the servers. \`npm run restore\` restores it.`;

async function main(): Promise<void> {
  const { target, demo, wantsHelp } = readArguments();
  if (wantsHelp) return print(help);
  const mode = demo ? "demo" : "production";
  const path = await fileOf(target);
  const { config, dataDir, secretKey, close } = await reachDatabase(mode);
  try {
    const files = filesBesideDatabase(mode);
    const notIncluded = demo ? [] : secretsInEnvironment();
    const manifest = await write({ connection: config, mode, path, dataDir, files, secretKey, notIncluded });
    report(path, (await stat(path)).size, manifest);
  } finally {
    await close();
  }
}

async function write(input: BackupInput): Promise<Manifest> {
  try {
    return await writeBackup(input);
  } catch (error) {
    if (hasCode(error, "EEXIST")) throw new StartError(`${input.path} exists already: name another file.`, 2);
    if (hasCode(error, "ENOENT", "EACCES", "EPERM", "EROFS", "ENOTDIR")) {
      throw new StartError(`${input.path} cannot be written: ${String(error)}`, 2);
    }
    if (hasCode(error, "ENOSPC")) throw new StartError(`There is no space left for ${input.path}; it was removed.`);
    // Undefined table: nothing was ever stored there.
    if (hasCode(error, "42P01")) throw new StartError("The database has no tables yet: there is nothing to back up.");
    throw databaseFailure(process.env["DATABASE_URL"] ?? null, error);
  }
}

function report(path: string, bytes: number, { tables, migrations, takenAt, auditHead, notIncluded }: Manifest): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const megabytes = (bytes / 1e6).toFixed(1);
  const schema = Number(migrations.at(-1)?.name.slice(0, 4));
  print(`Backed up to ${path}: ${rows} rows as of ${timeOf(takenAt)} UTC, schema ${schema}, ${megabytes} MB.`);
  if (auditHead !== null) print(`The audit's head in it: ${auditHead.number}:${auditHead.hash}`);
  print("Only its owner may read the file: it is not encrypted, and whoever has it has everything that is stored.");
  if (notIncluded.length > 0) {
    print(
      `Not in it are the environment's secrets (${notIncluded.join(", ")}) and the accounts at a broker of your own: ` +
        "keep those too.",
    );
  }
}

/** Names of the variables that an installation needs again, and that only its environment has. */
function secretsInEnvironment(): string[] {
  const isSet = (name: string) => (process.env[name] ?? "").trim() !== "";
  return variableNames.filter((name) => name === "SECRET_KEY" || (variable(name).isSecret === true && isSet(name)));
}

async function fileOf(target: string): Promise<string> {
  const path = resolve(target);
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true;
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  return isFolder ? join(path, `suncrew-${time}Z.tar`) : path;
}

function readArguments() {
  const wrong = "Name one file or folder for the backup: `npm run backup -- --help` explains it.";
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { demo: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
    });
    const [target = "", ...rest] = positionals;
    if (!values.help && (target === "" || rest.length > 0)) throw new StartError(wrong, 2);
    return { target, demo: values.demo, wantsHelp: values.help };
  } catch {
    throw new StartError(wrong, 2);
  }
}

function timeOf(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message || String(error) : String(error)}\n`);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}
