import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

/**
 * Switches the demo's monthly reports on, as of the beginning of its history: the servers make last month's soon after
 * the start. Sites count as being there since their history began, so that it has a report.
 */
export async function switchOnReports(db: Db): Promise<void> {
  await sql`
    update sites s set created_at = h.since
    from (select site_id, min(created_at) as since from activity group by site_id) h
    where h.site_id = s.id and h.since < s.created_at`.execute(db);
  await sql`
    update report_settings set auto_generate_monthly = true, auto_since = h.since
    from (select min(created_at) as since from activity) h
    where h.since is not null and not auto_generate_monthly`.execute(db);
}
