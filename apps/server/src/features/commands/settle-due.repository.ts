import { sql } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { inTransaction, setLockTimeout } from "../../platform/database/transactions.ts";
import { alertUnconfirmed } from "./alert-commands.repository.ts";
import { type Command, lockRobots, readOpenCommands, showChange } from "./command-rows.repository.ts";
import { failureSentences, pendingSentences } from "./command-sentences.ts";
import { pendingVerbs, staysPending } from "./pending-verbs.ts";
import {
  answerAllPending,
  type FailingCommand,
  type OpenCommand,
  settleAllNeverSent,
  settleAllUnconfirmed,
} from "./settle.repository.ts";

/** Robots settled in one look of a server; the rest follow a second later. */
const MAX_ROBOTS = 500;

/** Protocol rule 5: what can no longer be sent has failed at once; what may have been sent has until `settle_by`. */
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

/** What to do about robots that somebody else has. */
export interface DueOptions {
  readonly skipLocked: boolean;
  /** They are waited for no longer than this, in milliseconds; as long as it takes unless given. */
  readonly waitMs?: number;
}

export interface SettledDue {
  /** Any command was settled, or answered as pending. */
  readonly changed: boolean;
  /** Robots that somebody else has. */
  readonly skipped: readonly number[];
}

/** Settles the due commands of robots in one transaction: of all of them, or of none where one cannot be settled. */
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
    await settle(tx, due, now);
    await showChange(tx, [...new Set(due.map(({ robot }) => robot.id))]);
    return { changed: due.length > 0, skipped: robotIds.filter((id) => !robots.has(id)) };
  });
}

async function settle(tx: Tx, due: readonly OpenCommand[], now: Date): Promise<void> {
  for (const verb of pendingVerbs) {
    const pending = due.filter(({ command }) => command.verb === verb);
    const words = pendingSentences[verb];
    await answerAllPending(tx, pending, (robot) => words.unconfirmed(robot.serial_number), now);
    await alertUnconfirmed(tx, pending, now);
  }
  const failing = due.filter(({ command }) => !staysPending(command.verb));
  const sent = failing.filter(({ command }) => command.claimed_by !== null);
  await settleAllUnconfirmed(tx, sent, now);
  await settleAllNeverSent(tx, failing.flatMap(neverSent), now);
}

function neverSent({ robot, command }: OpenCommand): FailingCommand[] {
  if (command.claimed_by !== null || staysPending(command.verb)) return [];
  return [{ robot, command, reason: failureSentences[command.verb].neverSent(robot.serial_number) }];
}

/** Those of the commands whose callers can be answered. */
export async function readAnswered(db: Executor, commandIds: readonly string[]): Promise<Command[]> {
  if (commandIds.length === 0) return [];
  return db
    .selectFrom("commands")
    .selectAll()
    .where("id", "=", anyOf(commandIds))
    .where("answered_at", "is not", null)
    .execute();
}

export async function readCommands(db: Executor, commandIds: readonly string[]): Promise<Command[]> {
  return db.selectFrom("commands").selectAll().where("id", "=", anyOf(commandIds)).execute();
}

const anyOf = (commandIds: readonly string[]) => sql<string>`any(${[...commandIds]}::uuid[])`;
