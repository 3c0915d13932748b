import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ensureReadingsPartitions } from "@suncrew/server/features/devices/robot-state.repository.ts";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import { sql } from "kysely";
import { addSite } from "../apps/server/test/fixtures.ts";
import { aggregateDays, bytesOfDay, fillYears, YEARS_DAYS, YEARS_ROBOTS, type YearsSite } from "./reports-of-years.ts";
import { busySecondsOf, memoryMbOf } from "./process-figures.ts";
import { report } from "./result.ts";
import { serverEnvironment } from "./server-environment.ts";

// The report and the CSV of a site whose month has 1,000,000 activity rows and 1,700,000 readings: how long they take,
// by how much the server's memory grows, and how long another call waits in the meantime. The server is a separate
// process, on a durable PostgreSQL. Each figure is beside that of the same call over 1,000 rows, or of a server at rest.
// Then the report of 400 days of 3,000 robots.

const ROBOTS = 20;
const ROWS = Number(process.env["BENCH_ROWS"] ?? 1_000_000);
const FEW = 1_000;
const READING_S = 30;
const PASSWORD = "a bench at noon";
/** The rows of the reported month; the days before it have `FEW` rows. */
const MONTH = { from: "2026-09-01 00:00:00", to: "2026-09-30 23:59:59" };
const DAY = { from: "2026-08-31 00:00:00", to: "2026-08-31 23:59:59" };

const main = fileURLToPath(new URL("../apps/server/src/main.ts", import.meta.url));

async function fill(db: Db): Promise<number> {
  const siteId = await addSite(db, "Bench Park", null);
  await sql`insert into devices (serial, secret_sha256)
    select 'BENCH-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${ROBOTS}::int) n`.execute(db);
  await sql`insert into robots (site_id, robot_name, serial_number, installation_date)
    select ${siteId}, 'BENCH-' || n, 'BENCH-' || n, '2024-02-29' from generate_series(1, ${ROBOTS}::int) n`.execute(db);
  for (const month of ["2026-08-15", "2026-09-15", "2026-10-15"]) await ensureReadingsPartitions(db, new Date(month));
  const addActivity = (from: string, seconds: number, rows: number) =>
    sql`
      insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name, robot_name,
        serial_number, details, params)
      select ${from}::timestamptz + n * ${seconds / rows}::float8 * interval '1 second', ${siteId}, 1 + n % ${ROBOTS}::int,
        case when n % 2 = 0 then 'START' else 'STOP' end, 'SCHEDULED', 'SUCCESS', 'Scheduler', 'Bench Park',
        'BENCH-' || (1 + n % ${ROBOTS}::int), 'BENCH-' || (1 + n % ${ROBOTS}::int), 'The robot took it at once, press ' || n,
        '{"robotSerial":"BENCH","mode":"AUTO","direction":"FWD","main-speed":75,"brush-speed":80}'
      from generate_series(0, ${rows - 1}::int) n`.execute(db);
  await addActivity("2026-08-31 00:00:00+05:30", 86_400, FEW);
  await addActivity("2026-09-01 00:00:00+05:30", 30 * 86_400, ROWS);
  await sql`
    insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion, mode,
      battery, charging)
    select r.id, r.site_id, t, t, 1, extract(epoch from t)::bigint, 'stop', 'idle', 'STOPPED', 'AUTO',
      40 + (extract(epoch from t)::bigint / 60 + r.id) % 60, true
    from robots r, generate_series(timestamptz '2026-08-31 00:00:00+05:30', '2026-09-30 23:59:59+05:30',
      ${READING_S}::int * interval '1 second') t`.execute(db);
  await sql`insert into robot_presence (robot_id, site_id, online_at, offline_at)
    select r.id, r.site_id, t, t + interval '5 hours 50 minutes' from robots r,
      generate_series(timestamptz '2026-08-31 00:00:00+05:30', '2026-09-30 23:59:59+05:30', interval '6 hours') t`.execute(
    db,
  );
  await sql`insert into runs (id, robot_id, site_id, planned, started_by, schedule_id, due_at, stop_due_at, began_at,
      ended_at, outcome, reason)
    select gen_random_uuid(), r.id, r.site_id, true, 'Scheduler', r.id, t, t + interval '1 hour', t + interval '1 second',
      t + interval '1 hour', 'COMPLETED', 'STOP' from robots r,
      generate_series(timestamptz '2026-08-31 00:00:00+05:30', '2026-09-30 23:59:59+05:30', interval '12 hours') t`.execute(
    db,
  );
  await sql`vacuum analyze`.execute(db);
  return siteId;
}

interface Measured {
  readonly seconds: number;
  /** Processor time of the server only. */
  readonly busySeconds: number;
  readonly megabytes: number;
  readonly grownMb: number;
  /** The longest that a call of api/health took in the meantime, in milliseconds. */
  readonly longestMs: number;
}

class Server {
  readonly #url: string;
  readonly #pid: number;
  #token = "";

  constructor(url: string, pid: number) {
    this.#url = url;
    this.#pid = pid;
  }

  async signIn(): Promise<void> {
    const answer = await this.#post("/api/auth/login", { username: "admin", password: PASSWORD });
    const body: unknown = await answer.json();
    if (typeof body !== "object" || body === null || !("token" in body)) throw new Error("Nobody is signed in.");
    this.#token = String(body.token);
  }

