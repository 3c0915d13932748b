import { sql } from "kysely";
import pino from "pino";
import { readReport } from "../src/features/reports/reports.service.ts";
import { sealBatch } from "../src/features/audit/audit-chain.repository.ts";
import { ensureReadingsPartitions } from "../src/features/devices/robot-state.repository.ts";
import { DayClosing, daysClosedUntil } from "../src/features/robot-days/public.ts";
import { readSizes } from "../src/features/storage/storage.repository.ts";
import { Retention } from "../src/features/storage/retention.ts";
import { ManualClock } from "../src/platform/clock.ts";
import type { Db } from "../src/platform/database/database.ts";
import type { Viewer } from "../src/platform/sessions.ts";
import { testSettings } from "./test-app.ts";

const DAY_MS = 86_400_000;

export interface YearsOptions {
  readonly sites: number;
  readonly robotsPerSite: number;
  /** The first day, in UTC. */
  readonly from: Date;
  /** Between two readings of a robot; a real one sends one every 30 s. */
  readonly readingEveryMinutes: number;
  /** Of each monthly report. */
  readonly reportBytes: number;
}

const viewer: Viewer = {
  userId: 0,
  name: "Suncrew",
  email: "",
  role: "SUPER_ADMIN",
  partnerId: null,
  sessionId: "",
};

/**
 * A fleet over years: each month's rows are written at once with its times, then the clock moves to the next month, days
 * are closed, and what is old is deleted, by the servers' own code. Every robot cleans twice a day by plan, is offline
 * for some hours every night, raises an alert every five days, a critical one every fifty, and is edited once a week.
 */
export class SimulatedYears {
  readonly #db: Db;
  readonly #options: YearsOptions;
  readonly #clock: ManualClock;
  readonly #closing: DayClosing;
  readonly #retention: Retention;
  #month: Date;

