import type pg from "pg";
import { findRunningPostgres, startEmbeddedPostgres } from "../platform/embedded/postgres.ts";
import { StartError } from "../platform/embedded/start-error.ts";
import { databaseName, demoSecretKey, openDataFolder } from "./data-folder.ts";
import { missingDatabase, wrongDatabaseUrl } from "./database-settings.ts";
import { type Mode, readSettings } from "./settings.ts";

export interface ReachedDatabase {
  readonly config: pg.ClientConfig;
  /** The key that the servers use; null where it is not told to this command. */
  readonly secretKey: string | null;
  readonly close: () => Promise<void>;
}

/**
 * The database that the servers use, for a command beside them; an embedded one is joined while Suncrew runs on it, or
 * started for the command. Throws a StartError for wrong variables.
 */
export async function reachDatabase(mode: Mode): Promise<ReachedDatabase> {
  // What else production must have set is of no concern here.
  const settings = readSettings("demo", process.env);
  if ("wrong" in settings) throw new StartError(settings.wrong.join("\n"), 2);
  const { databaseUrl } = settings;
  if (mode === "production") {
    // An empty embedded database would tell nothing about the one that somebody forgot to name.
    const wrong = databaseUrl === null ? missingDatabase(process.env["EMBEDDED"]) : wrongDatabaseUrl(databaseUrl);
    if (wrong !== null) throw new StartError(wrong, 2);
  }
  if (databaseUrl !== null) {
    return { config: { connectionString: databaseUrl }, secretKey: settings.secretKey, close: async () => {} };
  }
  const dataDir = await openDataFolder({ ...settings, mode });
  const secretKey = settings.secretKey ?? (mode === "demo" ? await demoSecretKey(dataDir) : null);
  const running = await findRunningPostgres(dataDir, databaseName(mode));
  if (running !== null) return { config: running, secretKey, close: async () => {} };
  const started = await startEmbeddedPostgres({ dataDir, name: databaseName(mode) });
  return { config: started.connection, secretKey, close: () => started.stop() };
}
