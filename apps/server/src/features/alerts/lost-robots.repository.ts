import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import { lostWhileMovingAlert, type ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Db, type Executor, type Tx } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { isLostWhileMoving, lastSeenMoving, lostOf, type SeenAt } from "../sites/public.ts";
import { clearAlerts, raiseAlerts } from "./alerts.repository.ts";

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
