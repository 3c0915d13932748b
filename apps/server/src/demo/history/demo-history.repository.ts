import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { instantOf, siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import type pg from "pg";
import { clearAlerts } from "../../features/alerts/public.ts";
import { settleDue } from "../../features/commands/public.ts";
import { ensureReadingsPartitions } from "../../features/devices/public.ts";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { demoRobots } from "../demo-fleet.ts";
import { HistoryConnection } from "./history-connection.ts";
import { after, DAY_MS, HOUR_MS, MINUTE_MS, PastFleet, SECOND_MS, PAST_SERVER, Timeline } from "./past-fleet.ts";
import {
  demoGroups,
  pastAbsences,
  pastGroupPresses,
  pastLocks,
  pastOutage,
  pastPresses,
  type PastTime,
  rainyDaysAgo,
} from "./past-incidents.ts";
import { PastRobot, type PastRobotRow } from "./past-robot.ts";
import { PastRuns, PastSchedules, type Person } from "./past-runs.ts";

const DAYS = 30;
/** A cleaning robot reports at each tick, an idle one once an hour. */
const TICK_MS = 10 * MINUTE_MS;
const TICKS_PER_HOUR = 6;
/** The history ends this long before the simulated robots start. */
const END_GAP_MS = MINUTE_MS;
/** Commits after each such part of the history: rows that change often get slow in a long transaction. */
const SAVE_EVERY_MS = 6 * HOUR_MS;

/**
 * Writes the history of a demo that was seeded to have one, unless it exists. A start that is interrupted leaves it to
 * the next one. Rejects if the database fails.
 */
export async function completeHistory(settings: pg.ClientConfig, now: Date): Promise<void> {
  const connection = await HistoryConnection.open(settings);
  try {
    // Another server may have written it while this one waited.
    if (!(await isHistoryWanted(connection.db))) return;
    await connection.db.transaction().execute(clearPartialHistory);
    await writeHistory(connection, now);
    await markAsSample(connection.db);
    await switchOnReports(connection.db);
    await markHistory(connection.db, "written");
    await connection.finish();
  } finally {
    await connection.close();
  }
}

/**
 * Thirty days of history of the robots that every demo has, up to a minute ago: groups, schedules, runs, commands,
 * activity, readings, alerts and maintenance. Written with past times by the code that records real events;
 * deterministic.
 */
async function writeHistory(connection: HistoryConnection, now: Date): Promise<void> {
  const { db } = connection;
  const rows = await readRobots(db);
  const { admin, personAt } = await readPeople(db);
  const [first] = rows;
  if (first === undefined) return;
  const { timezone } = first;
  const begin = after(now, 5 * MINUTE_MS - DAYS * DAY_MS);
  const end = after(now, -END_GAP_MS);
  await ensureReadingsPartitions(db, begin);
  await ensureReadingsPartitions(db, now);

  const timeline = new Timeline();
  const robots = rows.map((robot) => new PastRobot(robot));
  const fleet = new PastFleet(db, timeline, robots);
  const runs = new PastRuns(fleet, personAt);
  const instant = ({ daysAgo, time }: PastTime) =>
    instantOf(addDays(siteToday(timezone, now), -daysAgo), time, timezone);
  /** Ignores what would be before the beginning. */
  const plan = (time: PastTime, act: (at: Date) => Promise<void> | void): void => {
    if (instant(time) > begin) timeline.plan(instant(time), act);
  };

  robots.forEach((robot, index) => {
    timeline.plan(after(begin, index * SECOND_MS), (at) => robot.connect(at));
    planTicks(timeline, robot, after(begin, MINUTE_MS + index * 7 * SECOND_MS));
    for (const press of pastPresses(robot.of.serial, DAYS)) plan(press, (at) => runs.press(press, robot, at));
  });
  const outageBegins = instant(pastOutage);
  const outageEnds = after(outageBegins, pastOutage.hours * HOUR_MS);
  const rainyDays = new Set(rainyDaysAgo.map((daysAgo) => addDays(siteToday(timezone, now), -daysAgo)));
  const schedules = new PastSchedules(fleet, runs, {
    servedAt: (due) => (due >= outageBegins && due < outageEnds ? after(outageEnds, 20 * SECOND_MS) : due),
    tooWet: (at) => rainyDays.has(siteToday(timezone, at)),
  });
  timeline.plan(after(begin, MINUTE_MS), async (at) => {
    await fleet.store(at);
    for (const group of demoGroups) await schedules.begin(admin, group, timezone, at);
  });
  timeline.plan(outageBegins, () => robots.forEach((robot) => robot.loseServer()));
  timeline.plan(outageEnds, async (at) => {
    for (const robot of robots) await runs.comeBack(robot, at);
  });
  for (const lock of pastLocks) {
    const robot = fleet.bySerial(lock.serial);
    if (robot !== undefined) plan(lock, (at) => runs.lock(lock, robot, at));
  }
  for (const press of pastGroupPresses) {
    const members = press.serials.flatMap((serial) => fleet.bySerial(serial) ?? []);
    plan(press, (at) => runs.pressGroup(press, members, at));
  }
  const stillOffline = new Set<PastRobot>();
  for (const absence of pastAbsences) {
    const robot = fleet.bySerial(absence.serial);
    if (robot === undefined) continue;
    plan(absence, (at) => {
      robot.disconnect(at, "CONNECTION_BROKEN");
      if (absence.hours === null) stillOffline.add(robot);
      else timeline.plan(after(at, absence.hours * HOUR_MS), (back) => runs.comeBack(robot, back));
    });
  }
  for (let until = after(begin, SAVE_EVERY_MS); until < end; until = after(until, SAVE_EVERY_MS)) {
    await timeline.playUntil(until);
    await connection.save();
  }
  await timeline.playUntil(end);
  await finishHistory(fleet, runs, stillOffline, end);
  await markAsSent(db);
}

function planTicks(timeline: Timeline, robot: PastRobot, at: Date, tick = 0): void {
  timeline.plan(at, (now) => {
    if (robot.isMoving || tick % TICKS_PER_HOUR === 0) robot.report(now);
    planTicks(timeline, robot, after(now, TICK_MS), tick + 1);
  });
}

/** Leaves nothing open: the robots are stopped, every command is settled, and all go offline until the simulator starts. */
async function finishHistory(
  fleet: PastFleet,
  runs: PastRuns,
  stillOffline: ReadonlySet<PastRobot>,
  end: Date,
): Promise<void> {
  for (const robot of fleet.robots) {
    if (!robot.online && !stillOffline.has(robot)) await runs.comeBack(robot, end);
    if (robot.isMoving) await runs.stop(robot, after(end, 3 * SECOND_MS));
  }
  const settled = after(end, 15 * SECOND_MS);
  const robotIds = fleet.robots.map(({ of }) => of.id);
  await settleDue(fleet.db, robotIds, { now: () => settled }, { skipLocked: false });
  await fleet.deliver(robotIds, settled);
  // People have dealt with what went wrong last night.
  const dealtWith = ["RUN_MISSED", "RUN_SKIPPED", "RUN_NOT_STARTED", "RUN_CUT_SHORT"] as const;
  await fleet.db.transaction().execute((tx) => clearAlerts(tx, robotIds, dealtWith, settled));
  for (const robot of fleet.robots) {
    robot.rest(after(end, 20 * SECOND_MS));
    robot.disconnect(after(end, 25 * SECOND_MS), "OFFLINE");
  }
  await fleet.store(after(end, 26 * SECOND_MS));
}

/** All were sent at once, by the past server. */
async function markAsSent(db: Db): Promise<void> {
  await sql`
    update commands set claimed_by = coalesce(claimed_by, ${PAST_SERVER}::uuid),
      claimed_at = coalesce(claimed_at, issued_at), published_at = issued_at + interval '20 milliseconds'`.execute(db);
}

/** The row of `installation` that says whether the demo's history is still to be written, or exists. */
const HISTORY_MARK = "demo_history";
type HistoryMark = "wanted" | "written";

/** Set when a new demo is seeded; a start that is interrupted while writing leaves it to the next one. */
export async function markHistory(db: Executor, mark: HistoryMark): Promise<void> {
  await db
    .insertInto("installation")
    .values({ key: HISTORY_MARK, value: mark })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: mark }))
    .execute();
}

