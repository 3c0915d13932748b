import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { openSync, readdirSync, readFileSync } from "node:fs";
import { chown, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import {
  createOwnerAndServerAccounts,
  type OwnerAndServerAccounts,
} from "../../apps/server/test/owner-and-server-accounts.ts";
import { until } from "./wait-and-random.ts";
import { type Account, debianProgram, end, freePort, launch, makeFolderFor, runProgram } from "./private-part.ts";

export interface PrivatePostgres {
  readonly version: string;
  /** Creates a database there, with an account that owns its tables and another one for the servers. */
  database(name: string): Promise<OwnerAndServerAccounts>;
  /** The URL of the database from which others can be created. */
  readonly adminUrl: string;
  /** Ends it like a power cut would. */
  kill(): Promise<void>;
  /** Ends it as an operator does: `fast` breaks off what is in progress, `immediate` leaves it to the next start's recovery. */
  shutDown(mode: "fast" | "immediate"): Promise<void>;
  /** Starts it on the same data, and waits until it answers. */
  startAgain(): Promise<void>;
  /** Suspends all of its processes, or resumes them. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 120_000;

/**
 * Debian's PostgreSQL. As in production it is durable, on a free port at 127.0.0.1, with passwords. Throw-away tests,
 * which connect thousands of times, get one that is not durable, on a socket that only this account can reach.
 */
export async function startPostgres(
  folder: string,
  account: Account,
  {
    durable,
    disk = folder,
    environment,
  }: { readonly durable: boolean; readonly disk?: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<PrivatePostgres> {
  const data = join(disk, "postgres");
  const passwordFile = join(folder, "postgres-password");
  const password = randomBytes(18).toString("base64url");
  await makeFolderFor(account, data);
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account !== null) await chown(passwordFile, account.uid, account.gid);
  const program = (name: string) => debianProgram(name, "postgresql");
  const initial = ["-D", data, "-U", "suncrew", `--pwfile=${passwordFile}`, "--encoding=UTF8", "--locale=C.UTF-8"];
  const trusted = ["--auth-local=trust", "--auth-host=scram-sha-256"];
  runProgram(account, program("initdb"), [...initial, ...trusted, "--no-instructions"]);
  await rm(passwordFile);

  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${durable ? "" : data}`,
    "max_connections=200",
    "shared_buffers=128MB",
    // On its own small disk.
    ...(disk === folder ? [] : ["max_wal_size=64MB", "min_wal_size=32MB"]),
    ...(durable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "jit=off"]),
  ];
  const log = openSync(join(folder, "postgres.log"), "a", 0o600);
  const adminUrl = durable
    ? `postgres://suncrew:${password}@127.0.0.1:${port}/postgres`
    : `postgres://suncrew@localhost:${port}/postgres?host=${encodeURIComponent(data)}`;
  const begin = async (): Promise<ChildProcess> => {
    const options = settings.flatMap((one) => ["-c", one]);
    const begun = launch(account, program("postgres"), ["-D", data, ...options], log, environment);
    try {
      await until(() => answers(adminUrl), START_LIMIT_MS, "PostgreSQL did not start");
    } catch (error) {
      await end(begun, "SIGQUIT", 2_000);
      throw error;
    }
    return begun;
  };
  let child = await begin();
  return {
    async kill() {
      const processes = processesOf(child);
      const ended = once(child, "exit");
      for (const pid of processes) signal(pid, "SIGKILL");
      await ended;
    },
    shutDown: (mode) => end(child, mode === "fast" ? "SIGINT" : "SIGQUIT", 20_000),
    async startAgain() {
      // If one has ended by itself, or is about to, wait for that one.
      if (child.exitCode === null && child.signalCode === null) {
        await until(() => answers(adminUrl), START_LIMIT_MS, "PostgreSQL did not come back");
      } else child = await begin();
    },
    pause() {
      for (const pid of processesOf(child)) signal(pid, "SIGSTOP");
    },
    resume() {
      for (const pid of processesOf(child)) signal(pid, "SIGCONT");
    },
    version: await ask(adminUrl, "show server_version"),
    adminUrl,
    database: (name) => createOwnerAndServerAccounts({ connectionString: adminUrl }, name),
    stop: async () => end(child, "SIGINT", 5_000),
  };
}

/** The server and its children, each of which leads its own process group. */
function processesOf({ pid = 0 }: ChildProcess): number[] {
  const children = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      // The name in parentheses may contain anything.
      const [, parent] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return Number(parent) === pid;
    } catch {
      return false;
    }
  });
  return [pid, ...children.map(Number)];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

async function answers(url: string): Promise<boolean> {
  return ask(url, "select 1").then(
    () => true,
    () => false,
  );
}

async function ask(url: string, question: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    const { rows } = await client.query<string[]>({ text: question, rowMode: "array" });
    return rows[0]?.[0] ?? "";
  } finally {
    await client.end();
  }
}
