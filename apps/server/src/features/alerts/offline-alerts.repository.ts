import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import {
  type DarkSite,
  decideOfflineAlerts,
  type OfflineRobot,
  SITE_RECOVERS_MS,
} from "@suncrew/domain/alerts/offline-alerts.ts";
import {
  lostWhileMovingAlert,
  offlineTooLongAlert,
  type ServerAlertCode,
  siteDarkAlert,
} from "@suncrew/domain/alerts/server-alerts.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Db, type Executor, type Tx } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { isLostWhileMoving, lastSeenMoving, lostOf, type SeenAt } from "../sites/public.ts";
import { clearAlerts, clearDarkSites, raiseAlerts, raiseSiteAlert } from "./alerts.repository.ts";

const OFFLINE = "OFFLINE_TOO_LONG" satisfies ServerAlertCode;
const DARK = "SITE_DARK" satisfies ServerAlertCode;

/**
 * Raises what is due because robots have been away for too long, and clears what does not hold any more. Any number of
 * servers may do so: the rows of the robots are locked, and an alert is open once.
 */
export async function lookForAwayRobots(db: Db, now: Date): Promise<void> {
  const away = await readAway(db);
  const recoveredSiteIds = await readLit(db, [...new Set(away.map(({ siteId }) => siteId))]);
  const { robots, darkened, lit } = decideOfflineAlerts({
    now,
    away,
    recoveredSiteIds,
    dark: await readDark(db, now),
  });
  if (robots.length > 0) await inTransaction(db, (tx) => raiseOffline(tx, robots, now));
  for (const site of darkened) await inTransaction(db, (tx) => raiseDark(tx, site, now));
  if (lit.length > 0) await inTransaction(db, (tx) => clearDarkSites(tx, lit, now));
  const back = await readToldButThere(db);
  if (back.length > 0) await inTransaction(db, (tx) => clearBack(tx, back, now));
}

/** Robots in service that have been there once and have no connection. */
function inService(db: Executor) {
  return db
    .selectFrom("robot_state as s")
    .innerJoin("robots as r", "r.id", "s.robot_id")
    .innerJoin("devices as d", "d.serial", "r.serial_number")
    .where("r.deleted_at", "is", null)
    .where("d.retired_at", "is", null)
    .where("r.operating_mode", "<>", "maintenance")
    .where(sql<Date | null>`greatest(s.live_at, s.connection_at)`, "is not", null);
}

async function readAway(db: Executor): Promise<OfflineRobot[]> {
  return inService(db)
    .leftJoin("alerts as a", (join) =>
      join
        .onRef("a.robot_id", "=", "s.robot_id")
        .on("a.source", "=", "SERVER")
        .on("a.code", "=", OFFLINE)
        .on("a.cleared_at", "is", null),
    )
    .where("s.online", "=", false)
    .select(["s.robot_id as robotId", "s.site_id as siteId"])
    .select(sql<Date>`greatest(s.live_at, s.connection_at)`.as("since"))
    .select(sql<boolean>`a.id is not null`.as("hasAlert"))
    .orderBy("s.robot_id")
    .execute();
}

async function readLit(db: Executor, siteIds: readonly number[]): Promise<Set<number>> {
  if (siteIds.length === 0) return new Set();
  const rows = await inService(db)
    .where("s.online", "=", true)
    .where("r.site_id", "=", sql<number>`any(${[...siteIds]}::int[])`)
    .select("r.site_id")
    .distinct()
    .execute();
  return new Set(rows.map(({ site_id }) => site_id));
}

async function readDark(db: Executor, now: Date): Promise<DarkSite[]> {
  return db
    .selectFrom("alerts")
    .where("robot_id", "is", null)
    .where("code", "=", DARK)
    .where((eb) =>
      eb.or([eb("cleared_at", "is", null), eb("cleared_at", ">", new Date(now.getTime() - SITE_RECOVERS_MS))]),
    )
    .select(["site_id as siteId", "cleared_at as clearedAt"])
    .$narrowType<{ siteId: number }>()
    .execute();
}

/** Those of the robots that are still away, locked so that none comes back before this is stored. */
async function lockAway(tx: Tx, robots: readonly OfflineRobot[]): Promise<OfflineRobot[]> {
  const { rows } = await sql<{ robot_id: number }>`
    select s.robot_id from robot_state s
    where s.robot_id = any(${robots.map(({ robotId }) => robotId)}::int[]) and not s.online
    order by s.robot_id for no key update skip locked`.execute(tx);
  const locked = new Set(rows.map((row) => row.robot_id));
  return robots.filter(({ robotId }) => locked.has(robotId));
}

async function raiseOffline(tx: Tx, robots: readonly OfflineRobot[], now: Date): Promise<void> {
  const still = await lockAway(tx, robots);
  await raiseAlerts(
    tx,
    still.map(({ robotId, siteId }) => ({ robotId, siteId, alert: offlineTooLongAlert() })),
    now,
  );
}

/** A robot whose row is locked tells of itself right now, which clears it as well. */
async function clearBack(tx: Tx, robotIds: readonly number[], now: Date): Promise<void> {
  const { rows } = await sql<{ robot_id: number }>`
    select s.robot_id from robot_state s where s.robot_id = any(${[...robotIds]}::int[])
    order by s.robot_id for no key update skip locked`.execute(tx);
  await clearAlerts(
    tx,
    rows.map((row) => row.robot_id),
    [OFFLINE],
    now,
  );
}

