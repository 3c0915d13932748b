import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { AuditFilter } from "@suncrew/contract/audit/audit.ts";
import { readAuditPage } from "@suncrew/server/features/audit/audit.queries.ts";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import type { Viewer } from "@suncrew/server/platform/sessions.ts";
import { sql } from "kysely";
import { report } from "./result.ts";

// How long the audit with a million rows takes for a page, a search and a filter, and for the migration that adds
// names.

const ROWS = 1_000_000;
const ROBOTS = 3_000;
const TIMES = 9;

const viewer: Viewer = {
  userId: 1,
  name: "Bench",
  email: "bench@example.org",
  role: "SUPER_ADMIN",
  partnerId: null,
  sessionId: "bench",
};

/**
 * Rows from before names were stored: sign-ins, settings of robots with reasons that are nearly all different, edits.
 */
async function fill(db: Db): Promise<void> {
  await sql`
    insert into sites (name, address, district, state, pin_code, commissioning_date, latitude, longitude, timezone)
    select (array['Bhadla', 'Pavagada', 'Kurnool', 'Rewa', 'सौर'])[1 + n % 5] || ' Park ' || n, 'Bench Road 1', 'Jodhpur',
      'Rajasthan', '342301', '2023-03-31', 8 + n * 0.05, 70 + n * 0.05, 'Asia/Kolkata' from generate_series(1, 300) n
  `.execute(db);
  await sql`
    insert into devices (serial, secret_sha256)
    select 'BENCH-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${ROBOTS}::int) n
  `.execute(db);
  await sql`
    insert into robots (robot_name, serial_number, site_id, installation_date)
    select 'Row ' || n, 'BENCH-' || n, 1 + n % 300, '2024-02-29' from generate_series(1, ${ROBOTS}::int) n
  `.execute(db);
  await sql`
    insert into audit (at, actor, action, entity, entity_id, site_id, outcome, reason, before, after)
    select timestamptz '2016-01-01' + n * interval '5 min',
      (array['Asha Rathore', 'Omkar Jain', 'Scheduler', 'Ravi Kumar', 'सुनीता शर्मा'])[1 + (n / 7) % 5],
      case when n % 10 = 0 then 'SIGN_IN' when n = 5003 then 'UPDATE_FORECAST' when n % 10 = 1 then 'UPDATE_ROBOT' else 'UPDATE_SETTINGS' end,
      case when n % 10 = 0 then 'session' else 'robot' end,
      case when n % 10 = 0 then gen_random_uuid()::text else (1 + n::bigint * 7919 % ${ROBOTS}::int)::text end,
      case when n % 10 <> 0 then 1 + (1 + n::bigint * 7919 % ${ROBOTS}::int) % 300 end,
      case when n % 50 = 2 then 'REFUSED' else 'DONE' end,
      case when n = 7002 then 'Only here is the needle.' when n % 50 = 2 then 'The start ' || md5(n::text) || ' was not confirmed.' end,
      case when n % 10 = 1 then jsonb_build_object('robot_name', 'Old row ' || n % 100, 'serial_number', 'BENCH-' || n % ${ROBOTS}::int) end,
      case when n % 10 <> 0 then jsonb_build_object('main_motor_speed', n % 100) end
    from generate_series(1, ${ROWS}::int) n
  `.execute(db);
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

const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
const database = openDatabase(postgres.connection, { queryLimitMs: 0, idleLimitMs: 0 });
const { db } = database;
try {
  await migrate(db);
  await sql`drop table audit_names, audit_reasons`.execute(db);
  await sql`drop function keep_audit_texts, audit_told_name, audit_known_name, audit_with_names, robot_words cascade`.execute(
    db,
  );
  await sql`drop index audit_of_target, audit_of_reason`.execute(db);
  await sql`alter table audit drop target_name, drop site_name`.execute(db);
  await fill(db);
  await sql`vacuum analyze audit`.execute(db);
  const text = await readFile(new URL("../apps/server/migrations/0020_audit_names.sql", import.meta.url), "utf8");
  const beganMs = performance.now();
  await db.transaction().execute((tx) => sql.raw(text).execute(tx));
  const seconds = (performance.now() - beganMs) / 1_000;
  report({ what: `migration of ${ROWS.toLocaleString("en")} audit rows`, figure: seconds, unit: "s" });
  let slowest = { what: "", ms: 0 };
  for (const table of ["audit", "audit_names", "audit_reasons"])
    await sql`vacuum analyze ${sql.table(table)}`.execute(db);
  const line = async (what: string, filter: AuditFilter, cursor?: string) => {
    let total = "";
    const ms = await medianMs(async () => {
      const page = await readAuditPage(viewer, db, filter, { cursor, limit: 100, exact: false });
      total = `${page.total}${page.total_exact ? "" : "+"}`;
    });
    if (ms > slowest.ms) slowest = { what, ms };
    console.log(`${what.padEnd(60)} ${ms.toFixed(1).padStart(8)} ms  ${total.padStart(8)}`);
  };
  await line("newest rows", {});
  await line("after the 500,000th", {}, String(ROWS / 2));
  await line("filter: action", { action: "SIGN_IN" });
  await line("search: in nearly every row", { search: "bench" });
  await line("search: one letter", { search: "e" });
  await line("search: one robot", { search: "bench-2718" });
  await line("search: a former name", { search: "old row 71" });
  await line("search: one site", { search: "kurnool park 57" });
  await line("search: words of an action", { search: "Sign in" });
  await line("search: words of a rare action", { search: "Update forecast" });
  await line("search: one row by its reason", { search: "NEEDLE" });
  await line("search: one of 20,000 reasons", { search: "was not confirmed" });
  await line("search: no row", { search: "xylophone" });
  await line("search: no row, two letters", { search: "zq" });
  await line("search: Hindi", { search: "सुनीता" });
  await line("search: the same, one action's", { search: "सुनीता", action: "UPDATE_FORECAST" });
  report({
    what: `slowest page, filter or search of ${ROWS.toLocaleString("en")} audit rows`,
    figure: slowest.ms,
    unit: "ms",
    detail: slowest.what,
  });
} finally {
  await database.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
