import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { open, readFile, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { hasCode } from "../errors.ts";
import { openLogFile, writePrivateFile } from "./files.ts";
import type { Owner } from "./postgres-setup.ts";
import { waitForExit, processRuns, processStamp, signal, workingFolderOf } from "./process-table.ts";

/** A running PostgreSQL: its main process and the folder of its socket. */
export interface Postmaster {
  pid: number;
  socketFolder: string;
}

const pidFileOf = (databaseFolder: string): string => join(databaseFolder, "postmaster.pid");

/**
 * The PostgreSQL that already runs on this data, for instance after our process was killed; null if there is none. A pid
 * file whose number now belongs to another program is removed, because PostgreSQL would refuse to start.
 */
export async function findPostmaster(databaseFolder: string): Promise<Postmaster | null> {
  const lines = (await readFile(pidFileOf(databaseFolder), "utf8").catch(() => "")).split("\n");
  const pid = Number(lines[0]);
  if (!(await processRuns(pid))) return null;
  const folder = await workingFolderOf(pid);
  if (folder !== null && folder !== (await realpath(databaseFolder))) {
    await rm(pidFileOf(databaseFolder), { force: true });
    return null;
  }
  return { pid, socketFolder: lines[4] ?? "" };
}

export interface LaunchOptions {
  programs: string;
  databaseFolder: string;
  socketFolder: string;
  logFile: string;
  owner: Owner | null;
  /** False gives up safety against power loss for speed; for tests only. */
  durable: boolean;
}

interface Launched {
  pid: number;
  /** Resolves with PostgreSQL's own last output when it ends. */
  ended: Promise<string>;
}

/**
 * Starts PostgreSQL in its own process group, so that a Ctrl-C at the keyboard reaches Suncrew alone and the database
 * is stopped last. It writes to a file, not to a pipe, so that it outlives a killed Suncrew unharmed.
 */
export async function launchPostmaster(parts: LaunchOptions): Promise<Launched> {
  const settings = {
    listen_addresses: "",
    unix_socket_directories: parts.socketFolder,
    unix_socket_permissions: "0700",
    max_connections: "100",
    shared_buffers: "64MB",
    timezone: "UTC",
    log_timezone: "UTC",
    jit: "off",
    ...(parts.durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  const given = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const log = await openLogFile(parts.logFile);
  const logStart = (await stat(parts.logFile)).size;
  try {
    const child = spawn(join(parts.programs, "bin", "postgres"), ["-D", parts.databaseFolder, ...given], {
      cwd: parts.databaseFolder,
      detached: true,
      stdio: ["ignore", log, log],
      env: { PATH: process.env["PATH"], LC_ALL: "C", LANG: "C" },
      ...(parts.owner === null ? {} : { uid: parts.owner.uid, gid: parts.owner.gid }),
    });
    const ended = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(String(error)));
      child.once("exit", () => resolve(readFrom(parts.logFile, logStart)));
    });
    child.unref();
    return { pid: child.pid ?? 0, ended };
  } finally {
    closeSync(log);
  }
}

async function readFrom(path: string, start: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const length = Math.max(0, (await file.stat()).size - start);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
    return buffer.toString("utf8").trim();
  } finally {
    await file.close();
  }
}

/** Stops PostgreSQL: disconnects clients and flushes data; after `graceMs` it no longer waits for that. */
export async function stopPostmaster(pid: number, graceMs = 3000): Promise<void> {
  signal(pid, "SIGINT");
  if (await waitForExit(pid, graceMs)) return;
  signal(pid, "SIGQUIT");
  if (await waitForExit(pid, 1500)) return;
  signal(pid, "SIGKILL");
  await waitForExit(pid, 500);
}

/** The result of waiting for a PostgreSQL that runs or is starting. */
type ReachResult =
  | { kind: "ready" }
  | { kind: "ended"; output: string }
  /** It runs, but its socket was deleted: somebody emptied the folder of temporary files. */
  | { kind: "no-socket" }
  | { kind: "too-late"; output: string };

const PAUSE_MS = 40;
/** A starting PostgreSQL creates its socket well within this time. */
const SOCKET_TIMEOUT_MS = 2000;

