import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";

/** Row of `installation` that says whether the demo's history is still to be written, or is there. */
const HISTORY_MARK = "demo_history";
type HistoryMark = "wanted" | "written";

/** Said where a new demo is seeded; a start that is cut off while it writes leaves the wish to the next one. */
export async function markHistory(db: Executor, mark: HistoryMark): Promise<void> {
  await db
    .insertInto("installation")
    .values({ key: HISTORY_MARK, value: mark })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: mark }))
    .execute();
}

export async function isHistoryWanted(db: Executor): Promise<boolean> {
  const row = await db.selectFrom("installation").select("value").where("key", "=", HISTORY_MARK).executeTakeFirst();
  return row?.value === "wanted";
}

/** Takes away what an earlier start that was cut off has left. No server has run on this data, so nothing real is lost. */
export async function clearHalfWritten(tx: Tx): Promise<void> {
  await sql`
    update robots r set operating_mode = l.former_mode
    from maintenance_locks l where l.robot_id = r.id and l.released_at is null`.execute(tx);
  await sql`update robots set last_command_seq = 0 where last_command_seq > 0`.execute(tx);
  await sql`
    truncate runs, readings, robot_presence, alerts, activity, commands, command_requests, maintenance_locks, schedules,
      robot_group_members, robot_groups, robot_events, audit, audit_seals, audit_unsealed`.execute(tx);
  await sql`delete from robot_state`.execute(tx);
  await sql`insert into robot_state (robot_id, site_id) select id, site_id from robots`.execute(tx);
}

/** Nothing real can be among it: no server has run on this data before its history was there. */
export async function markAsSample(db: Db): Promise<void> {
  for (const table of ["runs", "readings", "alerts", "activity", "maintenance_locks"] as const)
    await db.updateTable(table).set({ sample: true }).execute();
  // What the robots told was stored hours at a time, which says nothing of when they were there.
  await sql`select presence_from_readings()`.execute(db);
  await sql`analyze runs, readings, robot_presence, alerts, activity, commands, audit, robot_events`.execute(db);
}
