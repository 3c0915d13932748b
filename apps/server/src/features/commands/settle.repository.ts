import {
  type FailureKind,
  failureText,
  outcomeText,
  type OutcomeText,
  pendingText,
} from "@suncrew/domain/texts/outcome-texts.ts";
import { type Selectable, sql } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import { anyUuid, changedNow, type Db, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { afterCommit, inTransaction, setLockTimeout } from "../../platform/database/transactions.ts";
import { failPlannedRuns, insertNotStarted } from "../runs/public.ts";
import { BROKER_AWAY } from "./command-answers.ts";
import { alertUnconfirmed, auditCommands, logCommands } from "./command-records.repository.ts";
import {
  type Command,
  markNeverTaken,
  releaseClaims,
  insertCommands,
  type LockedRobot,
  type LockOptions,
  lockRobots,
  type OpenCommand,
  pendingVerbs,
  readCommands,
  readOpenCommands,
  robotIdsOf,
  showChange,
  staysPending,
  withRobots,
} from "./commands.repository.ts";
import type { Unsent } from "./dispatcher.ts";

/** Who gave a command: Suncrew itself, as the activity log names it. */
export const bySuncrew = { user_id: null, requested_by: "Suncrew", action_type: "SYSTEM" } as const;

type CommandOutcome = NonNullable<Selectable<Tables["commands"]>["outcome"]>;

/** With the reason for the failure. */
interface FailingCommand extends OpenCommand {
  readonly reason: OutcomeText;
}

const idsOf = (open: readonly OpenCommand[]) => anyUuid(open.map(({ command }) => command.id));

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
    .set({ settled_at: now, settled_change: changedNow, outcome })
    .set((eb) => ({ answered_at: eb.fn.coalesce("answered_at", eb.val(now)) }))
    .where("id", "=", idsOf(open))
    .where("settled_at", "is", null)
    .returning("id")
    .execute();
  const ids = new Set(rows.map(({ id }) => id));
  const closed = open.filter(({ command }) => ids.has(command.id));
  countSettled(tx, closed, outcome);
  return closed;
}

/** The robots refused; a START then counts as failed, and its robot's status stays as it was. */
export async function settleAllRejected(tx: Tx, rejected: readonly OpenCommand[], now: Date): Promise<void> {
  const failing = rejected.map(({ robot, command }) => {
    const { serial_number: serial } = robot;
    return { robot, command, reason: outcomeText("ROBOT_REFUSED", { serial, code: command.ack_code }) };
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
  const stops = starts.map(({ robot, command: { id, mode, params } }) => {
    const stop = { verb: "STOP", params: { ...params, status: "stop" }, mode, ...bySuncrew, follows_id: id } as const;
    return { robot, command: stop };
  });
  await insertCommands(tx, stops, now);
  const audited = stops.map(({ robot, command }) => {
    const reason = `The start ${command.follows_id} was not confirmed.`;
    return { robot, command, outcome: "DONE" as const, reason };
  });
  await auditCommands(tx, audited, now);
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
  const logged = pending.map((each) => ({ ...each, status: "FAILED" as const, details: detailsOf(each.robot) }));
  await logCommands(tx, logged, now);
}

/** Closes failed commands, with their planned runs, and records them. Returns those that were open until now. */
async function fail(
  tx: Tx,
  failing: readonly FailingCommand[],
  outcome: CommandOutcome,
  now: Date,
): Promise<OpenCommand[]> {
  const closed = await closeAll(tx, failing, outcome, now);
  const runs = closed.flatMap(({ command: { run_id }, reason }) =>
    run_id === null ? [] : [{ runId: run_id, reason }],
  );
  await failPlannedRuns(tx, runs, now);
  const ofGroups = closed.filter(({ command }) => command.verb === "START" && command.action_type === "GROUP");
  const notStarted = ofGroups.map(({ robot, command, reason }) => {
    return { robot, by: command, start: command, outcome: "FAILED" as const, reason, at: command.issued_at };
  });
  await insertNotStarted(tx, notStarted);
  await recordFailures(tx, closed, now);
  return closed;
}

/** Records that commands failed, in the activity log and the audit. */
export async function recordFailures(tx: Tx, failed: readonly FailingCommand[], now: Date): Promise<void> {
  const logged = failed.map(({ reason, ...open }) => ({ ...open, status: "FAILED" as const, details: reason }));
  await logCommands(tx, logged, now);
  const audited = failed.map((each) => ({ ...each, outcome: "FAILED" as const, reason: each.reason.text }));
  await auditCommands(tx, audited, now);
}

interface SettledCount {
  readonly verb: Command["verb"];
  readonly outcome: CommandOutcome;
  readonly count: number;
}

/** Per database, of which each server has one. */
const countsBy = new WeakMap<Db, Map<string, SettledCount>>();

/** Counts what this transaction has settled, once it is committed. */
function countSettled(tx: Tx, closed: readonly OpenCommand[], outcome: CommandOutcome): void {
  afterCommit(tx, (db) => {
    const counts = countsBy.get(db) ?? new Map<string, SettledCount>();
    countsBy.set(db, counts);
    for (const { command } of closed) {
      const { verb } = command;
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

export interface DueOptions extends LockOptions {
  /** Maximum time to wait for robots that other transactions have locked, in milliseconds; unlimited if omitted. */
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
  options: DueOptions,
): Promise<SettledDue> {
  return inTransaction(db, async (tx) => {
    if (options.waitMs !== undefined) await setLockTimeout(tx, options.waitMs);
    const robots = await lockRobots(tx, robotIds, options);
    const now = clock.now();
    const open = await readOpenCommands(tx, [...robots.keys()]);
    const due = withRobots(robots, open).filter(({ command }) => isDue(command, now));
    await settleAllDue(tx, due, now);
    await showChange(tx, robotIdsOf(due));
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
    const robotIds = (await readCommands(tx, ids)).map(({ robot_id }) => robot_id);
    const robots = await lockRobots(tx, robotIds);
    const pending: OpenCommand[] = [];
    const failing: FailingCommand[] = [];
    for (const { robot, command } of withRobots(robots, await readCommands(tx, ids))) {
      const { claimed = false, why } = unsentBy.get(command.id) ?? {};
      if (staysPending(command.verb)) {
        pending.push({ robot, command });
        continue;
      }
      // Claimed for an earlier sending, or by another server: it may have reached the robot.
      const isOwnClaim = claimed && command.claimed_by === serverId;
      if (command.claimed_by !== null && !isOwnClaim) continue;
      const reason = why === "broker-away" ? BROKER_AWAY : failureText(command.verb, "NOT_SENT", robot.serial_number);
      failing.push({ robot, command, reason });
    }
    const claimed = unsent.filter((each) => each.claimed).map(({ commandId }) => commandId);
    await releaseClaims(tx, claimed, serverId);
    await markNeverTaken(tx, claimed, serverId, now);
    for (const verb of pendingVerbs) {
      const withVerb = pending.filter(({ command }) => command.verb === verb);
      await answerAllPending(tx, withVerb, (robot) => pendingText(verb, "BROKER", robot.serial_number), now);
    }
    await fail(tx, failing, "NEVER_SENT", now);
    await showChange(tx, robotIdsOf([...pending, ...failing]));
  });
}
