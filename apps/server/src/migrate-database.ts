import { parseArgs } from "node:util";
import { type Db, openDatabase } from "./platform/database/database.ts";
import type { StepProgress } from "./platform/database/migration-steps.ts";
import { couldChangeAudit, migrate, readSchema, requireSchema, type Schema } from "./platform/database/migrate.ts";
import { StartError } from "./platform/errors.ts";
import { asOwner, databaseFailure } from "./process/open-database.ts";
import { readSettings } from "./process/settings.ts";

/**
 * `npm run migrate -- [--check]`: brings production's database to the schema of this version. Exits with 0 if servers
 * of this version may start now, with 1 if the database was not changed, or with --check needs to be, and with 2 for
 * wrong usage.
 */
const help = `Brings the database that DATABASE_URL names to the schema of this version, before its servers start.
With MIGRATION_DATABASE_URL it connects as the account that owns the tables, and gives the account of DATABASE_URL what
servers need, which for the audit is only to read and to insert.

Usage: npm run migrate [-- options]

Options:
  --check   only say what there is to do; exits with 1 if there is anything
  --help    this text

Everything is done in one transaction, or nothing is, except what takes long on large tables: that is done in steps
afterwards, and continues where it was if it is interrupted. Servers keep running; if servers of the previous version
cannot run on the new schema, it does nothing while anything else is connected, and says so.`;

const PROGRESS_EVERY_MS = 10_000;

async function main(): Promise<number> {
  const { check, wantsHelp } = readArguments();
  if (wantsHelp) {
    print(help);
    return 0;
  }
  // Whatever else production requires does not matter here.
  const settings = readSettings("demo", process.env);
  if ("errors" in settings) throw new StartError(settings.errors.join("\n"), 2);
  const { databaseUrl } = settings;
  if (databaseUrl === null) {
    throw new StartError("DATABASE_URL is missing. The embedded database is migrated by its server.", 2);
  }
  const { connection, ownerUrl, serverAccount } = asOwner(settings, databaseUrl);
  const database = openDatabase(connection, { poolSize: 1, queryLimitMs: 0, idleLimitMs: 0 });
  try {
    const before = await readSchema(database.db);
    if (check) return reportPending(before);
    const applied = await migrate(database.db, {
      besideServers: true,
      serverAccount,
      onProgress: progressPrinter(),
      keepAuditDays: settings.keepDays.audit,
    });
    for (const { name } of applied) print(name);
    const after = await readSchema(database.db);
    requireSchema(after);
    print(outcomeText(before, after, applied.length > 0));
    if (serverAccount !== null) print(await accountText(database.db, serverAccount));
    return 0;
  } catch (error) {
    throw databaseFailure(ownerUrl, error);
  } finally {
    await database.close();
  }
}

function readArguments(): { check: boolean; wantsHelp: boolean } {
  try {
    const { values } = parseArgs({ options: { check: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
    return { check: values.check === true, wantsHelp: values.help === true };
  } catch {
    throw new StartError("There are two options, --check and --help: `npm run migrate -- --help` explains them.", 2);
  }
}

async function accountText(db: Db, account: string): Promise<string> {
  return (await couldChangeAudit(db, account))
    ? `The account ${account} may use it, and could still change the audit: it has rights beyond those given here.`
    : `The account ${account} may use it, and cannot change the audit.`;
}

/** Prints each step when it is done, and how far it has come some times a minute. */
function progressPrinter(): (progress: StepProgress) => void {
  let printedAt = performance.now();
  return ({ name, step, steps, rows, isDone }) => {
    if (!isDone && performance.now() - printedAt < PROGRESS_EVERY_MS) return;
    printedAt = performance.now();
    const what = rows === null ? "index" : `${rows} rows`;
    print(`${name}, step ${step} of ${steps}: ${what}${isDone ? ", done" : " so far"}`);
  };
}

function reportPending(schema: Schema): number {
  const { database, program, missing, unfinished } = schema;
  for (const { name, stepsLeft } of unfinished) print(`${name} (${stepsText(stepsLeft)} left; servers may be running)`);
  if (missing.length === 0) {
    if (unfinished.length > 0) return 1;
    requireSchema(schema);
    print(`Nothing to do: ${schemaText(schema)}`);
    return 0;
  }
  for (const { name, additive, stepsLeft } of missing) {
    const steps = stepsLeft === 0 || database === 0 ? "" : ` (then ${stepsText(stepsLeft)} while servers run)`;
    print(additive || database === 0 ? `${name}${steps}` : `${name} (breaking: stop every server first)`);
  }
  print(
    `To do: the database has ${database === 0 ? "no tables yet" : `schema ${database}`}, this Suncrew needs ${program}.`,
  );
  return 1;
}

function outcomeText(before: Schema, after: Schema, hasApplied: boolean): string {
  if (hasApplied) {
    return `The database has schema ${after.database} now; it had ${before.database === 0 ? "none" : before.database}.`;
  }
  return `${before.unfinished.length > 0 ? "The steps that were left are done" : "Nothing to do"}: ${schemaText(after)}`;
}

function stepsText(count: number): string {
  return count === 1 ? "1 step" : `${count} steps`;
}

function schemaText({ database, program, newer }: Schema): string {
  return newer.length === 0
    ? `the database has schema ${database}.`
    : `the database has schema ${database}, newer than this Suncrew's ${program} by additions only, so that it runs on it.`;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
