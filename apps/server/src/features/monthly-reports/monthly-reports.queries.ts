import type { QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  MONTHLY_REPORTS_DEFAULT_LIMIT,
  type monthlyReports,
  type ReportDelivery,
} from "@suncrew/contract/reports/reports.ts";
import { sql } from "kysely";
import { z } from "zod";
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

/** Throws 404 for a site that is not the viewer's. */
export async function requireReportedSite(viewer: Viewer, db: Executor, siteId: number) {
  const site = await visibleSites(viewer, db)
    .select("sites.timezone")
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (site === undefined) throw notFound("Site");
  return site;
}

/** The site of a generated report of the viewer's. Throws 404 if there is none. */
export async function requireReadyReport(viewer: Viewer, db: Executor, reportId: number): Promise<number> {
  const row = await visibleReports(viewer, db)
    .select("sites.id as siteId")
    .where("k.id", "=", reportId)
    .where("k.status", "=", "READY")
    .executeTakeFirst();
  if (row === undefined) throw notFound("Report");
  return row.siteId;
}

/** What was sent of a report, and to whom; the newest first. */
export async function readReportDeliveries(viewer: Viewer, db: Executor, reportId: number): Promise<ReportDelivery[]> {
  const rows = await visibleReports(viewer, db)
    .innerJoin("report_deliveries as d", "d.report_id", "k.id")
    .select(["d.id", "d.name", "d.address", "d.language", "d.sent_by", "d.created_at", "d.status", "d.reason"])
    .select(["d.tries", "d.tried_at"])
    .where("k.id", "=", reportId)
    // Others may be addresses of people unrelated to the partner.
    .$if(viewer.role !== "SUPER_ADMIN", (query) => query.where("d.contact_point_id", "is not", null))
    .orderBy("d.id", "desc")
    .execute();
  const deliveries = rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    tried_at: row.tried_at?.toISOString() ?? null,
  }));
  return viewer.role === "SUPER_ADMIN"
    ? [...deliveries, ...(await readSettingsMail(viewer, db, reportId))]
    : deliveries;
}

/** The one mail to all recipients of the settings, as it reads for each of them. */
async function readSettingsMail(viewer: Viewer, db: Executor, reportId: number): Promise<ReportDelivery[]> {
  const mail = await visibleReports(viewer, db)
    .innerJoin("outgoing_mails as m", (join) =>
      join.onRef("m.about_id", "=", "k.id").on("m.kind", "=", "MONTHLY_REPORT"),
    )
    .select(["m.id", "m.status", "m.reason", "m.reason_params", "m.sent_to", "m.created_at", "m.attempts"])
    .where("k.id", "=", reportId)
    .executeTakeFirst();
  if (mail === undefined) return [];
  const { status, reason, attempts, created_at } = mail;
  const common = {
    id: mail.id,
    language: "en",
    sent_by: null,
    created_at: created_at.toISOString(),
    tries: attempts,
    tried_at: null,
  } as const;
  const rejected = rejectedSchema.safeParse(mail.reason_params).data?.rejected ?? [];
  const open = status === "PENDING" ? "WAITING" : status === "NONE" ? "DROPPED" : "FAILED";
  const unsent = rejected.map((each) => ({ ...common, name: each.address, ...each, status: open }) as const);
  const sent = mail.sent_to.map(
    (address) => ({ ...common, name: address, address, status: "SENT", reason: null }) as const,
  );
  if (status === "SENT" || rejected.length > 0) return [...unsent, ...sent];
  return [...sent, { ...common, name: "Recipients of the report settings", address: "", status: open, reason }];
}

/** Of `RECIPIENTS_REJECTED`. */
const rejectedSchema = z.object({ rejected: z.array(z.object({ address: z.string(), reason: z.string() })) });
