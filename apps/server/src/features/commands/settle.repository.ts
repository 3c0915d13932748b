import type { ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import {
  type FailureKind,
  failureText,
  outcomeText,
  type OutcomeText,
  pendingText,
} from "@suncrew/domain/runs/outcome-texts.ts";
import { type Selectable, sql } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import { changedNow, type Db, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { afterCommit, inTransaction, setLockTimeout } from "../../platform/database/transactions.ts";
import { failPlannedRuns, insertNotStarted } from "../runs/public.ts";
import { BROKER_AWAY } from "./command-answers.ts";
import { alertUnconfirmed, auditCommands, logCommands } from "./command-records.repository.ts";
import {
  type Command,
  releaseClaims,
  insertCommands,
  type LockedRobot,
  lockRobots,
  type OpenCommand,
  pendingVerbs,
  readCommands,
  readOpenCommands,
  showChange,
  staysPending,
} from "./commands.repository.ts";
import type { Unsent } from "./dispatcher.ts";

/** Suncrew itself, as the activity log names it. */
export const SUNCREW = "Suncrew";

type CommandOutcome = NonNullable<Selectable<Tables["commands"]>["outcome"]>;

/** With the reason for the failure. */
interface FailingCommand extends OpenCommand {
  readonly reason: OutcomeText;
}

const idsOf = (open: readonly OpenCommand[]) => sql<string>`any(${open.map(({ command }) => command.id)}::uuid[])`;

/** Closes commands, each once. Returns those that were open until now; the others are unchanged. */
export async function closeAll<T extends OpenCommand>(
  tx: Tx,
  open: readonly T[],
  outcome: CommandOutcome,
  now: Date,
): Promise<T[]> {
  if (open.length === 0) return [];
  const rows = await tx
    .updateTable("commands")
    .set((eb) => ({
      settled_at: now,
      settled_change: changedNow,
      outcome,
      answered_at: eb.fn.coalesce("answered_at", eb.val(now)),
    }))
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

/** Writes the outcomes of STARTs and STOPs to the activity log; the other verbs are not logged there. */
export async function logAll(
  tx: Tx,
  outcomes: readonly (OpenCommand & { readonly status: ActivityStatus; readonly details: OutcomeText })[],
  now: Date,
): Promise<void> {
  const logged = outcomes.flatMap(({ command, ...rest }) => {
    const { verb } = command;
    return verb === "START" || verb === "STOP" ? [{ command: { ...command, verb }, ...rest }] : [];
  });
  await logCommands(tx, logged, now);
}

/** The robots refused; a START then counts as failed, and its robot's status stays as it was. */
export async function settleAllRejected(
  tx: Tx,
  rejected: readonly (OpenCommand & { readonly code: string | null })[],
  now: Date,
): Promise<void> {
  const failing = rejected.map(({ robot, command, code }) => {
    return { robot, command, reason: outcomeText("ROBOT_REFUSED", { serial: robot.serial_number, code }) };
  });
  await fail(tx, failing, "REJECTED", now);
}

/**
 * A person's newer commands replaced them before the robots showed them; those that stay pending are never superseded.
 */
export async function settleAllSuperseded(tx: Tx, open: readonly OpenCommand[], now: Date): Promise<void> {
  await fail(tx, failingOf(open, "SUPERSEDED"), "UNCONFIRMED", now);
}

/** Those that do not stay pending, each with the reason for its failure. */
function failingOf(open: readonly OpenCommand[], why: FailureKind): FailingCommand[] {
  return open.flatMap(({ robot, command }) => {
    const { verb } = command;
    return staysPending(verb) ? [] : [{ robot, command, reason: failureText(verb, why, robot.serial_number) }];
  });
}

/** Protocol rule 6: no state showed them in time. A STOP follows each START, because the robot may be moving. */
async function settleAllUnconfirmed(tx: Tx, open: readonly OpenCommand[], now: Date): Promise<void> {
  const closed = await fail(tx, failingOf(open, "UNCONFIRMED"), "UNCONFIRMED", now);
  await alertUnconfirmed(tx, closed, now);
  const starts = closed.filter(({ command }) => command.verb === "START");
  await insertFollowingStops(tx, starts, now);
}

/** Suncrew's STOPs after unconfirmed STARTs; they stay pending until the robots show that they have stopped. */
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
 * STOPs and locks whose callers are answered before they are confirmed: a STOP is recorded as failed, and both stay
 * pending.
 */
export async function answerAllPending(
  tx: Tx,
  open: readonly OpenCommand[],
  detailsOf: (robot: LockedRobot) => OutcomeText,
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
  const pending = open.filter(({ command }) => answered.has(command.id));
  await logAll(
    tx,
    pending.map((each) => ({ ...each, status: "FAILED" as const, details: detailsOf(each.robot) })),
    now,
  );
}

/** Closes failed commands, with their planned runs, and records them. Returns those that were open until now. */
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
    closed.map((each) => ({ ...each, outcome: "FAILED" as const, reason: each.reason.text })),
    now,
  );
  return closed;
}

type Verb = Command["verb"];

interface SettledCount {
  readonly verb: Verb;
  readonly outcome: CommandOutcome;
  readonly count: number;
}

/** Per database, of which each server has one. */
const countsBy = new WeakMap<Db, Map<string, SettledCount>>();

/** Counts what this transaction has settled, once it is committed. */
function countSettled(tx: Tx, verbs: readonly Verb[], outcome: CommandOutcome): void {
  afterCommit(tx, (db) => {
    const counts = countsBy.get(db) ?? new Map<string, SettledCount>();
    countsBy.set(db, counts);
    for (const verb of verbs) {
      const key = `${verb} ${outcome}`;
      counts.set(key, { verb, outcome, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  });
}

/** The commands that this server has settled since it started. */
export function settledCounts(db: Db): readonly SettledCount[] {
  return [...(countsBy.get(db)?.values() ?? [])];
}

/** Maximum robots settled per check; the rest follow a second later. */
const MAX_ROBOTS = 500;

/**
 * Protocol rule 5: a command that can no longer be sent has failed immediately; one that may have been sent has until
 * `settle_by`.
 */
function isDue(command: Command, now: Date): boolean {
  if (staysPending(command.verb)) return command.answered_at === null && command.settle_by <= now;
  return command.settle_by <= now || (command.claimed_by === null && command.expires_at <= now);
}

export async function findRobotsWithDueCommands(db: Db, now: Date): Promise<number[]> {
  const { rows } = await sql<{ robot_id: number }>`
    select distinct robot_id from commands
    where settled_at is null and (
      (verb in ('STOP', 'MAINTENANCE_ON') and answered_at is null and settle_by <= ${now})
      or (verb in ('START', 'SET', 'MAINTENANCE_OFF')
        and (settle_by <= ${now} or (claimed_by is null and expires_at <= ${now}))))
    limit ${MAX_ROBOTS}
  `.execute(db);
  return rows.map((row) => row.robot_id);
}

/** How to treat robots that other transactions have locked. */
export interface DueOptions {
  readonly skipLocked: boolean;
  /** Maximum time to wait for them, in milliseconds; unlimited if omitted. */
  readonly waitMs?: number;
}

export interface SettledDue {
  /** Whether any command was settled, or answered as pending. */
  readonly changed: boolean;
  /** Robots that other transactions have locked. */
  readonly skipped: readonly number[];
}

/** Settles the due commands of robots in one transaction: all of them, or none if one cannot be settled. */
export async function settleDue(
  db: Db,
  robotIds: readonly number[],
  clock: Pick<Clock, "now">,
  { skipLocked, waitMs }: DueOptions,
): Promise<SettledDue> {
  return inTransaction(db, async (tx) => {
    if (waitMs !== undefined) await setLockTimeout(tx, waitMs);
    const robots = await lockRobots(tx, robotIds, { skipLocked });
    const now = clock.now();
    const due = (await readOpenCommands(tx, [...robots.keys()])).flatMap((command) => {
      const robot = robots.get(command.robot_id);
      return robot !== undefined && isDue(command, now) ? [{ robot, command }] : [];
    });
    await settleAllDue(tx, due, now);
    await showChange(tx, [...new Set(due.map(({ robot }) => robot.id))]);
    return { changed: due.length > 0, skipped: robotIds.filter((id) => !robots.has(id)) };
  });
}

async function settleAllDue(tx: Tx, due: readonly OpenCommand[], now: Date): Promise<void> {
  for (const verb of pendingVerbs) {
    const pending = due.filter(({ command }) => command.verb === verb);
    await answerAllPending(tx, pending, (robot) => pendingText(verb, "UNCONFIRMED", robot.serial_number), now);
    await alertUnconfirmed(tx, pending, now);
  }
  const failing = due.filter(({ command }) => !staysPending(command.verb));
  const isSent = ({ command }: OpenCommand) => command.claimed_by !== null;
  await settleAllUnconfirmed(tx, failing.filter(isSent), now);
  const unsent = failing.filter((each) => !isSent(each));
  await fail(tx, failingOf(unsent, "NOT_SENT"), "NEVER_SENT", now);
}

export interface UnsentCommand extends Unsent {
  readonly commandId: string;
}

/**
 * Closes commands that this server certainly did not send, in one transaction: STOPs and locks stay pending, everything
 * else has failed without being sent.
 */
export async function closeUnsent(
  db: Db,
  unsent: readonly UnsentCommand[],
  serverId: string,
  now: Date,
): Promise<void> {
  const unsentBy = new Map(unsent.map((each) => [each.commandId, each]));
  const ids = [...unsentBy.keys()];
  await inTransaction(db, async (tx) => {
    const found = await readCommands(tx, ids);
    const robots = await lockRobots(
      tx,
      found.map((command) => command.robot_id),
    );
    const pending: OpenCommand[] = [];
    const failing: FailingCommand[] = [];
    for (const command of await readCommands(tx, ids)) {
      const robot = robots.get(command.robot_id);
      const { claimed = false, why } = unsentBy.get(command.id) ?? {};
      if (robot === undefined) continue;
      if (staysPending(command.verb)) {
        pending.push({ robot, command });
        continue;
      }
      // Claimed for an earlier sending, which may have reached the robot.
      if (command.claimed_by !== null && !claimed) continue;
      const reason = why === "broker-away" ? BROKER_AWAY : failureText(command.verb, "NOT_SENT", robot.serial_number);
      failing.push({ robot, command, reason });
    }
    const claimed = unsent.filter((each) => each.claimed).map(({ commandId }) => commandId);
    await releaseClaims(tx, claimed, serverId);
    for (const verb of pendingVerbs) {
      const withVerb = pending.filter(({ command }) => command.verb === verb);
      await answerAllPending(tx, withVerb, (robot) => pendingText(verb, "BROKER", robot.serial_number), now);
    }
    await fail(tx, failing, "NEVER_SENT", now);
    await showChange(
      tx,
      [...pending, ...failing].map(({ robot }) => robot.id),
    );
  });
}
