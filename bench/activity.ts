import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setInterval as every } from "node:timers/promises";
import type { ActivityFilter } from "@suncrew/contract/activity/activity.ts";
import { COUNT_LIMIT } from "@suncrew/contract/http/page.ts";
import { activityFile } from "@suncrew/server/features/activity/activity.routes.ts";
import {
  readActivityForFile,
  readActivityPage,
  readActivityUsers,
} from "@suncrew/server/features/activity/activity.queries.ts";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import type { Viewer } from "@suncrew/server/platform/sessions.ts";
import { sql } from "kysely";
import { report } from "./result.ts";

// How long the activity log with a million rows takes for a page, a search, a filter, a count and its file; each as a
// ratio to the page of the newest rows without any filter.

const ROWS = 1_000_000;
const SITES = 300;
const ROBOTS = 3_000;
const PAGE_ROWS = 100;
const TIMES = 9;

const viewer: Viewer = {
  userId: 1,
  name: "Bench",
  email: "bench@example.org",
  role: "SUPER_ADMIN",
  partnerId: null,
  sessionId: "bench",
};

/** Ten years ago one word was in every row, in the later seven years in none; only one row has the needle. */
async function fill(db: Db): Promise<void> {
  await sql`
    insert into sites (name, address, district, state, pin_code, commissioning_date, latitude, longitude, timezone)
    select (array['Bhadla', 'Pavagada', 'Kurnool', 'Rewa', 'सौर'])[1 + n % 5] || ' Park ' || n, 'Bench Road 1', 'Jodhpur',
      'Rajasthan', '342301', '2023-03-31', 8 + n * 0.05, 70 + n * 0.05, 'Asia/Kolkata' from generate_series(1, ${SITES}::int) n
  `.execute(db);
  await sql`
    insert into devices (serial, secret_sha256)
    select 'BENCH-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${ROBOTS}::int) n
  `.execute(db);
  await sql`
    insert into robots (robot_name, serial_number, site_id, installation_date)
    select 'BENCH-' || n, 'BENCH-' || n, 1 + n % ${SITES}::int, '2024-02-29' from generate_series(1, ${ROBOTS}::int) n
  `.execute(db);
  const step = ROWS / 20;
  for (let from = 1; from <= ROWS; from += step) {
    await sql`
      insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name, partner_name,
        robot_name, serial_number, details, params)
      select timestamptz '2016-01-01' + n * interval '5 min', s.id, r.id, (array['START', 'STOP'])[1 + n % 2],
        (array['MANUAL', 'GROUP', 'SCHEDULED', 'SYSTEM'])[1 + n % 4],
        case when n % 20 = 0 then 'REFUSED' when n % 23 = 0 then 'FAILED' else 'SUCCESS' end,
        (array['Asha Rathore', 'Omkar Jain', 'Scheduler', 'Ravi Kumar', 'सुनीता शर्मा'])[1 + (n / 7) % 5],
        s.name, 'SunCare Services', r.robot_name, r.serial_number,
        case when n = 5000 then 'Only here is the needle.'
          when n < 300000 then 'The older gateway took it, line ' || n % 1000 || '.'
          when n % 20 = 0 then 'Robot ' || r.serial_number || ' is already cleaning.'
          else (array['The robot showed that it is cleaning.', 'The robot showed that it has stopped.'])[1 + n % 2] end,
        jsonb_build_object('robotSerial', r.serial_number, 'mode', 'AUTO', 'direction', 'FWD', 'main-speed', 75, 'brush-speed', 80)
      from generate_series(${from}::int, ${from + step - 1}::int) n
      join robots r on r.id = 1 + (n::bigint * 7919) % ${ROBOTS}::int join sites s on s.id = r.site_id
    `.execute(db);
  }
  await sql`vacuum analyze activity`.execute(db);
  await sql`vacuum analyze activity_texts`.execute(db);
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  await work();
  for (let time = 0; time < TIMES; time += 1) {
    const beganMs = performance.now();
    await work();
    all.push(performance.now() - beganMs);
  }
  return all.toSorted((one, other) => one - other)[Math.floor(TIMES / 2)] ?? 0;
}

