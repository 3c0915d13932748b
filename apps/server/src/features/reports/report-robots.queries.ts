import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import type { ReportScope } from "./report-scope.ts";

/** Alerts of one robot that a report prints. */
const ALERTS_OF_ROBOT = 20;

/** The robots that are at the site when the report is made, by name. */
export async function readReportRobots(viewer: Viewer, db: Executor, scope: ReportScope) {
  const rows = await visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .leftJoin("maintenance_locks as lock", (join) =>
      join.onRef("lock.robot_id", "=", "r.id").on("lock.released_at", "is", null),
    )
    .where("sites.id", "=", scope.siteId)
    .where("r.deleted_at", "is", null)
    .select(["r.id", "r.robot_name as name", "r.serial_number as serialNumber", "r.installation_date as installed"])
    .select(["s.robot_status as status", "s.online", "s.battery", "lock.locked_at", "lock.reason"])
    .select((eb) => [
      eb.fn.coalesce("s.firmware", "r.initial_firmware_version").as("firmware"),
      eb
        .selectFrom("runs")
        .select("runs.ended_at")
        .whereRef("runs.robot_id", "=", "r.id")
        .whereRef("runs.site_id", "=", "r.site_id")
        .whereRef("runs.serial_number", "=", "r.serial_number")
        .where("runs.ended_at", "is not", null)
        .where("runs.began_at", "is not", null)
        .orderBy("runs.at", "desc")
        .limit(1)
        .as("cleaned_at"),
      eb
        .selectFrom("maintenance_locks as l")
        .select(sql<Date[]>`coalesce(array_agg(l.released_at order by l.released_at), '{}')`.as("released"))
        .leftJoin("commands as c", "c.id", "l.command_id")
        .whereRef("l.robot_id", "=", "r.id")
        // Neither at another partner's site nor of the machine that was there before.
        .whereRef("l.site_id", "=", "r.site_id")
        .where((of) => of.or([of("c.id", "is", null), of("c.serial_number", "=", of.ref("r.serial_number"))]))
        .where("l.released_at", "is not", null)
        .as("released"),
      eb
        .selectFrom(
          eb
            .selectFrom("alerts as a")
            .select(["a.severity", "a.text", "a.raised_at"])
            .whereRef("a.robot_id", "=", "r.id")
            .where("a.cleared_at", "is", null)
            .orderBy(sql`case a.severity when 'CRITICAL' then 0 when 'WARNING' then 1 else 2 end`)
            .orderBy("a.raised_at", "desc")
            .limit(ALERTS_OF_ROBOT)
            .as("open"),
        )
        .select(
          sql<
            { severity: Severity; text: string }[]
          >`coalesce(json_agg(json_build_object('severity', open.severity, 'text', open.text)), '[]')`.as("alerts"),
        )
        .as("alerts"),
    ])
    .orderBy("r.robot_name")
    .orderBy("r.id")
    .execute();
  return rows.map((row) => ({ ...row, released: row.released ?? [], alerts: row.alerts ?? [] }));
}

export type ReportRobotRow = Awaited<ReturnType<typeof readReportRobots>>[number];
