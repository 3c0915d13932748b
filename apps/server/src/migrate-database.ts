import { parseArgs } from "node:util";
import { type Db, openDatabase } from "./platform/database/database.ts";
import {
  couldChangeAudit,
  migrate,
  MIGRATION_CONNECTION,
  readSchema,
  requireSchema,
  type Schema,
} from "./platform/database/migrate.ts";
import { StartError } from "./platform/embedded/start-error.ts";
import { databaseFailure } from "./process/open-database.ts";
import { accountAndDatabaseOf, readSettings, wrongDatabaseUrl } from "./process/settings.ts";

/**
 * `npm run migrate -- [--check]`: brings production's database to the schema of this version. Ends with 0 where servers
 * of this version may start now, with 1 where the database was not changed, or with --check has to be, and with 2 where
 * it was called wrongly.
 */
const help = `Brings the database that DATABASE_URL names to the schema of this version, before its servers start.
With MIGRATION_DATABASE_URL it connects as the account that owns the tables, and gives that of DATABASE_URL what servers
need: of the audit only to read and to add.

Usage: npm run migrate [-- options]

Options:
  --check   only say what there is to do; ends with 1 where there is something
  --help    this text

Everything is done in one transaction, or nothing is. Servers go on meanwhile; where servers of the version before
cannot run on the new schema, it does nothing while somebody is connected, and says so.`;

async function main(): Promise<number> {
  const { check, wantsHelp } = readArguments();
  if (wantsHelp) {
    print(help);
    return 0;
  }
  // What else production must have set is of no concern here.
  const settings = readSettings("demo", process.env);
  if ("wrong" in settings) throw new StartError(settings.wrong.join("\n"), 2);
  const { databaseUrl, migrationDatabaseUrl } = settings;
  if (databaseUrl === null) {
    throw new StartError("DATABASE_URL is missing. The embedded database needs no migrate: its server does it.", 2);
  }
  const ownerUrl = migrationDatabaseUrl ?? databaseUrl;
  const insecure = wrongDatabaseUrl(databaseUrl) ?? wrongDatabaseUrl(ownerUrl, "MIGRATION_DATABASE_URL");
  if (insecure !== null) throw new StartError(insecure, 2);
  const serverAccount = accountBeside(databaseUrl, ownerUrl);
  const connection = { connectionString: namedConnection(ownerUrl) };
  const database = openDatabase(connection, { poolSize: 1, queryLimitMs: 0, idleLimitMs: 0 });
  try {
    const before = await readSchema(database.db);
    if (check) return tell(before);
    const applied = await migrate(database.db, { besideServers: true, serverAccount });
    for (const { name } of applied) print(name);
    const after = await readSchema(database.db);
    requireSchema(after);
    print(
      applied.length === 0
        ? `Nothing to do: ${standing(after)}`
        : `The database has schema ${after.database} now; it had ${before.database === 0 ? "none" : before.database}.`,
    );
    if (serverAccount !== null) print(await standingOf(database.db, serverAccount));
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

/** The account of the servers; null where it is the one that migrates. Throws where the addresses do not go together. */
function accountBeside(databaseUrl: string, ownerUrl: string): string | null {
  const [servers, owner] = [accountAndDatabaseOf(databaseUrl), accountAndDatabaseOf(ownerUrl)];
  if (servers.database !== owner.database) {
    throw new StartError("DATABASE_URL and MIGRATION_DATABASE_URL must name the same database.", 2);
  }
  return servers.account === undefined || servers.account === owner.account ? null : servers.account;
}

async function standingOf(db: Db, account: string): Promise<string> {
  return (await couldChangeAudit(db, account))
    ? `The account ${account} may use it, and could still change the audit: it has other rights than those given here.`
    : `The account ${account} may use it, and cannot change the audit.`;
}

/** Whoever else migrates at the same time must be told from servers. */
function namedConnection(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set("application_name", MIGRATION_CONNECTION);
  return url.href;
}

function tell(schema: Schema): number {
  const { database, program, missing } = schema;
  if (missing.length === 0) {
    requireSchema(schema);
    print(`Nothing to do: ${standing(schema)}`);
    return 0;
  }
  for (const { name, additive } of missing) {
    print(additive || database === 0 ? name : `${name} (breaking: stop every server first)`);
  }
  print(
    `To do: the database has ${database === 0 ? "no tables yet" : `schema ${database}`}, this Suncrew needs ${program}.`,
  );
  return 1;
}

function standing({ database, program, newer }: Schema): string {
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
