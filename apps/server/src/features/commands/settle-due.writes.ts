import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { type Command, type LockedRobot, lockRobots, readOpenCommands, showChange } from "./command-rows.writes.ts";
import { failureSentences, pendingSentences } from "./command-sentences.ts";
import { staysPending } from "./pending-verbs.ts";
import { answerPending, settleNeverSent, settleUnconfirmed } from "./settle.writes.ts";

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
  return db.transaction().execute(async (tx) => {
    const robot = (await lockRobots(tx, [robotId], options)).get(robotId);
    if (robot === undefined) return false;
    const due = (await readOpenCommands(tx, [robotId])).filter((command) => isDue(command, now));
    for (const command of due) await settleDue(tx, robot, command, now);
    if (due.length > 0) await showChange(tx, [robotId]);
    return due.length > 0;
  });
}

async function settleDue(tx: Tx, robot: LockedRobot, command: Command, now: Date): Promise<void> {
  const serial = robot.serial_number;
  const { verb } = command;
  if (staysPending(verb)) return answerPending(tx, robot, command, pendingSentences[verb].unconfirmed(serial), now);
  if (command.claimed_by !== null) return settleUnconfirmed(tx, robot, command, now);
  await settleNeverSent(tx, robot, command, failureSentences[verb].neverSent(serial), now);
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
