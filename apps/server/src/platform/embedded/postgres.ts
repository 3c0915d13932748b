import { realpath, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { makeFolders, makeTraversable } from "./files.ts";
import {
  findPostmaster,
  InstanceLock,
  lastHolder,
  type LaunchOptions,
  launchPostmaster,
  type Postmaster,
  reachPostgres,
  stopPostmaster,
} from "./postgres-process.ts";
import {
  checkReachable,
  chooseOwner,
  EMBEDDED_ROLE,
  installPrograms,
  makeCluster,
  makeSocketFolder,
} from "./postgres-setup.ts";
import { signalAtExit } from "./process-table.ts";
import { hasCode, StartError } from "../errors.ts";

export interface EmbeddedPostgresOptions {
  /** Suncrew's data folder; the database's own folder is created inside it. */
  dataDir: string;
  /** Name of the database and of its folder inside `dataDir`: the demo and production never share one. */
  name?: string;
  /** Where PostgreSQL's programs are copied to, once per version; the data folder by default. */
  programsDir?: string;
  /** False gives up safety against power loss for speed; for tests only. */
  durable?: boolean;
  /** Called once if PostgreSQL ends or is taken over while in use. */
  onLost?: () => void;
}

export interface PostgresConnection {
  host: string;
  port: number;
  user: string;
  database: string;
}

export interface EmbeddedPostgres {
  /** How to reach the database `name`. */
  connection: PostgresConnection;
  /** True if it joined a PostgreSQL left running by a killed Suncrew. */
  joined: boolean;
  /** Creates another database in the same PostgreSQL, optionally as a copy of `template`; for tests. */
  createDatabase(database: string, template?: string): Promise<PostgresConnection>;
  dropDatabase(database: string): Promise<void>;
  /** Disconnects every client, flushes the data and stops PostgreSQL, within some 4 s. */
  stop(): Promise<void>;
}

const PORT = 5432;
/** Crash recovery of a large database is slow. */
const START_TIMEOUT_MS = 120_000;
/** Sessions of a killed PostgreSQL end within this time, and let the next one start. */
const LEFTOVER_TIMEOUT_MS = 15_000;

/**
 * Brings up the embedded PostgreSQL of a data folder: creates it the first time, joins one that a killed Suncrew left
 * running, otherwise starts it. Throws a StartError, and touches nothing, if another Suncrew already uses the data.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const name = options.name ?? "suncrew";
  const durable = options.durable ?? true;
  const owner = await chooseOwner(join(resolve(options.dataDir), name));
  await checkReachable(options.dataDir, owner);
  await makeFolders(resolve(options.dataDir));
  const dataDir = await realpath(options.dataDir);
  await checkReachable(dataDir, owner);
  if (owner !== null) await makeTraversable(dataDir);
  const databaseFolder = join(dataDir, name);
  const programs = await installPrograms(resolve(options.programsDir ?? dataDir));
  await makeCluster({ programs, databaseFolder, owner, durable });

  const pidFile = join(dataDir, `${name}.pid`);
  const socketFolder = await makeSocketFolder(databaseFolder, owner);
  const logFile = join(dataDir, `${name}.log`);
  const { postmaster, joined } = await joinOrLaunch(
    { programs, databaseFolder, socketFolder, owner, durable, logFile },
    pidFile,
  );

  const connection = connectionAt(postmaster.socketFolder, name);
  const lock = new InstanceLock({ ...connection, database: "postgres" }, pidFile, () => options.onLost?.());
  const holder = await lock.take();
  if (holder !== null) throw takenError(dataDir, holder);
  const cancelSignal = signalAtExit(postmaster.pid, "SIGINT");
  const server = serverOf(connection, joined, async () => {
    await lock.release();
    await stopPostmaster(postmaster.pid);
    cancelSignal();
  });
  await server.createDatabase(name);
  return server;
}

function connectionAt(socketFolder: string, database = "postgres"): PostgresConnection {
  return { host: socketFolder, port: PORT, user: EMBEDDED_ROLE, database };
}

/** How to reach the PostgreSQL that runs on this data, also while a Suncrew uses it; null if there is none. */
export async function findRunningPostgres(dataDir: string, name: string): Promise<PostgresConnection | null> {
  const running = await findPostmaster(join(resolve(dataDir), name));
  return running && connectionAt(running.socketFolder, name);
}

/**
 * Deletes an embedded database; a PostgreSQL that a killed Suncrew left running is stopped first. Throws a StartError,
 * and touches nothing, while a Suncrew runs on it.
 */
export async function deleteEmbeddedPostgres(dataDir: string, name: string): Promise<void> {
  const folder = resolve(dataDir);
  const databaseFolder = join(folder, name);
  const pidFile = join(folder, `${name}.pid`);
  const running = await findPostmaster(databaseFolder);
  const holder = await lastHolder(pidFile);
  if (holder !== null) throw takenError(folder, holder);
  if (running !== null) {
    const lock = new InstanceLock(connectionAt(running.socketFolder), pidFile, () => undefined);
    const other = await lock.take().catch(() => null);
    if (other !== null) throw takenError(folder, other);
    await lock.release();
    await stopPostmaster(running.pid);
  }
  await rm(databaseFolder, { recursive: true, force: true });
  for (const file of [pidFile, join(folder, `${name}.log`)]) await rm(file, { force: true });
}

async function joinOrLaunch(
  options: LaunchOptions,
  pidFile: string,
): Promise<{ postmaster: Postmaster; joined: boolean }> {
  const began = Date.now();
  for (;;) {
    const found = await findPostmaster(options.databaseFolder);
    const launched = found === null ? await launchPostmaster(options) : null;
    const postmaster = found ?? { pid: launched?.pid ?? 0, socketFolder: options.socketFolder };
    const config = connectionAt(postmaster.socketFolder || options.socketFolder);
    const cancelSignal = launched === null ? () => undefined : signalAtExit(launched.pid, "SIGINT");
    const reached = await reachPostgres(config, postmaster.pid, launched?.ended ?? null, began + START_TIMEOUT_MS);
    cancelSignal();
    if (reached.kind === "ready") {
      return { postmaster: { ...postmaster, socketFolder: config.host }, joined: found !== null };
    }
    if (reached.kind === "no-socket") {
      const holder = await lastHolder(pidFile);
      if (holder !== null) throw takenError(options.databaseFolder, holder);
      await stopPostmaster(postmaster.pid);
      continue;
    }
    // It ended because its Suncrew was just stopping, another start was faster, or a killed one still has sessions: all
    // of these are transient.
    const isTransient =
      found !== null || /pre-existing shared memory|lock file "postmaster.pid" already exists/.test(reached.output);
    if (!isTransient || reached.kind === "too-late" || Date.now() - began > LEFTOVER_TIMEOUT_MS) {
      const lastLine = reached.output.split("\n").at(-1) ?? "";
      throw new StartError(`The embedded database did not start: ${lastLine} (full log: ${options.logFile}).`);
    }
    await wait(100);
  }
}

function takenError(folder: string, holder: number): StartError {
  const who = holder === 0 ? "Another Suncrew" : `Another Suncrew (process ${holder})`;
  return new StartError(
    `${who} already runs on the data in ${folder}: stop it first, or choose another folder with DATA_DIR.`,
  );
}

function serverOf(connection: PostgresConnection, joined: boolean, stop: () => Promise<void>): EmbeddedPostgres {
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client({ ...connection, database: "postgres" });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  return {
    connection,
    joined,
    async createDatabase(database, template) {
      const copy = template === undefined ? "" : ` template ${pg.escapeIdentifier(template)}`;
      await run(`create database ${pg.escapeIdentifier(database)}${copy}`).catch((error: unknown) => {
        if (!hasCode(error, "42P04") || template !== undefined) throw error;
      });
      return { ...connection, database };
    },
    async dropDatabase(database) {
      await run(`drop database if exists ${pg.escapeIdentifier(database)} with (force)`);
    },
    stop,
  };
}