/** Left to the next look where one of the robots came back just now, or another server is at it. */
async function raiseDark(
  tx: Tx,
  { siteId, robots }: { readonly siteId: number; readonly robots: readonly OfflineRobot[] },
  now: Date,
): Promise<void> {
  if ((await lockAway(tx, robots)).length < robots.length) return;
  await raiseSiteAlert(tx, siteId, siteDarkAlert(robots.length), now);
}

/** Robots with the alert that are there or in maintenance; a state that shows a robot clears it at once. */
async function readToldButThere(db: Executor): Promise<number[]> {
  const rows = await db
    .selectFrom("alerts as a")
    .innerJoin("robots as r", "r.id", "a.robot_id")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .where("a.cleared_at", "is", null)
    .where("a.source", "=", "SERVER")
    .where("a.code", "=", OFFLINE)
    .where((eb) => eb.or([eb("s.online", "=", true), eb("r.operating_mode", "=", "maintenance")]))
    .select("r.id")
    .execute();
  return rows.map(({ id }) => id);
}

const LOST = "LOST_WHILE_MOVING" satisfies ServerAlertCode;

/** A robot whose alert is not what it should be. */
interface Untold {
  readonly robotId: number;
  readonly siteId: number;
  /** Null where the alert is over. */
  readonly alert: DeviceAlert | null;
}

/**
 * Protocol rule 13: raises the alert of each robot that was last seen moving and is not heard any more, tells it anew once
 * the robot must have stopped by itself, and clears what is over. Any number of servers may do so: the rows of the robots
 * are locked, and an alert is open once.
 */
export async function lookForLostRobots(db: Db, at: SeenAt): Promise<void> {
  const untold = await readUntold(db, at, null);
  if (untold.length > 0) await inTransaction(db, (tx) => tell(tx, untold, at));
}

/** What is told of robots that are not heard depends on whether this server hears any: streams tell it anew. */
export async function touchLostRobots(db: Db): Promise<void> {
  const { rows } = await sql`update robot_state s set change_no = ${changedNow} where ${isLostWhileMoving}
    returning s.robot_id`.execute(db);
  if (rows.length > 0) await announceChange(db);
}

async function tell(tx: Tx, untold: readonly Untold[], at: SeenAt): Promise<void> {
  const { rows: locked } = await sql<{ robot_id: number }>`
    select s.robot_id from robot_state s where s.robot_id = any(${untold.map(({ robotId }) => robotId)}::int[])
    order by s.robot_id for no key update skip locked`.execute(tx);
  // As it is now that no robot of them can tell of itself meanwhile.
  const robotIds = locked.map(({ robot_id }) => robot_id);
  const still = await readUntold(tx, at, robotIds);
  await raiseAlerts(
    tx,
    still.flatMap(({ alert, ...robot }) => (alert === null ? [] : [{ ...robot, alert }])),
    at.now,
  );
  const over = still.filter(({ alert }) => alert === null).map(({ robotId }) => robotId);
  await clearAlerts(tx, over, [LOST], at.now);
  if (still.length === 0) return;
  // The state of the robot and the counts of its site changed with the time alone.
  await tx
    .updateTable("robot_state")
    .set({ change_no: changedNow })
    .where("robot_id", "=", sql<number>`any(${still.map(({ robotId }) => robotId)}::int[])`)
    .execute();
}

async function readUntold(db: Executor, at: SeenAt, among: readonly number[] | null): Promise<Untold[]> {
  const rows = await db
    .selectFrom("robot_state as s")
    .innerJoin("robots as r", "r.id", "s.robot_id")
    .innerJoin("sites", "sites.id", "r.site_id")
    .leftJoin("alerts as a", (join) =>
      join
        .onRef("a.robot_id", "=", "s.robot_id")
        .on("a.source", "=", "SERVER")
        .on("a.code", "=", LOST)
        .on("a.cleared_at", "is", null),
    )
    .where("r.deleted_at", "is", null)
    .where((eb) => eb.or([isLostWhileMoving, eb("a.id", "is not", null)]))
    .$if(among !== null, (query) => query.where("s.robot_id", "=", sql<number>`any(${[...(among ?? [])]}::int[])`))
    .select(["r.id as robotId", "r.site_id as siteId", "sites.timezone", "a.text", lastSeenMoving.as("seen")])
    .orderBy("s.robot_id")
    .execute();
  return rows.flatMap(({ robotId, siteId, timezone, text, seen }) => {
    // One that was cut off for good has no alerts any more.
    const lost = seen?.deviceRetired === true ? null : lostOf(seen, at);
    const clockOf = (time: Date) => localTimeOf(time, timezone).time.slice(0, 5);
    const alert = lost && lostWhileMovingAlert(lost, clockOf);
    if ((alert?.text ?? null) === text) return [];
    // A server without its broker knows less than another one may: it tells of nothing that is told already.
    return text === null || at.brokerConnected ? [{ robotId, siteId, alert }] : [];
  });
}
