import type { KeptKind } from "@suncrew/contract/storage/storage.ts";
import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import { setLockTimeout } from "../../platform/database/transactions.ts";

/** Rows deleted in one transaction. */
const BATCH = 2_000;
/** Whoever holds a lock is not waited for: a later round deletes the rest. */
const LOCK_WAIT_MS = 100;

/** Kinds whose rows are deleted one by one, as they reach their age. */
type RowKind = Exclude<KeptKind, "readings" | "weather" | "firmware" | "sign_ins" | "audit">;

/** Of each kind the table, as `x`, and which of its rows are deleted: old ones that nothing needs any more. */
const oldRows: Readonly<Record<RowKind, readonly [table: string, isOld: (before: Date) => RawBuilder<boolean>]>> = {
  robot_events: [
    "robot_events",
    // A robot repeats an event until it has been answered: those of its last day before it fell silent may come again.
    // The beginning of an alert that is still open is looked up as it ends.
    (before) => sql`x.received_at < ${before}
      and (exists (select from robot_state s where s.robot_id = x.robot_id and s.live_at > x.received_at + interval '1 day')
        or exists (select from robots r where r.id = x.robot_id and r.deleted_at < ${before}))
      and not (x.kind = 'ALERT_RAISED' and exists (select from alerts a where a.robot_id = x.robot_id
        and a.source = 'ROBOT' and a.code = x.body -> 'alert' ->> 'code' and a.cleared_at is null))`,
  ],
  presence: [
    "robot_presence",
    (before) => sql`x.offline_at < ${before} and exists (select from robot_presence newer
      where newer.robot_id = x.robot_id and newer.site_id = x.site_id and newer.online_at > x.online_at)`,
  ],
  runs: [
    "runs",
    // The newest of a machine is shown as its last one, and the one in which it was last seen says until when it moves.
    (before) => sql`x.ended_at < ${before} and (x.began_at is null or exists (select from runs newer
        where newer.robot_id = x.robot_id and newer.site_id = x.site_id and newer.serial_number = x.serial_number
          and newer.ended_at is not null and newer.began_at is not null and newer.at > x.at))
      and not exists (select from robot_state s where s.robot_id = x.robot_id and s.run_id = x.id)`,
  ],
  commands: [
    "commands",
    // Robots with an open run, and the run in which one was last seen, are judged by their commands (protocol rule 13);
    // a lock is known by its command to be of the machine of then.
    (before) => sql`x.issued_at < ${before} and x.settled_at < ${before}
      and not exists (select from robot_state s where s.robot_id = x.robot_id
        and (s.last_command_id = x.id or s.run_id = x.run_id))
      and not exists (select from runs r where r.robot_id = x.robot_id and r.ended_at is null and r.began_at is not null)
      and not exists (select from maintenance_locks l where l.command_id = x.id)
      and not exists (select from command_requests c where c.command_id = x.id)`,
  ],
  activity: [
    "activity",
    (before) => sql`x.created_at < ${before}
      and not exists (select from commands c where c.id = x.command_id and c.settled_at is null)`,
  ],
  alerts: ["alerts", (before) => sql`x.raised_at < ${before} and x.cleared_at < ${before}`],
  robot_days: [
    "robot_days",
    (before) => sql`x.ctid = any (array(
      select d.ctid from sites s cross join lateral (
        select ctid from robot_days where site_id = s.id and date < (${before} at time zone 'UTC')::date - 1
        order by date limit ${BATCH}) d
      limit ${BATCH}))`,
  ],
  monthly_reports: [
    "kept_reports",
    (before) => sql`x.created_at < ${before} and x.try_at is null and x.mail_status <> 'PENDING'
      and not exists (select from outgoing_mails m where m.about_id = x.id and m.status = 'PENDING')
      and not exists (select from report_deliveries d where d.report_id = x.id and d.status = 'WAITING')`,
  ],
  mails: ["outgoing_mails", (before) => sql`x.created_at < ${before} and x.status <> 'PENDING'`],
  messages: ["deliveries", (before) => sql`x.created_at < ${before} and x.settled_at < ${before}`],
  events: [
    "events",
    (before) => sql`x.created_at < ${before}
      and not exists (select from event_deliveries d where d.event_id = x.id and d.status = 'WAITING')`,
  ],
  sessions: ["sessions", (before) => sql`least(x.expires_at, x.ended_at) < ${before}`],
};

export const rowKinds: ReadonlySet<KeptKind> = new Set(Object.keys(oldRows) as RowKind[]);

