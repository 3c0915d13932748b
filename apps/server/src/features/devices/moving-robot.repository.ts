import type { Executor } from "../../platform/database/database.ts";
import { readStillMoving } from "../commands/public.ts";
import type { SeenAt } from "../sites/public.ts";

export interface MovingRobot {
  readonly id: number;
  readonly site_id: number;
  readonly online: boolean;
  /** Why it may move, and what to do. */
  readonly sentence: string;
}

/** The robot that has the device and may move; null where there is none. */
export async function readMovingRobot(db: Executor, serial: string, seen: SeenAt): Promise<MovingRobot | null> {
  const robot = await db
    .selectFrom("robots as r")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .select(["r.id", "r.site_id", "s.online"])
    .where("r.serial_number", "=", serial)
    .where("r.deleted_at", "is", null)
    .executeTakeFirst();
  if (robot === undefined) return null;
  const [moving] = await readStillMoving(db, [robot.id], seen);
  return moving === undefined ? null : { ...robot, sentence: moving.sentence };
}