export async function isHistoryWanted(db: Executor): Promise<boolean> {
  const row = await db.selectFrom("installation").select("value").where("key", "=", HISTORY_MARK).executeTakeFirst();
  return row?.value === "wanted";
}

/** Removes what an interrupted start left behind. No server has run on this data, so nothing real is lost. */
async function clearPartialHistory(tx: Tx): Promise<void> {
  await sql`
    update robots r set operating_mode = l.former_mode
    from maintenance_locks l where l.robot_id = r.id and l.released_at is null`.execute(tx);
  await sql`update robots set last_command_seq = 0 where last_command_seq > 0`.execute(tx);
  await sql`
    truncate runs, readings, robot_presence, alerts, alert_notices, delivery_alerts, activity, commands,
      command_requests, maintenance_locks, schedules, schedule_decisions, robot_group_members, robot_groups, robot_events, robot_days,
      site_days, stale_days, audit, audit_seals, audit_unsealed`.execute(tx);
  await sql`delete from robot_state`.execute(tx);
  await sql`insert into robot_state (robot_id, site_id) select id, site_id from robots`.execute(tx);
}

/** None of it is real: no server has run on this data before its history was written. */
async function markAsSample(db: Db): Promise<void> {
  for (const table of ["runs", "readings", "alerts", "activity", "maintenance_locks"] as const)
    await db.updateTable(table).set({ sample: true }).execute();
  await presenceFromReadings(db);
  // No day is closed yet, so none has to be corrected.
  await db.deleteFrom("stale_days").execute();
  await sql`analyze runs, readings, robot_presence, alerts, activity, commands, audit, robot_events`.execute(db);
}

