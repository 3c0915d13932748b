import type pg from "pg";
import type { Logger } from "pino";
import { ClockWatch } from "../platform/clock-watch.ts";
import { SystemClock } from "../platform/clock.ts";
import { isDatabaseUnreachable } from "../platform/database/database-errors.ts";
import { type Db, databaseNow, type OpenDatabase, openDatabase } from "../platform/database/database.ts";
import {
  connectedAccount,
  couldChangeAudit,
  migrate,
  MIGRATION_CONNECTION,
  readAuditRetention,
  readSchema,
  requireSchema,
  SchemaError,
} from "../platform/database/migrate.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "../platform/embedded/postgres.ts";
import { errorText, hasCode, StartError } from "../platform/errors.ts";
import { Outage } from "../platform/outages.ts";
import { databaseName, demoSecretKey, openDataFolder } from "./data-folder.ts";
import {
  accountAndDatabaseOf,
  missingDatabaseError,
  type Mode,
  type ProcessSettings,
  readSettings,
  databaseUrlError,
} from "./settings.ts";
import type { StopList } from "./stop-list.ts";

export interface StartContext {
  readonly settings: ProcessSettings;
  readonly dataDir: string;
  readonly log: Logger;
  readonly stops: StopList;
  /** Called with a message when the process cannot continue. */
  readonly fail: (message: string) => void;
}

/**
 * Opens the database, embedded or configured, with the schema of this program. A configured production database must
 * already be migrated (decision 40), as other servers may run on it. Throws a StartError if its schema differs.
 */
export async function openMigratedDatabase(context: StartContext): Promise<OpenDatabase> {
  const { settings, log, stops } = context;
  const connection =
    settings.databaseUrl === null ? await embedded(context) : { connectionString: settings.databaseUrl };
  const database = openDatabase(connection, { onError: idleError(context) });
  stops.add("database connections", 1000, () => database.close());
  if (settings.mode === "production" && settings.databaseUrl !== null) {
    await waitForDatabase(database.db, settings.databaseUrl, context);
  }
  // A migration, or waiting for another server's, may take longer than any call.
  const unlimited = openDatabase(connection, { poolSize: 1, queryLimitMs: 0, idleLimitMs: 0 });
  try {
    if (settings.mode === "production" && settings.databaseUrl !== null) {
      const schema = await readSchema(unlimited.db);
      requireSchema(schema);
      const { database: has, program: knows, newer } = schema;
      if (newer.length > 0) log.warn({ has, knows }, "the database has a newer version's schema, with additions only");
      const stored = await readAuditRetention(unlimited.db);
      const configured = settings.keepDays.audit;
      if (configured !== stored) {
        log.warn({ configured, stored }, "KEEP_AUDIT_DAYS is not what `npm run migrate` stored, which counts");
      }
      const account = await connectedAccount(unlimited.db);
      if (await couldChangeAudit(unlimited.db, account)) {
        log.warn({ account }, "the account of DATABASE_URL could change the audit: let another one own the tables");
      }
    } else await migrate(unlimited.db, { keepAuditDays: settings.keepDays.audit });
  } catch (error) {
    throw databaseFailure(settings.databaseUrl, error);
  } finally {
    await unlimited.close();
  }
  return database;
}

const RETRY_MS = 1_000;

/** Resolves when the database answers, even with an error, or the process is stopping; logs that it waits. */
async function waitForDatabase(db: Db, databaseUrl: string, { log, stops }: StartContext): Promise<void> {
  const clock = new SystemClock();
  const outage = new Outage(`the database at ${placeOf(databaseUrl)}`, log, clock);
  while (!stops.stopping) {
    try {
      await databaseNow(db);
      return outage.end();
    } catch (error) {
      if (!(error instanceof Error) || !isDatabaseUnreachable(error)) return outage.stop();
      outage.begin(errorText(error), "the start, which waits for the database");
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
    }
  }
}

/** Enough for a large group's answers arriving at once; as many as a server's other connections. */
const RESERVED_CONNECTIONS = 10;

/** Connections for commands, schedules and the bridge alone. */
export function openReserved({ connection }: OpenDatabase, context: StartContext): Db {
  const reserved = openDatabase(connection, { poolSize: RESERVED_CONNECTIONS, onError: idleError(context) });
  context.stops.add("reserved database connections", 1000, () => reserved.close());
  return reserved.db;
}

function idleError({ log, stops }: StartContext): (error: Error) => void {
  return (error) => {
    if (!stops.stopping) log.warn({ error }, "an idle database connection failed");
  };
}

