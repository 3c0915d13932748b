import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Lets test processes share a compile cache: they are ready in half the time. */
export const compiledBefore = { NODE_COMPILE_CACHE: join(tmpdir(), `suncrew-compiled-${userInfo().uid}`) };

const thisCheckout = fileURLToPath(new URL("../../..", import.meta.url));
/** The time limit for a start that hangs: a busy machine takes minutes for a database, a broker and two processes. */
const START_LIMIT_MS = 300_000;
/** Longer if it writes a history first. */
const HISTORY_LIMIT_MS = 300_000;

export interface SuncrewRun {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Everything printed so far, to both outputs. */
  printed(): string;
  /** The messages of the JSON lines that it printed, one per line. */
  said(): string;
  /** Waits until it is ready; rejects with its output if it exits before that. */
  ready(): Promise<{ readonly url: string; readonly mqttPort: number; readonly controlAddress: string }>;
  /** Waits for its exit; returns the exit code, or the signal that ended it. */
  ended(): Promise<number | string>;
  /** Presses Ctrl-C and waits for the end. */
  interrupt(): Promise<void>;
}

export interface RunOptions {
  readonly history?: boolean;
  readonly console?: boolean;
  readonly startLimitMs?: number;
  /** The folder of another version; this checkout by default. */
  readonly checkout?: string;
  /** As people run it: npm is the child, and Suncrew is npm's child. */
  readonly throughNpm?: boolean;
}

/** Ignores PORT and similar variables of the test run's environment. */
const cleanEnvironment = (environment: Readonly<Record<string, string | undefined>>) => ({
  PATH: process.env["PATH"],
  TMPDIR: process.env["TMPDIR"],
  MAP_TILE_URL: "",
  ...compiledBefore,
  ...environment,
});

/** Runs `npm run migrate` on a database to the end, optionally with a separate account. */
export async function runMigrate(
  database:
    | string
    | {
        readonly serverUrl: string;
        readonly ownerUrl: string;
        readonly environment?: Readonly<Record<string, string>>;
      },
  args: readonly string[] = [],
  checkout = thisCheckout,
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const child = spawn(process.execPath, [join(checkout, "apps/server/src/migrate-database.ts"), ...args], {
    env: cleanEnvironment(
      typeof database === "string"
        ? { DATABASE_URL: database }
        : { ...database.environment, DATABASE_URL: database.serverUrl, MIGRATION_DATABASE_URL: database.ownerUrl },
    ),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
  }
  await once(child, "close");
  return { code: child.exitCode, printed: printed.trim() };
}

/** Starts the real process as `npm start` and `npm run serve` do, by default without console and history. */
export function runSuncrew(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  {
    history = false,
    console = false,
    startLimitMs = START_LIMIT_MS,
    checkout = thisCheckout,
    throughNpm = false,
  }: RunOptions = {},
): SuncrewRun {
  const [mode = "demo", ...options] = args;
  const without = [...(console ? [] : ["--no-console"]), ...(mode === "demo" && !history ? ["--no-history"] : [])];
  const words = throughNpm
    ? ["npm", "run", "--silent", mode === "demo" ? "start" : "serve", "--", ...options, ...without]
    : [process.execPath, join(checkout, "apps/server/src/main.ts"), mode, ...options, ...without];
  const [program = "", ...rest] = words;
  const child = spawn(program, rest, {
    cwd: throughNpm ? checkout : process.cwd(),
    env: cleanEnvironment(environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const exit = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  const ready = new Promise<void>((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`Not ready in time. It printed:\n${text}`)),
      history ? startLimitMs + HISTORY_LIMIT_MS : startLimitMs,
    );
    const read = (chunk: string): void => {
      text += chunk;
      if (/Ctrl-C stops everything\.|"msg":"Suncrew is ready"/.test(text)) resolve();
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    void exit
      .then((code) => reject(new Error(`It ended (${code}). It printed:\n${text}`)))
      .finally(() => clearTimeout(limit));
  });
  // A failure reaches only code that awaits it.
  ready.catch(() => undefined);
  const found = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? "";
  return {
    child,
    pid: child.pid ?? 0,
    printed: () => text,
    said: () =>
      [...text.matchAll(/^\{.*\}$/gm)].map(([line]) => String((JSON.parse(line) as { msg: unknown }).msg)).join("\n"),
    async ready() {
      await ready;
      return {
        url: found(/(?:(?:Server|Console) +|"url":")(http:[^\s"]+)/).replace("localhost", "127.0.0.1"),
        mqttPort: Number(found(/(?:Broker +|"broker":")[^\s"]+:(\d+)/)),
        controlAddress: found(/control address (http:\S+)/),
      };
    },
    ended: () => exit,
    async interrupt() {
      child.kill("SIGINT");
      await exit;
    },
  };
}

/** Command lines of the running processes that contain this text. */
export async function processesNaming(text: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => {
      const line = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ").trim();
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return Number(pid) !== process.pid && (line.includes(text) || environment.includes(text)) ? [line] : [];
    }),
  );
  return lines.flat();
}

/** Occupies a port, any free one by default. */
export async function takePort(port = 0): Promise<{ readonly port: number; release(): Promise<void> }> {
  // Whoever connects meanwhile is let go at once: the server would not close while a connection is open.
  const server: Server = createServer((socket) => socket.destroy());
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : port,
    async release() {
      server.close();
      await once(server, "close");
    },
  };
}
