import type { Tx } from "../../platform/database/database.ts";
import { acceptAll, type AskedOrder, type Order, type OrderAccepted } from "./accept-order.ts";
import { type LockedRobot, type LockOptions, lockRobots, readOpenCommands } from "./command-rows.repository.ts";

export interface AcceptedOf {
  readonly robot: LockedRobot;
  readonly accepted: OrderAccepted;
}

/**
 * Decides about the same order for many robots in one transaction, each for itself, in the order of `robotIds`. Robots
 * that were deleted or moved away from the site meanwhile are left out, with `skipLocked` also those that someone else has.
 */
export async function acceptOrders(
  tx: Tx,
  siteId: number,
  robotIds: readonly number[],
  order: Order | ((robot: LockedRobot) => Order),
  now: Date,
  options: LockOptions = {},
): Promise<AcceptedOf[]> {
  const robots = await lockRobots(tx, robotIds, options);
  const open = Map.groupBy(await readOpenCommands(tx, [...robots.keys()]), (command) => command.robot_id);
  const asked: AskedOrder[] = [];
  for (const robotId of new Set(robotIds)) {
    const robot = robots.get(robotId);
    if (robot === undefined || robot.deleted_at !== null || robot.site_id !== siteId) continue;
    asked.push({ robot, open: open.get(robotId) ?? [], order: typeof order === "function" ? order(robot) : order });
  }
  const accepted = await acceptAll(tx, asked, now);
  return asked.flatMap(({ robot }) => {
    const mine = accepted.get(robot.id);
    return mine ? [{ robot, accepted: mine }] : [];
  });
}
