import type { Executor } from "../src/platform/database/database.ts";

/** The activity as it is stored, in its order, without the hashes that it is searched by: those fit no number. */
export function activityRows(db: Executor) {
  return db
    .selectFrom("activity")
    .select(["log_id", "created_at", "site_id", "robot_id", "command_id", "action", "action_type", "status"])
    .select(["user_id", "user_name", "site_name", "partner_name", "robot_name", "serial_number"])
    .select(["details", "params", "sample", "change_no"])
    .orderBy("log_id");
}
