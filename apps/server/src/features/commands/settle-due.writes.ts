import { sql } from "kysely";
import { inTransaction } from "../../platform/database/after-commit.ts";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { alertUnconfirmed } from "./alert-commands.writes.ts";
import { type Command, lockRobots, readOpenCommands, showChange } from "./command-rows.writes.ts";
import { failureSentences, pendingSentences } from "./command-sentences.ts";
import { pendingVerbs, staysPending } from "./pending-verbs.ts";
import { answerAllPending, type OpenCommand, settleAllUnconfirmed, settleNeverSent } from "./settle.writes.ts";

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

/** Settles the due commands of one robot. `skipLocked`: leave it if another server is at it. True where any changed. */
export async function settleDueOf(
  db: Db,
  robotId: number,
  now: Date,
  options: { readonly skipLocked: boolean },
): Promise<boolean> {
  return settleAllDue(db, [robotId], now, options);
}

/** The same for many robots in one transaction: all of them, or none where one cannot be settled. */
export async function settleAllDue(
  db: Db,
  robotIds: readonly number[],
  now: Date,
  options: { readonly skipLocked: boolean },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const robots = await lockRobots(tx, robotIds, options);
    const due = (await readOpenCommands(tx, [...robots.keys()])).flatMap((command) => {
      const robot = robots.get(command.robot_id);
      return robot !== undefined && isDue(command, now) ? [{ robot, command }] : [];
    });
    await settleDue(tx, due, now);
    await showChange(tx, [...new Set(due.map(({ robot }) => robot.id))]);
    return due.length > 0;
  });
}

async function settleDue(tx: Tx, due: readonly OpenCommand[], now: Date): Promise<void> {
  for (const verb of pendingVerbs) {
    const pending = due.filter(({ command }) => command.verb === verb);
    const words = pendingSentences[verb];
    await answerAllPending(tx, pending, (robot) => words.unconfirmed(robot.serial_number), now);
    await alertUnconfirmed(tx, pending, now);
  }
  const failing = due.filter(({ command }) => !staysPending(command.verb));
  const sent = failing.filter(({ command }) => command.claimed_by !== null);
  await settleAllUnconfirmed(tx, sent, now);
  for (const { robot, command } of failing) {
    if (command.claimed_by !== null || staysPending(command.verb)) continue;
    const reason = failureSentences[command.verb].neverSent(robot.serial_number);
    await settleNeverSent(tx, robot, command, reason, now);
  }
}

/** Those of the commands whose callers can be answered. */
export async function readAnswered(db: Executor, commandIds: readonly string[]): Promise<Command[]> {
  if (commandIds.length === 0) return [];
  return db
    .selectFrom("commands")
    .selectAll()
    .where("id", "in", [...commandIds])
    .where("answered_at", "is not", null)
    .execute();
}

export async function readCommand(db: Executor, commandId: string): Promise<Command | null> {
  return (await readCommands(db, [commandId]))[0] ?? null;
}

export async function readCommands(db: Executor, commandIds: readonly string[]): Promise<Command[]> {
  return db
    .selectFrom("commands")
    .selectAll()
    .where("id", "in", [...commandIds])
    .execute();
}
