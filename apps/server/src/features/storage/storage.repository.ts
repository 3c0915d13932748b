import type { KeptKind } from "@suncrew/contract/storage/storage.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** The tables of each kind; the rows of the first are counted. */
const tablesOf: Readonly<Record<KeptKind, readonly string[]>> = {
  readings: ["readings"],
  robot_events: ["robot_events"],
  presence: ["robot_presence"],
  runs: ["runs"],
  commands: ["commands", "command_requests"],
  activity: ["activity", "activity_texts"],
  alerts: ["alerts"],
  robot_days: ["robot_days", "site_days", "stale_days"],
  weather: ["site_weather_days", "site_air_days"],
  monthly_reports: ["kept_reports", "kept_report_files", "report_deliveries"],
  mails: ["outgoing_mails"],
  messages: ["deliveries", "delivery_alerts"],
  events: ["events", "event_deliveries"],
  firmware: ["firmware"],
  sessions: ["sessions"],
  sign_ins: ["known_callers", "sign_in_failures"],
  audit: ["audit", "audit_seals", "audit_unsealed", "audit_names", "audit_reasons"],
};

export interface KindSize {
  readonly bytes: number;
  /** Null before PostgreSQL's first estimate. */
  readonly rows: number | null;
}

/** Sizes with indexes and partitions, and the whole database's. */
export async function readSizes(db: Executor): Promise<{
  readonly kinds: ReadonlyMap<string, KindSize>;
  readonly databaseBytes: number;
}> {
  const tables = Object.entries(tablesOf).flatMap(([kind, names]) =>
    names.map((name, nth) => ({ kind, name, counted: nth === 0 })),
  );
  const { rows } = await sql<{ kind: string; bytes: number; rows: number | null }>`
    select n.kind, sum(pg_total_relation_size(c.oid))::bigint as bytes,
      sum(c.reltuples) filter (where n.counted and c.relkind = 'r' and c.reltuples >= 0)::bigint as rows
    from json_to_recordset(${JSON.stringify(tables)}::json) n (kind text, name text, counted boolean)
    join pg_class c on c.oid = to_regclass(n.name)
      or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass(n.name))
    group by n.kind`.execute(db);
  const { rows: whole } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(db);
  return {
    kinds: new Map(rows.map(({ kind, ...size }) => [kind, size])),
    databaseBytes: whole[0]?.bytes ?? 0,
  };
}

/** The time of the oldest row of each kind, by an index or from a small table; of readings the oldest month's beginning. */
export async function readOldest(db: Executor): Promise<ReadonlyMap<string, Date | null>> {
  const { rows } = await sql<{ kind: KeptKind; oldest: Date | null }>`
    select 'readings' as kind, (
      select min(to_date(substring(c.relname from '^readings_([0-9]{4}_[0-9]{2})$'), 'YYYY_MM'))::timestamp at time zone 'UTC'
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass('readings') and pg_relation_size(c.oid) > 0) as oldest
    union all select 'messages', (select min(created_at) from deliveries)
    union all select 'events', (select min(created_at) from events)
    union all select 'robot_events', (select min(received_at) from robot_events)
    union all select 'presence', (select min(offline_at) from robot_presence)
    union all select 'runs', (select min(ended_at) from runs)
    union all select 'commands', (select min(issued_at) from commands)
    union all select 'activity', (select min(created_at) from activity)
    union all select 'alerts', (select min(raised_at) from alerts)
    union all select 'robot_days', (select min(d.date) from sites s cross join lateral (
      select date from robot_days where site_id = s.id order by date limit 1) d)::timestamp at time zone 'UTC'
    union all select 'weather', (select min(d.day) from sites s cross join lateral (
      select day from site_weather_days where site_id = s.id order by day limit 1) d)::timestamp at time zone 'UTC'
    union all select 'monthly_reports', (select min(created_at) from kept_reports)
    union all select 'mails', (select min(created_at) from outgoing_mails)
    union all select 'firmware', (select min(created_at) from firmware where deleted_at is null)
    union all select 'sessions', (select min(created_at) from sessions)
    union all select 'sign_ins', (select min(last_signed_in_at) from known_callers)
    union all select 'audit', (select min(at) from audit)`.execute(db);
  return new Map(rows.map(({ kind, oldest }) => [kind, oldest]));
}

/** The last round that deleted anything; null before the first. */
export async function readLastDeletion(db: Executor) {
  const row = await db
    .selectFrom("retention_rounds")
    .select(["deleted_at", "deleted"])
    .where("deleted_at", "is not", null)
    .executeTakeFirst();
  return row === undefined || row.deleted_at === null ? null : { at: row.deleted_at, deleted: row.deleted };
}

/** The disks of the servers that are alive; the one of a PostgreSQL elsewhere once. */
export async function readDisks(db: Executor) {
  const { rows } = await sql<{
    server: string;
    folder: string;
    total_bytes: number;
    free_bytes: number;
    level: "ENOUGH" | "LITTLE" | "NEARLY_NONE";
  }>`
    select distinct on (case folder when 'database' then '' else name end, folder)
      name as server, folder, total_bytes, free_bytes, level
    from server_disks where seen_at > clock_timestamp() - interval '5 minutes'
    order by case folder when 'database' then '' else name end, folder, seen_at desc`.execute(db);
  return rows;
}
