import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { OFFLINE_AFTER_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { newRunTally, tallyRun } from "@suncrew/domain/reports/run-tally.ts";
import type { Span } from "@suncrew/domain/reports/spans.ts";
import { type Uptime, uptimeOf } from "@suncrew/domain/reports/uptime.ts";
import { NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import { sql } from "kysely";
import { setImmediate } from "node:timers/promises";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { reasonText, stoppedBy } from "../runs/public.ts";
import { visibleSites } from "../sites/public.ts";
import { type Newest, REPORT_LIST_ROWS, type ReportNotDone, type ReportScope, reportTime } from "./report-data.ts";

/** Runs in memory at a time. */
const PAGE_ROWS = 5_000;

export type ReportRuns = Awaited<ReturnType<typeof readReportRuns>>;

/** Totals of a site's runs, read page by page. */
export async function readReportRuns(viewer: Viewer, db: Executor, scope: ReportScope) {
  const { siteId, from, until, now } = scope;
  const tally = newRunTally({ fromMs: from.getTime(), toMs: until.getTime() }, scope.days);
  /** The last name of each robot that ran, as of its run. */
  const names = new Map<number, { name: string; serialNumber: string; atMs: number }>();
  let sample = false;
  for (let last: string | null = null; ;) {
    scope.signal?.throwIfAborted();
    let query = visibleSites(viewer, db)
      .innerJoin("runs", "runs.site_id", "sites.id")
      .where("sites.id", "=", siteId)
      .where("runs.at", "<", until)
      // A run that was due before the range may still be planned, or clean, within it.
      .where((eb) =>
        eb.or([
          eb("runs.at", ">=", from),
          eb("runs.stop_due_at", ">", from),
          eb.and([
            eb("runs.began_at", "is not", null),
            eb.or([eb("runs.ended_at", "is", null), eb("runs.ended_at", ">", from)]),
          ]),
        ]),
      )
      .select(["runs.id", "runs.robot_id", "runs.robot_name", "runs.serial_number", "runs.outcome", "runs.at"])
      .select(["runs.due_at", "runs.stop_due_at", "runs.began_at", "runs.ended_at", "runs.sample"])
      .orderBy("runs.id")
      .limit(PAGE_ROWS);
    if (last !== null) query = query.where("runs.id", ">", last);
    const rows = await query.execute();
    for (const row of rows) {
      const atMs = row.at.getTime();
      if (atMs >= (names.get(row.robot_id)?.atMs ?? -Infinity))
        names.set(row.robot_id, { name: row.robot_name, serialNumber: row.serial_number, atMs });
      sample ||= row.sample;
      tallyRun(tally, {
        robotId: row.robot_id,
        outcome: row.outcome,
        atMs,
        planned:
          row.due_at === null
            ? null
            : { fromMs: row.due_at.getTime(), toMs: (row.stop_due_at ?? row.due_at).getTime() },
        moved: row.began_at === null ? null : { fromMs: row.began_at.getTime(), toMs: (row.ended_at ?? now).getTime() },
      });
    }
    last = rows.at(-1)?.id ?? null;
    if (rows.length < PAGE_ROWS || last === null) return { tally, names, sample };
    await setImmediate();
  }
}

/** Runs that are not done: robot, due time, outcome and reason. */
export async function readNotDone(viewer: Viewer, db: Executor, scope: ReportScope): Promise<Newest<ReportNotDone>> {
  const query = visibleSites(viewer, db)
    .innerJoin("runs", "runs.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("runs.at", ">=", scope.from)
    .where("runs.at", "<", scope.until)
    .where("runs.outcome", "in", NOT_DONE);
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await query
    .select(["runs.robot_name", "runs.serial_number", "runs.at", "runs.planned", "runs.reason"])
    .select(sql<RunOutcome>`runs.outcome`.as("outcome"))
    .select(stoppedBy.as("stopped_by"))
    .orderBy("runs.at", "desc")
    .orderBy("runs.id", "desc")
    .limit(REPORT_LIST_ROWS)
    .execute();
  return {
    rows: rows.map(({ robot_name, serial_number, at, planned, outcome, reason, stopped_by }) => ({
      robotName: robot_name,
      serialNumber: serial_number,
      at: reportTime(at, scope.timezone),
      planned,
      outcome,
      reason: reasonText({ outcome, reason, planned, stoppedBy: stopped_by }) ?? "Not known.",
    })),
    rest: total - rows.length,
  };
}

/** Every robot that is or was at the site, and how long each was reachable that was there in the range. */
export async function readUptimes(viewer: Viewer, db: Executor, scope: ReportScope) {
  const online = await readPresence(viewer, db, scope);
  const known = await readKnown(viewer, db, scope);
  const locked = await readLocked(viewer, db, scope);
  const uptimes = new Map<number, Uptime>();
  for (const [robotId, span] of known) {
    scope.signal?.throwIfAborted();
    if (span === null || span.fromMs >= span.toMs) continue;
    const presence = { known: span, online: online.get(robotId) ?? [], locked: locked.get(robotId) ?? [] };
    uptimes.set(robotId, uptimeOf(presence, scope.days));
    await setImmediate();
  }
  return { robotIds: [...known.keys()], uptimes };
}

async function readPresence(viewer: Viewer, db: Executor, scope: ReportScope): Promise<Map<number, Span[]>> {
  const spans = new Map<number, Span[]>();
  for (let last = 0; ;) {
    scope.signal?.throwIfAborted();
    const rows = await visibleSites(viewer, db)
      .innerJoin("robot_presence as p", "p.site_id", "sites.id")
      .leftJoin("robot_state as s", (join) =>
        join.onRef("s.robot_id", "=", "p.robot_id").on("p.offline_at", "is", null),
      )
      .where("sites.id", "=", scope.siteId)
      .where("p.online_at", "<", scope.until)
      .where(sql<Date>`coalesce(p.offline_at, 'infinity')`, ">", scope.from)
      .where("p.id", ">", last)
      .select(["p.id", "p.robot_id", "p.online_at", "p.offline_at"])
      .select(sql<Date | null>`greatest(s.live_at, s.connection_at)`.as("seen_at"))
      .orderBy("p.id")
      .limit(PAGE_ROWS)
      .execute();
    for (const { robot_id, online_at, offline_at, seen_at } of rows) {
      // A robot that falls silent counts as reachable for another 90 s, even before its silence is noticed.
      const endMs = offline_at?.getTime() ?? (seen_at ?? online_at).getTime() + OFFLINE_AFTER_MS;
      const span = { fromMs: online_at.getTime(), toMs: Math.min(endMs, scope.until.getTime()) };
      const ofRobot = spans.get(robot_id);
      if (ofRobot === undefined) spans.set(robot_id, [span]);
      else ofRobot.push(span);
    }
    if (rows.length < PAGE_ROWS) return spans;
    last = rows.at(-1)?.id ?? last;
    await setImmediate();
  }
}

/** From the first connection at the site, until the robot left it, was deleted, or the range ends; null without any. */
async function readKnown(viewer: Viewer, db: Executor, scope: ReportScope): Promise<Map<number, Span | null>> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("robots as r", (join) => join.onTrue())
    .where((eb) =>
      eb.or([
        eb("r.site_id", "=", eb.ref("sites.id")),
        eb.exists(
          eb
            .selectFrom("robot_presence as p")
            .select("p.id")
            .whereRef("p.robot_id", "=", "r.id")
            .whereRef("p.site_id", "=", "sites.id"),
        ),
      ]),
    )
    .where("sites.id", "=", scope.siteId)
    .select(["r.id", "r.deleted_at"])
    .select(sql<boolean>`r.site_id = sites.id`.as("is_here"))
    .select((eb) => [
      eb
        .selectFrom("robot_presence as p")
        .select("p.online_at")
        .whereRef("p.robot_id", "=", "r.id")
        .whereRef("p.site_id", "=", "sites.id")
        .orderBy("p.online_at")
        .limit(1)
        .as("since"),
      eb
        .selectFrom("robot_presence as p")
        .select("p.offline_at")
        .whereRef("p.robot_id", "=", "r.id")
        .whereRef("p.site_id", "=", "sites.id")
        .orderBy("p.online_at", "desc")
        .limit(1)
        .as("last_seen"),
    ])
    .execute();
  return new Map(
    rows.map(({ id, deleted_at, is_here, since, last_seen }): [number, Span | null] => {
      if (since === null) return [id, null];
      const left = is_here ? deleted_at : last_seen;
      const toMs = Math.min(scope.until.getTime(), left?.getTime() ?? Infinity);
      return [id, { fromMs: Math.max(since.getTime(), scope.from.getTime()), toMs }];
    }),
  );
}

async function readLocked(viewer: Viewer, db: Executor, scope: ReportScope): Promise<Map<number, Span[]>> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("maintenance_locks as l", "l.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("l.locked_at", "<", scope.until)
    .where((eb) => eb.or([eb("l.released_at", "is", null), eb("l.released_at", ">", scope.from)]))
    .select(["l.robot_id", "l.locked_at", "l.released_at"])
    .execute();
  const byRobot = Map.groupBy(rows, ({ robot_id }) => robot_id);
  return new Map(
    [...byRobot].map(([robotId, locks]) => [
      robotId,
      locks.map(({ locked_at, released_at }) => ({
        fromMs: locked_at.getTime(),
        toMs: (released_at ?? scope.until).getTime(),
      })),
    ]),
  );
}

/** Battery weighted by time, per day: percent times seconds, and the seconds. */
export interface BatterySums {
  readonly weighted: number[];
  readonly seconds: number[];
  readonly sample: boolean;
}

/** A reading is valid until the next, but at most this long. Sample data has one per hour. */
const HOLDS_S = OFFLINE_AFTER_MS / 1_000;
const SAMPLE_HOLDS_S = 3_600;

/** Days aggregated per query, so that none takes long. */
const DAYS_AT_ONCE = 5;

/** A robot's readings at the site, 86,000 in a month, aggregated. One that spans midnight counts on both days. */
export async function readBattery(
  viewer: Viewer,
  db: Executor,
  scope: ReportScope,
  robotId: number,
): Promise<BatterySums> {
  const weighted = scope.days.map(() => 0);
  const seconds = scope.days.map(() => 0);
  let sample = false;
  for (let first = 0; first < scope.days.length; first += DAYS_AT_ONCE) {
    scope.signal?.throwIfAborted();
    const days = scope.days.slice(first, first + DAYS_AT_ONCE);
    const rows = await readByDay(viewer, db, { ...scope, days }, robotId);
    for (const { day, here, after } of rows) {
      add(first + day - 1, here);
      if (day < days.length) add(first + day, after);
    }
    sample ||= rows.some((row) => row.sample);
  }
  return { weighted, seconds, sample };

  function add(nth: number, sums: { readonly weighted: number; readonly seconds: number }): void {
    weighted[nth] = (weighted[nth] ?? 0) + sums.weighted;
    seconds[nth] = (seconds[nth] ?? 0) + sums.seconds;
  }
}

/** By the day on which a reading began, from 1: what it contributes on that day, and after it. */
async function readByDay(viewer: Viewer, db: Executor, scope: ReportScope, robotId: number) {
  const { days } = scope;
  const from = new Date(days[0]?.fromMs ?? 0);
  const until = new Date(Math.min(scope.until.getTime(), days.at(-1)?.toMs ?? 0));
  const starts = sql`${days.map(({ fromMs }) => fromMs / 1_000)}::float8[]`;
  const endOfDay = sql`(${days.map(({ toMs }) => toMs / 1_000)}::float8[])[day]`;
  // `offset 0` keeps the steps apart: if merged, PostgreSQL would evaluate their expressions many times over.
  const readings = visibleSites(viewer, db)
    .innerJoin("readings as g", "g.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("g.robot_id", "=", robotId)
    .where("g.received_at", ">=", new Date(from.getTime() - SAMPLE_HOLDS_S * 1_000))
    .where("g.received_at", "<", until)
    .select(["g.sample", "g.received_at", "g.session", "g.seq"])
    .select(sql`g.battery::float8`.as("battery"))
    .select(sql`date_part('epoch', g.received_at)`.as("at"))
    .offset(0);
  const followed = db
    .selectFrom(readings.as("read"))
    .select(["battery", "sample", "at"])
    .select(sql`lead(at) over (order by received_at, session, seq)`.as("next_at"))
    .offset(0);
  const held = db
    .selectFrom(followed.as("followed"))
    .select(["battery", "sample"])
    .select(sql`greatest(at, ${from.getTime() / 1_000}::float8)`.as("began"))
    .select(
      sql`least(next_at, ${until.getTime() / 1_000}::float8,
        at + case when sample then ${SAMPLE_HOLDS_S}::int else ${HOLDS_S}::int end)`.as("ended"),
    )
    .offset(0);
  const byDay = db
    .selectFrom(held.as("held"))
    .select(["battery", "sample", "began", "ended"])
    .select(sql`width_bucket(began, ${starts})`.as("day"))
    .where(sql<boolean>`ended > began`)
    .offset(0);
  const weighed = db
    .selectFrom(byDay.as("by_day"))
    .select(["day", "battery", "sample"])
    .select(sql`least(ended, ${endOfDay}) - began`.as("here"))
    .select(sql`greatest(0, ended - ${endOfDay})`.as("after"))
    .offset(0);
  const rows = await db
    .selectFrom(weighed.as("weighed"))
    .select(sql<number>`day`.as("day"))
    .select(sql<number>`sum(battery * here)`.as("weighted"))
    .select(sql<number>`sum(here)`.as("seconds"))
    .select(sql<number>`sum(battery * after)`.as("weightedAfter"))
    .select(sql<number>`sum(after)`.as("secondsAfter"))
    .select(sql<boolean>`bool_or(sample)`.as("sample"))
    .groupBy("day")
    .execute();
  return rows.map(({ day, weighted, seconds, weightedAfter, secondsAfter, sample }) => ({
    day,
    here: { weighted, seconds },
    after: { weighted: weightedAfter, seconds: secondsAfter },
    sample,
  }));
}