/** Deletes a batch of old rows. Returns how many, and whether more may be left. Rejects if the table is locked. */
export async function deleteOldRows(db: Db, kind: KeptKind, before: Date): Promise<Deleted> {
  const found = Object.entries(oldRows).find(([name]) => name === kind)?.[1];
  if (found === undefined) return { rows: 0, more: false };
  const [table, isOld] = found;
  return inStep(db, async (tx) => {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any (array(
        select x.ctid from ${sql.table(table)} x where ${isOld(before)} limit ${BATCH} for update of x skip locked))`.execute(
      tx,
    );
    const rows = Number(numAffectedRows ?? 0);
    return { rows, more: rows === BATCH };
  });
}

export interface Deleted {
  readonly rows: number;
  readonly more: boolean;
}

function inStep<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await setLockTimeout(tx, LOCK_WAIT_MS);
    return work(tx);
  });
}

/**
 * Drops the oldest month of readings that ended before that instant, or deletes a batch of those that no month's
 * partition was there for. Rejects if the readings are locked.
 */
export async function deleteOldReadings(db: Db, before: Date): Promise<Deleted> {
  const { rows: months } = await sql<{ month: string }>`
    select to_char(month, 'YYYY-MM-DD') as month from (
      select to_date(substring(c.relname from '^readings_([0-9]{4}_[0-9]{2})$'), 'YYYY_MM') as month
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass('readings') and c.relname ~ '^readings_[0-9]{4}_[0-9]{2}$') months
    where (month + interval '1 month') at time zone 'UTC' <= ${before} order by month limit 1`.execute(db);
  const oldest = months[0];
  return inStep(db, async (tx) => {
    if (oldest !== undefined) {
      const { rows } = await sql<{ rows: number | null }>`
        select drop_readings_partition(${oldest.month}::date) as rows`.execute(tx);
      return { rows: rows[0]?.rows ?? 0, more: true };
    }
    const { rows } = await sql<{ rows: number }>`
      select delete_unpartitioned_readings(${before}, ${BATCH}::int) as rows`.execute(tx);
    const deleted = rows[0]?.rows ?? 0;
    return { rows: deleted, more: deleted === BATCH };
  });
}

/**
 * Deletes a batch of the days of air and weather before `before`, and of those that a later answer superseded before
 * `supersededBefore`. Rejects if they are locked.
 */
export async function deleteOldWeather(db: Db, before: Date, supersededBefore: Date): Promise<Deleted> {
  const steps = [];
  for (const table of [sql.table("site_air_days"), sql.table("site_weather_days")]) {
    const step = await inStep(db, async (tx) => {
      const { numAffectedRows } = await sql`
        delete from ${table} where ctid = any (array(
          (select d.ctid from sites s cross join lateral (
              select ctid from ${table} where site_id = s.id and day < (${before} at time zone 'UTC')::date
              order by day limit ${BATCH}) d
            limit ${BATCH})
          union (select ctid from ${table} where superseded_at < ${supersededBefore} limit ${BATCH})))`.execute(tx);
      return Number(numAffectedRows ?? 0);
    });
    steps.push(step);
  }
  return { rows: steps.reduce((sum, rows) => sum + rows, 0), more: steps.some((rows) => rows >= BATCH) };
}

/** Cuts the audit if its owner allows that; see the migration. Rejects if the audit is locked. */
export async function cutAudit(db: Db): Promise<Deleted> {
  return inStep(db, async (tx) => {
    const { rows } = await sql<{ rows: number }>`select cut_audit() as rows`.execute(tx);
    return { rows: rows[0]?.rows ?? 0, more: false };
  });
}

const TEXTS_AT_ONCE = 500;

/**
 * Deletes search texts that no row of the activity log has any more. Nobody adds a row with such a text meanwhile: it
 * would not be found by it. Rejects if the log is locked.
 */
export async function deleteOrphanedTexts(db: Db): Promise<Deleted> {
  const isOrphaned = sql`case t.kind
    when 'PLACE' then not exists (select from activity a where a.place_key = t.key)
    when 'OUTCOME' then not exists (select from activity a where a.outcome_key = t.key)
    else not exists (select from activity a where a.user_name = t.user_name) end`;
  const { rows: found } = await sql<{ place: string }>`
    select t.ctid::text as place from activity_texts t where ${isOrphaned} limit ${TEXTS_AT_ONCE}`.execute(db);
  if (found.length === 0) return { rows: 0, more: false };
  return inStep(db, async (tx) => {
    await sql`lock table activity in share row exclusive mode`.execute(tx);
    const places = found.map(({ place }) => place);
    await sql`delete from activity_texts t where t.ctid = any (${places}::tid[]) and ${isOrphaned}`.execute(tx);
    return { rows: 0, more: found.length === TEXTS_AT_ONCE };
  });
}

/** True if no server has begun a round since `since`: then this one does. */
export async function claimRound(db: Db, now: Date, since: Date): Promise<boolean> {
  // A time ahead of ours is from before the clocks were corrected.
  const { numAffectedRows } = await sql`
    update retention_rounds set began_at = ${now}
    where began_at <= ${since} or began_at > ${now}::timestamptz + interval '1 hour'`.execute(db);
  return Number(numAffectedRows ?? 0) > 0;
}

export async function recordRound(db: Db, deleted: Readonly<Partial<Record<KeptKind, number>>>, at: Date) {
  await db
    .updateTable("retention_rounds")
    .set({ deleted: JSON.stringify(deleted), deleted_at: at })
    .execute();
}
