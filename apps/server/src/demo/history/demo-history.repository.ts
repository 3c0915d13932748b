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
import { after, DAY_MS, HOUR_MS, MINUTE_MS, PastFleet, SECOND_MS, SERVER_OF_PAST, Timeline } from "./past-fleet.ts";
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
import { PastRobot, type RobotOfPast } from "./past-robot.ts";
import { PastPeople, PastRuns, PastSchedules, type Person } from "./past-runs.ts";

const DAYS = 30;
/** Between two looks at a robot: one that cleans reports at each, one that rests once an hour. */
const LOOK_MS = 10 * MINUTE_MS;
const LOOKS_OF_AN_HOUR = 6;
/** The past ends this long before the simulated robots begin. */
const ENDS_BEFORE_MS = MINUTE_MS;
/** So much of the past is committed at a time: rows that change often get slow where nothing is. */
const SAVED_MS = 6 * HOUR_MS;

/**
 * Writes the history of a demo that was seeded with one, unless it is there. A start that is cut off on the way leaves
 * it to the next one. Rejects where the database fails.
 */
export async function completeHistory(settings: pg.ClientConfig, now: Date): Promise<void> {
  const connection = await HistoryConnection.open(settings);
  try {
    // Another server may have written it while this one waited.
    if (!(await isHistoryWanted(connection.db))) return;
    await connection.db.transaction().execute(clearHalfWritten);
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
 * activity, readings, alerts and maintenance. Written by the code that records what really happens, with the times of
 * then; the same at every call.
 */
async function writeHistory(connection: HistoryConnection, now: Date): Promise<void> {
  const { db } = connection;
  const cast = await readRobots(db);
  const { admin, personAt } = await readPeople(db);
  const [first] = cast;
  if (first === undefined) return;
  const { timezone } = first;
  const begin = after(now, 5 * MINUTE_MS - DAYS * DAY_MS);
  const end = after(now, -ENDS_BEFORE_MS);
  await ensureReadingsPartitions(db, begin);
  await ensureReadingsPartitions(db, now);

  const timeline = new Timeline();
  const robots = cast.map((robot) => new PastRobot(robot));
  const fleet = new PastFleet(db, timeline, robots);
  const runs = new PastRuns(fleet, personAt);
  const people = new PastPeople(fleet, runs, personAt);
  const instant = ({ daysAgo, time }: PastTime) =>
    instantOf(addDays(siteToday(timezone, now), -daysAgo), time, timezone);
  /** Nothing happens before the beginning. */
  const plan = (time: PastTime, act: (at: Date) => Promise<void> | void): void => {
    if (instant(time) > begin) timeline.plan(instant(time), act);
  };

  robots.forEach((robot, index) => {
    timeline.plan(after(begin, index * SECOND_MS), (at) => robot.connect(at));
    planLooks(timeline, robot, after(begin, MINUTE_MS + index * 7 * SECOND_MS));
    for (const press of pastPresses(robot.of.serial, DAYS)) plan(press, (at) => people.press(press, robot, at));
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
    if (robot !== undefined) plan(lock, (at) => people.lock(lock, robot, at));
  }
  for (const press of pastGroupPresses) {
    const members = press.serials.flatMap((serial) => fleet.bySerial(serial) ?? []);
    plan(press, (at) => people.pressGroup(press, members, at));
  }
  const gone = new Set<PastRobot>();
  for (const absence of pastAbsences) {
    const robot = fleet.bySerial(absence.serial);
    if (robot === undefined) continue;
    plan(absence, (at) => {
      robot.disconnect(at, "CONNECTION_BROKEN");
      if (absence.hours === null) gone.add(robot);
      else timeline.plan(after(at, absence.hours * HOUR_MS), (back) => runs.comeBack(robot, back));
    });
  }
  for (let until = after(begin, SAVED_MS); until < end; until = after(until, SAVED_MS)) {
    await timeline.playUntil(until);
    await connection.save();
  }
  await timeline.playUntil(end);
  await comeToRest(fleet, runs, gone, end);
  await markAsSent(db);
}

function planLooks(timeline: Timeline, robot: PastRobot, at: Date, look = 0): void {
  timeline.plan(at, (now) => {
    if (robot.isMoving || look % LOOKS_OF_AN_HOUR === 0) robot.report(now);
    planLooks(timeline, robot, after(now, LOOK_MS), look + 1);
  });
}

/** Nothing is left open: the robots stand, every command is settled, and all say goodbye until they begin anew. */
async function comeToRest(fleet: PastFleet, runs: PastRuns, gone: ReadonlySet<PastRobot>, end: Date): Promise<void> {
  for (const robot of fleet.robots) {
    if (!robot.online && !gone.has(robot)) await runs.comeBack(robot, end);
    if (robot.isMoving) await runs.stop(robot, after(end, 3 * SECOND_MS));
  }
  const settled = after(end, 15 * SECOND_MS);
  const robotIds = fleet.robots.map(({ of }) => of.id);
  await settleDue(fleet.db, robotIds, { now: () => settled }, { skipLocked: false });
  await fleet.deliver(robotIds, settled);
  // People have seen to what did not start last night.
  await fleet.db.transaction().execute((tx) => clearAlerts(tx, robotIds, ["RUN_MISSED", "RUN_NOT_STARTED"], settled));
  for (const robot of fleet.robots) {
    robot.rest(after(end, 20 * SECOND_MS));
    robot.disconnect(after(end, 25 * SECOND_MS), "OFFLINE");
  }
  await fleet.store(after(end, 26 * SECOND_MS));
}

/** They were sent at once, by a server that is no more. */
async function markAsSent(db: Db): Promise<void> {
  await sql`
    update commands set claimed_by = coalesce(claimed_by, ${SERVER_OF_PAST}::uuid),
      claimed_at = coalesce(claimed_at, issued_at), published_at = issued_at + interval '20 milliseconds'`.execute(db);
}

/** Row of `installation` that says whether the demo's history is still to be written, or is there. */
const HISTORY_MARK = "demo_history";
type HistoryMark = "wanted" | "written";

/** Said where a new demo is seeded; a start that is cut off while it writes leaves the wish to the next one. */
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

/** Takes away what an earlier start that was cut off has left. No server has run on this data, so nothing real is lost. */
async function clearHalfWritten(tx: Tx): Promise<void> {
  await sql`
    update robots r set operating_mode = l.former_mode
    from maintenance_locks l where l.robot_id = r.id and l.released_at is null`.execute(tx);
  await sql`update robots set last_command_seq = 0 where last_command_seq > 0`.execute(tx);
  await sql`
    truncate runs, readings, robot_presence, alerts, activity, commands, command_requests, maintenance_locks, schedules,
      robot_group_members, robot_groups, robot_events, audit, audit_seals, audit_unsealed`.execute(tx);
  await sql`delete from robot_state`.execute(tx);
  await sql`insert into robot_state (robot_id, site_id) select id, site_id from robots`.execute(tx);
}

/** Nothing real can be among it: no server has run on this data before its history was there. */
async function markAsSample(db: Db): Promise<void> {
  for (const table of ["runs", "readings", "alerts", "activity", "maintenance_locks"] as const)
    await db.updateTable(table).set({ sample: true }).execute();
  await presenceFromReadings(db);
  await sql`analyze runs, readings, robot_presence, alerts, activity, commands, audit, robot_events`.execute(db);
}

/**
 * Presence is normally kept by triggers as messages arrive. The past is ingested hours at a time, so here it comes from
 * the readings, which a robot sends once an hour at least.
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

/** The robots made by hand, as they stand in the data, with the zone of their site. */
async function readRobots(db: Executor): Promise<(RobotOfPast & { readonly timezone: string })[]> {
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
  /** Who works with the robots of a site: its partner's user where there is one. */
  readonly personAt: (siteId: number) => Person;
}

async function readPeople(db: Executor): Promise<People> {
  const users = await db.selectFrom("users").select(["id", "name", "email", "role", "partner_id"]).execute();
  const sites = await db.selectFrom("sites").select(["id", "maintenance_partner_id"]).execute();
  const admin = users.find(({ role }) => role === "SUPER_ADMIN");
  if (admin === undefined) throw new Error("The demo has no Super Admin.");
  return {
    admin: {
      userId: admin.id,
      name: admin.name,
      email: admin.email,
      role: "SUPER_ADMIN",
      partnerId: null,
      sessionId: "",
    },
    personAt(siteId) {
      const partnerId = sites.find(({ id }) => id === siteId)?.maintenance_partner_id ?? null;
      const own = partnerId === null ? undefined : users.find((user) => user.partner_id === partnerId);
      const { id, name } = own ?? admin;
      return { userId: id, name, actionType: "MANUAL" };
    },
  };
}

/**
 * Switches the demo's monthly reports on, as of the beginning of its history: the servers make last month's soon after
 * the start. Sites count as being there since their history began, so that it has a report.
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
