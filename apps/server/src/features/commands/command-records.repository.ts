import { storedParams } from "@suncrew/domain/commands/stored-params.ts";
import type { ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import { alertedVerbs, type ServerAlertCode, unconfirmedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { severityRank } from "@suncrew/domain/alerts/severity-order.ts";
import type { OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";
import { type ActivityRecord, amendActivities, recordActivities } from "../activity/public.ts";
import { clearAlerts, raiseAlerts, type RaisedAlert } from "../alerts/public.ts";
import { type AuditRecord, recordChanges } from "../audit/public.ts";
import {
  type Command,
  type LockedRobot,
  type NewCommand,
  type OpenCommand,
  type OrderColumns,
  robotIdsOf,
  staysPending,
} from "./commands.repository.ts";

/** Site and robot as of the command; a refused command has none, and uses the robot's current ones. */
type GivenTo = Partial<Pick<Command, "site_id" | "serial_number" | "robot_name">>;

/** The outcome of a command, which has no id if it was refused and never became a row. */
interface Logged {
  readonly robot: LockedRobot;
  readonly command: GivenTo & Pick<NewCommand, OrderColumns> & { readonly id: string | null };
  readonly status: ActivityStatus;
  readonly details: OutcomeText;
}

/**
 * Writes the outcomes of STARTs and STOPs to the activity log, one row per command: a STOP that was answered as pending
 * is updated when it is confirmed. The other verbs are not logged there.
 */
export async function logCommands(tx: Tx, logged: readonly Logged[], now: Date): Promise<void> {
  const records = logged.flatMap(({ robot, command, status, details }): ActivityRecord[] => {
    const { verb } = command;
    if (verb !== "START" && verb !== "STOP") return [];
    const record = {
      at: now,
      robotId: robot.id,
      // The robot may have moved to another partner's site since.
      siteId: command.site_id ?? robot.site_id,
      robotName: command.robot_name,
      serialNumber: command.serial_number,
      commandId: command.id,
      action: verb,
      actionType: command.action_type,
      userId: command.user_id,
      userName: command.requested_by,
      mode: command.mode,
      params: { ...storedParams(robot), ...command.params },
      status,
      details,
    };
    return [record];
  });
  const written = new Set(await recordActivities(tx, records));
  const amended = records.flatMap(({ commandId, status, details }) =>
    commandId === null || written.has(commandId) ? [] : [{ commandId, status, details }],
  );
  await amendActivities(tx, amended);
}

const auditActions = {
  START: "START_ROBOT",
  STOP: "STOP_ROBOT",
  SET: "UPDATE_SETTINGS",
  MAINTENANCE_ON: "MAINTENANCE_ON",
  MAINTENANCE_OFF: "MAINTENANCE_OFF",
} as const satisfies Record<Command["verb"], string>;

export interface Audited extends Pick<AuditRecord, "outcome" | "reason" | "before" | "after"> {
  readonly robot: Pick<LockedRobot, "id" | "site_id">;
  readonly command: Pick<Command, "verb" | "user_id" | "requested_by"> & Pick<GivenTo, "site_id">;
}

/** The audit rows of commands, in the commands' own transaction. */
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
  await recordChanges(tx, records);
}

const CODES = ["COMMAND_UNCONFIRMED"] as const satisfies readonly ServerAlertCode[];

/** No state showed these in time: each robot gets one alert, about its most serious open command. */
export async function alertUnconfirmed(tx: Tx, unconfirmed: readonly OpenCommand[], now: Date): Promise<void> {
  const worst = new Map<number, RaisedAlert>();
  for (const { robot, command } of unconfirmed) {
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
 * A confirmed command shows that the robot can be commanded again. Suncrew's own Stop after an unconfirmed Start does
 * not clear the alert unless that Stop was late too, or nobody would ever see that the robot did not start. Nor does a
 * command that does not prove that the robot has stopped, such as new settings, while a Stop is late.
 */
export async function clearUnconfirmed(tx: Tx, confirmed: readonly OpenCommand[], now: Date): Promise<void> {
  const proving = confirmed.filter(({ command }) => command.follows_id === null || command.answered_at !== null);
  const stopped = new Set(robotIdsOf(proving.filter(({ command }) => staysPending(command.verb))));
  const others = robotIdsOf(proving).filter((id) => !stopped.has(id));
  const late = await readLateStops(tx, others);
  await clearAlerts(tx, [...stopped, ...others.filter((id) => !late.has(id))], CODES, now);
}

/** Which of the robots have a pending Stop whose caller was told that it was not confirmed. */
async function readLateStops(tx: Tx, robotIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (robotIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom("commands")
    .select("robot_id")
    .where("robot_id", "=", anyInt(robotIds))
    .where("verb", "=", "STOP")
    .where("settled_at", "is", null)
    .where("answered_at", "is not", null)
    .execute();
  return new Set(rows.map((row) => row.robot_id));
}
