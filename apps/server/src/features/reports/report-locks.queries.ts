import { type RawBuilder, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import { type Newest, REPORT_LIST_ROWS, type ReportLock } from "./report-data.ts";
import { type ReportScope, reportTime } from "./report-scope.ts";

export interface ReportLocks {
  readonly locks: Newest<ReportLock>;
  readonly set: number;
  readonly released: number;
  readonly sample: boolean;
}

/** The maintenance locks that stood at any time of the range, and how many were set and released in it. */
export async function readReportLocks(viewer: Viewer, db: Executor, scope: ReportScope): Promise<ReportLocks> {
  const { from, until, now, timezone } = scope;
  const query = visibleSites(viewer, db)
    .innerJoin("maintenance_locks as l", "l.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("l.locked_at", "<", until)
    .where((eb) => eb.or([eb("l.released_at", "is", null), eb("l.released_at", ">=", from)]));
  const { total, set, released, sample } = await query
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .select(sql<number>`count(*) filter (where l.locked_at >= ${from})`.as("set"))
    .select(sql<number>`count(*) filter (where l.released_at < ${until})`.as("released"))
    .select(sql<boolean>`coalesce(bool_or(l.sample), false)`.as("sample"))
    .executeTakeFirstOrThrow();
  const rows = await query
    .select(["l.reason", "l.locked_at", "l.locked_by", "l.released_at", "l.released_by"])
    .select(nameThen("robot_name").as("robot_name"))
    .select(nameThen("serial_number").as("serial_number"))
    .orderBy("l.locked_at", "desc")
    .orderBy("l.id", "desc")
    .limit(REPORT_LIST_ROWS)
    .execute();
  const locks = rows.map((row): ReportLock => ({
    robotName: row.robot_name ?? "Former robot",
    serialNumber: row.serial_number ?? "",
    reason: row.reason,
    setAt: reportTime(row.locked_at, timezone),
    setBy: row.locked_by,
    releasedAt: row.released_at === null ? null : reportTime(row.released_at, timezone),
    releasedBy: row.released_by,
    minutes: ((row.released_at ?? now).getTime() - row.locked_at.getTime()) / 60_000,
    setInRange: row.locked_at >= from,
    releasedInRange: row.released_at !== null && row.released_at < until,
  }));
  return { locks: { rows: locks, rest: total - rows.length }, set, released, sample };
}

/**
 * What a robot was called at the site of its lock: its name of now where it is still there, else that of its last run
 * there. Another partner's words for it stay with that partner.
 */
function nameThen(column: "robot_name" | "serial_number"): RawBuilder<string | null> {
  const name = sql.ref(column);
  return sql`coalesce(
    (select r.${name} from robots r where r.id = l.robot_id and r.site_id = l.site_id),
    (select run.${name} from runs run where run.robot_id = l.robot_id and run.site_id = l.site_id
      order by run.at desc limit 1))`;
}