/**
 * Presence is normally maintained by triggers as messages arrive. The history is ingested hours at a time, so here it is
 * derived from the readings, which a robot sends at least once an hour.
 */
async function presenceFromReadings(db: Db): Promise<void> {
  await sql`delete from robot_presence`.execute(db);
  await sql`
    insert into robot_presence (robot_id, site_id, online_at, offline_at, sample)
    select robot_id, site_id, min(received_at), max(until), true
    from (
      select *, sum(case when received_at <= last_until then 0 else 1 end)
        over (partition by robot_id order by received_at, session, seq) as stretch
      from (
        select *, lag(until) over (partition by robot_id, site_id order by received_at, session, seq) as last_until
        from (
          select robot_id, site_id, received_at, session, seq, received_at + interval '65 minutes' as until from readings
        ) held
      ) followed
    ) stretches
    group by robot_id, site_id, stretch`.execute(db);
  // The newest lasts, or ended as the robot's state says.
  await sql`
    update robot_presence p set offline_at = case when s.online then null else greatest(p.online_at, s.connection_at) end
    from robot_state s
    where s.robot_id = p.robot_id and s.site_id = p.site_id
      and (s.online or s.connection <> 'ONLINE' and s.connection_at < p.offline_at)
      and p.id = (select id from robot_presence where robot_id = p.robot_id order by online_at desc limit 1)
      and p.offline_at >= greatest(s.live_at, s.connection_at)`.execute(db);
}

/** The handmade robots in the database, with their site's time zone. */
async function readRobots(db: Executor): Promise<(PastRobotRow & { readonly timezone: string })[]> {
  const serials = demoRobots.map(({ serial }) => serial);
  const rows = await db
    .selectFrom("robots")
    .innerJoin("sites", "sites.id", "robots.site_id")
    .where("robots.serial_number", "in", serials)
    .select(["robots.id", "robots.site_id as siteId", "robots.serial_number as serial", "sites.timezone"])
    .orderBy("robots.id")
    .execute();
  return rows.flatMap((row) => {
    const demo = demoRobots.find(({ serial }) => serial === row.serial);
    return demo === undefined ? [] : { ...row, firmware: demo.firmware, mode: demo.mode };
  });
}

interface People {
  readonly admin: Viewer;
  /** Who works with the robots of a site: its partner's user if there is one. */
  readonly personAt: (siteId: number) => Person;
}

async function readPeople(db: Executor): Promise<People> {
  const users = await db.selectFrom("users").select(["id", "name", "email", "role", "partner_id"]).execute();
  const sites = await db.selectFrom("sites").select(["id", "maintenance_partner_id"]).execute();
  const admin = users.find(({ role }) => role === "SUPER_ADMIN");
  if (admin === undefined) throw new Error("The demo has no Super Admin.");
  return {
    admin: { userId: admin.id, name: admin.name, email: admin.email, role: admin.role, partnerId: null, sessionId: "" },
    personAt(siteId) {
      const partnerId = sites.find(({ id }) => id === siteId)?.maintenance_partner_id ?? null;
      const own = partnerId === null ? undefined : users.find((user) => user.partner_id === partnerId);
      const { id, name } = own ?? admin;
      return { userId: id, name, actionType: "MANUAL" };
    },
  };
}

/**
 * Turns on the demo's monthly reports from the beginning of its history: the servers generate last month's soon after the
 * start. Sites are dated back to the beginning of their history, so that they have a report.
 */
async function switchOnReports(db: Db): Promise<void> {
  await sql`
    update sites s set created_at = h.since
    from (select site_id, min(created_at) as since from activity group by site_id) h
    where h.site_id = s.id and h.since < s.created_at`.execute(db);
  await sql`
    update report_settings set auto_generate_monthly = true, auto_since = h.since
    from (select min(created_at) as since from activity) h
    where h.since is not null and not auto_generate_monthly`.execute(db);
}
