import type { Tx } from "../../platform/database/database.ts";
import { auditCommands } from "./command-records.repository.ts";
import { type Command, type LockedRobot, readOpenCommands } from "./command-rows.repository.ts";
import { staysPending } from "./pending-verbs.ts";
import { closeAll, logAll } from "./settle.repository.ts";

/**
 * Closes every command of robots that are deleted, which this transaction has locked: nobody sends them any more. A
 * STOP or lock that was pending has not been confirmed, and is on record as such.
 */
export async function settleRemoved(tx: Tx, robots: readonly LockedRobot[], reason: string, now: Date): Promise<void> {
  await settleOpen(tx, robots, reason, now, () => true);
}

/**
 * The same for robots whose state is forgotten: what could move one is over, while a STOP or lock that was pending stays
 * so, until the robot confirms it as it is known then.
 */
export async function settleForgotten(
  tx: Tx,
  robots: readonly LockedRobot[],
  reason: string,
  now: Date,
): Promise<void> {
  await settleOpen(tx, robots, reason, now, (verb) => !staysPending(verb));
}

async function settleOpen(
  tx: Tx,
  robots: readonly LockedRobot[],
  reason: string,
  now: Date,
  isOver: (verb: Command["verb"]) => boolean,
): Promise<void> {
  const byId = new Map(robots.map((robot) => [robot.id, robot]));
  const open = (await readOpenCommands(tx, [...byId.keys()])).flatMap((command) => {
    const robot = byId.get(command.robot_id);
    return robot === undefined || !isOver(command.verb) ? [] : [{ robot, command }];
  });
  const closed = await closeAll(tx, open, "UNCONFIRMED", now);
  await logAll(
    tx,
    closed.map((each) => ({ ...each, status: "FAILED" as const, details: reason })),
    now,
  );
  await auditCommands(
    tx,
    closed.map((each) => ({ ...each, outcome: "FAILED" as const, reason })),
    now,
  );
}
