import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";

const root = fileURLToPath(new URL("../..", import.meta.url));
const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 20_000;

/** A TCP port that nothing is listening on at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

export interface RunningServer {
  /** The console's URL, without a trailing slash. */
  readonly baseUrl: string;
  readonly mqttPort: number;
  readonly dataDir: string;
  /** The file to which the simulator writes the URL of its control interface. */
  readonly simulatorControlFile: string;
  readonly process: ChildProcess;
  /** Everything it has printed so far, for the report of a failed test. */
  output(): string;
  /**
   * Runs a statement on its database, to cause at once what would otherwise take time; returns the number of rows
   * changed.
   */
  sql(statement: string): Promise<number>;
  /** Stops it and waits until it has ended; `keepData` leaves its folder for another start. */
  stop(options?: { readonly keepData?: boolean }): Promise<void>;
}

export interface ServerOptions {
  /** In addition to what the fixture sets. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder of an earlier start; a new empty one by default. */
  readonly dataDir?: string;
  /** That of an earlier start; a free one by default. */
  readonly port?: number;
  /** With the demo's sample history, groups and schedules; off by default. */
  readonly history?: boolean;
}

/** How often other ports are tried: another program may take one before the server has it. */
const PORT_TRIES = 3;

/**
 * Starts the real demo on its own ports and folder, and waits until it has printed its URL.
 * @throws with all its output if it ends before that, or takes longer than START_LIMIT_MS
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      const isPortTaken = error instanceof Error && error.message.includes("is taken by another program");
      if (!isPortTaken || tries === PORT_TRIES) throw error;
    }
  }
}

async function startOnce(options: ServerOptions): Promise<RunningServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "suncrew-e2e-")));
  const [port, mqttPort] = [options.port ?? (await freePort()), await freePort()];
  const simulatorControlFile = join(dataDir, "simulator-control");
  const child = spawn(
    process.execPath,
    ["apps/server/src/main.ts", "demo", ...(options.history === true ? [] : ["--no-history"])],
    {
      cwd: root,
      env: {
        ...process.env,
        PORT: String(port),
        MQTT_PORT: String(mqttPort),
        DATA_DIR: dataDir,
        SIM_CONTROL_FILE: simulatorControlFile,
        // Firmware downloads and installs in seconds; in a browser it only needs to be long enough to be seen.
        SIM_FIRMWARE: "1",
        // The next server reuses the compile cache of this one.
        NODE_COMPILE_CACHE: join(tmpdir(), `suncrew-compiled-${userInfo().uid}`),
        // No test uses a real tile service.
        MAP_TILE_URL: "",
        // Set by the test runner; its colours would end up in the reports.
        FORCE_COLOR: undefined,
        NO_COLOR: "1",
        ...options.environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    const limit = setTimeout(() => fail("was not ready in time"), START_LIMIT_MS);
    function fail(what: string): void {
      clearTimeout(limit);
      child.kill("SIGTERM");
      reject(new Error(`The server ${what}. It printed:\n${printed}`));
    }
    function read(chunk: string): void {
      printed += chunk;
      if (!printed.includes(`:${port}`)) return;
      clearTimeout(limit);
      resolve();
    }
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
    child.once("exit", (code, signal) => fail(`ended (${code ?? signal})`));
  });
  const server: RunningServer = {
    baseUrl: `http://127.0.0.1:${port}`,
    mqttPort,
    dataDir,
    simulatorControlFile,
    process: child,
    output: () => printed,
    async sql(statement) {
      // The fifth line of this file names the folder of the socket.
      const postmaster = await readFile(join(dataDir, "suncrew_demo/postmaster.pid"), "utf8");
      const host = postmaster.split("\n")[4] ?? "";
      const client = new pg.Client({ host, user: "suncrew", database: "suncrew_demo" });
      await client.connect();
      try {
        return (await client.query(statement)).rowCount ?? 0;
      } finally {
        await client.end();
      }
    },
    async stop({ keepData = false } = {}) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        const limit = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
        child.kill("SIGTERM");
        await ended;
        clearTimeout(limit);
      }
      if (!keepData) await rm(dataDir, { recursive: true, force: true });
    },
  };
  // Several servers share the machine's disk: where it stalls, a Stop is truly answered as "will be recorded".
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
    await server.sql(`alter system set ${setting} = off`);
  }
  await server.sql("select pg_reload_conf()");
  return server;
}
