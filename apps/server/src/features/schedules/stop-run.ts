import type { Tx } from "../../platform/database/database.ts";
import { acceptOrders, lockRobots, readOpenCommands } from "../commands/public.ts";
import { failPlannedRun, readStopDue, setStopCommand, type StopDue } from "../runs/public.ts";
import { scheduledOrder } from "./run-due.ts";
import { scheduled } from "./scheduler-sentences.ts";

/**
 * Stops the robot of a planned run whose time is up, in the caller's transaction. Only the run that is open is stopped:
 * a robot that ended it and was started anew since has another one. Answers the STOP to send after the commit.
 */
export async function stopRun(tx: Tx, { id, robot_id }: StopDue, now: Date): Promise<string | null> {
  const robot = (await lockRobots(tx, [robot_id])).get(robot_id);
  const run = robot && (await readStopDue(tx, id, now));
  if (!robot || !run) return null;
  const open = await readOpenCommands(tx, [robot_id]);
  const hasOpenStart = open.some((command) => command.id === run.command_id);
  if (run.began_at === null && !hasOpenStart) {
    await failPlannedRun(tx, run.id, scheduled.neverBegan, now);
    return null;
  }
  // One that is on its way already, by a person or by Suncrew, does as well.
  const underWay = open.findLast((command) => command.verb === "STOP");
  if (underWay) {
    await setStopCommand(tx, run.id, underWay.id);
    return null;
  }
  const order = { ...scheduledOrder, verb: "STOP", maxDurationS: 1 } as const;
  const [stopped] = await acceptOrders(tx, robot.site_id, [robot_id], order, now);
  if (stopped?.accepted.kind !== "stored") return null;
  await setStopCommand(tx, run.id, stopped.accepted.command.id);
  return stopped.accepted.command.id;
}