/** Waits until PostgreSQL answers or has ended. `ended` is set if this process launched it. */
export async function reachPostgres(
  config: pg.ClientConfig,
  pid: number,
  ended: Promise<string> | null,
  deadline: number,
): Promise<ReachResult> {
  let lastOutput: string | null = null;
  void ended?.then((output) => (lastOutput = output));
  const began = Date.now();
  let errorMessage = "";
  while (Date.now() < deadline) {
    if (lastOutput !== null) return { kind: "ended", output: lastOutput };
    if (ended === null && !(await processRuns(pid))) return { kind: "ended", output: "" };
    const error = await tryConnect(config);
    if (error === null) return { kind: "ready" };
    errorMessage = error.message;
    const noSocket = hasCode(error, "ENOENT", "ECONNREFUSED");
    if (noSocket && ended === null && Date.now() - began > SOCKET_TIMEOUT_MS) return { kind: "no-socket" };
    await wait(PAUSE_MS);
  }
  return { kind: "too-late", output: errorMessage };
}

async function tryConnect(config: pg.ClientConfig): Promise<Error | null> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 5000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** An advisory lock of the embedded PostgreSQL's own database `postgres`; the digits spell "suncrew" on a phone. */
const LOCK_KEY = 7862739;
/** The session of a killed holder ends within this time. */
const TAKE_TIMEOUT_MS = 1500;
const RETAKE_TIMEOUT_MS = 10_000;
const LOCK_PAUSE_MS = 100;

const applicationName = (pid: number): string => `suncrew instance ${pid}`;

/** Held by the one Suncrew that uses a data folder, for as long as its session lasts. */
export class InstanceLock {
  #client: pg.Client | null = null;
  #released = false;
  readonly #config: pg.ClientConfig;
  readonly #pidFile: string;
  readonly #onLost: () => void;

  /** `onLost` is called once, if the lock was lost with its session and could not be taken again. */
  constructor(config: pg.ClientConfig, pidFile: string, onLost: () => void) {
    this.#config = { ...config, application_name: applicationName(process.pid), keepAlive: true };
    this.#pidFile = pidFile;
    this.#onLost = onLost;
  }

  /** Returns null when taken, else the process id of the Suncrew that holds it (0 if unknown). */
  async take(timeoutMs = TAKE_TIMEOUT_MS): Promise<number | null> {
    const client = new pg.Client(this.#config);
    client.on("error", () => undefined);
    await client.connect();
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [LOCK_KEY]);
      if (rows[0]?.taken === true) break;
      if (Date.now() >= deadline) {
        const holder = await holderOf(client);
        await client.end();
        return holder;
      }
      await wait(LOCK_PAUSE_MS);
    }
    this.#client = client;
    client.once("end", () => void this.#retake());
    await writePrivateFile(this.#pidFile, `${await processStamp(process.pid)}\n`);
    return null;
  }

  /** A crash inside PostgreSQL ends every session, and with it the lock's. */
  async #retake(): Promise<void> {
    this.#client = null;
    const deadline = Date.now() + RETAKE_TIMEOUT_MS;
    while (!this.#released && Date.now() < deadline) {
      const holder = await this.take(0).catch(() => undefined);
      if (holder === null) return this.#released ? await this.release() : undefined;
      if (holder !== undefined) break;
      await wait(LOCK_PAUSE_MS);
    }
    if (!this.#released) this.#onLost();
  }

  async release(): Promise<void> {
    this.#released = true;
    await this.#client?.end().catch(() => undefined);
  }
}

async function holderOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.objid = $1 and l.granted`,
    [LOCK_KEY],
  );
  return Number(/\d+$/.exec(rows[0]?.name ?? "")?.[0] ?? 0);
}

/** The process that last held the lock, if it still runs; for when the lock itself cannot be reached. */
export async function lastHolder(pidFile: string): Promise<number | null> {
  const stamp = (await readFile(pidFile, "utf8").catch(() => "")).trim();
  const pid = Number(stamp.split(" ")[0]);
  return pid !== process.pid && (await processRuns(pid)) && (await processStamp(pid)) === stamp ? pid : null;
}
