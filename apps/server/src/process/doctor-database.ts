import { sql } from "kysely";
import { type BridgeStatus, readBridgeStatus } from "../features/devices/public.ts";
import { type Db, openDatabase, rejectReadOnly } from "../platform/database/database.ts";
import {
  connectedAccount,
  couldChangeAudit,
  readSchema,
  requireSchema,
  SchemaError,
} from "../platform/database/migrate.ts";
import { codeOf, errorText } from "../platform/errors.ts";
import { isLoopback } from "../platform/network.ts";
import { type Found, ok, problem, warning } from "./doctor-findings.ts";
import { holdsDemoData } from "./installation.repository.ts";

/** Connections that one server holds at most, with more than four cores (docs/operating.md). */
const CONNECTIONS_PER_SERVER = 30;
const SLOW_MS = 10;
const MIGRATE = "Run `npm run migrate`, with MIGRATION_DATABASE_URL if another account owns the tables.";

/** Looks at a PostgreSQL with the servers' account, and changes nothing. */
export async function checkDatabase(databaseUrl: string): Promise<readonly Found[]> {
  const database = openDatabase({ connectionString: databaseUrl }, { poolSize: 1 });
  const { db } = database;
  try {
    const unreachable = await connectionProblem(db);
    if (unreachable !== null) return [unreachable];
    return [
      await server(db, databaseUrl),
      await latency(db),
      await clock(db),
      ...(await settings(db)),
      await connections(db),
      await readOnly(db),
      await pooler(db),
      await extension(db),
      ...(await schema(db)),
    ];
  } finally {
    await database.close();
  }
}

async function one<T>(db: Db, query: ReturnType<typeof sql<T>>): Promise<T> {
  const { rows } = await query.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The database did not answer the question");
  return row;
}

async function connectionProblem(db: Db): Promise<Found | null> {
  try {
    await sql`select 1`.execute(db);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? errorText(error) : String(error);
    return problem(`It cannot be reached: ${reason}.`, adviceFor(codeOf(error)));
  }
}

/** By the codes of PostgreSQL, of the network and of TLS. */
function adviceFor(code: string): string {
  if (code === "28P01" || code === "28000") {
    return "Correct account and password in DATABASE_URL, or pg_hba.conf of the PostgreSQL.";
  }
  if (code === "3D000") return "Create the database (createdb), or correct its name in DATABASE_URL.";
  if (code === "42501") return "Grant the account of DATABASE_URL the right to connect to the database.";
  if (code === "53300") return "Raise max_connections of the PostgreSQL, or stop what holds its connections.";
  if (code.includes("CERT") || code.includes("SELF_SIGNED") || code.startsWith("ERR_TLS")) {
    return "Name the authority of its certificate in NODE_EXTRA_CA_CERTS, and in DATABASE_URL the name that the certificate has.";
  }
  return "Start the PostgreSQL, or correct host and port in DATABASE_URL; it must listen there, with TLS if it is another machine.";
}

async function server(db: Db, databaseUrl: string): Promise<Found> {
  const { version, number, tls } = await one(
    db,
    sql<{ version: string; number: number; tls: boolean }>`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
        coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as tls`,
  );
  const { host, pathname, hostname, searchParams } = new URL(databaseUrl);
  const says = `PostgreSQL ${version} at ${host}${pathname}, ${tls ? "with" : "without"} TLS`;
  if (number < 150_000) return problem(says, "Suncrew needs PostgreSQL 15 or newer: upgrade it.");
  const isLocal = searchParams.has("host") || isLoopback(hostname);
  if (!tls && !isLocal) return problem(says, "Add ?sslmode=verify-full to DATABASE_URL.");
  return ok(says);
}

async function latency(db: Db): Promise<Found> {
  const times: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const beganAt = performance.now();
    await sql`select 1`.execute(db);
    times.push(performance.now() - beganAt);
  }
  const median = times.toSorted((a, b) => a - b)[2] ?? 0;
  const says = `An answer takes ${median.toFixed(1)} ms`;
  return median <= SLOW_MS
    ? ok(says)
    : warning(says, "Run servers and PostgreSQL near each other: a Start asks several times.");
}

async function clock(db: Db): Promise<Found> {
  const askedAt = Date.now();
  const { now } = await one(db, sql<{ now: Date }>`select clock_timestamp() as now`);
  const aheadMs = now.getTime() - (askedAt + Date.now()) / 2;
  const says = `Its clock and this machine's differ by ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s`;
  const todo = "Synchronise the clocks of both machines (NTP): from 30 s on no server starts a robot.";
  if (Math.abs(aheadMs) > 30_000) return problem(says, todo);
  return Math.abs(aheadMs) > 2_000 ? warning(says, todo) : ok(says);
}

