import type { Db } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { giveBack } from "./command-claims.repository.ts";
import { lockRobots, showChange } from "./command-rows.repository.ts";
import { BROKER_AWAY, failureSentences, pendingSentences } from "./command-sentences.ts";
import type { Unsent } from "./dispatcher.ts";
import { pendingVerbs, staysPending } from "./pending-verbs.ts";
import { readCommands } from "./settle-due.repository.ts";
import { answerAllPending, type FailingCommand, type OpenCommand, settleAllNeverSent } from "./settle.repository.ts";

export interface UnsentCommand extends Unsent {
  readonly commandId: string;
}

/**
 * Commands that this server surely did not send, in one transaction: STOPs and locks are kept, everything else has
 * failed without ever being sent.
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
      // Taken by an earlier sending, which may have reached the robot.
      if (command.claimed_by !== null && !claimed) continue;
      const reason =
        why === "broker-away" ? BROKER_AWAY : failureSentences[command.verb].neverSent(robot.serial_number);
      failing.push({ robot, command, reason });
    }
    const claimed = unsent.filter((each) => each.claimed).map(({ commandId }) => commandId);
    await giveBack(tx, claimed, serverId);
    for (const verb of pendingVerbs) {
      const kept = pending.filter(({ command }) => command.verb === verb);
      await answerAllPending(tx, kept, (robot) => pendingSentences[verb].withoutBroker(robot.serial_number), now);
    }
    await settleAllNeverSent(tx, failing, now);
    await showChange(
      tx,
      [...pending, ...failing].map(({ robot }) => robot.id),
    );
  });
}
