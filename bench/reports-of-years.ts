import { ensureReadingsPartitions } from "@suncrew/server/features/devices/robot-state.repository.ts";
import type { Db } from "@suncrew/server/platform/database/database.ts";
import { sql } from "kysely";

// A site with 3,000 robots and 400 days on record, all of them closed but the last, which is half over: 1.2 million days
// of robots, 2.4 million runs, 5 million activity rows, 1.2 million presences, 120,000 alerts, and of the last day four
// million readings.

export const YEARS_ROBOTS = Number(process.env["BENCH_ROBOTS"] ?? 3_000);
export const YEARS_DAYS = Number(process.env["BENCH_DAYS"] ?? 400);
const ZONE = "Asia/Kolkata";
const READING_S = 30;

export interface YearsSite {
  readonly siteId: number;
  /** Its closed days, then with the one in progress; local times at the site. */
  readonly closed: { readonly from: string; readonly to: string };
  readonly withToday: { readonly from: string; readonly to: string };
}

export async function fillYears(db: Db): Promise<YearsSite> {
  const { rows } = await sql<{ today: string; first: string }>`
    select (now() at time zone ${ZONE})::date::text as today,
      ((now() at time zone ${ZONE})::date - ${YEARS_DAYS}::int)::text as first`.execute(db);
  const { today = "", first = "" } = rows[0] ?? {};
  const siteId = await db.transaction().execute(async (tx) => {
    // As if it had been there for long: no trigger looks at each row.
    await sql`set local session_replication_role = replica`.execute(tx);
    const { id } = await tx
      .insertInto("sites")
      .values({
        name: "Bench Desert",
        address: "Bench Road 2",
        district: "Jodhpur",
        state: "Rajasthan",
        pin_code: "342301",
        commissioning_date: "2023-03-31",
        latitude: 27.53,
        longitude: 71.91,
        timezone: ZONE,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const run = (text: ReturnType<typeof sql>) => text.execute(tx);
    await run(sql`insert into devices (serial, secret_sha256)
      select 'YEARS-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${YEARS_ROBOTS}::int) n`);
    await run(sql`insert into robots (site_id, robot_name, serial_number, installation_date)
      select ${id}, 'YEARS-' || n, 'YEARS-' || n, '2024-02-29' from generate_series(1, ${YEARS_ROBOTS}::int) n`);
    await run(sql`insert into robot_state (robot_id, site_id, online, connection, live_at)
      select id, site_id, true, 'ONLINE', now() from robots where site_id = ${id}`);
    await run(sql`create temporary table bench_days on commit drop as
      select d::date as date, d::timestamp at time zone ${ZONE} as began,
        (d + interval '1 day')::timestamp at time zone ${ZONE} as ended
      from generate_series(${first}::date, ${today}::date, interval '1 day') d`);
    await run(sql`insert into site_days (site_id, date, began_at, ended_at, closed_at)
      select ${id}, date, began, ended, case when date < ${today}::date then ended end from bench_days`);
    await run(sql`
      insert into robot_days (site_id, date, robot_id, read_ms, moving_ms, battery_held, battery_least, battery_last,
        counted_ms, reachable_ms, planned_ms, as_planned_ms, starts, planned_completed, planned_missed)
      select r.site_id, d.date, r.id, 86000000, 7000000, (4000 + r.id % 5000) * 86000000::bigint, 3000, 6000, 86400000,
        85000000, 7200000, case when r.id % 50 = 0 then 3599000 else 7198000 end, 2,
        case when r.id % 50 = 0 then 1 else 2 end, case when r.id % 50 = 0 then 1 else 0 end
      from bench_days d cross join robots r where r.site_id = ${id} and d.date < ${today}::date`);
    await run(sql`
      insert into runs (id, robot_id, site_id, planned, started_by, schedule_id, action_type, due_at, stop_due_at,
        began_at, ended_at, outcome, reason, robot_name, serial_number)
      select gen_random_uuid(), r.id, r.site_id, true, 'Scheduler', 1, 'SCHEDULED', due, due + interval '1 hour',
        case when not missed then due + interval '1 second' end, due + interval '1 hour',
        case when missed then 'MISSED' else 'COMPLETED' end, case when missed then 'Not known.' else 'STOP' end,
        r.robot_name, r.serial_number
      from bench_days d cross join robots r cross join (values (1), (5)) h (hour),
        lateral (select d.began + h.hour * interval '1 hour' as due, h.hour = 1 and r.id % 50 = 0 as missed) at
      where r.site_id = ${id} and at.due + interval '1 hour' < now()`);
    await run(sql`
      insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name, robot_name,
        serial_number, details, params)
      select d.began + (h.n * 3 + 1) * interval '1 hour', ${id}, r.id, case when h.n % 2 = 0 then 'START' else 'STOP' end,
        'SCHEDULED', 'SUCCESS', 'Scheduler', 'Bench Desert', r.robot_name, r.serial_number, 'The robot took it at once',
        '{"robotSerial":"BENCH","mode":"AUTO","direction":"FWD","main-speed":75,"brush-speed":80}'
      from bench_days d cross join robots r cross join generate_series(0, 3) h (n)
      where r.site_id = ${id} and d.began + (h.n * 3 + 1) * interval '1 hour' < now()`);
    await run(sql`insert into robot_presence (robot_id, site_id, online_at, offline_at)
      select r.id, r.site_id, d.began, case when d.date < ${today}::date then d.ended - interval '20 minutes' end
      from bench_days d cross join robots r where r.site_id = ${id}`);
    await run(sql`
      insert into alerts (robot_id, site_id, source, code, severity, text, raised_at, cleared_at, robot_name, serial_number)
      select r.id, r.site_id, 'ROBOT', 'BRUSH', case when r.id % 2 = 0 then 'CRITICAL' else 'WARNING' end, 'Brush worn.',
        d.began + interval '2 hours', d.began + interval '3 hours', r.robot_name, r.serial_number
      from bench_days d cross join robots r
      where r.site_id = ${id} and d.date < ${today}::date and (extract(doy from d.date)::int + r.id) % 10 = 0`);
    await run(sql`
      insert into maintenance_locks (robot_id, site_id, reason, locked_by, former_mode, locked_at, released_at, released_by)
      select r.id, r.site_id, 'Brush worn', 'Anita Rao', 'auto', d.began + interval '6 hours', d.began + interval '7 hours',
        'Anita Rao'
      from bench_days d cross join robots r
      where r.site_id = ${id} and d.date < ${today}::date and (extract(doy from d.date)::int + r.id) % 100 = 0`);
    await run(sql`insert into audit (at, actor, action, entity, site_id, outcome)
      select d.began + n * interval '1 minute', 'Suncrew', 'UPDATE_ROBOT', 'robot', ${id}, 'DONE'
      from bench_days d cross join generate_series(1, 400) n where d.date < ${today}::date`);
    return id;
  });
  await ensureReadingsPartitions(db, new Date(Date.now() - 86_400_000));
  await ensureReadingsPartitions(db, new Date());
  await sql`
    insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion, mode,
      battery, charging)
    select r.id, r.site_id, t, t, 1, extract(epoch from t)::bigint, 'stop', 'idle', 'STOPPED', 'AUTO',
      40 + (extract(epoch from t)::bigint / 60 + r.id) % 60, true
    from generate_series(${today}::timestamp at time zone ${ZONE}, least(now(), ${today}::timestamp at time zone ${ZONE}
        + interval '12 hours'), ${READING_S}::int * interval '1 second') t
      cross join robots r where r.site_id = ${siteId}`.execute(db);
  await sql`vacuum analyze`.execute(db);
  return {
    siteId,
    closed: { from: `${first} 00:00:00`, to: `${dayBefore(today)} 23:59:59` },
    withToday: { from: `${dayAfter(first)} 00:00:00`, to: `${today} 23:59:59` },
  };
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
}

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
}

/** How long PostgreSQL takes to add up the same days in one aggregate, in seconds. */
export async function aggregateDays(db: Db, { siteId }: YearsSite): Promise<number> {
  const beganMs = performance.now();
  await sql`
    select robot_id, sum(read_ms), sum(battery_held::float8), sum(counted_ms), sum(reachable_ms), sum(planned_ms),
      sum(as_planned_ms), sum(outside_plan_ms), sum(by_hand_ms), sum(critical_ms), sum(planned_completed),
      sum(planned_missed), count(*) filter (where counted_ms > 0)
    from robot_days where site_id = ${siteId} group by robot_id`.execute(db);
  return (performance.now() - beganMs) / 1_000;
}

/** Bytes of a robot's day, with its share of the index. */
export async function bytesOfDay(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_total_relation_size('robot_days')::float8 / nullif(count(*), 0) as bytes from robot_days`.execute(db);
  return rows[0]?.bytes ?? 0;
}