async function settings(db: Db): Promise<Found[]> {
  const set = await one(
    db,
    sql<{ fsync: string; commit: string; pages: string; encoding: string; folds: boolean }>`
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('full_page_writes') as pages, pg_encoding_to_char(encoding) as encoding, lower('É') = 'é' as folds
      from pg_database where datname = current_database()`,
  );
  const found: Found[] = [];
  if (set.fsync === "off" || set.pages === "off") {
    const says = `fsync is ${set.fsync}, full_page_writes is ${set.pages}: a power cut can destroy the database`;
    found.push(problem(says, "Set both to on in postgresql.conf."));
  }
  if (set.commit === "off") {
    const says = "synchronous_commit is off: what people were told is stored can be lost";
    found.push(warning(says, "Set synchronous_commit to on for this database."));
  }
  if (set.encoding !== "UTF8") {
    found.push(
      problem(`Its encoding is ${set.encoding}`, "Create the database with --encoding UTF8 --template template0."),
    );
  } else if (!set.folds) {
    const says = "Its collation knows no letters beyond ASCII: searches distinguish É and é";
    found.push(warning(says, "Create the database with --locale C.UTF-8 --template template0."));
  }
  return found.length > 0 ? found : [ok("It stores what it confirms, as UTF-8")];
}

async function connections(db: Db): Promise<Found> {
  const { most, used, limit } = await one(
    db,
    sql<{ most: number; used: number; limit: number }>`
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
        (select count(*)::int from pg_stat_activity where coalesce(backend_type, 'client backend') = 'client backend') as used,
        (select rolconnlimit from pg_roles where rolname = current_user) as limit`,
  );
  const allowed = limit >= 0 ? Math.min(most, limit) : most;
  const says = `${used} of ${allowed} connections are in use; a server needs up to ${CONNECTIONS_PER_SERVER}`;
  if (allowed < CONNECTIONS_PER_SERVER) {
    return problem(says, "Raise max_connections, or the account's connection limit.");
  }
  return allowed < 2 * CONNECTIONS_PER_SERVER
    ? warning(says, "That is for one server. For each further one raise max_connections by 30.")
    : ok(says);
}

async function readOnly(db: Db): Promise<Found> {
  try {
    await rejectReadOnly(db);
    return ok("It accepts changes");
  } catch {
    return problem("It only reads: a standby, or set read-only", "Name the primary in DATABASE_URL.");
  }
}

/** In transaction mode, each statement may go to another backend. */
async function pooler(db: Db): Promise<Found> {
  const pids = new Set<number>();
  for (let time = 0; time < 4; time += 1) {
    pids.add((await one(db, sql<{ pid: number }>`select pg_backend_pid() as pid`)).pid);
  }
  return pids.size === 1
    ? ok("A connection stays with one session")
    : problem(
        "A pooler hands connections on between transactions",
        "Connect directly or through a pooler in session mode: locks and notices need it.",
      );
}

async function extension(db: Db): Promise<Found> {
  const { installed, offered } = await one(
    db,
    sql<{ installed: boolean; offered: boolean }>`
      select exists (select from pg_extension where extname = 'pg_trgm') as installed,
        exists (select from pg_available_extensions where name = 'pg_trgm') as offered`,
  );
  if (installed) return ok("Its extension pg_trgm is there");
  return offered
    ? warning("Its extension pg_trgm is not created yet", MIGRATE)
    : problem("It lacks the extension pg_trgm", "Install PostgreSQL's contrib package on its machine.");
}

const bridges: Readonly<Record<BridgeStatus, Found>> = {
  works: ok("All robots have a server as their bridge, and that has its broker"),
  partly: warning(
    "Some robots have no server as their bridge",
    "Ask again in five seconds. If it stays, look at the log of each server.",
  ),
  none: ok("No server is the bridge, which is right while none is running"),
  "cut-off": warning(
    "A server that is the bridge of robots has no connection to the broker",
    "Look at its log and at the broker.",
  ),
};

async function schema(db: Db): Promise<Found[]> {
  const state = await readSchema(db);
  try {
    requireSchema(state);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return [problem(error.message, state.missing.length > 0 ? MIGRATE : "Install the newer version.")];
  }
  const found: Found[] = [ok(`Its schema is ${state.database}`)];
  if (state.unfinished.length > 0) {
    found.push(
      warning("Steps of a migration on large tables are left", "Run `npm run migrate`; servers may be running."),
    );
  }
  if (await holdsDemoData(db)) {
    found.push(problem("It holds a demo's data and its known passwords", "Name another database for production."));
  }
  found.push(...(await rights(db)), bridges[await readBridgeStatus(db)], await otherConnections(db));
  return found;
}

async function rights(db: Db): Promise<Found[]> {
  const account = await connectedAccount(db);
  const { lacking } = await one(
    db,
    sql<{ lacking: number }>`
      select count(*)::int as lacking from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = current_schema()) and relkind in ('r', 'p')
        and not relispartition and not has_table_privilege(oid, 'SELECT')`,
  );
  if (lacking > 0) return [problem(`The account ${account} may not read ${lacking} of the tables`, MIGRATE)];
  if (await couldChangeAudit(db, account)) {
    const todo = "Let another account own the tables, and run `npm run migrate` with it in MIGRATION_DATABASE_URL.";
    return [warning(`The account ${account} could change the audit`, todo)];
  }
  return [ok(`The account ${account} may do what servers need, and cannot change the audit`)];
}

/** Servers that run now, and whatever else uses the database. */
async function otherConnections(db: Db): Promise<Found> {
  const { rows } = await sql<{ place: string; count: number }>`
    select coalesce(host(client_addr), 'this machine') as place, count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and usename is not null
      and coalesce(backend_type, 'client backend') = 'client backend'
    group by 1 order by 1`.execute(db);
  const places = rows.map(({ place, count }) => `${count} from ${place}`);
  return ok(places.length === 0 ? "Nobody else is connected to it" : `Connected to it are ${places.join(", ")}`);
}
