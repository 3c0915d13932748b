import { isDeepStrictEqual } from "node:util";
import {
  type SiteOutage,
  decideOfflineAlerts,
  OFFLINE_TOO_LONG_MINUTES,
  type OfflineRobot,
  SITE_RECOVERY_MS,
} from "@suncrew/domain/alerts/offline-alerts.ts";
import {
  lostWhileMovingAlert,
  offlineTooLongAlert,
  sensorSilentAlert,
  type ServerAlert,
  type ServerAlertCode,
  siteOutageAlert,
} from "@suncrew/domain/alerts/server-alerts.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { anyInt, changedNow, type Db, type Executor, type Tx } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { hasWeatherLimits, isLostWhileMoving, lastSeenMoving, lostOf, type SeenAt } from "../sites/public.ts";
import { clearAlerts, clearSiteOutages, raiseAlerts, raiseSiteAlert } from "./alerts.repository.ts";
import { bringSiteAlert } from "./server-conditions.repository.ts";

const OFFLINE = "OFFLINE_TOO_LONG" satisfies ServerAlertCode;
const SITE_OUTAGE = "SITE_DARK" satisfies ServerAlertCode;

/**
 * Raises the alerts of robots that have been offline for too long and of sites with an outage, and clears those that
 * are over. Any number of servers may call this: the rows of the robots are locked, and an alert is open once.
 */
export async function updateOfflineAlerts(db: Db, now: Date): Promise<void> {
  const offline = await findOfflineRobots(db);
  const recoveredSiteIds = await findSitesOnline(db, [...new Set(offline.map(({ siteId }) => siteId))]);
  const { robots, newOutages, recovered } = decideOfflineAlerts({
    now,
    offline,
    recoveredSiteIds,
    outages: await findSiteOutages(db, now),
  });
  if (robots.length > 0) await inTransaction(db, (tx) => raiseOffline(tx, robots, now));
  for (const site of newOutages) await inTransaction(db, (tx) => raiseSiteOutage(tx, site, now));
  if (recovered.length > 0) await inTransaction(db, (tx) => clearSiteOutages(tx, recovered, now));
  const back = await findReturnedRobots(db);
  if (back.length === 0) return;
  // A robot whose row is locked is reporting right now, which clears its alert as well.
  await inTransaction(db, async (tx) => clearAlerts(tx, await lockStates(tx, back), [OFFLINE], now));
}

/** Robots in service that have connected before. */
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

