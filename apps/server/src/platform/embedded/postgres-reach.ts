import pg from "pg";
import { processRuns } from "./process-table.ts";

/** What came of waiting for a PostgreSQL that runs or is starting. */
export type Reached =
  | { kind: "ready" }
  /** It ended, with these last words. */
  | { kind: "ended"; words: string }
  /** It runs, but its socket is gone: somebody emptied the folder of temporary files. */
  | { kind: "no-socket" }
  | { kind: "too-late"; words: string };

const PAUSE_MS = 40;
/** A PostgreSQL that starts makes its socket well within this time. */
const SOCKET_PATIENCE_MS = 2000;

/** Waits until PostgreSQL answers or is gone. `ended` is given where this process launched it. */
export async function reachPostgres(
  config: pg.ClientConfig,
  pid: number,
  ended: Promise<string> | null,
  deadline: number,
): Promise<Reached> {
  let lastWords: string | null = null;
  void ended?.then((words) => (lastWords = words));
  const began = Date.now();
  let complaint = "";
  while (Date.now() < deadline) {
    if (lastWords !== null) return { kind: "ended", words: lastWords };
    if (ended === null && !(await processRuns(pid))) return { kind: "ended", words: "" };
    const error = await tryConnect(config);
    if (error === null) return { kind: "ready" };
    complaint = error.message;
    const noSocket = "code" in error && (error.code === "ENOENT" || error.code === "ECONNREFUSED");
    if (noSocket && ended === null && Date.now() - began > SOCKET_PATIENCE_MS) return { kind: "no-socket" };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return { kind: "too-late", words: complaint };
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
