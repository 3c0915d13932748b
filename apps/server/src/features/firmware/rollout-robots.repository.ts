import type { Executor } from "../../platform/database/database.ts";

/** The robots of a rollout in their order. */
export function readRolloutRobots(db: Executor, rolloutId: number) {
  return db
    .selectFrom("rollout_robots")
    .select(["robot_id", "robot_name", "serial_number", "site_id", "site_name", "state", "canary"])
    .select(["percent", "from_version", "reason", "gave_up", "offered_at", "ended_at"])
    .where("rollout_id", "=", rolloutId)
    .orderBy("place")
    .execute();
}