  constructor(db: Db, options: YearsOptions) {
    this.#db = db;
    this.#options = options;
    this.#month = options.from;
    this.#clock = new ManualClock(options.from);
    const deps = { db, clock: this.#clock, log: pino({ level: "silent" }) };
    this.#closing = new DayClosing(deps);
    this.#retention = new Retention({ ...deps, settings: testSettings });
  }

  /** The first day of the month that comes next. */
  get now(): Date {
    return this.#clock.now();
  }

  async addFleet(): Promise<void> {
    const { sites, robotsPerSite, from } = this.#options;
    await sql`insert into sites (name, address, district, state, pin_code, commissioning_date, latitude, longitude, timezone,
        created_at)
      select 'Park ' || n, 'Lake Road ' || n, 'Nagaur', 'Rajasthan', '341509', '2010-01-01', 26.9, 75.08, 'Asia/Kolkata',
        ${from} from generate_series(1, ${sites}::int) n`.execute(this.#db);
    await sql`insert into devices (serial, secret_sha256)
      select 'YEAR-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${sites * robotsPerSite}::int) n`.execute(
      this.#db,
    );
    await sql`insert into robots (site_id, robot_name, serial_number, installation_date, created_at)
      select (select min(id) from sites) + (n - 1) / ${robotsPerSite}::int, 'Robot ' || n, 'YEAR-' || n, '2010-01-01', ${from}
      from generate_series(1, ${sites * robotsPerSite}::int) n`.execute(this.#db);
  }

  /** Writes the rows of the month, moves on to the first days of the next, closes its days and deletes what is old. */
  async live(): Promise<void> {
    const from = this.#month;
    const until = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
    await ensureReadingsPartitions(this.#db, from);
    await this.#writeMonth(from, until);
    this.#month = until;
    this.#clock.correct(until.getTime() + DAY_MS - this.#clock.now().getTime());
    await this.#closeDays();
    await this.#delete();
  }

  async #writeMonth(from: Date, until: Date): Promise<void> {
    const db = this.#db;
    const each = (interval: string, alias: string) => sql`robots r cross join generate_series(
      ${from}::timestamptz + (r.id % 60) * interval '1 minute', ${until}::timestamptz - interval '1 minute',
      ${interval}::interval) ${sql.raw(alias)}`;
    const seq = (at: string) => sql`floor(extract(epoch from ${sql.raw(at)}) * 1000)::bigint`;
    await sql`insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion,
        mode, battery, charging)
      select r.id, r.site_id, t, t, 1, ${seq("t")}, 'IDLE', 'idle',
        case when extract(hour from t) in (3, 15) then 'MOVING' else 'STOPPED' end, 'AUTO',
        40 + (extract(epoch from t)::bigint / 1800 + r.id) % 60, true
      from ${each(`${this.#options.readingEveryMinutes} minutes`, "t")}`.execute(db);
    // Written once, as it ended: a server writes it open first.
    await sql`insert into robot_presence (robot_id, site_id, online_at, offline_at)
      select r.id, r.site_id, t, t + interval '20 hours' from ${each("1 day", "t")}`.execute(db);
    for (const [verb, at] of [
      ["START", "0 hours"],
      ["STOP", "1 hour"],
    ] as const) {
      const issued = sql`t + ${at}::interval`;
      await sql`insert into commands (id, robot_id, site_id, serial_number, robot_name, verb, seq, session, issued_at,
          expires_at, settle_by, run_id, max_duration_s, params, action_type, requested_by, claimed_by, claimed_at,
          published_at, ack, answered_at, settled_at, outcome)
        select gen_random_uuid(), r.id, r.site_id, r.serial_number, r.robot_name, ${verb},
          floor(extract(epoch from ${issued}) * 1000)::bigint, 1, ${issued}, ${issued} + interval '5 seconds',
          ${issued} + interval '8 seconds', md5(r.id || t::text)::uuid, ${verb === "START" ? 3_600 : null}::int,
          '{"direction":"FWD","main-speed":75,"brush-speed":80}', 'SCHEDULED', 'Scheduler', gen_random_uuid(), ${issued},
          ${issued}, 'ACCEPTED', ${issued} + interval '1 second', ${issued} + interval '1 second', 'CONFIRMED'
        from ${each("12 hours", "t")}`.execute(db);
      await sql`insert into activity (created_at, site_id, robot_id, command_id, action, action_type, status, user_name,
          site_name, robot_name, serial_number, details, params)
        select ${issued}, r.site_id, r.id, c.id, ${verb}, 'SCHEDULED', 'SUCCESS', 'Scheduler', 'Park ' || r.site_id,
          r.robot_name, r.serial_number, 'Confirmed by the robot.',
          '{"robotSerial":"YEAR","mode":"AUTO","direction":"FWD","main-speed":75,"brush-speed":80}'
        from ${each("12 hours", "t")}
          join commands c on c.robot_id = r.id and c.seq = floor(extract(epoch from ${issued}) * 1000)::bigint`.execute(
        db,
      );
    }
    await sql`insert into runs (id, robot_id, site_id, command_id, planned, started_by, action_type, schedule_id, due_at,
        stop_due_at, began_at, ended_at, planned_end_at, battery_began, battery_ended, outcome, reason)
      select c.run_id, r.id, r.site_id, c.id, true, 'Scheduler', 'SCHEDULED', r.site_id, t, t + interval '1 hour',
        t + interval '1 second', t + interval '1 hour', t + interval '1 hour', 80, 60, 'COMPLETED', 'STOP'
      from ${each("12 hours", "t")} join commands c on c.robot_id = r.id and c.seq = ${seq("t")}`.execute(db);
    await sql`insert into robot_events (robot_id, site_id, event_seq, session, received_at, kind, body)
      select r.id, r.site_id, ${seq("t")} + n, 1, t + n * interval '1 hour', kind, jsonb_build_object('kind', kind, 'eventSeq',
        ${seq("t")} + n, 'at', t, 'runId', md5(r.id || t::text), 'battery', 80, 'reason', 'STOP')
      from ${each("12 hours", "t")} cross join (values (0, 'RUN_BEGAN'), (1, 'RUN_ENDED')) k (n, kind)`.execute(db);
    await sql`insert into alerts (robot_id, site_id, source, code, severity, text, raised_at, cleared_at)
      select r.id, r.site_id, 'ROBOT', 'DUST', case when extract(epoch from t)::bigint / 86400 % 50 < 5 then 'CRITICAL'
        else 'WARNING' end, 'The brush needs cleaning.', t, t + interval '3 hours'
      from ${each("5 days", "t")}`.execute(db);
    await sql`insert into audit (at, user_id, actor, action, entity, entity_id, target_name, site_id, site_name, outcome,
        before, after)
      select t, null, 'Anita Rao', 'UPDATE_SETTINGS', 'robot', r.id::text, r.robot_name || ' (' || r.serial_number || ')',
        r.site_id, 'Park ' || r.site_id, 'DONE', '{"main_motor_speed": 70}', '{"main_motor_speed": 75}'
      from ${each("7 days", "t")}`.execute(db);
    while ((await sealBatch(db, until)).more);
    await sql`with report as (
        insert into kept_reports (site_id, month, template_name, status, bytes, created_at)
        select id, ${from}::date, 'Monthly Site Report', 'READY', ${this.#options.reportBytes}::int, ${until} from sites returning id)
      insert into kept_report_files (report_id, pdf)
      select id, decode(repeat(md5(id::text), ${Math.ceil(this.#options.reportBytes / 16)}::int), 'hex') from report`.execute(
      db,
    );
    // They were written while their days were in progress, so nothing is to be corrected.
    await sql`delete from stale_days`.execute(db);
    // Heard until now.
    await sql`update robot_state set live_at = ${until}`.execute(db);
  }

  async #closeDays(): Promise<void> {
    const isClosed = async () => {
      const until = await daysClosedUntil(this.#db);
      return until !== null && until.getTime() >= this.#clock.now().getTime() - 2 * DAY_MS;
    };
    do await this.#closing.runOnce();
    while (!(await isClosed()));
  }

  async #delete(): Promise<void> {
    this.#clock.correct(60 * 60_000);
    await this.#retention.runOnce();
  }

  /** The report of a site's month; what is different whenever a report is made is left out. */
  async report(month: string): Promise<object> {
    const { rows } = await sql<{ id: number }>`select min(id) as id from sites`.execute(this.#db);
    const [year = 0, nth = 0] = month.split("-").map(Number);
    const lastDay = new Date(Date.UTC(year, nth, 0)).getUTCDate();
    const range = { from: `${month}-01 00:00:00`, to: `${month}-${lastDay} 23:59:59` };
    const options = { now: this.#clock.now(), maintenanceIntervalDays: 180 };
    const {
      generatedAt: _,
      maintenance: _due,
      robots,
      ...report
    } = await readReport(viewer, this.#db, { siteId: rows[0]?.id ?? 0, ...range }, options);
    return { ...report, robots: robots.map(({ health: _state, ...figures }) => figures) };
  }

  /** Bytes by kind, with what was deleted given back to its table. */
  async sizes(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'`.execute(this.#db);
    for (const { name } of rows) await sql`vacuum (analyze) ${sql.table(name)}`.execute(this.#db);
    const { kinds } = await readSizes(this.#db);
    return new Map([...kinds].map(([kind, { bytes }]) => [kind, bytes]));
  }
}
