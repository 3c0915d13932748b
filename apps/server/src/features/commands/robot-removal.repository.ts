import { storedParams } from "@suncrew/domain/commands/stored-params.ts";
import { type ServerAlertCode, unconfirmedStopAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { mayStillMove, type MovingReason, type StillMoving } from "@suncrew/domain/robots/removal-refusal.ts";
import { isDeepStrictEqual } from "node:util";
import type { OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { anyInt, changedNow, type Db, type Executor, type Tx } from "../../platform/database/database.ts";
import { connectionLostAt, lastHeardAt, type SeenAt, seenRunEndsAt } from "../sites/public.ts";
import { givenBy, type Requester } from "./accept-orders.ts";
import { auditCommands } from "./command-records.repository.ts";
import {
  type Command,
  deviceRetired,
  insertCommand,
  installingVersion,
  type LockedRobot,
  readOpenCommands,
  staysPending,
  withRobots,
} from "./commands.repository.ts";
import { closeAll, recordFailures } from "./settle.repository.ts";

/** A robot that must not be removed now, and why, for people. */
export interface StillMovingRobot {
  readonly id: number;
  readonly serial_number: string;
  readonly message: string;
}

/**
 * Which of the robots may be moving, by serial number. To remove robots, lock them first in this transaction, so that
 * no START follows.
 */
export async function readStillMoving(
  db: Executor,
  robotIds: readonly number[],
  { now, brokerConnected, limits }: SeenAt,
): Promise<readonly StillMovingRobot[]> {
  if (robotIds.length === 0) return [];
  const rows = await db
    .selectFrom("robots as r")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .select(["r.id", "r.serial_number", "s.online", "s.motion"])
    .select([
      deviceRetired.as("deviceRetired"),
      lastHeardAt.as("lastHeardAt"),
      connectionLostAt.as("connectionLostAt"),
      // Includes a run that was closed because its robot did not come back: it was seen moving all the same.
      sql<{ endsAt: string | null } | null>`case when s.motion = 'MOVING'
        then jsonb_build_object('endsAt', ${seenRunEndsAt})
        else (select jsonb_build_object('endsAt', runs.planned_end_at) from runs
          where runs.robot_id = r.id and runs.ended_at is null and runs.began_at is not null) end`.as("openRun"),
    ])
    .select((eb) => [
      installingVersion.as("newFirmware"),
      isOpen("START").as("hasOpenStart"),
      isOpen("STOP").as("hasPendingStop"),
      isOpen("MAINTENANCE_ON").as("hasPendingLock"),
      // A command that a server claimed may have been published, even if settled since; one for a former machine does
      // not count.
      eb
        .selectFrom("commands as c")
        .select(sql<Date | null>`max(c.expires_at + c.max_duration_s * interval '1 second')`.as("ends"))
        .whereRef("c.robot_id", "=", "r.id")
        .whereRef("c.serial_number", "=", "r.serial_number")
        .where("c.verb", "=", "START")
        .where("c.outcome", "=", "UNCONFIRMED")
        .where("c.claimed_at", "is not", null)
        .whereRef("c.seq", ">", "s.last_seq")
        .as("lostStartEndsAt"),
    ])
    .where("r.id", "=", anyInt(robotIds))
    .orderBy("r.serial_number")
    .execute();
  return rows.flatMap(({ id, serial_number, openRun, connectionLostAt: lostAt, newFirmware, ...shown }) => {
    const still = mayStillMove(
      {
        ...shown,
        installing: newFirmware !== null,
        openRun: openRun && { endsAt: openRun.endsAt === null ? null : new Date(openRun.endsAt) },
        connectionLostAt: brokerConnected ? lostAt : null,
      },
      now,
      limits,
    );
    return still === null ? [] : [{ id, serial_number, message: messageOf(serial_number, still, now) }];
  });
}

function isOpen(verb: "START" | "STOP" | "MAINTENANCE_ON") {
  return sql<boolean>`exists (
    select from commands c where c.robot_id = r.id and c.verb = ${verb} and c.settled_at is null)`;
}

/** What is known about a robot that may be moving. */
const knownOf: Record<MovingReason, string> = {
  installing: "is installing new firmware",
  starting: "is being started",
  cleaning: "is cleaning",
  "start-unconfirmed": "may have accepted a Start that it has not confirmed",
  "stop-unconfirmed": "has a Stop that it has not confirmed",
  "lock-unconfirmed": "has a maintenance lock that it has not confirmed",
};

/** Why a robot cannot be removed now, and what to do. */
function messageOf(serial: string, { why, where, surelyStoppedAt }: StillMoving, now: Date): string {
  const known = `Robot ${serial} ${knownOf[why]}`;
  if (why === "installing") return `${known}. Please try again once it is done.`;
  if (where === "there") {
    return why === "stop-unconfirmed" || why === "lock-unconfirmed"
      ? `${known}. Please try again once it has, or 6 minutes after it was switched off.`
      : `${known}. Stop it first.`;
  }
  const left = Math.max(1, Math.ceil((surelyStoppedAt.getTime() - now.getTime()) / 60_000));
  const inMinutes = `${left} ${left === 1 ? "minute" : "minutes"}`;
  if (where === "unheard") {
    const was = why === "cleaning" ? `Robot ${serial} was cleaning when it was last heard from` : known;
    return `${was}, and it is not known whether it is connected. Please try again once it is back, or in ${inMinutes}.`;
  }
  return why === "cleaning"
    ? `Robot ${serial} was cleaning when its connection was lost and will stop by itself within ${inMinutes}. Please try again then.`
    : `${known}, and its connection was lost. It stops by itself within ${inMinutes}. Please try again then.`;
}

/**
 * Keeps the alerts about late Stops true as time passes: a robot that must have stopped by protocol rule 4 is no longer
 * said to be possibly moving, until it is seen again. Any number of servers may call this.
 */
export async function updateLateStopAlerts(db: Db, at: SeenAt): Promise<void> {
  const open = await db
    .selectFrom("alerts")
    .select(["id", "robot_id", "params"])
    .where("source", "=", "SERVER")
    .where("code", "=", "COMMAND_UNCONFIRMED" satisfies ServerAlertCode)
    .where("cleared_at", "is", null)
    // Of a STOP, also where an older server stored no parameters.
    .where("severity", "=", "CRITICAL")
    .$narrowType<{ robot_id: number }>()
    .execute();
  if (open.length === 0) return;
  const robotIds = open.map(({ robot_id }) => robot_id);
  const moving = new Set((await readStillMoving(db, robotIds, at)).map(({ id }) => id));
  for (const { id, robot_id, params: was } of open) {
    const mayMove = moving.has(robot_id);
    const { text, params } = unconfirmedStopAlert(mayMove);
    // A server without the broker believes for longer than others that a robot may be moving.
    if (isDeepStrictEqual(params, was) || (mayMove && !at.brokerConnected)) continue;
    await db
      .updateTable("alerts")
      .set({ text, params, change_no: changedNow })
      .where("id", "=", id)
      .where(sql<boolean>`params is not distinct from ${was === null ? null : JSON.stringify(was)}::jsonb`)
      .where("cleared_at", "is", null)
      .execute();
    await announceChange(db);
  }
}

/**
 * Closes every command of robots that are being deleted, which this transaction has locked: they are never sent again.
 * A pending STOP or lock was not confirmed, and is recorded as such. With `keepsPending`, for robots whose state is
 * reset, it stays pending until the robot confirms it under its new identity, and only what could move the robot ends.
 */
export async function settleRemoved(
  tx: Tx,
  robots: readonly LockedRobot[],
  reason: OutcomeText,
  now: Date,
  { keepsPending = false } = {},
): Promise<void> {
  const byId = new Map(robots.map((robot) => [robot.id, robot]));
  const open = withRobots(byId, await readOpenCommands(tx, [...byId.keys()]));
  const over = open.flatMap((each) => (keepsPending && staysPending(each.command.verb) ? [] : [{ ...each, reason }]));
  await recordFailures(tx, await closeAll(tx, over, "UNCONFIRMED", now), now);
}

/** A STOP that goes out once, although its robot's device is retired in the same transaction. */
export interface LastStop {
  readonly command: Command;
  readonly session: number;
}

/**
 * Stores the last order of a robot that this transaction has locked and cuts off. It is claimed on insertion, so that
 * no other server sends it; its seq is above every START that may still be in transit (protocol rule 3).
 */
export async function insertLastStop(
  tx: Tx,
  robot: LockedRobot,
  by: Requester,
  serverId: string,
  now: Date,
): Promise<LastStop> {
  const params = { status: "stop", ...storedParams(robot) } as const;
  const command = await insertCommand(tx, robot, { verb: "STOP", params, mode: "AUTO", ...givenBy(by) }, now);
  await tx
    .updateTable("commands")
    .set({ claimed_by: serverId, claimed_at: now })
    .where("id", "=", command.id)
    .execute();
  await auditCommands(tx, [{ robot, command, outcome: "DONE", reason: "Its device is retired." }], now);
  return { command, session: robot.session };
}
