import { parseArgs } from "node:util";
import { verifyAudit } from "./features/audit/public.ts";
import { openDatabase } from "./platform/database/database.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "./platform/embedded/postgres.ts";
import { StartError } from "./platform/embedded/start-error.ts";
import { missingDatabase, wrongDatabaseUrl } from "./process/database-settings.ts";
import { databaseName, openDataFolder } from "./process/data-folder.ts";
import { readSettings } from "./process/settings.ts";

/**
 * `npm run audit:verify -- [--head NUMBER:HASH] [--demo]`: proves that the audit is as it was sealed. Ends with 0 where
 * it is, with 1 where it is not, with 2 where it could not be looked at.
 */
const usage = "Usage: npm run audit:verify -- [--head NUMBER:HASH] [--demo]";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { head: { type: "string" }, demo: { type: "boolean", default: false }, help: { type: "boolean" } },
  });
  if (values.help === true) {
    print(
      `${usage}\n\n  --head  a head that the server's log told ("audit sealed"): proves that nothing up to it was changed or removed\n  --demo  the demo's data instead of production's`,
    );
    return 0;
  }
  const head = values.head === undefined ? null : readHeadText(values.head);
  const connection = await reachDatabase(values.demo ? "demo" : "production");
  const database = openDatabase(connection.config, { poolSize: 1, queryLimitMs: 0, idleLimitMs: 0 });
  try {
    const verdict = await verifyAudit(database.db, head);
    const end = verdict.head === null ? "" : ` Head: ${verdict.head.number}:${verdict.head.hash}`;
    if (verdict.wrong !== null) {
      complain(`${verdict.wrong} Before that ${verdict.proven} rows are as they were sealed.${end}`);
      return 1;
    }
    print(
      `${verdict.proven} rows are as they were sealed, ${verdict.waiting} wait for their seal.${end}` +
        (head === null
          ? "\nWithout --head it is not proven that no row was removed from the end together with its seal."
          : `\nNothing up to number ${head.number} was altered or removed since that head was told.`),
    );
    return 0;
  } finally {
    await database.close();
    await connection.close();
  }
}

function readHeadText(text: string): { number: number; hash: string } {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (number === undefined || hash === undefined || Number(number) === 0) {
    throw new StartError(`--head must be NUMBER:HASH as the log tells it. ${usage}`, 2);
  }
  return { number: Number(number), hash };
}

/** The database that the servers use; an embedded one is looked at while Suncrew runs on it, or started for the look. */
async function reachDatabase(mode: "demo" | "production") {
  // What else production must have set is of no concern here.
  const settings = readSettings("demo", process.env);
  if ("wrong" in settings) throw new StartError(settings.wrong.join("\n"), 2);
  if (mode === "production") {
    // An empty embedded database would prove nothing about the one that somebody forgot to name.
    const wrong =
      settings.databaseUrl === null ? missingDatabase(process.env["EMBEDDED"]) : wrongDatabaseUrl(settings.databaseUrl);
    if (wrong !== null) throw new StartError(wrong, 2);
  }
  if (settings.databaseUrl !== null) {
    return { config: { connectionString: settings.databaseUrl }, close: async () => {} };
  }
  const dataDir = await openDataFolder({ ...settings, mode });
  const running = await findRunningPostgres(dataDir, databaseName(mode));
  if (running !== null) return { config: running, close: async () => {} };
  const started = await startEmbeddedPostgres({ dataDir, name: databaseName(mode) });
  return { config: started.connection, close: () => started.stop() };
}

try {
  process.exitCode = await main();
} catch (error) {
  complain(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}