  #post(path: string, body: object): Promise<Response> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${this.#token}` };
    return fetch(this.#url + path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /** Does `work` while another caller keeps requesting api/health. */
  async beside(work: () => Promise<number>): Promise<Measured> {
    const before = await memoryMbOf(this.#pid);
    const busyBefore = await busySecondsOf(this.#pid);
    let most = before;
    let longestMs = 0;
    const done = new AbortController();
    const others = (async () => {
      while (!done.signal.aborted) {
        const askedMs = performance.now();
        await (await fetch(`${this.#url}/api/health`)).text();
        longestMs = Math.max(longestMs, performance.now() - askedMs);
        most = Math.max(most, await memoryMbOf(this.#pid));
        await setTimeout(5);
      }
    })();
    const beganMs = performance.now();
    const bytes = await work();
    const seconds = (performance.now() - beganMs) / 1_000;
    done.abort();
    await others;
    const busySeconds = (await busySecondsOf(this.#pid)) - busyBefore;
    return { seconds, busySeconds, megabytes: bytes / 1e6, grownMb: most - before, longestMs };
  }

  /** Reads a file to its end, byte by byte as it arrives; returns how many. */
  async download(path: string, body: object): Promise<number> {
    const answer = await this.#post(path, body);
    if (!answer.ok || answer.body === null) throw new Error(`${path} answered ${answer.status}.`);
    let bytes = 0;
    const chunks: AsyncIterable<Uint8Array> = answer.body;
    for await (const chunk of chunks) bytes += chunk.length;
    return bytes;
  }
}

const PDF = "/api/site/robot/reportpdf";
const CSV = "/api/site/robot/reportcsv";

async function measure(server: Server, siteId: number): Promise<void> {
  const of = (range: typeof MONTH) => ({ site_id: siteId, ...range });
  // The first of each also compiles.
  for (const path of [PDF, CSV]) await server.download(path, of(DAY));
  const rest = await server.beside(() => setTimeout(3_000, 0));
  const line = (what: string, { seconds, busySeconds, megabytes, grownMb, longestMs }: Measured) =>
    console.log(
      `${what.padEnd(30)} ${seconds.toFixed(2).padStart(7)} s (busy ${busySeconds.toFixed(1)} s) ${megabytes.toFixed(2).padStart(8)} MB ` +
        `memory +${grownMb.toFixed(0).padStart(4)} MB ${megabytes > 0 ? `(${(grownMb / megabytes).toFixed(2)} of the file) ` : ""}` +
        `health ${longestMs.toFixed(0).padStart(5)} ms at most (${(longestMs / rest.longestMs).toFixed(1)} times at rest)`,
    );
  line("at rest", rest);
  for (const [name, path] of [
    ["PDF", PDF],
    ["CSV", CSV],
  ] as const) {
    const few = await server.beside(() => server.download(path, of(DAY)));
    line(`${name}, ${FEW.toLocaleString("en")} rows`, few);
    for (let turn = 0; turn < 2; turn += 1) {
      const many = await server.beside(() => server.download(path, of(MONTH)));
      line(`${name}, ${ROWS.toLocaleString("en")} rows`, many);
      console.log(
        `  ${(ROWS / FEW).toFixed(0)} times the rows in ${(many.seconds / few.seconds).toFixed(0)} times the time`,
      );
    }
  }
  const three = await server.beside(async () => {
    const all = await Promise.all([PDF, PDF, PDF, CSV].map((path) => server.download(path, of(MONTH))));
    return all.reduce((sum, bytes) => sum + bytes, 0);
  });
  line("three PDFs and a CSV at once", three);
}

/** The limit for a report of 400 days of 3,000 robots. */
const YEARS_LIMIT_S = 60;

async function measureYears(server: Server, site: YearsSite, db: Db): Promise<void> {
  const days = `${YEARS_DAYS.toLocaleString("en")} days of ${YEARS_ROBOTS.toLocaleString("en")} robots`;
  console.log(`\n${days}: ${(await bytesOfDay(db)).toFixed(0)} bytes a day of a robot, with its index`);
  for (const [what, range] of [
    ["all closed", site.closed],
    ["the last one half over", site.withToday],
  ] as const) {
    const { seconds, busySeconds, megabytes, grownMb, longestMs } = await server.beside(() =>
      server.download(PDF, { site_id: site.siteId, ...range }),
    );
    const aggregateS = await aggregateDays(db, site);
    report({
      what: `PDF of ${days}, ${what}`,
      figure: seconds,
      unit: "s",
      atMost: YEARS_LIMIT_S,
      detail:
        `busy ${busySeconds.toFixed(1)} s, ${(seconds / aggregateS).toFixed(1)} times one aggregate of the same days, ` +
        `${megabytes.toFixed(1)} MB, memory +${grownMb.toFixed(0)} MB, health ${longestMs.toFixed(0)} ms at most`,
    });
  }
}

const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
try {
  const database = openDatabase(postgres.connection, { queryLimitMs: 0 });
  await migrate(database.db);
  const siteId = await fill(database.db);
  const years = await fillYears(database.db);
  const child = spawn(process.execPath, [main, "production", "--no-console"], {
    env: {
      PATH: process.env["PATH"],
      ...serverEnvironment(postgres.connection, dataDir, PASSWORD),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const found = /http:\/\/[\w.:[\]-]+/.exec(printed)?.[0];
      if (found !== undefined && printed.includes("Suncrew is ready")) resolve(found);
    });
    child.once("close", () => reject(new Error(`The server ended:\n${printed}`)));
  });
  try {
    const server = new Server(url, child.pid ?? 0);
    await server.signIn();
    await measure(server, siteId);
    await measureYears(server, years, database.db);
  } finally {
    await database.close();
    child.kill("SIGINT");
    await once(child, "close");
  }
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
