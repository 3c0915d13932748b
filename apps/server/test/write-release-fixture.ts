import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { writeBackup } from "../src/features/backup/public.ts";
import { sealBatch } from "../src/features/audit/audit-chain.repository.ts";
import { recordChange, suncrew } from "../src/features/audit/public.ts";
import { type Db, openDatabase } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../src/platform/embedded/postgres.ts";
import { productVersion } from "../src/platform/product-version.ts";
import { enqueueMail } from "../src/platform/mail-outbox.ts";
import { addFixtures } from "./fixtures.ts";
import { seedFirmware } from "./firmware-fixtures.ts";
import { seedGroups } from "./group-fixtures.ts";
import { addMonthlyReports, monthlyReportId } from "./monthly-report-fixtures.ts";
import { emptyTables, RELEASES_FOLDER } from "./releases.ts";

/**
 * Writes what a database of this version contains, with rows in every table: `npm run release-fixture`, once per
 * release. Later versions are tested to restore and upgrade it (process/upgrade.process.test.ts).
 */
const dataDir = await mkdtemp(join(tmpdir(), "suncrew-release-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir, durable: false });
try {
  const { connection } = postgres;
  const database = openDatabase(connection);
  await migrate(database.db);
  await addRows(database.db);
  const empty = await emptyTables(database.db);
  if (empty.length > 0) throw new Error(`There are no rows in ${empty.join(", ")}: add some here.`);
  await database.close();
  await mkdir(RELEASES_FOLDER, { recursive: true });
  const path = join(RELEASES_FOLDER, `${productVersion()}.tar`);
  await rm(path, { force: true });
  const none = { dataDir: null, files: [], secretKey: null, notIncluded: [] };
  await writeBackup({ connection, mode: "production", path, ...none });
  process.stdout.write(`${path}\n`);
} finally {
  await postgres.stop();
  for (const folder of [dataDir, postgres.connection.host]) await rm(folder, { recursive: true, force: true });
}

async function addRows(db: Db): Promise<void> {
  const fixtures = await addFixtures(db);
  await seedGroups(db, fixtures, "planned");
  await seedFirmware(db, fixtures);
  await addMonthlyReports(db, fixtures);
  const { ownRobot, userIds } = fixtures;
  const at = new Date("2026-06-01T00:00:00Z");
  await enqueueMail(db, "REPORT", monthlyReportId(ownRobot.siteId), at);
  const longAgo = new Date("2020-06-01T00:00:00Z");
  const change = { actor: suncrew, entity: "site", entityId: ownRobot.siteId, siteId: ownRobot.siteId } as const;
  for (let number = 1; number <= 3; number += 1) {
    const refused = { action: "TRY", outcome: "REFUSED", reason: "Not now." } as const;
    await recordChange(db, { ...change, ...refused, after: { number }, at: longAgo });
  }
  await sealBatch(db, longAgo);
  await sql`update audit_retention set keep_days = 365`.execute(db);
  await sql`select cut_audit()`.execute(db);
  await sql`update audit_retention set keep_days = 0`.execute(db);
  await sealBatch(db, at);
  await db.transaction().execute(async (tx) => {
    const of = { robot: ownRobot.id, site: ownRobot.siteId, serial: ownRobot.serial, user: userIds.admin };
    for (const statement of statements(of)) await sql.raw(statement).execute(tx);
  });
  await recordChange(db, { ...change, action: "TRY", outcome: "DONE", at });
}

interface Of {
  readonly robot: number;
  readonly site: number;
  readonly serial: string;
  readonly user: number;
}

/** A robot that was started, seen, locked, stopped and reported, and what else leaves rows of its own. */
function statements({ robot, site, serial, user }: Of): string[] {
  const uuid = (nth: number) => `'01980a6e-5f00-7000-8000-00000000000${nth}'`;
  const time = "timestamptz '2026-06-01 04:00:00+00'";
  const place = `'Ownfield Park', '${serial}', '${serial}'`;
  const start = `'{"robotSerial": "${serial}", "mode": "AUTO", "direction": "FWD", "main-speed": 50, "brush-speed": 50}'`;
  return [
    `update robot_state set online = true, session = 7, connection = 'ONLINE', connection_at = ${time}, live_at = ${time},
       received_at = ${time}, motion = 'STOPPED', mode = 'AUTO', status = 'stop', battery = 80 where robot_id = ${robot}`,
    `insert into commands (id, robot_id, site_id, serial_number, verb, seq, session, issued_at, expires_at, settle_by, run_id,
       max_duration_s, user_id, requested_by, claimed_at, published_at, answered_at, settled_at, outcome)
     values (${uuid(1)}, ${robot}, ${site}, '${serial}', 'START', 1780286400000, 7, ${time}, ${time} + interval '5 s',
       ${time} + interval '8 s', ${uuid(2)}, 600, ${user}, 'Anita Rao', ${time}, ${time}, ${time}, ${time}, 'CONFIRMED')`,
    `insert into command_requests (user_id, key, body, at, command_id) values (${user}, 'press', '{}', ${time}, ${uuid(1)})`,
    `insert into runs (id, robot_id, site_id, started_by, command_id, began_at, ended_at, outcome)
     values (${uuid(2)}, ${robot}, ${site}, 'Anita Rao', ${uuid(1)}, ${time}, ${time} + interval '5 min', 'STOPPED')`,
    `insert into activity (created_at, site_id, robot_id, command_id, action, action_type, status, user_id, user_name,
       site_name, robot_name, serial_number, details, params)
     values (${time}, ${site}, ${robot}, ${uuid(1)}, 'START', 'MANUAL', 'SUCCESS', ${user}, 'Anita Rao', ${place},
       'The robot showed that it is cleaning.', ${start})`,
    `insert into alerts (robot_id, site_id, source, code, severity, text, raised_at)
     values (${robot}, ${site}, 'ROBOT', 'JAM', 'CRITICAL', 'The brush is jammed.', ${time})`,
    `insert into maintenance_locks (robot_id, site_id, reason, locked_by, locked_at, former_mode)
     values (${robot}, ${site}, 'Brush change', 'Anita Rao', ${time}, 'auto')`,
    `insert into robot_events (robot_id, site_id, event_seq, session, received_at, kind, body)
     values (${robot}, ${site}, 1780286400, 7, ${time}, 'ALERT_RAISED', '{}')`,
    `select ensure_readings_partition('2026-06-01')`,
    `insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion, mode, battery, charging)
     select ${robot}, ${site}, t, t, 7, extract(epoch from t), 'stop', 'idle', 'STOPPED', 'AUTO', 80, false
     from generate_series(${time}, ${time} + interval '10 min', '30 s') t`,
    `insert into site_days (site_id, date, began_at, ended_at) values (${site}, '2026-06-01', ${time}, ${time} + interval '1 day')`,
    `insert into robot_days (site_id, date, robot_id, read_ms) values (${site}, '2026-05-31', ${robot}, 600000)`,
    `insert into stale_days (site_id, robot_id, source, from_at, until_at)
     values (${site}, ${robot}, 'RUNS', ${time}, ${time} + interval '1 hour')`,
    `insert into sessions (id, user_id, created_at, expires_at) values (${uuid(3)}, ${user}, ${time}, ${time} + interval '1 h')`,
    `insert into wallboard_links (session_id, user_id, name, secret_sha256, created_at)
     values (${uuid(5)}, ${user}, 'Control room', sha256('secret'), ${time})`,
    `insert into known_callers (user_id, key, last_signed_in_at) values (${user}, 'browser', ${time})`,
    `insert into sign_in_failures (key, failures, last_failed_at) values ('somebody', 2, ${time})`,
    `insert into server_clocks (server_id, name, words, seen_at) values (${uuid(4)}, 'server-1', 'Its clock is off.', ${time})`,
    `insert into server_disks (server_id, folder, name, total_bytes, free_bytes, level, seen_at)
     values (${uuid(4)}, 'database', 'server-1', 1000000000, 900000000, 'ENOUGH', ${time})`,
    `insert into installation (key, value) values ('release', 'fixture')`,
  ];
}
