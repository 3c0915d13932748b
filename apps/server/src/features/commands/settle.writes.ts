import type { ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { CommandOutcome } from "../../platform/database/schema.ts";
import { failPlannedRun } from "../runs/public.ts";
import { auditCommand, logCommand, recordedOf } from "./command-records.writes.ts";
import { type Command, insertCommand, type LockedRobot } from "./command-rows.writes.ts";
import { failureSentences, rejectedSentence, settled } from "./command-sentences.ts";
import { staysPending } from "./pending-verbs.ts";
import { applyRelease, confirmLock } from "./settle-maintenance.writes.ts";

/** Suncrew itself, as the activity log names it. */
export const SUNCREW = "Suncrew";

/** Closes an open command of a locked robot, once. False where it was closed already; then nothing changes. */
async function close(tx: Tx, command: Command, outcome: CommandOutcome, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable("commands")
    .set((eb) => ({ settled_at: now, outcome, answered_at: eb.fn.coalesce("answered_at", eb.val(now)) }))
    .where("id", "=", command.id)
    .where("settled_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

async function log(
  tx: Tx,
  robot: LockedRobot,
  command: Command,
  status: ActivityStatus,
  details: string,
  now: Date,
): Promise<void> {
  const recorded = recordedOf(command);
  if (recorded !== null) await logCommand(tx, robot, recorded, { status, details }, now);
}

/** The robot showed it (protocol rule 6). */
export async function settleConfirmed(tx: Tx, robot: LockedRobot, command: Command, now: Date): Promise<void> {
  if (!(await close(tx, command, "CONFIRMED", now))) return;
  if (command.verb === "SET") return storeSettings(tx, robot, command, now);
  if (command.verb === "MAINTENANCE_ON") return confirmLock(tx, robot, now);
  if (command.verb === "MAINTENANCE_OFF") return applyRelease(tx, robot, command, now);
  const details =
    command.verb === "STOP" && command.answered_at !== null
      ? settled.stopDelivered(now)
      : command.verb === "STOP"
        ? settled.stopConfirmed
        : settled.startConfirmed;
  await log(tx, robot, command, "SUCCESS", details, now);
}

/** The robot said no; a START then counts as failed, and its status stays as it was. */
export async function settleRejected(
  tx: Tx,
  robot: LockedRobot,
  command: Command,
  code: string | null,
  now: Date,
): Promise<void> {
  if (!(await close(tx, command, "REJECTED", now))) return;
  await failed(tx, robot, command, rejectedSentence(robot.serial_number, code), now);
}

/** It certainly never left the server (protocol rule 5). */
export async function settleNeverSent(
  tx: Tx,
  robot: LockedRobot,
  command: Command,
  reason: string,
  now: Date,
): Promise<void> {
  if (!(await close(tx, command, "NEVER_SENT", now))) return;
  await failed(tx, robot, command, reason, now);
}

/** A newer command of a person has taken its place before the robot showed it. */
export async function settleOvertaken(tx: Tx, robot: LockedRobot, command: Command, now: Date): Promise<void> {
  if (staysPending(command.verb) || !(await close(tx, command, "UNCONFIRMED", now))) return;
  await failed(tx, robot, command, failureSentences[command.verb].overtaken(robot.serial_number), now);
}

/** Protocol rule 6: no state showed it in time. After a START a STOP follows, for the robot may be moving. */
export async function settleUnconfirmed(tx: Tx, robot: LockedRobot, command: Command, now: Date): Promise<void> {
  if (staysPending(command.verb) || !(await close(tx, command, "UNCONFIRMED", now))) return;
  await failed(tx, robot, command, failureSentences[command.verb].unconfirmed(robot.serial_number), now);
  if (command.verb === "START") await insertFollowingStop(tx, robot, command, now);
}

/** A STOP by Suncrew after a START that was not confirmed; it stays pending until the robot shows that it stands. */
export async function insertFollowingStop(tx: Tx, robot: LockedRobot, start: Command, now: Date): Promise<void> {
  const stop = await insertCommand(
    tx,
    robot,
    {
      verb: "STOP",
      params: { ...start.params, status: "stop" },
      mode: start.mode,
      actionType: "SYSTEM",
      userId: null,
      requestedBy: SUNCREW,
      followsId: start.id,
    },
    now,
  );
  await auditCommand(tx, robot, stop, { outcome: "DONE", reason: `The start ${start.id} was not confirmed.` }, now);
}

/** A STOP or lock whose caller is answered before it is confirmed: a STOP is on record as failed, and both pending. */
export async function answerPending(
  tx: Tx,
  robot: LockedRobot,
  command: Command,
  details: string,
  now: Date,
): Promise<void> {
  const result = await tx
    .updateTable("commands")
    .set({ answered_at: now })
    .where("id", "=", command.id)
    .where("answered_at", "is", null)
    .executeTakeFirst();
  if (result.numUpdatedRows > 0n) await log(tx, robot, command, "FAILED", details, now);
}

async function failed(tx: Tx, robot: LockedRobot, command: Command, reason: string, now: Date): Promise<void> {
  if (command.run_id !== null) await failPlannedRun(tx, command.run_id, reason, now);
  await log(tx, robot, command, "FAILED", reason, now);
  await auditCommand(tx, robot, command, { outcome: "FAILED", reason }, now);
}

/** The settings are the robot's now, so they are stored; those not named stay. */
async function storeSettings(tx: Tx, robot: LockedRobot, command: Command, now: Date): Promise<void> {
  const { direction, "main-speed": main, "brush-speed": brush } = command.params;
  const after = {
    ...(direction !== undefined && {
      cleaning_direction: direction === "FWD" ? ("FORWARD" as const) : ("REVERSE" as const),
    }),
    ...(main !== undefined && { main_motor_speed: main }),
    ...(brush !== undefined && { brush_motor_speed: brush }),
  };
  const before = await tx
    .selectFrom("robots")
    .select(["cleaning_direction", "main_motor_speed", "brush_motor_speed"])
    .where("id", "=", robot.id)
    .executeTakeFirstOrThrow();
  await tx.updateTable("robots").set(after).where("id", "=", robot.id).execute();
  await auditCommand(tx, robot, command, { outcome: "DONE", before, after: { ...before, ...after } }, now);
}
