import type { Tx } from "../../platform/database/database.ts";
import { acceptOrders, type Command, type LockedRobot, lockRobots, readOpenCommands } from "../commands/public.ts";
import { failPlannedRuns, readStopsDue, setStopCommands, type StopDue } from "../runs/public.ts";
import { scheduledOrder } from "./scheduled-order.ts";
import { scheduled } from "./scheduler-sentences.ts";

/**
 * Stops the robots of planned runs whose time is up, in the caller's transaction. Only a run that is open is stopped:
 * a robot that ended it and was started anew since has another one. Answers the STOPs to send after the commit.
 */
export async function stopRuns(tx: Tx, due: readonly StopDue[], now: Date): Promise<string[]> {
  const robotIds = due.map(({ robot_id }) => robot_id);
  const robots = await lockRobots(tx, robotIds);
  const open = Map.groupBy(await readOpenCommands(tx, robotIds), (command) => command.robot_id);
  const stops: { id: string; commandId: string }[] = [];
  const wanted: { readonly id: string; readonly robot: LockedRobot }[] = [];
  const neverBegan: { runId: string; reason: string }[] = [];
  const runIds = due.map(({ id }) => id);
  for (const { id, robot_id, began_at, command_id } of await readStopsDue(tx, runIds, now)) {
    const robot = robots.get(robot_id);
    const mine: readonly Command[] = open.get(robot_id) ?? [];
    // One that is on its way already, by a person or by Suncrew, does as well.
    const underWay = mine.findLast(({ verb }) => verb === "STOP");
    if (robot === undefined) continue;
    if (began_at === null && !mine.some((command) => command.id === command_id)) {
      neverBegan.push({ runId: id, reason: scheduled.neverBegan });
    } else if (underWay) stops.push({ id, commandId: underWay.id });
    else wanted.push({ id, robot });
  }
  await failPlannedRuns(tx, neverBegan, now);
  const ordered = await orderStops(tx, wanted, now);
  await setStopCommands(tx, [...stops, ...ordered]);
  return ordered.map(({ commandId }) => commandId);
}

async function orderStops(
  tx: Tx,
  wanted: readonly { readonly id: string; readonly robot: LockedRobot }[],
  now: Date,
): Promise<{ id: string; commandId: string }[]> {
  const order = { ...scheduledOrder, verb: "STOP", maxDurationS: 0 } as const;
  const runOf = new Map(wanted.map(({ id, robot }) => [robot.id, id]));
  const ordered: { id: string; commandId: string }[] = [];
  for (const [siteId, there] of Map.groupBy(wanted, ({ robot }) => robot.site_id)) {
    const robotIds = there.map(({ robot }) => robot.id);
    for (const { robot, accepted } of await acceptOrders(tx, siteId, robotIds, order, now)) {
      const id = runOf.get(robot.id);
      if (id !== undefined && accepted.kind === "stored") ordered.push({ id, commandId: accepted.command.id });
    }
  }
  return ordered;
}
