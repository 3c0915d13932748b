import type { ActionType, ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import type { CommandParams } from "@suncrew/contract/devices/messages.ts";
import { sql } from "kysely";
import { changedNow, type Executor } from "../../platform/database/database.ts";

/** A START or STOP as it came out; names are added from the robot, its site and the site's partner. */
export interface ActivityRecord {
  readonly at: Date;
  readonly robotId: number;
  /** The site where it happened. */
  readonly siteId: number;
  /** Null where no command was made because it was refused before. */
  readonly commandId: string | null;
  readonly action: "START" | "STOP";
  readonly actionType: ActionType;
  readonly status: ActivityStatus;
  /** Null for the server's own doing. */
  readonly userId: number | null;
  /** The person, or 'Scheduler'. */
  readonly userName: string;
  /** Plain words. */
  readonly details: string;
  readonly mode: "AUTO" | "MANUAL";
  readonly params: Omit<CommandParams, "status">;
}

/** Writes the activity row in the caller's transaction. A command has one row: a second one changes nothing and answers false. */
export async function recordActivity(db: Executor, record: ActivityRecord): Promise<boolean> {
  const { mode, params } = record;
  const written = await sql`
    insert into activity (created_at, site_id, robot_id, command_id, action, action_type, status, user_id, user_name,
      site_name, partner_name, robot_name, serial_number, details, params)
    select ${record.at}, sites.id, robots.id, ${record.commandId}, ${record.action}, ${record.actionType}, ${record.status},
      ${record.userId}, ${record.userName}, sites.name, partners.name, robots.robot_name, robots.serial_number, ${record.details},
      jsonb_build_object('robotSerial', robots.serial_number, 'mode', ${mode}::text, 'direction', ${params.direction}::text,
        'main-speed', ${params["main-speed"]}::numeric, 'brush-speed', ${params["brush-speed"]}::numeric)
    from robots
    join sites on sites.id = ${record.siteId}
    left join partners on partners.id = sites.maintenance_partner_id
    where robots.id = ${record.robotId}
    on conflict (command_id) where command_id is not null do nothing
  `.execute(db);
  return written.numAffectedRows === 1n;
}

/** Brings the row of a command up to date: a Stop that was pending is delivered later. False where it has no row yet. */
export async function amendActivity(
  db: Executor,
  commandId: string,
  result: Pick<ActivityRecord, "status" | "details">,
): Promise<boolean> {
  const { status, details } = result;
  const amended = await db
    .updateTable("activity")
    .set({ status, details, change_no: changedNow })
    .where("command_id", "=", commandId)
    .executeTakeFirst();
  return amended.numUpdatedRows > 0n;
}
