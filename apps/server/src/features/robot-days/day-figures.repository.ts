import { OFFLINE_AFTER_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { newRunTally, type RobotTally, tallyRun } from "@suncrew/domain/reports/run-tally.ts";
import { commonSpan, type Span, unionMs } from "@suncrew/domain/reports/spans.ts";
import { uptimeOf } from "@suncrew/domain/reports/uptime.ts";
import { type Selectable, sql } from "kysely";
import { anyInt, type Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { type DayFigures, type DaySource, type MutableFigures, noFigures, RUN_COLUMNS } from "./day-figures.ts";

/** A site and an uninterrupted time, at most a day, that has passed. */
export interface DayScope extends Span {
  readonly siteId: number;
  readonly now: Date;
}

export interface DayParts {
  readonly sources: ReadonlySet<DaySource>;
  /** Also how long which motion and mode lasted, for which each reading itself has to be read. */
  readonly withMotion: boolean;
}

/** Of a robot at a site, in milliseconds; each is null if there is none. */
export interface Stay {
  readonly sinceMs: number | null;
  readonly leftMs: number | null;
  /** When its last presence there began. */
  readonly newestMs: number | null;
}

export const NO_STAY: Stay = { sinceMs: null, leftMs: null, newestMs: null };

/** True if anything is known. */
function hasFigures(figures: DayFigures): boolean {
  return figures.counted_ms !== null || Object.values(figures).some((value) => typeof value === "number" && value > 0);
}

/**
 * Computes what these robots did in a time, from the rows that recorded it. Closing a day and the days of a report that
 * are not closed use this same calculation. Robots without any figure are absent.
 */
export async function readDayFigures(
  db: Executor,
  scope: DayScope,
  robots: ReadonlyMap<number, Stay>,
  { sources, withMotion }: DayParts,
): Promise<Map<number, DayFigures>> {
  const found = new Map<number, MutableFigures>();
  const of = (robotId: number): MutableFigures => {
    const figures = found.get(robotId) ?? noFigures();
    found.set(robotId, figures);
    return figures;
  };
  const ids = [...robots.keys()];
  if (sources.has("RUNS")) await addRuns(db, scope, ids, of);
  if (sources.has("PRESENCE")) await addUptimes(db, scope, robots, of);
  if (sources.has("ALERTS")) await addAlerts(db, scope, ids, of);
  if (sources.has("READINGS")) await addReadings(db, scope, ids, of, withMotion);
  return new Map([...found].filter(([, figures]) => hasFigures(figures)));
}

type FiguresOf = (robotId: number) => MutableFigures;

/** Planned runs last a day at most. */
const LASTING_MS = 2 * 86_400_000;

/** The runs that touch a time, by these robots or all. */
function runsWithin(db: Executor, { siteId, fromMs, toMs }: DayScope, robotIds?: readonly number[]) {
  const [from, to, recent] = [fromMs, toMs, fromMs - LASTING_MS].map((ms) => new Date(ms));
  const robots = robotIds === undefined ? sql`` : sql`and robot_id = ${anyInt(robotIds)}`;
  const touching = sql`(at >= ${from} or stop_due_at > ${from}
    or began_at is not null and (ended_at is null or ended_at > ${from}))`;
  const columns = sql`robot_id, robot_name, serial_number, outcome, at, due_at, stop_due_at, began_at, ended_at, sample`;
  // Two indexes: what lasts longer is rare, and has its own.
  return sql<Pick<Selectable<Tables["runs"]>, RunColumn>>`
    select ${columns} from runs
    where site_id = ${siteId} and at >= ${recent} and at < ${to} ${robots} and ${touching}
    union all
    select ${columns} from runs
    where site_id = ${siteId} and at < ${recent} ${robots} and ${touching}
      and (ended_at is null or ended_at - at > interval '2 days' or stop_due_at - at > interval '2 days')`;
}
type RunColumn =
  | "robot_id"
  | "robot_name"
  | "serial_number"
  | "outcome"
  | "at"
  | "due_at"
  | "stop_due_at"
  | "began_at"
  | "ended_at"
  | "sample";

async function addRuns(db: Executor, scope: DayScope, robotIds: readonly number[], of: FiguresOf): Promise<void> {
  const { rows } = await runsWithin(db, scope, robotIds).execute(db);
  const tally = newRunTally(scope);
  // The last one says what the robot was called.
  for (const row of rows.toSorted((one, other) => one.at.getTime() - other.at.getTime())) {
    const counted = tallyRun(tally, {
      robotId: row.robot_id,
      outcome: row.outcome,
      atMs: row.at.getTime(),
      planned:
        row.due_at === null ? null : { fromMs: row.due_at.getTime(), toMs: (row.stop_due_at ?? row.due_at).getTime() },
      moved:
        row.began_at === null ? null : { fromMs: row.began_at.getTime(), toMs: (row.ended_at ?? scope.now).getTime() },
    });
    if (!counted) continue;
    const figures = of(row.robot_id);
    if (row.sample) figures.sample = true;
    figures.robot_name = row.robot_name;
    figures.serial_number = row.serial_number;
  }
  for (const [robotId, robot] of tally.robots) setRuns(of(robotId), robot);
}

function setRuns(figures: MutableFigures, robot: RobotTally): void {
  for (const [outcome, planned, manual] of RUN_COLUMNS) {
    figures[planned] = robot.planned[outcome];
    figures[manual] = robot.manual[outcome];
  }
  figures.planned_ms = robot.plannedMs;
  figures.as_planned_ms = robot.asPlannedMs;
  figures.outside_plan_ms = robot.outsidePlanMs;
  figures.by_hand_ms = robot.byHandMs;
  figures.starts = robot.starts;
  figures.by_hand = robot.byHand;
}

async function addUptimes(
  db: Executor,
  scope: DayScope,
  robots: ReadonlyMap<number, Stay>,
  of: FiguresOf,
): Promise<void> {
  const ids = [...robots.keys()];
  const online = await readOnline(db, scope, ids);
  const locked = await readLocked(db, scope, ids);
  for (const [robotId, { sinceMs, leftMs }] of robots) {
    if (sinceMs === null) continue;
    const known = commonSpan({ fromMs: sinceMs, toMs: leftMs ?? Infinity }, scope);
    if (known === null) continue;
    const presence = { known, online: online.get(robotId) ?? [], locked: locked.get(robotId) ?? [] };
    const { countedMs, reachableMs } = uptimeOf(presence, scope);
    Object.assign(of(robotId), { counted_ms: countedMs, reachable_ms: reachableMs });
  }
}

/** A robot's presences do not overlap: those that begin within the time, and the last one before it. */
async function readOnline(db: Executor, scope: DayScope, robotIds: readonly number[]): Promise<Map<number, Span[]>> {
  const [from, to] = [new Date(scope.fromMs), new Date(scope.toMs)];
  const { rows } = await sql<{ robot_id: number; online_at: Date; offline_at: Date | null; seen_at: Date | null }>`
    select p.robot_id, p.online_at, p.offline_at, greatest(s.live_at, s.connection_at) as seen_at
    from unnest(${robotIds}::int[]) r (id)
    cross join lateral (
      (select robot_id, online_at, offline_at from robot_presence
        where robot_id = r.id and site_id = ${scope.siteId} and online_at < ${from}
        order by online_at desc, offline_at desc limit 1)
      union all
      select robot_id, online_at, offline_at from robot_presence
        where robot_id = r.id and site_id = ${scope.siteId} and online_at >= ${from} and online_at < ${to}
    ) p
    left join robot_state s on s.robot_id = p.robot_id and p.offline_at is null`.execute(db);
  const byRobot = Map.groupBy(rows, ({ robot_id }) => robot_id);
  // A robot that falls silent counts as reachable for another 90 s, even before its silence is noticed.
  const spanOf = ({ online_at, offline_at, seen_at }: (typeof rows)[number]): Span => ({
    fromMs: online_at.getTime(),
    toMs: offline_at?.getTime() ?? (seen_at ?? online_at).getTime() + OFFLINE_AFTER_MS,
  });
  return new Map([...byRobot].map(([robotId, presences]) => [robotId, presences.map(spanOf)]));
}

async function readLocked(db: Executor, scope: DayScope, robotIds: readonly number[]): Promise<Map<number, Span[]>> {
  const rows = await db
    .selectFrom("maintenance_locks")
    .where("site_id", "=", scope.siteId)
    .where("robot_id", "=", anyInt(robotIds))
    .where("locked_at", "<", new Date(scope.toMs))
    .where((eb) => eb.or([eb("released_at", "is", null), eb("released_at", ">", new Date(scope.fromMs))]))
    .select(["robot_id", "locked_at", "released_at"])
    .execute();
  const byRobot = Map.groupBy(rows, ({ robot_id }) => robot_id);
  const spanOf = ({ locked_at, released_at }: (typeof rows)[number]): Span => ({
    fromMs: locked_at.getTime(),
    toMs: released_at?.getTime() ?? scope.toMs,
  });
  return new Map([...byRobot].map(([robotId, locks]) => [robotId, locks.map(spanOf)]));
}

async function addAlerts(db: Executor, scope: DayScope, robotIds: readonly number[], of: FiguresOf): Promise<void> {
  const rows = await criticalWithin(db, scope)
    .where("robot_id", "=", anyInt(robotIds))
    .select([sql<number>`robot_id`.as("robot_id"), "raised_at", "cleared_at"])
    .execute();
  for (const [robotId, alerts] of Map.groupBy(rows, ({ robot_id }) => robot_id)) {
    const spans = alerts.flatMap(({ raised_at, cleared_at }) => {
      const open = { fromMs: raised_at.getTime(), toMs: cleared_at?.getTime() ?? scope.toMs };
      return commonSpan(open, scope) ?? [];
    });
    const faults = alerts.filter(({ raised_at }) => raised_at.getTime() >= scope.fromMs).length;
    Object.assign(of(robotId), { faults, critical_ms: unionMs(spans) });
  }
}

/** Of a site and its robots: critical alerts raised in a time, those cleared in it, and how long these were open. */
export interface SiteAlerts {
  readonly critical_alerts: number;
  readonly resolved_alerts: number;
  readonly resolution_ms: number;
}

export async function readSiteAlerts(
  db: Executor,
  { siteId, fromMs, toMs }: Omit<DayScope, "now">,
): Promise<SiteAlerts> {
  const within = (column: "raised_at" | "cleared_at") =>
    sql`(${sql.ref(column)} >= ${new Date(fromMs)} and ${sql.ref(column)} < ${new Date(toMs)})`;
  const { rows } = await sql<SiteAlerts>`
    select count(*) filter (where ${within("raised_at")} and severity = 'CRITICAL') as critical_alerts,
      count(*) filter (where ${within("cleared_at")}) as resolved_alerts,
      coalesce(sum(round(date_part('epoch', cleared_at - raised_at) * 1000)) filter (where ${within("cleared_at")}), 0)
        as resolution_ms
    from alerts where site_id = ${siteId} and (${within("raised_at")} or ${within("cleared_at")})`.execute(db);
  return rows[0] ?? { critical_alerts: 0, resolved_alerts: 0, resolution_ms: 0 };
}

/** Critical alerts of robots that were raised within a time, or open at its beginning. */
function criticalWithin(db: Executor, { siteId, fromMs, toMs }: DayScope) {
  const from = new Date(fromMs);
  return db
    .selectFrom("alerts")
    .where("site_id", "=", siteId)
    .where("severity", "=", "CRITICAL")
    .where("robot_id", "is not", null)
    .where("raised_at", "<", new Date(toMs))
    .where((eb) => eb.or([eb("cleared_at", "is", null), eb("cleared_at", ">", from), eb("raised_at", ">=", from)]));
}

/** A reading is valid until the next, but at most this long. Sample data has one per hour. */
const SAMPLE_HOLDS_MS = 3_600_000;
/** The battery in hundredths of a percent is less. */
const BATTERY_BASE = 16_384;

/**
 * Readings, 2,900 of a robot and day, aggregated: one that spans midnight counts on both days. In whole milliseconds and
 * hundredths of a percent, so that the sum does not depend on how a time is divided.
 */
async function addReadings(
  db: Executor,
  scope: DayScope,
  robotIds: readonly number[],
  of: FiguresOf,
  withMotion: boolean,
): Promise<void> {
  const { siteId, fromMs, toMs } = scope;
  const earliestMs = fromMs - SAMPLE_HOLDS_MS;
  // Without these columns PostgreSQL reads the index alone.
  const motion = withMotion ? sql`, motion, mode` : sql``;
  const sums = withMotion
    ? sql`sum(ended - began) filter (where motion = 'MOVING') as moving_ms,
        sum(ended - began) filter (where mode = 'MANUAL') as manual_mode_ms,
        sum(ended - began) filter (where mode = 'MAINTENANCE') as maintenance_mode_ms,`
    : sql``;
  // `offset 0` keeps the steps apart: if merged, PostgreSQL would evaluate their expressions many times over.
  const { rows } = await sql<{
    readonly robot_id: number;
    readonly read_ms: number;
    readonly moving_ms?: number | null;
    readonly manual_mode_ms?: number | null;
    readonly maintenance_mode_ms?: number | null;
    readonly battery_held: number;
    readonly battery_least: number;
    readonly newest: number;
    readonly sample: boolean;
  }>`
    with read as (
      select robot_id, received_at, session, seq, sample, round(battery::float8 * 100) as battery,
        round(date_part('epoch', received_at) * 1000) as at ${motion}
      from readings
      where site_id = ${siteId} and robot_id = ${anyInt(robotIds)}
        and received_at >= ${new Date(earliestMs)} and received_at < ${new Date(toMs)}
      offset 0
    ), followed as (
      select *, lead(at) over (partition by robot_id order by received_at, session, seq) as next_at from read offset 0
    ), held as (
      select *, greatest(at, ${fromMs}::float8) as began,
        least(next_at, ${toMs}::float8, at + case when sample then ${SAMPLE_HOLDS_MS}::int else ${OFFLINE_AFTER_MS}::int end)
          as ended
      from followed offset 0
    )
    select robot_id, sum(ended - began) as read_ms, ${sums}
      sum(battery * (ended - began)) as battery_held, min(battery) as battery_least,
      -- The battery of the newest one, packed beside its time.
      max((at - ${earliestMs}::float8) * ${BATTERY_BASE}::int + battery) as newest, bool_or(sample) as sample
    from held where ended > began group by robot_id`.execute(db);
  for (const { robot_id, newest, sample, ...sum } of rows) {
    const figures = of(robot_id);
    if (sample) figures.sample = true;
    figures.read_ms = sum.read_ms;
    figures.moving_ms = sum.moving_ms ?? 0;
    figures.manual_mode_ms = sum.manual_mode_ms ?? 0;
    figures.maintenance_mode_ms = sum.maintenance_mode_ms ?? 0;
    figures.battery_held = sum.battery_held;
    figures.battery_least = sum.battery_least;
    figures.battery_last = newest % BATTERY_BASE;
  }
}

/** Every robot that can have figures in a time: that is or was at the site, has a run there, or a critical alert. */
export async function readRobotsWithin(
  db: Executor,
  scope: DayScope,
  stays: ReadonlyMap<number, Stay>,
): Promise<Map<number, Stay>> {
  const ran = await runsWithin(db, scope).execute(db);
  const alerted = await criticalWithin(db, scope)
    .select(sql<number>`robot_id`.as("robot_id"))
    .distinct()
    .execute();
  const robots = new Map(stays);
  for (const { robot_id } of [...ran.rows, ...alerted]) if (!robots.has(robot_id)) robots.set(robot_id, NO_STAY);
  return withKnownBefore(db, scope, robots);
}

/**
 * A robot that counted on the last day before is known since then at the latest: what shows that it was there earlier
 * may no longer be kept.
 */
export async function withKnownBefore(
  db: Executor,
  { siteId, fromMs }: DayScope,
  robots: ReadonlyMap<number, Stay>,
): Promise<Map<number, Stay>> {
  const known = await db
    .selectFrom("robot_days")
    .where("site_id", "=", siteId)
    .where("date", "=", (eb) =>
      eb
        .selectFrom("site_days")
        .select("date")
        .where("site_id", "=", siteId)
        .where("closed_at", "is not", null)
        .where("ended_at", "<=", new Date(fromMs))
        .orderBy("date", "desc")
        .limit(1),
    )
    .where("robot_id", "=", anyInt(robots.keys()))
    .where("counted_ms", "is not", null)
    .select("robot_id")
    .execute();
  const before = new Set(known.map(({ robot_id }) => robot_id));
  return new Map(
    [...robots].map(([id, stay]) => [
      id,
      before.has(id) && stay.sinceMs !== null ? { ...stay, sinceMs: -Infinity } : stay,
    ]),
  );
}

/** False if a time of any length has nothing to compute figures from. */
export async function hasFacts(
  db: Executor,
  { siteId, fromMs, toMs }: Omit<DayScope, "now">,
  stays: ReadonlyMap<number, Stay>,
): Promise<boolean> {
  for (const { sinceMs, leftMs } of stays.values())
    if (sinceMs !== null && sinceMs < toMs && (leftMs ?? Infinity) > fromMs) return true;
  const scope = { siteId, fromMs, toMs, now: new Date(toMs) };
  const [from, to] = [new Date(fromMs - SAMPLE_HOLDS_MS), new Date(toMs)];
  const { rows } = await sql<{ found: boolean }>`
    select exists (${runsWithin(db, scope)}) or exists (${criticalWithin(db, scope).select("id")})
      or exists (select from unnest(${[...stays.keys()]}::int[]) r (id) cross join lateral (
        select from readings where robot_id = r.id and site_id = ${siteId} and received_at >= ${from}
          and received_at < ${to} limit 1) one) as found`.execute(db);
  return rows[0]?.found === true;
}

/** Every robot that is or was at the site: from its first connection there until it left it or was deleted. */
export async function readStays(db: Executor, siteId: number): Promise<Map<number, Stay>> {
  const { rows } = await sql<{ id: number; since: Date | null; newest: Date | null; left: Date | null }>`
    with here as materialized (
      select id from robots where site_id = ${siteId}
      union select robot_id from robot_presence where site_id = ${siteId}
    )
    select r.id, oldest.online_at as since, newest.online_at as newest,
      case when r.site_id = ${siteId} then r.deleted_at else newest.offline_at end as left
    from here join robots r using (id)
      left join lateral (select online_at from robot_presence
        where robot_id = r.id and site_id = ${siteId} order by online_at limit 1) oldest on true
      left join lateral (select online_at, offline_at from robot_presence
        where robot_id = r.id and site_id = ${siteId} order by online_at desc limit 1) newest on true`.execute(db);
  return new Map(
    rows.map(({ id, ...stay }) => {
      const [sinceMs, leftMs, newestMs] = [stay.since, stay.left, stay.newest].map((at) => at?.getTime() ?? null);
      return [id, { sinceMs: sinceMs ?? null, leftMs: leftMs ?? null, newestMs: newestMs ?? null }];
    }),
  );
}
