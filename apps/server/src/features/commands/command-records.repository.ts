import type { ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import { alertedVerbs, type ServerAlertCode, unconfirmedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { severityRank } from "@suncrew/domain/alerts/severity-order.ts";
import { sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { amendActivities, recordActivities } from "../activity/public.ts";
import { clearAlerts, raiseAlerts, type RaisedAlert } from "../alerts/public.ts";
import { type AuditRecord, recordAudits } from "../audit/public.ts";
import { type Command, type LockedRobot, staysPending } from "./commands.repository.ts";

type Params = Command["params"];

/** Where a stored command was given, and to which robot by name; a refused one is about the robot as it is. */
type GivenTo = Partial<Pick<Command, "site_id" | "serial_number" | "robot_name">>;

/** A START or STOP for the activity log: a stored command, or a refused one that never became a row. */
interface Recorded extends GivenTo {
  readonly id: string | null;
  readonly verb: "START" | "STOP";
  readonly mode: Command["mode"];
  readonly action_type: Command["action_type"];
  readonly user_id: number | null;
  readonly requested_by: string;
  readonly params: Params;
}

/** A stored command as the activity log knows it, or null where its verb is not logged there. */
export function recordedOf(command: Command): Recorded | null {
  const { verb } = command;
  return verb === "START" || verb === "STOP" ? { ...command, verb } : null;
}

interface Logged {
  readonly robot: LockedRobot;
  readonly command: Recorded;
  readonly status: ActivityStatus;
  readonly details: string;
}

/** One row per command: a STOP that was answered as pending is brought up to date when it is confirmed. */
export async function logCommands(tx: Tx, logged: readonly Logged[], now: Date): Promise<void> {
  const records = logged.map(({ robot, command, status, details }) => ({
    at: now,
    robotId: robot.id,
    // The robot may have moved to another partner's site since.
    siteId: command.site_id ?? robot.site_id,
    robotName: command.robot_name,
    serialNumber: command.serial_number,
    commandId: command.id,
    action: command.verb,
    actionType: command.action_type,
    userId: command.user_id,
    userName: command.requested_by,
    mode: command.mode,
    params: {
      direction: command.params.direction ?? directionOf(robot),
      "main-speed": command.params["main-speed"] ?? robot.main_motor_speed,
      "brush-speed": command.params["brush-speed"] ?? robot.brush_motor_speed,
    },
    status,
    details,
  }));
  const written = new Set(await recordActivities(tx, records));
  const amended = records.flatMap(({ commandId, status, details }) =>
    commandId === null || written.has(commandId) ? [] : [{ commandId, status, details }],
  );
  await amendActivities(tx, amended);
}

/** The stored direction as the device writes it. */
export function directionOf(robot: Pick<LockedRobot, "cleaning_direction">): "FWD" | "REV" {
  return robot.cleaning_direction === "FORWARD" ? "FWD" : "REV";
}

const auditActions = {
  START: "START_ROBOT",
  STOP: "STOP_ROBOT",
  SET: "UPDATE_SETTINGS",
  MAINTENANCE_ON: "MAINTENANCE_ON",
  MAINTENANCE_OFF: "MAINTENANCE_OFF",
} as const satisfies Record<Command["verb"], string>;

interface AuditedCommand extends Pick<GivenTo, "site_id"> {
  readonly verb: Command["verb"];
  readonly user_id: number | null;
  readonly requested_by: string;
}

type AuditResult = Pick<AuditRecord, "outcome" | "reason" | "before" | "after">;

export interface Audited extends AuditResult {
  readonly robot: Pick<LockedRobot, "id" | "site_id">;
  readonly command: AuditedCommand;
}

/** The audit row of a command, in the command's own transaction. */
export async function auditCommand(
  tx: Tx,
  robot: LockedRobot,
  command: AuditedCommand,
  result: AuditResult,
  now: Date,
): Promise<void> {
  await auditCommands(tx, [{ robot, command, ...result }], now);
}

/** The same for commands of many robots. */
export async function auditCommands(tx: Executor, audited: readonly Audited[], now: Date): Promise<void> {
  const records = audited.map(({ robot, command, ...result }) => ({
    actor: { userId: command.user_id, name: command.requested_by },
    action: auditActions[command.verb],
    entity: "robot",
    entityId: robot.id,
    siteId: command.site_id ?? robot.site_id,
    at: now,
    ...result,
  }));
  await recordAudits(tx, records);
}

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
