import type { CommandMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { ActionType, ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import type { CommandParams } from "@suncrew/contract/devices/messages.ts";
import type { OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import { sql } from "kysely";
import { changedNow, type Executor } from "../../platform/database/database.ts";

/** The outcome of a START or STOP, or the end of a run that no STOP ended. Omitted names are the robot's current ones. */
export interface ActivityRecord {
  readonly at: Date;
  readonly robotId: number;
  /** The site where it happened. */
  readonly siteId: number;
  /** The robot's name and machine at the time, if they may differ from the current ones. */
  readonly robotName?: string | undefined;
  readonly serialNumber?: string | undefined;
  /** Null if no command was made because it was refused before. */
  readonly commandId: string | null;
  /** The run that ended without a STOP. */
  readonly endedRunId?: string;
  readonly action: "START" | "STOP";
  readonly actionType: ActionType;
  readonly status: ActivityStatus;
  /** Null for what the server did on its own. */
  readonly userId: number | null;
  /** The person, or 'Scheduler'. */
  readonly userName: string;
  readonly details: OutcomeText;
  readonly mode: CommandMode;
  readonly params: Omit<CommandParams, "status">;
}

/**
 * Writes the activity row in the caller's transaction. Each command and each run's end has one row: a second one
 * changes nothing and returns false.
 */
export async function recordActivity(db: Executor, record: ActivityRecord): Promise<boolean> {
  return (await recordActivities(db, [record])).length === 1;
}

/** The same for many at once, in order. Returns the command ids of the rows written. */
export async function recordActivities(db: Executor, records: readonly ActivityRecord[]): Promise<(string | null)[]> {
  if (records.length === 0) return [];
  const rowsToInsert = records.map((record, nth) => ({ ...record, ...detailsColumns(record), nth }));
  const { rows } = await sql<{ command_id: string | null }>`
    insert into activity (created_at, site_id, robot_id, command_id, ended_run_id, action, action_type, status, user_id, user_name,
      site_name, partner_name, robot_name, serial_number, details, details_code, details_params, params)
    select n.at, sites.id, robots.id, n."commandId", n."endedRunId", n.action, n."actionType", n.status, n."userId", n."userName",
      sites.name, partners.name, coalesce(n."robotName", robots.robot_name), called.serial, n.details, n.details_code, n.details_params,
      jsonb_build_object('robotSerial', called.serial, 'mode', n.mode, 'direction', n.params ->> 'direction',
        'main-speed', (n.params ->> 'main-speed')::numeric, 'brush-speed', (n.params ->> 'brush-speed')::numeric)
    from json_to_recordset(${JSON.stringify(rowsToInsert)}::json) n (nth int, at timestamptz, "robotId" int, "siteId" int,
      "robotName" text, "serialNumber" text, "commandId" uuid, "endedRunId" uuid, action text, "actionType" text, status text, "userId" int, "userName" text, details text,
      details_code text, details_params jsonb, mode text, params json)
    join robots on robots.id = n."robotId"
    cross join lateral (select coalesce(n."serialNumber", robots.serial_number) as serial) called
    join sites on sites.id = n."siteId"
    left join partners on partners.id = sites.maintenance_partner_id
    order by n.nth
    on conflict do nothing
    returning command_id
  `.execute(db);
  return rows.map((row) => row.command_id);
}

function detailsColumns({ details: { text, code, params } }: Pick<ActivityRecord, "details">) {
  return { details: text, details_code: code, details_params: params };
}

/** Deletes the ends of runs that turned out to be the effect of a STOP, which has its own row. */
export async function removeRunEnds(db: Executor, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  await sql`delete from activity where ended_run_id = any(${[...runIds]}::uuid[])`.execute(db);
}

/** Updates the ends of runs: what a robot reports later is more accurate. */
export async function amendRunEnds(
  db: Executor,
  amended: readonly Pick<ActivityRecord, "at" | "endedRunId" | "status" | "userName" | "details">[],
): Promise<void> {
  if (amended.length === 0) return;
  await sql`
    update activity a set created_at = n.at, status = n.status, user_name = n."userName", details = n.details,
      details_code = n.details_code, details_params = n.details_params, change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(amended.map((end) => ({ ...end, ...detailsColumns(end) })))}::json)
      n (at timestamptz, "endedRunId" uuid, status text, "userName" text, details text, details_code text, details_params jsonb)
    where a.ended_run_id = n."endedRunId"
      and (a.created_at, a.status, a.user_name, a.details) is distinct from (n.at, n.status, n."userName", n.details)`.execute(
    db,
  );
}

/** The outcome of a command that changed after its row was written. */
export interface ActivityAmended extends Pick<ActivityRecord, "status" | "details"> {
  readonly commandId: string;
}

/** Updates the rows of commands: a pending Stop is delivered later. */
export async function amendActivities(db: Executor, amended: readonly ActivityAmended[]): Promise<void> {
  if (amended.length === 0) return;
  await sql`
    update activity set status = n.status, details = n.details, details_code = n.details_code,
      details_params = n.details_params, change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(amended.map((each) => ({ ...each, ...detailsColumns(each) })))}::json)
      n ("commandId" uuid, status text, details text, details_code text, details_params jsonb)
    where activity.command_id = n."commandId"`.execute(db);
}
