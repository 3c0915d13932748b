import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { instantOf, siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import type pg from "pg";
import { clearAlerts } from "../../features/alerts/public.ts";
import { settleDue } from "../../features/commands/public.ts";
import { ensureReadingsPartitions } from "../../features/devices/public.ts";
import type { Db } from "../../platform/database/database.ts";
import { demoGroups } from "./demo-groups.ts";
import { switchOnReports } from "./demo-reports.repository.ts";
import { readPeople, readRobots } from "./history-cast.repository.ts";
import { HistoryConnection } from "./history-connection.ts";
import { clearHalfWritten, isHistoryWanted, markAsSample, markHistory } from "./history-mark.repository.ts";
import { PastFleet, SERVER_OF_PAST } from "./past-fleet.ts";
import {
  pastAbsences,
  pastGroupPresses,
  pastLocks,
  pastOutage,
  pastPresses,
  type PastTime,
  rainyDaysAgo,
} from "./past-incidents.ts";
import { PastPeople } from "./past-people.ts";
import { PastRobot } from "./past-robot.ts";
import { PastRuns } from "./past-runs.ts";
import { PastSchedules } from "./past-schedules.ts";
import { after, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, Timeline } from "./timeline.ts";

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
