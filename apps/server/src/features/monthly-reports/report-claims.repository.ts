import { lastMonthOf } from "@suncrew/domain/reports/site-month.ts";
import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";

/** A server that says nothing for so long is given up, and another makes its report. */
export const LEASE_MS = 10 * 60_000;

/** A report that this server makes now. */
export interface ReportClaim {
  readonly reportId: number;
  readonly siteId: number;
  readonly siteName: string;
  readonly siteDeleted: boolean;
  /** 'YYYY-MM-01'. */
  readonly month: string;
  /** Counts the claims of this report: a result counts only while nobody has claimed it after. */
  readonly attempt: number;
}

/**
 * Plans last month's report of every site that was there when the month ended, once, as far as the settings have been
 * on since. What was due while all servers were down is planned too, but no month before the last.
 */
export async function planReports(db: Db, now: Date): Promise<void> {
  const zones = await db.selectFrom("sites").select("timezone").distinct().where("deleted_at", "is", null).execute();
  const months = zones.map(({ timezone }) => ({ timezone, ...lastMonthOf(timezone, now) }));
  await sql`
    insert into kept_reports (site_id, month, partner_id, created_at, try_at)
    select s.id, z.month, s.maintenance_partner_id, ${now}, ${now}
    from sites s
    join unnest(${months.map(({ timezone }) => timezone)}::text[], ${months.map(({ firstDay }) => firstDay)}::date[],
      ${months.map(({ over }) => over)}::timestamptz[]) as z (timezone, month, over_at) on z.timezone = s.timezone
    join report_settings t on t.auto_generate_monthly and t.auto_since <= z.over_at
    where s.deleted_at is null and s.created_at < z.over_at
      -- A conflict alone would use up a number of the identity each time.
      and not exists (select from kept_reports k where k.site_id = s.id and k.month = z.month)
    order by s.id
    on conflict (site_id, month) do nothing`.execute(db);
}

/** Takes the report that is due longest, for this server alone until the lease ends; null where none is due. */
export async function claimReport(db: Db, now: Date): Promise<ReportClaim | null> {
  const leaseEnds = new Date(now.getTime() + LEASE_MS);
  const { rows } = await sql<ReportClaim>`
    update kept_reports k set attempts = k.attempts + 1, try_at = ${leaseEnds}, partner_id = s.maintenance_partner_id
    from sites s
    where s.id = k.site_id and k.id = (
      select id from kept_reports where try_at <= ${now} order by try_at, id limit 1 for update skip locked)
    returning k.id as "reportId", k.site_id as "siteId", s.name as "siteName", s.deleted_at is not null as "siteDeleted",
      k.month::text as month, k.attempts as attempt`.execute(db);
  return rows[0] ?? null;
}

/** Gives a report back that was not made to its end because this server stops: another may begin at once. */
export async function releaseReport(db: Db, { reportId, attempt }: ReportClaim, now: Date): Promise<void> {
  await db
    .updateTable("kept_reports")
    .set({ try_at: now, attempts: attempt - 1 })
    .where("id", "=", reportId)
    .where("attempts", "=", attempt)
    .where("try_at", "is not", null)
    .execute();
}

export interface StoredReport {
  readonly templateName: string | null;
  readonly pdf: Buffer;
  /** The partner that it tells of. */
  readonly partnerId: number | null;
  /** Whether and when it is sent. */
  readonly mail: { readonly status: "NONE" | "PENDING" | "UNCONFIGURED"; readonly at: Date | null };
}

/** Stores what was made; false where another server has claimed it since. */
export async function storeReport(
  tx: Tx,
  { reportId, attempt }: ReportClaim,
  { templateName, pdf, partnerId, mail }: StoredReport,
): Promise<boolean> {
  const stored = await tx
    .updateTable("kept_reports")
    .set({
      status: "READY",
      reason: null,
      template_name: templateName,
      partner_id: partnerId,
      bytes: pdf.length,
      try_at: null,
      mail_status: mail.status,
      mail_try_at: mail.at,
    })
    .where("id", "=", reportId)
    .where("attempts", "=", attempt)
    .where("try_at", "is not", null)
    .returning("id")
    .executeTakeFirst();
  if (stored === undefined) return false;
  await tx.insertInto("kept_report_files").values({ report_id: reportId, pdf }).execute();
  return true;
}

/** Stores why there is no report; `tryAt` null where there will be none. False where another server has claimed it. */
export async function storeNoReport(
  tx: Tx,
  { reportId, attempt }: ReportClaim,
  why: { readonly status: "EMPTY" | "FAILED"; readonly reason: string; readonly tryAt: Date | null },
): Promise<boolean> {
  const stored = await tx
    .updateTable("kept_reports")
    .set({ status: why.status, reason: why.reason, try_at: why.tryAt })
    .where("id", "=", reportId)
    .where("attempts", "=", attempt)
    .where("try_at", "is not", null)
    .returning("id")
    .executeTakeFirst();
  return stored !== undefined;
}
