import type { Executor } from "../../platform/database/database.ts";

/** The online robot that has the device and moves, or may be about to; null where there is none. */
export async function readRunningRobot(db: Executor, serial: string): Promise<{ id: number; site_id: number } | null> {
  const row = await db
    .selectFrom("robots as r")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .innerJoin("devices as d", "d.serial", "r.serial_number")
    .select(["r.id", "r.site_id"])
    .where("r.serial_number", "=", serial)
    .where("r.deleted_at", "is", null)
    .where("d.retired_at", "is", null)
    .where("s.online", "=", true)
    .executeTakeFirst();
  return row ?? null;
}