/** The whole file: rows, seconds, the peak memory above the baseline, and the longest time that nothing else ran. */
async function exportAll(db: Db) {
  const before = process.memoryUsage.rss();
  const ended = new AbortController();
  let mostBytes = 0;
  let longestMs = 0;
  const watch = (async () => {
    let lastMs = performance.now();
    for await (const _ of every(10, undefined, { signal: ended.signal })) {
      longestMs = Math.max(longestMs, performance.now() - lastMs - 10);
      lastMs = performance.now();
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss() - before);
    }
  })().catch(() => undefined);
  const beganMs = performance.now();
  const file = await activityFile((cursor) => readActivityForFile(viewer, db, { cursor, limit: 2_000 }), true);
  let bytes = 0;
  for await (const piece of file) bytes += Buffer.byteLength(piece as string | Buffer);
  const seconds = (performance.now() - beganMs) / 1_000;
  ended.abort();
  await watch;
  return { seconds, megabytes: bytes / 1e6, mostMegabytes: mostBytes / 1e6, longestMs };
}

const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
const database = openDatabase(postgres.connection, { queryLimitMs: 0, idleLimitMs: 0 });
const { db } = database;
try {
  await migrate(db);
  const fillBeganMs = performance.now();
  await fill(db);
  console.log(
    `${ROWS} rows in ${((performance.now() - fillBeganMs) / 1_000).toFixed(0)} s, ${ROBOTS} robots, PostgreSQL with fsync`,
  );
  const page =
    (filter: ActivityFilter, countLimit: number | null = COUNT_LIMIT, cursor?: string) =>
    () =>
      readActivityPage(viewer, db, { filter, cursor, limit: PAGE_ROWS, countLimit });
  const newestMs = await medianMs(page({}));
  let slowest = { what: "", ratio: 0 };
  const line = async (what: string, work: () => Promise<unknown>) => {
    const ms = await medianMs(work);
    const ratio = ms / newestMs;
    console.log(`${what.padEnd(66)} ${ms.toFixed(1).padStart(8)} ms  ${ratio.toFixed(1).padStart(5)} times`);
    return { what, ratio };
  };
  const limited = async (what: string, work: () => Promise<unknown>) => {
    const measured = await line(what, work);
    if (measured.ratio > slowest.ratio) slowest = measured;
  };
  console.log(
    `${`${PAGE_ROWS} newest rows and the count up to ${COUNT_LIMIT}`.padEnd(66)} ${newestMs.toFixed(1).padStart(8)} ms`,
  );
  await limited("rows after the 500,000th", page({}, COUNT_LIMIT, String(ROWS / 2)));
  await limited("filter: action", page({ action: "STOP" }));
  await limited("filter: outcome", page({ status: "REFUSED" }));
  await limited("filter: one site", page({ site_id: 7 }));
  await limited("filter: one robot", page({ robot_id: 7 }));
  await limited("filter: user and outcome", page({ user: "Ravi Kumar", status: "FAILED" }));
  await limited("filter: three days", page({ from: "2020-02-01T00:00:00Z", to: "2020-02-04T00:00:00Z" }));
  await limited("search: in nearly every row", page({ search: "robot" }));
  await limited("search: one letter", page({ search: "e" }));
  await limited("search: one robot", page({ search: "bench-2718" }));
  await limited("search: one row", page({ search: "NEEDLE" }));
  await limited("search: no row", page({ search: "xylophone" }));
  await limited("search: no row, two letters", page({ search: "zq" }));
  await limited("search: no row, of frequent words", page({ search: "robot the" }));
  await limited("search: Hindi", page({ search: "सुनीता" }));
  await limited("search: in the oldest 300,000 rows alone", page({ search: "older gateway" }));
  await limited("search: the same, one user's", page({ search: "older gateway", user: "Ravi Kumar" }));
  await limited(
    "search: the same, no row by its outcome and action",
    page({ search: "older gateway", status: "REFUSED", action: "STOP" }),
  );
  await limited("search: one person, at one site", page({ search: "scheduler", site_id: 7 }));
  // Only programs that ask for an exact total wait for this.
  const counted = await line("all rows counted", page({}, null));
  await line("who stands in the log", () => readActivityUsers(viewer, db));
  report({
    what: `slowest page, filter or search of ${ROWS.toLocaleString("en")} activity rows against the newest page`,
    figure: slowest.ratio,
    unit: "times",
    atMost: 3,
    detail: `${slowest.what}; the newest page takes ${newestMs.toFixed(1)} ms`,
  });
  report({
    what: `newest page with all ${ROWS.toLocaleString("en")} activity rows counted against without`,
    figure: counted.ratio,
    unit: "times",
  });
  const { seconds, megabytes, mostMegabytes, longestMs } = await exportAll(db);
  report({
    what: `CSV of ${ROWS.toLocaleString("en")} activity rows`,
    figure: ROWS / seconds,
    unit: "rows/s",
    detail: `${megabytes.toFixed(0)} MB in ${seconds.toFixed(0)} s, memory at most ${mostMegabytes.toFixed(0)} MB more, others waited ${longestMs.toFixed(0)} ms at most`,
  });
} finally {
  await database.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
