import {
  alertedVerbs,
  type ServerAlertCode,
  unconfirmedAlert,
  unconfirmedStopTexts,
} from "@suncrew/domain/alerts/server-alerts.ts";
import { severityRank } from "@suncrew/domain/alerts/severity-order.ts";
import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Db, type Tx } from "../../platform/database/database.ts";
import { clearAlerts, raiseAlerts, type RaisedAlert } from "../alerts/public.ts";
import type { SeenAt } from "../sites/public.ts";
import type { Command, LockedRobot } from "./command-rows.repository.ts";
import { staysPending } from "./pending-verbs.ts";
import { readStillMoving } from "./still-moving.repository.ts";

interface Told {
  readonly robot: LockedRobot;
  readonly command: Command;
}

const CODES = ["COMMAND_UNCONFIRMED"] as const satisfies readonly ServerAlertCode[];

/** No state showed these in time: each robot gets one alert, about the worst of those that leave something open. */
export async function alertUnconfirmed(tx: Tx, told: readonly Told[], now: Date): Promise<void> {
  const worst = new Map<number, RaisedAlert>();
  for (const { robot, command } of told) {
    const verb = alertedVerbs.find((each) => each === command.verb);
    if (verb === undefined) continue;
    const alert = unconfirmedAlert(verb);
    const other = worst.get(robot.id)?.alert;
    if (other !== undefined && severityRank[other.severity] <= severityRank[alert.severity]) continue;
    worst.set(robot.id, { robotId: robot.id, siteId: robot.site_id, alert });
  }
  await raiseAlerts(tx, [...worst.values()], now);
}

/**
 * What a robot confirms shows that commands reach it again. The Stop that Suncrew itself sends after a Start that was
 * not confirmed does not, unless it was late too: nobody would ever see that the robot did not start. Nor does what shows
 * no standing robot, such as new settings, while a Stop is late.
 */
export async function clearUnconfirmed(tx: Tx, confirmed: readonly Told[], now: Date): Promise<void> {
  const proving = confirmed.filter(({ command }) => command.follows_id === null || command.answered_at !== null);
  const idsOf = (told: readonly Told[]) => told.map(({ robot }) => robot.id);
  const stand = new Set(idsOf(proving.filter(({ command }) => staysPending(command.verb))));
  const others = idsOf(proving).filter((id) => !stand.has(id));
  const late = await readLateStops(tx, others);
  await clearAlerts(tx, [...stand, ...others.filter((id) => !late.has(id))], CODES, now);
}

/** Those of the robots that have a pending Stop whose caller was told that it was not confirmed. */
async function readLateStops(tx: Tx, robotIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (robotIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom("commands")
    .select("robot_id")
    .where("robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("verb", "=", "STOP")
    .where("settled_at", "is", null)
    .where("answered_at", "is not", null)
    .execute();
  return new Set(rows.map((row) => row.robot_id));
}

/**
 * Keeps the alerts about late Stops true as time passes: a robot that protocol rule 4 must have stopped is not said to be
 * moving perhaps, and one that is seen again is. Any number of servers may do so.
 */
export async function rewordLateStops(db: Db, at: SeenAt): Promise<void> {
  const { mayMove, stands } = unconfirmedStopTexts;
  const open = await db
    .selectFrom("alerts")
    .select(["id", "robot_id", "text"])
    .where("source", "=", "SERVER")
    .where("code", "=", "COMMAND_UNCONFIRMED" satisfies ServerAlertCode)
    .where("cleared_at", "is", null)
    .where("text", "in", [mayMove, stands])
    .$narrowType<{ robot_id: number }>()
    .execute();
  if (open.length === 0) return;
  const robotIds = open.map(({ robot_id }) => robot_id);
  const moving = new Set((await readStillMoving(db, robotIds, at)).map(({ id }) => id));
  for (const { id, robot_id, text: was } of open) {
    const text = moving.has(robot_id) ? mayMove : stands;
    // A server without its broker believes that a robot moves for longer than another one does.
    if (text === was || (text === mayMove && !at.brokerConnected)) continue;
    await db
      .updateTable("alerts")
      .set({ text, change_no: changedNow })
      .where("id", "=", id)
      .where("text", "=", was)
      .where("cleared_at", "is", null)
      .execute();
    await announceChange(db);
  }
}
