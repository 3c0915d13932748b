import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

export interface ChangedRow {
  readonly kind: "robot" | "site" | "activity" | "group" | "run" | "alert" | "rollout";
  readonly id: string;
  /** Null where an alert is about Suncrew's own servers. */
  readonly site_id: string | null;
  /** Whom an alert or a run is about; null for all else, and where an alert is about no robot. */
  readonly robot_id: string | null;
  readonly change_no: string;
}

/** Number of the oldest transaction that a statement beginning now cannot see. */
export async function readOldestOpenTransaction(db: Db): Promise<string> {
  const { rows } = await sql<{
    oldest: string;
  }>`select pg_snapshot_xmin(pg_current_snapshot())::text as oldest`.execute(db);
  return rows[0]?.oldest ?? "0";
}

/** Every row changed by transaction `from` or a later one, over all tenants. */
export async function readChangedIds(db: Db, from: string): Promise<ChangedRow[]> {
  const { rows } = await sql<ChangedRow>`
    select 'robot' as kind, robot_id::text as id, site_id::text as site_id, null as robot_id, change_no::text as change_no
      from robot_state where change_no >= ${from}::xid8
    union all
    select 'site', id::text, id::text, null, change_no::text from sites where change_no >= ${from}::xid8
    union all
    select 'activity', log_id::text, site_id::text, null, change_no::text from activity where change_no >= ${from}::xid8
    union all
    select 'group', id::text, site_id::text, null, change_no::text from robot_groups where change_no >= ${from}::xid8
    union all
    select 'run', id::text, site_id::text, robot_id::text, change_no::text from runs where change_no >= ${from}::xid8
    union all
    select 'alert', id::text, site_id::text, robot_id::text, change_no::text from alerts where change_no >= ${from}::xid8
    union all
    select 'rollout', id::text, '0', null, change_no::text from rollouts where change_no >= ${from}::xid8
    union all
    select distinct 'rollout', rollout_id::text, '0', null, change_no::text from rollout_robots
      where change_no >= ${from}::xid8
  `.execute(db);
  return rows;
}

/** Gives rows whose change lies in the future of this database (it was restored from a dump) a number of today. */
export async function renewFutureChanges(db: Db): Promise<void> {
  for (const table of [
    "robot_state",
    "sites",
    "activity",
    "robot_groups",
    "runs",
    "alerts",
    "rollouts",
    "rollout_robots",
  ]) {
    await sql`update ${sql.table(table)} set change_no = pg_current_xact_id() where change_no > pg_current_xact_id()`.execute(
      db,
    );
  }
}