async function findOfflineRobots(db: Executor): Promise<OfflineRobot[]> {
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

async function findSitesOnline(db: Executor, siteIds: readonly number[]): Promise<Set<number>> {
  if (siteIds.length === 0) return new Set();
  const rows = await inService(db)
    .where("s.online", "=", true)
    .where("r.site_id", "=", anyInt(siteIds))
    .select("r.site_id")
    .distinct()
    .execute();
  return new Set(rows.map(({ site_id }) => site_id));
}

async function findSiteOutages(db: Executor, now: Date): Promise<SiteOutage[]> {
  return db
    .selectFrom("alerts")
    .where("robot_id", "is", null)
    .where("code", "=", SITE_OUTAGE)
    .where((eb) =>
      eb.or([eb("cleared_at", "is", null), eb("cleared_at", ">", new Date(now.getTime() - SITE_RECOVERY_MS))]),
    )
    .select(["site_id as siteId", "cleared_at as clearedAt"])
    .$narrowType<{ siteId: number }>()
    .execute();
}

/** Locks the states of these robots; returns those that nobody else had locked. */
async function lockStates(tx: Tx, robotIds: readonly number[], which = sql`true`): Promise<number[]> {
  const { rows } = await sql<{ robot_id: number }>`
    select s.robot_id from robot_state s where s.robot_id = any(${[...robotIds]}::int[]) and ${which}
    order by s.robot_id for no key update skip locked`.execute(tx);
  return rows.map(({ robot_id }) => robot_id);
}

/** Those of the robots that are still offline, locked so that none comes back before this is stored. */
async function lockOfflineRobots(tx: Tx, robots: readonly OfflineRobot[]): Promise<OfflineRobot[]> {
  const robotIds = robots.map(({ robotId }) => robotId);
  const locked = new Set(await lockStates(tx, robotIds, sql`not s.online`));
  return robots.filter(({ robotId }) => locked.has(robotId));
}

async function raiseOffline(tx: Tx, robots: readonly OfflineRobot[], now: Date): Promise<void> {
  const still = await lockOfflineRobots(tx, robots);
  const alert = offlineTooLongAlert();
  const raised = still.map(({ robotId, siteId }) => ({ robotId, siteId, alert }));
  await raiseAlerts(tx, raised, now);
}

/** Left to the next round if one of the robots has just come back, or another server has its row. */
async function raiseSiteOutage(
  tx: Tx,
  { siteId, robots }: { readonly siteId: number; readonly robots: readonly OfflineRobot[] },
  now: Date,
): Promise<void> {
  if ((await lockOfflineRobots(tx, robots)).length < robots.length) return;
  await raiseSiteAlert(tx, siteId, siteOutageAlert(robots.length), now);
}

/** Robots with the alert that are online or in maintenance; otherwise a robot's next state clears it immediately. */
async function findReturnedRobots(db: Executor): Promise<number[]> {
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

const SENSOR_SILENT = "SENSOR_SILENT" satisfies ServerAlertCode;

/**
 * Raises the alert of each site whose weather sensor has been silent for too long, and clears those that are over. Where a
 * silent sensor is as bad as a limit that is passed, the guard's own alert says so. Any number of servers may call this: the
 * rows of the guards are locked.
 */
export async function updateSensorAlerts(db: Db, now: Date): Promise<void> {
  const changes = await findSensorChanges(db, now, null);
  if (changes.length > 0) await inTransaction(db, (tx) => applySensorChanges(tx, changes, now));
}

async function applySensorChanges(tx: Tx, changes: readonly { readonly siteId: number }[], now: Date): Promise<void> {
  const siteIds = changes.map(({ siteId }) => siteId);
  // The site too: an alert of one that is deleted meanwhile would stay open for good.
  const { rows: locked } = await sql<{ site_id: number }>`
    select g.site_id from site_guards g join sites on sites.id = g.site_id and sites.deleted_at is null
    where g.site_id = any(${siteIds}::int[])
    order by g.site_id for update of g skip locked for share of sites skip locked`.execute(tx);
  const still = await findSensorChanges(
    tx,
    now,
    locked.map(({ site_id }) => site_id),
  );
  for (const { siteId, alert } of still) await bringSiteAlert(tx, siteId, alert, SENSOR_SILENT, now);
}

/** Sites whose stored alert differs from what is true now: all, or those of `among`. */
async function findSensorChanges(
  db: Executor,
  now: Date,
  among: readonly number[] | null,
): Promise<{ readonly siteId: number; readonly alert: ServerAlert | null }[]> {
  const silentSince = new Date(now.getTime() - OFFLINE_TOO_LONG_MINUTES * 60_000);
  const rows = await db
    .selectFrom("site_guards as g")
    .innerJoin("sites", "sites.id", "g.site_id")
    // Those that have reported before, of sites where the forecast alone decides.
    .leftJoin("site_sensors as s", (join) =>
      join
        .onRef("s.site_id", "=", "g.site_id")
        .on(hasWeatherLimits)
        .on("g.without_sensor", "=", "FORECAST")
        .on("s.received_at", "<=", silentSince)
        .on((eb) =>
          eb.exists(
            eb
              .selectFrom("devices as d")
              .select("d.serial")
              .whereRef("d.serial", "=", "s.serial")
              .where("d.retired_at", "is", null),
          ),
        ),
    )
    .leftJoin("alerts as a", (join) =>
      join
        .onRef("a.site_id", "=", "g.site_id")
        .on("a.robot_id", "is", null)
        .on("a.code", "=", SENSOR_SILENT)
        .on("a.cleared_at", "is", null),
    )
    .where("sites.deleted_at", "is", null)
    .where((eb) => eb.or([eb("s.serial", "is not", null), eb("a.id", "is not", null)]))
    .$if(among !== null, (query) => query.where("g.site_id", "=", anyInt(among ?? [])))
    .select(["g.site_id as siteId", "sites.timezone", "s.serial", "s.received_at", "a.params"])
    .orderBy("g.site_id")
    .execute();
  return rows.flatMap(({ siteId, timezone, serial, received_at: receivedAt, params }) => {
    const last = receivedAt && localTimeOf(receivedAt, timezone);
    const isSilent = serial !== null && last !== null;
    const alert = isSilent ? sensorSilentAlert({ serial, since: `${last.date} ${last.time.slice(0, 5)}` }) : null;
    return isDeepStrictEqual(alert?.params ?? null, params) ? [] : [{ siteId, alert }];
  });
}

const LOST = "LOST_WHILE_MOVING" satisfies ServerAlertCode;

/** A robot whose stored alert differs from what is true now. */
interface AlertChange {
  readonly robotId: number;
  readonly siteId: number;
  /** Null if the alert is over. */
  readonly alert: ServerAlert | null;
}

/**
 * Protocol rule 13: raises the alert of each robot that was last seen moving and is no longer heard, rewords it once
 * the robot must have stopped by itself, and clears what is over. Any number of servers may call this: the rows of the
 * robots are locked, and an alert is open once.
 */
export async function updateLostRobotAlerts(db: Db, at: SeenAt): Promise<void> {
  const changes = await findAlertChanges(db, at, null);
  if (changes.length > 0) await inTransaction(db, (tx) => applyAlertChanges(tx, changes, at));
}

/** Makes live streams send lost robots again: what they show depends on whether this server hears any robot. */
export async function touchLostRobots(db: Db): Promise<void> {
  const { rows } = await sql`update robot_state s set change_no = ${changedNow} where ${isLostWhileMoving}
    returning s.robot_id`.execute(db);
  if (rows.length > 0) await announceChange(db);
}

async function applyAlertChanges(tx: Tx, changes: readonly AlertChange[], at: SeenAt): Promise<void> {
  const changedIds = changes.map(({ robotId }) => robotId);
  // Read again under the locks: none of these robots can report now.
  const still = await findAlertChanges(tx, at, await lockStates(tx, changedIds));
  const raised = still.flatMap(({ alert, ...robot }) => (alert === null ? [] : [{ ...robot, alert }]));
  await raiseAlerts(tx, raised, at.now);
  const over = still.filter(({ alert }) => alert === null).map(({ robotId }) => robotId);
  await clearAlerts(tx, over, [LOST], at.now);
  if (still.length === 0) return;
  // The robot's state and its site's counts have changed merely with time.
  await tx
    .updateTable("robot_state")
    .set({ change_no: changedNow })
    .where("robot_id", "=", anyInt(still.map(({ robotId }) => robotId)))
    .execute();
}

async function findAlertChanges(db: Executor, at: SeenAt, among: readonly number[] | null): Promise<AlertChange[]> {
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
    // Few of a fleet, and found before anything is joined: every server asks every two seconds.
    .where(
      "s.robot_id",
      "in",
      sql<number>`(select s.robot_id from robot_state s where ${isLostWhileMoving}
        union select robot_id from alerts where source = 'SERVER' and code = ${LOST} and cleared_at is null)`,
    )
    .$if(among !== null, (query) => query.where("s.robot_id", "=", anyInt(among ?? [])))
    .select(["r.id as robotId", "r.site_id as siteId", "sites.timezone", "a.id as alertId", "a.params"])
    .select(lastSeenMoving.as("seen"))
    .orderBy("s.robot_id")
    .execute();
  return rows.flatMap(({ robotId, siteId, timezone, alertId, params, seen }) => {
    // Retired devices have no alerts.
    const lost = seen?.deviceRetired === true ? null : lostOf(seen, at);
    const clockOf = (time: Date) => localTimeOf(time, timezone).time.slice(0, 5);
    const alert = lost && lostWhileMovingAlert(lost, clockOf);
    if (alert === null ? alertId === null : isDeepStrictEqual(alert.params, params)) return [];
    // A server without its broker may know less than others, so it leaves open alerts unchanged.
    return alertId === null || at.brokerConnected ? [{ robotId, siteId, alert }] : [];
  });
}
