import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  HISTORY_MARKS_LIMIT,
  type HistorySpan,
  ROBOT_CHANGES_LIMIT,
  type RobotChanges,
  robotChanges,
  type RobotHistory,
  type RobotLock,
  type RobotOrder,
  type robotOrders,
} from "@suncrew/contract/robot-history/robot-history.ts";
import { OFFLINE_AFTER_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { percentOf, uptimeOf } from "@suncrew/domain/reports/uptime.ts";
import {
  connectedShares,
  historySpanOf,
  type PartedSpan,
  type PartReadings,
  partValues,
  SAMPLE_HOLDS_MS,
  speedsAt,
} from "@suncrew/domain/robot-history/history-parts.ts";
import { orderText } from "@suncrew/domain/robot-history/order-text.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { readRuns } from "../runs/public.ts";
import { sitesEverVisible, visibleSites } from "../sites/public.ts";

/** Throws 404 unless the robot is the viewer's now; what is read after that is what happened at the viewer's sites. */
export async function requireRobot(viewer: Viewer, db: Executor, robotId: number) {
  const robot = await visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .where("r.id", "=", robotId)
    .where("r.deleted_at", "is", null)
    .select(["sites.timezone", "r.main_motor_speed as main", "r.brush_motor_speed as brush"])
    .executeTakeFirst();
  if (robot === undefined) throw notFound("Robot");
  return robot;
}

/** The id of a robot by its serial number, with the names around it. Throws 404 unless it is the viewer's now. */
export async function findRobotBySerial(viewer: Viewer, db: Executor, serialNumber: string) {
  const robot = await visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .leftJoin("robot_group_members as member", "member.robot_id", "r.id")
    .leftJoin("robot_groups as g", "g.id", "member.group_id")
    .where("r.serial_number", "=", serialNumber)
    .where("r.deleted_at", "is", null)
    .select(["r.id", "sites.name as site_name", "sites.timezone", "g.group_name"])
    .executeTakeFirst();
  if (robot === undefined) throw notFound("Robot");
  return robot;
}

/** A robot's span of time at the viewer's sites. Throws 404 unless the robot is the viewer's now. */
export async function readHistory(
  viewer: Viewer,
  db: Executor,
  robotId: number,
  { span, at, now }: { readonly span: HistorySpan; readonly at: Date | null; readonly now: Date },
): Promise<RobotHistory> {
  const robot = await requireRobot(viewer, db, robotId);
  const parted = historySpanOf(span, now, at);
  const readings = await readParts(viewer, db, robotId, parted);
  const values = partValues(readings, parted);
  const settings = (await readSettings(viewer, db, robotId)).map(({ at: changedAt, before, after }) => ({
    atMs: Date.parse(changedAt),
    before: { main: before.main_motor_speed, brush: before.brush_motor_speed },
    after: { main: after.main_motor_speed, brush: after.brush_motor_speed },
  }));
  const oldestFirst = settings.toReversed();
  const speeds = values.map((value, nth) => {
    if (value === null) return null;
    if (value.moving === 0) return { main: 0, brush: 0 };
    return speedsAt(oldestFirst, robot, parted.fromMs + (nth + 1) * parted.partMs);
  });
  const locks = await readLocks(viewer, db, robotId);
  const touching = locks.filter(
    ({ locked_at, released_at }) =>
      Date.parse(locked_at) < parted.toMs && (released_at === null || Date.parse(released_at) > parted.fromMs),
  );
  const presence = await readPresence(viewer, db, robotId, parted, now);
  const locked = touching.map(({ locked_at, released_at }) => ({
    fromMs: Date.parse(locked_at),
    toMs: released_at === null ? parted.toMs : Date.parse(released_at),
  }));
  const { reachableMs, countedMs } = uptimeOf({ ...presence, locked }, parted);
  const runs = await readTouchingRuns(viewer, db, robotId, parted);
  return {
    timezone: robot.timezone,
    from: new Date(parted.fromMs).toISOString(),
    to: new Date(parted.toMs).toISOString(),
    part_ms: parted.partMs,
    battery_least: values.map((value) => value?.least ?? null),
    battery_most: values.map((value) => value?.most ?? null),
    battery_mean: values.map((value) => value?.mean ?? null),
    moving: values.map((value) => value?.moving ?? null),
    main_speed: speeds.map((speed) => speed?.main ?? null),
    brush_speed: speeds.map((speed) => speed?.brush ?? null),
    connected: connectedShares(presence.online, presence.known, parted),
    uptime_percent: percentOf(reachableMs, countedMs),
    runs,
    alerts: await readAlertMarks(viewer, db, robotId, parted),
    locks: touching,
    sample: readings.some(({ sample }) => sample) || runs.some(({ sample }) => sample),
  };
}

/** The battery in hundredths of a percent is less. */
const BATTERY_BASE = 16_384;

/** A month of readings, some 90,000, is reduced to a few hundred rows within the database; extremes are kept. */
async function readParts(
  viewer: Viewer,
  db: Executor,
  robotId: number,
  { fromMs, toMs, partMs }: PartedSpan,
): Promise<PartReadings[]> {
  const earliestMs = fromMs - SAMPLE_HOLDS_MS;
  const sites = sitesEverVisible(viewer, db).select("sites.id");
  const { rows } = await sql<{
    readonly part: number;
    readonly least: number;
    readonly most: number;
    readonly mean: number;
    readonly moving: number;
    /** The last one's battery and motion, packed beside its time. */
    readonly newest: number;
    readonly newest_moving: number;
    readonly sample: boolean;
  }>`
    select floor((at - ${fromMs}::float8) / ${partMs}::float8)::int as part, min(battery)::float8 as least,
      max(battery)::float8 as most, round(avg(battery), 2)::float8 as mean, avg(moving)::float8 as moving,
      max((at - ${earliestMs}::float8) * ${BATTERY_BASE}::int + round(battery::float8 * 100)) as newest,
      max((at - ${earliestMs}::float8) * 2 + moving) as newest_moving, bool_or(sample) as sample
    from (
      select round(date_part('epoch', received_at) * 1000) as at, battery, (motion = 'MOVING')::int as moving, sample
      from readings
      where robot_id = ${robotId} and received_at >= ${new Date(earliestMs)} and received_at < ${new Date(toMs)}
        and site_id = any(array(${sites}))
      offset 0
    ) read group by 1`.execute(db);
  return rows.map(({ newest, newest_moving, ...row }) => ({
    ...row,
    lastAtMs: earliestMs + Math.floor(newest / BATTERY_BASE),
    lastBattery: (newest % BATTERY_BASE) / 100,
    lastMoving: newest_moving % 2 === 1,
  }));
}

/** When it was connected at the viewer's sites, from its first connection there until now. */
async function readPresence(viewer: Viewer, db: Executor, robotId: number, span: PartedSpan, now: Date) {
  const presences = sitesEverVisible(viewer, db)
    .innerJoin("robot_presence as p", "p.site_id", "sites.id")
    .where("p.robot_id", "=", robotId);
  const first = await presences
    .select((eb) => eb.fn.min("p.online_at").as("at"))
    .$castTo<{ at: Date | null }>()
    .executeTakeFirst();
  const rows = await presences
    .innerJoin("robot_state as s", "s.robot_id", "p.robot_id")
    .where("p.online_at", "<", new Date(span.toMs))
    .where((eb) => eb.or([eb("p.offline_at", "is", null), eb("p.offline_at", ">", new Date(span.fromMs))]))
    .select(["p.online_at", "p.offline_at"])
    .select(sql<Date | null>`greatest(s.live_at, s.connection_at)`.as("seen_at"))
    .execute();
  const nowMs = now.getTime();
  // One that falls silent counts as connected for another 90 s, even before its silence is noticed (rule 7).
  const online = rows.map(({ online_at, offline_at, seen_at }) => ({
    fromMs: online_at.getTime(),
    toMs: Math.min(nowMs, offline_at?.getTime() ?? (seen_at ?? online_at).getTime() + OFFLINE_AFTER_MS),
  }));
  return { known: { fromMs: first?.at?.getTime() ?? nowMs, toMs: nowMs }, online };
}

/** Planned runs last a day at most. */
const LONGEST_RUN_MS = 86_400_000;

async function readTouchingRuns(viewer: Viewer, db: Executor, robotId: number, { fromMs, toMs }: PartedSpan) {
  const found = await readRuns(viewer, db, {
    robotId,
    from: new Date(fromMs - LONGEST_RUN_MS),
    to: new Date(toMs),
    limit: HISTORY_MARKS_LIMIT,
  });
  const endOf = ({ began_at, ended_at, due_at }: (typeof found)[number]["run"]) =>
    began_at === null ? Date.parse(due_at ?? ended_at ?? "") : ended_at === null ? Infinity : Date.parse(ended_at);
  return found.flatMap(({ run }) => (endOf(run) >= fromMs ? [run] : []));
}

async function readAlertMarks(
  viewer: Viewer,
  db: Executor,
  robotId: number,
  { fromMs, toMs }: PartedSpan,
): Promise<RobotHistory["alerts"]> {
  const from = new Date(fromMs);
  const rows = await sitesEverVisible(viewer, db)
    .innerJoin("alerts as a", "a.site_id", "sites.id")
    .where("a.robot_id", "=", robotId)
    .where("a.raised_at", "<", new Date(toMs))
    .where((eb) =>
      eb.or([eb("a.cleared_at", "is", null), eb("a.cleared_at", ">", from), eb("a.raised_at", ">=", from)]),
    )
    .select(["a.severity", "a.text", "a.raised_at", "a.cleared_at", sql<string>`a.id::text`.as("id")])
    .orderBy("a.raised_at", "desc")
    .limit(HISTORY_MARKS_LIMIT)
    .execute();
  return rows.map((row) => ({
    ...row,
    raised_at: row.raised_at.toISOString(),
    cleared_at: row.cleared_at?.toISOString() ?? null,
  }));
}

async function readLocks(viewer: Viewer, db: Executor, robotId: number, limit?: number): Promise<RobotLock[]> {
  const rows = await sitesEverVisible(viewer, db)
    .innerJoin("maintenance_locks as l", "l.site_id", "sites.id")
    .where("l.robot_id", "=", robotId)
    .select(["l.reason", "l.locked_by", "l.locked_at", "l.confirmed_at", "l.released_at", "l.released_by"])
    .orderBy("l.locked_at", "desc")
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.map((row) => ({
    ...row,
    locked_at: row.locked_at.toISOString(),
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    released_at: row.released_at?.toISOString() ?? null,
  }));
}

const settingsChange = robotChanges.response.shape.settings.element;

/** Every change of settings that the robot confirmed, newest first. */
async function readSettings(
  viewer: Viewer,
  db: Executor,
  robotId: number,
  limit?: number,
): Promise<RobotChanges["settings"]> {
  const rows = await sitesEverVisible(viewer, db)
    .innerJoin("audit", "audit.site_id", "sites.id")
    .where("audit.entity", "=", "robot")
    .where("audit.entity_id", "=", String(robotId))
    .where("audit.action", "=", "UPDATE_SETTINGS")
    .where("audit.outcome", "=", "DONE")
    .select([sql<string>`audit.id::text`.as("id"), "audit.at", "audit.actor as by", "audit.before", "audit.after"])
    .orderBy("audit.at", "desc")
    .orderBy("audit.id", "desc")
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.flatMap((row) => settingsChange.safeParse({ ...row, at: row.at.toISOString() }).data ?? []);
}

/** What was changed about a robot at the viewer's sites. Throws 404 unless the robot is the viewer's now. */
export async function readChanges(viewer: Viewer, db: Executor, robotId: number): Promise<RobotChanges> {
  await requireRobot(viewer, db, robotId);
  const firmware = await sitesEverVisible(viewer, db)
    .innerJoin("rollout_robots as part", "part.site_id", "sites.id")
    .innerJoin("rollouts", "rollouts.id", "part.rollout_id")
    .innerJoin("firmware", "firmware.id", "rollouts.firmware_id")
    .where("part.robot_id", "=", robotId)
    .select(["part.rollout_id", "firmware.version", "part.from_version", "part.state", "part.offered_at"])
    .select(["part.ended_at", "part.reason"])
    .orderBy("part.rollout_id", "desc")
    .limit(ROBOT_CHANGES_LIMIT)
    .execute();
  return {
    settings: await readSettings(viewer, db, robotId, ROBOT_CHANGES_LIMIT),
    firmware: firmware.map((row) => ({
      ...row,
      offered_at: row.offered_at?.toISOString() ?? null,
      ended_at: row.ended_at?.toISOString() ?? null,
    })),
    locks: await readLocks(viewer, db, robotId, ROBOT_CHANGES_LIMIT),
  };
}

/**
 * A page of what was asked of a robot at the viewer's sites: STARTs and STOPs as the activity log has them, refused ones
 * included, and all other commands. Throws 404 unless the robot is the viewer's now.
 */
export async function readOrders(
  viewer: Viewer,
  db: Executor,
  robotId: number,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): Promise<ResponseOf<typeof robotOrders>> {
  await requireRobot(viewer, db, robotId);
  const sites = sitesEverVisible(viewer, db).select("sites.id");
  const [micros = "", after = ""] = cursor?.split("~") ?? [];
  const older =
    cursor === undefined
      ? sql``
      : sql`where (o.at, o.key) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${after}::text)`;
  const { rows } = await sql<Omit<RobotOrder, "at" | "details"> & OrderRow>`
    select o.*, (extract(epoch from o.at) * 1000000)::bigint::text as micros from (
      select 'a' || log_id as key, created_at as at, action as verb, action_type, user_name as by, status, details,
        null as outcome, null as ack_code, null::jsonb as params, sample
      from activity where robot_id = ${robotId} and site_id = any(array(${sites}))
      union all
      select id::text, issued_at, verb, action_type, requested_by, null, null, outcome, ack_code, params, false
      from commands where robot_id = ${robotId} and site_id = any(array(${sites}))
        and verb in ('SET', 'MAINTENANCE_ON', 'MAINTENANCE_OFF')
    ) o ${older} order by o.at desc, o.key desc limit ${limit + 1}`.execute(db);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    orders: page.map(({ key, at, verb, action_type, by, status, details, sample, ...stored }) => ({
      key,
      at: at.toISOString(),
      verb,
      action_type,
      by,
      status: status ?? statusOf(stored.outcome),
      details: details ?? orderText({ outcome: stored.outcome, ackCode: stored.ack_code, params: stored.params ?? {} }),
      sample,
    })),
    next_cursor: rows.length > limit && last !== undefined ? `${last.micros}~${last.key}` : null,
  };
}

function statusOf(outcome: OrderRow["outcome"]): RobotOrder["status"] {
  if (outcome === null) return null;
  return outcome === "CONFIRMED" ? "SUCCESS" : "FAILED";
}

interface OrderRow {
  readonly at: Date;
  readonly micros: string;
  readonly details: string | null;
  readonly outcome: Parameters<typeof orderText>[0]["outcome"];
  readonly ack_code: string | null;
  readonly params: Parameters<typeof orderText>[0]["params"] | null;
}