/** Explains a failure to reach or migrate the database; `databaseUrl` is null for the embedded one. */
export function databaseFailure(databaseUrl: string | null, error: unknown): StartError {
  const place = databaseUrl === null ? "The embedded database" : `The database at ${placeOf(databaseUrl)}`;
  const reason = error instanceof Error ? error.message || String(error) : String(error);
  if (error instanceof SchemaError) return new StartError(reason);
  const remedy =
    "`npm run migrate` with DATABASE_URL and MIGRATION_DATABASE_URL gives the servers' account what it needs.";
  return new StartError(`${place} cannot be used: ${reason}${hasCode(error, "42501") ? `. ${remedy}` : ""}`);
}

async function embedded({ settings, dataDir, stops, log, fail }: StartContext): Promise<pg.ClientConfig> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    name: databaseName(settings.mode),
    onLost: () => fail("The embedded database ended unexpectedly."),
  });
  if (postgres.joined) log.info("joined the PostgreSQL that an earlier start left running");
  stops.add("embedded PostgreSQL", 6000, () => postgres.stop());
  return postgres.connection;
}

function placeOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

/** A clock that follows the database's, so that all servers agree on what is due, and its watch. */
export async function openClock(
  db: Db,
  { log, stops }: StartContext,
): Promise<{ readonly clock: SystemClock; readonly clocks: ClockWatch }> {
  const clock = new SystemClock();
  const clocks = new ClockWatch({ clock, log, read: () => databaseNow(db) });
  await clocks.start();
  stops.add("clock", 1000, () => clocks.stop());
  return { clock, clocks };
}

export interface OwnerConnection {
  readonly connection: pg.ClientConfig;
  readonly ownerUrl: string;
  /** The servers' account; null if it is the one that connects. */
  readonly serverAccount: string | null;
}

/**
 * The database with the account that owns its tables, for programs that create or change them. Throws a StartError for
 * addresses without TLS, or of different databases.
 */
export function asOwner(
  { migrationDatabaseUrl }: Pick<ProcessSettings, "migrationDatabaseUrl">,
  databaseUrl: string,
): OwnerConnection {
  const ownerUrl = migrationDatabaseUrl ?? databaseUrl;
  const insecure = databaseUrlError(databaseUrl) ?? databaseUrlError(ownerUrl, "MIGRATION_DATABASE_URL");
  if (insecure !== null) throw new StartError(insecure, 2);
  const [servers, owner] = [accountAndDatabaseOf(databaseUrl), accountAndDatabaseOf(ownerUrl)];
  if (servers.database !== owner.database) {
    throw new StartError("DATABASE_URL and MIGRATION_DATABASE_URL must name the same database.", 2);
  }
  // Named, to distinguish other migrations from servers.
  const named = new URL(ownerUrl);
  named.searchParams.set("application_name", MIGRATION_CONNECTION);
  const isSeparate = servers.account !== undefined && servers.account !== owner.account;
  return {
    connection: { connectionString: named.href },
    ownerUrl,
    serverAccount: isSeparate ? (servers.account ?? null) : null,
  };
}

export interface ReachedDatabase {
  readonly config: pg.ClientConfig;
  /** Null where DATABASE_URL names production's database: then nothing else is stored. */
  readonly dataDir: string | null;
  /** The key that the servers use; null if it is not set for this command. */
  readonly secretKey: string | null;
  readonly close: () => Promise<void>;
}

/**
 * The servers' database, for a command-line tool; an embedded one is joined while Suncrew runs on it, or started for
 * the tool. Throws a StartError for wrong variables.
 */
export async function reachDatabase(mode: Mode): Promise<ReachedDatabase> {
  // Whatever else production requires does not matter here.
  const settings = readSettings("demo", process.env);
  if ("errors" in settings) throw new StartError(settings.errors.join("\n"), 2);
  const { databaseUrl } = settings;
  if (mode === "production") {
    // Not the empty embedded database, if somebody forgot to set DATABASE_URL.
    const error = databaseUrl === null ? missingDatabaseError(process.env["EMBEDDED"]) : databaseUrlError(databaseUrl);
    if (error !== null) throw new StartError(error, 2);
  }
  const close = async () => {};
  if (databaseUrl !== null && mode === "production") {
    return { config: { connectionString: databaseUrl }, dataDir: null, secretKey: settings.secretKey, close };
  }
  const dataDir = await openDataFolder({ ...settings, mode });
  const secretKey = settings.secretKey ?? (mode === "demo" ? await demoSecretKey(dataDir) : null);
  if (databaseUrl !== null) return { config: { connectionString: databaseUrl }, dataDir, secretKey, close };
  const running = await findRunningPostgres(dataDir, databaseName(mode));
  if (running !== null) return { config: running, dataDir, secretKey, close };
  const started = await startEmbeddedPostgres({ dataDir, name: databaseName(mode) });
  return { config: started.connection, dataDir, secretKey, close: () => started.stop() };
}
