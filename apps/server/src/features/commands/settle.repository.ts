import type { ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { CommandOutcome } from "../../platform/database/schema.ts";
import { failPlannedRuns, insertNotStarted } from "../runs/public.ts";
import { alertUnconfirmed } from "./alert-commands.repository.ts";
import { auditCommands, logCommands, recordedOf } from "./command-records.repository.ts";
import { type Command, insertCommands, type LockedRobot } from "./command-rows.repository.ts";
import { failureSentences, rejectedSentence } from "./command-sentences.ts";
import { staysPending } from "./pending-verbs.ts";
import { countSettled } from "./settled-counts.ts";

/** Suncrew itself, as the activity log names it. */
export const SUNCREW = "Suncrew";

/** An open command of a robot that this transaction has locked. */
export interface OpenCommand {
  readonly robot: LockedRobot;
  readonly command: Command;
}

/** With the sentence that says why it failed. */
export interface FailingCommand extends OpenCommand {
  readonly reason: string;
}

const idsOf = (open: readonly OpenCommand[]) => sql<string>`any(${open.map(({ command }) => command.id)}::uuid[])`;

/** Closes commands, each once. Answers those that were open until now; the others change nothing. */
export async function closeAll<T extends OpenCommand>(
  tx: Tx,
  open: readonly T[],
  outcome: CommandOutcome,
  now: Date,
): Promise<T[]> {
  if (open.length === 0) return [];
  const rows = await tx
    .updateTable("commands")
    .set((eb) => ({ settled_at: now, outcome, answered_at: eb.fn.coalesce("answered_at", eb.val(now)) }))
    .where("id", "=", idsOf(open))
    .where("settled_at", "is", null)
    .returning("id")
    .execute();
  const ids = new Set(rows.map(({ id }) => id));
  const closed = open.filter(({ command }) => ids.has(command.id));
  countSettled(
    tx,
    closed.map(({ command }) => command.verb),
    outcome,
  );
  return closed;
}

/** Writes what came of STARTs and STOPs into the activity log; the other verbs are not logged there. */
export async function logAll(
  tx: Tx,
  told: readonly (OpenCommand & { readonly status: ActivityStatus; readonly details: string })[],
  now: Date,
): Promise<void> {
  const logged = told.flatMap(({ command, ...rest }) => {
    const recorded = recordedOf(command);
    return recorded === null ? [] : [{ command: recorded, ...rest }];
  });
  await logCommands(tx, logged, now);
}

/** The robots said no; a START then counts as failed, and its robot's status stays as it was. */
export async function settleAllRejected(
  tx: Tx,
  rejected: readonly (OpenCommand & { readonly code: string | null })[],
  now: Date,
): Promise<void> {
  const failing = rejected.map(({ robot, command, code }) => {
    return { robot, command, reason: rejectedSentence(robot.serial_number, code) };
  });
  await fail(tx, failing, "REJECTED", now);
}

/** They certainly never left the server (protocol rule 5). */
export async function settleAllNeverSent(tx: Tx, unsent: readonly FailingCommand[], now: Date): Promise<void> {
  await fail(tx, unsent, "NEVER_SENT", now);
}

/**
 * Newer commands of a person have taken their place before the robots showed them; those that stay pending are never
 * overtaken.
 */
export async function settleAllOvertaken(tx: Tx, open: readonly OpenCommand[], now: Date): Promise<void> {
  const failing = open.flatMap(({ robot, command }) => {
    const { verb } = command;
    if (staysPending(verb)) return [];
    return [{ robot, command, reason: failureSentences[verb].overtaken(robot.serial_number) }];
  });
  await fail(tx, failing, "UNCONFIRMED", now);
}

/** Protocol rule 6: no state showed it in time. After a START a STOP follows, for the robot may be moving. */
export async function settleAllUnconfirmed(tx: Tx, open: readonly OpenCommand[], now: Date): Promise<void> {
  const failing = open.flatMap(({ robot, command }) => {
    const { verb } = command;
    if (staysPending(verb)) return [];
    return [{ robot, command, reason: failureSentences[verb].unconfirmed(robot.serial_number) }];
  });
  const closed = await fail(tx, failing, "UNCONFIRMED", now);
  await alertUnconfirmed(tx, closed, now);
  const starts = closed.filter(({ command }) => command.verb === "START");
  await insertFollowingStops(tx, starts, now);
}

/** STOPs by Suncrew after STARTs that were not confirmed; they stay pending until the robots show that they stand. */
export async function insertFollowingStops(tx: Tx, starts: readonly OpenCommand[], now: Date): Promise<void> {
  const stops = starts.map(({ robot, command: start }) => ({
    robot,
    command: {
      verb: "STOP" as const,
      params: { ...start.params, status: "stop" as const },
      mode: start.mode,
      actionType: "SYSTEM" as const,
      userId: null,
      requestedBy: SUNCREW,
      followsId: start.id,
    },
  }));
  await insertCommands(tx, stops, now);
  const by = { verb: "STOP", user_id: null, requested_by: SUNCREW } as const;
  await auditCommands(
    tx,
    starts.map(({ robot, command: start }) => {
      return { robot, command: by, outcome: "DONE" as const, reason: `The start ${start.id} was not confirmed.` };
    }),
    now,
  );
}

/**
 * STOPs and locks whose callers are answered before they are confirmed, each told in its own words: a STOP is on record
 * as failed, and both are pending.
 */
export async function answerAllPending(
  tx: Tx,
  open: readonly OpenCommand[],
  detailsOf: (robot: LockedRobot) => string,
  now: Date,
): Promise<void> {
  if (open.length === 0) return;
  const rows = await tx
    .updateTable("commands")
    .set({ answered_at: now })
    .where("id", "=", idsOf(open))
    .where("answered_at", "is", null)
    .returning("id")
    .execute();
  const answered = new Set(rows.map(({ id }) => id));
  const told = open.filter(({ command }) => answered.has(command.id));
  await logAll(
    tx,
    told.map((each) => ({ ...each, status: "FAILED" as const, details: detailsOf(each.robot) })),
    now,
  );
}

/** Closes what has failed, with its planned run, and puts it on record. Answers what was open until now. */
async function fail(
  tx: Tx,
  failing: readonly FailingCommand[],
  outcome: CommandOutcome,
  now: Date,
): Promise<OpenCommand[]> {
  const closed = await closeAll(tx, failing, outcome, now);
  const runs = closed.flatMap(({ command, reason }) =>
    command.run_id === null ? [] : [{ runId: command.run_id, reason }],
  );
  await failPlannedRuns(tx, runs, now);
  const ofGroups = closed.filter(({ command }) => command.verb === "START" && command.action_type === "GROUP");
  await insertNotStarted(
    tx,
    ofGroups.map(({ robot, command, reason }) => {
      return { robot, by: command, start: command, outcome: "FAILED", reason, at: command.issued_at };
    }),
  );
  await logAll(
    tx,
    closed.map(({ reason, ...open }) => ({ ...open, status: "FAILED" as const, details: reason })),
    now,
  );
  await auditCommands(
    tx,
    closed.map((each) => ({ ...each, outcome: "FAILED" as const })),
    now,
  );
  return closed;
}
