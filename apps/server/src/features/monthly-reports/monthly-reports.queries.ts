import type { QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { MONTHLY_REPORTS_DEFAULT_LIMIT, type monthlyReports } from "@suncrew/contract/reports/reports.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSite, visibleSites } from "../sites/public.ts";

/** Monthly reports visible to the viewer, newest first. Throws 404 for a site that is not the viewer's. */
export async function readMonthlyReports(
  viewer: Viewer,
  db: Executor,
  { site_id: siteId, limit = MONTHLY_REPORTS_DEFAULT_LIMIT, cursor }: QueryOf<typeof monthlyReports>,
): Promise<ResponseOf<typeof monthlyReports>> {
  if (siteId !== undefined) await requireSite(viewer, db, siteId);
  const rows = await visibleReports(viewer, db)
    .select(["k.id", "k.site_id", "sites.name as site_name", "k.template_name", "k.status", "k.reason", "k.bytes"])
    .select(["k.created_at", "k.mail_status", "k.mail_reason", sql<string>`to_char(k.month, 'YYYY-MM')`.as("month")])
    .$if(siteId !== undefined, (query) => query.where("sites.id", "=", siteId ?? 0))
    .$if(cursor !== undefined, (query) => query.where("k.id", "<", sql<number>`${cursor}::bigint`))
    .orderBy("k.id", "desc")
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  return {
    reports: page.map((row) => ({
      ...row,
      created_at: row.created_at.toISOString(),
      // It may contain addresses of people unrelated to the partner.
      mail_reason: viewer.role === "SUPER_ADMIN" ? row.mail_reason : null,
    })),
    next_cursor: rows.length > limit ? String(page.at(-1)?.id ?? "") : null,
  };
}

/** A partner sees only those made while the site was its own: earlier ones name the former partner. */
function visibleReports(viewer: Viewer, db: Executor) {
  const reports = visibleSites(viewer, db).innerJoin("kept_reports as k", "k.site_id", "sites.id");
  return viewer.role === "SUPER_ADMIN" ? reports : reports.where("k.partner_id", "=", viewer.partnerId);
}

/** The PDF of a report of one of the viewer's sites, with its site and month. Throws 404 if there is none. */
export async function readMonthlyReportFile(
  viewer: Viewer,
  db: Executor,
  reportId: number,
): Promise<{ readonly pdf: Buffer; readonly siteId: number; readonly siteName: string; readonly month: string }> {
  const row = await visibleReports(viewer, db)
    .innerJoin("kept_report_files as f", "f.report_id", "k.id")
    .select(["f.pdf", "sites.id as siteId", "sites.name as siteName", sql<string>`k.month::text`.as("month")])
    .where("k.id", "=", reportId)
    .where("k.status", "=", "READY")
    .executeTakeFirst();
  if (row === undefined) throw notFound("Report");
  return row;
}
