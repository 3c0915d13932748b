import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { open, readFile, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { openLogFile } from "./files.ts";
import { processGone, processRuns, signal, workingFolderOf } from "./process-table.ts";
import type { Owner } from "./postgres-owner.ts";

/** A running PostgreSQL: its first process and the folder of its socket. */
export interface Postmaster {
  pid: number;
  socketFolder: string;
}

const pidFileOf = (databaseFolder: string): string => join(databaseFolder, "postmaster.pid");

/**
 * The PostgreSQL that already runs on this data, for instance after our process was killed; null where none does. A
 * pid file whose number now belongs to another program is removed, because PostgreSQL would not start beside it.
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

export interface LaunchParts {
  programs: string;
  databaseFolder: string;
  socketFolder: string;
  logFile: string;
  owner: Owner | null;
  /** False gives up safety against power loss for speed; for tests only. */
  durable: boolean;
}

export interface Launched {
  pid: number;
  /** Settles with PostgreSQL's own last words when it ends. */
  ended: Promise<string>;
}

/**
 * Starts PostgreSQL in its own process group, so that a Ctrl-C at the keyboard reaches Suncrew alone and the database
 * is stopped last. It writes to a file, not to a pipe, so that it outlives a killed Suncrew unharmed.
 */
export async function launchPostmaster(parts: LaunchParts): Promise<Launched> {
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
  const args = [
    "-D",
    parts.databaseFolder,
    ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
  ];
  const log = await openLogFile(parts.logFile);
  const logStart = (await stat(parts.logFile)).size;
  try {
    const child = spawn(join(parts.programs, "bin", "postgres"), args, {
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

/** Stops PostgreSQL: clients are cut off and data is written out; after `patienceMs` without waiting for that. */
export async function stopPostmaster(pid: number, patienceMs = 3000): Promise<void> {
  signal(pid, "SIGINT");
  if (await processGone(pid, patienceMs)) return;
  signal(pid, "SIGQUIT");
  if (await processGone(pid, 1500)) return;
  signal(pid, "SIGKILL");
  await processGone(pid, 500);
}
