import { lastMonth } from "@suncrew/domain/reports/monthly-reports.ts";
import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { type Claim, LeasedQueue } from "../../platform/database/leased-queue.ts";
import { recordChange, suncrew } from "../audit/public.ts";

/** Two work queues in the rows of `kept_reports`: reports to generate, and generated ones to send. */
const generation = new LeasedQueue("kept_reports", {
  attempts: "attempts",
  dueAt: "try_at",
  isOpen: sql<boolean>`try_at is not null`,
});
const mailing = new LeasedQueue("kept_reports", {
  attempts: "mail_attempts",
  dueAt: "mail_try_at",
  isOpen: sql<boolean>`mail_status = 'PENDING'`,
});

/** A report that this server is generating. */
export interface ReportClaim extends Claim {
  readonly siteId: number;
  readonly siteName: string;
  readonly siteDeleted: boolean;
  /** 'YYYY-MM-01'. */
  readonly month: string;
}

/**
 * Plans last month's report, once, for every site that existed when the month ended, provided that the setting has been
 * on since then. A report that came due while all servers were down is planned too, but never an earlier month's.
 */
export async function planReports(db: Db, now: Date): Promise<void> {
  const zones = await db.selectFrom("sites").select("timezone").distinct().where("deleted_at", "is", null).execute();
  const months = zones.map(({ timezone }) => ({ timezone, ...lastMonth(timezone, now) }));
  await sql`
    insert into kept_reports (site_id, month, partner_id, created_at, try_at)
    select s.id, z.month, s.maintenance_partner_id, ${now}, ${now}
    from sites s
    join unnest(${months.map(({ timezone }) => timezone)}::text[], ${months.map(({ firstDay }) => firstDay)}::date[],
      ${months.map(({ endedAt }) => endedAt)}::timestamptz[]) as z (timezone, month, ended_at) on z.timezone = s.timezone
    join report_settings t on t.auto_generate_monthly and t.auto_since <= z.ended_at
    where s.deleted_at is null and s.created_at < z.ended_at
      -- Each conflict would use up an id.
      and not exists (select from kept_reports k where k.site_id = s.id and k.month = z.month)
    order by s.id
    on conflict (site_id, month) do nothing`.execute(db);
}

/** Claims the report that has been due longest; null if none is due. */
export async function claimReport(db: Db, now: Date): Promise<ReportClaim | null> {
  const { rows } = await sql<ReportClaim>`
    update kept_reports k set ${generation.claiming("k", now)}, partner_id = s.maintenance_partner_id
    from sites s
    where s.id = k.site_id and k.id = ${generation.nextDue(now)}
    returning k.id, k.site_id as "siteId", s.name as "siteName", s.deleted_at is not null as "siteDeleted",
      k.month::text as month, k.attempts as attempt`.execute(db);
  return rows[0] ?? null;
}

/** Releases the claim on an unfinished report because this server stops, so that another can begin immediately. */
export async function releaseReport(db: Db, claim: ReportClaim, now: Date): Promise<void> {
  await db
    .updateTable("kept_reports")
    .set({ try_at: now, attempts: claim.attempt - 1 })
    .where(generation.isHeld(claim))
    .execute();
}

interface StoredReport {
  readonly templateName: string | null;
  readonly pdf: Buffer;
  /** The partner that the report names. */
  readonly partnerId: number | null;
  /** Whether and when it is mailed. */
  readonly mail: { readonly status: "NONE" | "PENDING" | "UNCONFIGURED"; readonly at: Date | null };
}

/** Stores a generated report; false if another server has claimed it since. */
export async function storeReport(
  tx: Tx,
  claim: ReportClaim,
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
    .where(generation.isHeld(claim))
    .returning("id")
    .executeTakeFirst();
  if (stored === undefined) return false;
  await tx.insertInto("kept_report_files").values({ report_id: claim.id, pdf }).execute();
  return true;
}

/**
 * Stores why there is no report; without `retryAt` there will be none. False if another server has claimed it since.
 */
export async function storeNoReport(
  tx: Tx,
  claim: ReportClaim,
  why: { readonly status: "EMPTY" | "FAILED"; readonly reason: string; readonly retryAt: Date | null },
): Promise<boolean> {
  const stored = await tx
    .updateTable("kept_reports")
    .set({ status: why.status, reason: why.reason, try_at: why.retryAt })
    .where(generation.isHeld(claim))
    .returning("id")
    .executeTakeFirst();
  return stored !== undefined;
}

/** A report that this server is mailing. */
export interface MailClaim extends ReportClaim {
  readonly timezone: string;
  /**
   * Null if the site has no partner, or a different one than when the report was generated, or the partner has no
   * address.
   */
  readonly partnerEmail: string | null;
  readonly createdAt: Date;
  /** Recipients that an earlier attempt has reached. */
  readonly mailedTo: readonly string[];
}

/** Claims the mail that has been due longest; null if none is due. */
export async function claimMail(db: Db, now: Date): Promise<MailClaim | null> {
  const { rows } = await sql<MailClaim>`
    update kept_reports k set ${mailing.claiming("k", now)}
    from sites s left join partners p on p.id = s.maintenance_partner_id and p.deleted_at is null
    where s.id = k.site_id and k.id = ${mailing.nextDue(now)}
    returning k.id, k.site_id as "siteId", s.name as "siteName", s.timezone,
      case when k.partner_id = p.id then p.email end as "partnerEmail",
      s.deleted_at is not null as "siteDeleted", k.month::text as month, k.created_at as "createdAt", k.mailed_to as "mailedTo",
      k.mail_attempts as attempt`.execute(db);
  return rows[0] ?? null;
}

/** The PDF of a report that is READY. */
export async function readReportBytes(db: Executor, reportId: number): Promise<Buffer> {
  const { pdf } = await db
    .selectFrom("kept_report_files")
    .select("pdf")
    .where("report_id", "=", reportId)
    .executeTakeFirstOrThrow();
  return pdf;
}

export interface MailOutcome {
  readonly status: "NONE" | "SENT" | "FAILED" | "PENDING";
  readonly reason: string | null;
  /** Null unless PENDING. */
  readonly retryAt: Date | null;
  readonly mailedTo: readonly string[];
}

/** Stores the outcome of sending a mail; false if another server has claimed it since. */
export async function storeMailOutcome(tx: Tx, claim: MailClaim, outcome: MailOutcome): Promise<boolean> {
  const stored = await tx
    .updateTable("kept_reports")
    .set({
      mail_status: outcome.status,
      mail_reason: outcome.reason,
      mail_try_at: outcome.retryAt,
      mailed_to: [...outcome.mailedTo],
    })
    .where(mailing.isHeld(claim))
    .returning("id")
    .executeTakeFirst();
  return stored !== undefined;
}

interface ReportOutcome {
  readonly action: "MAKE_REPORT" | "SEND_REPORT";
  readonly outcome: "DONE" | "FAILED";
  readonly reason?: string;
  readonly after?: Record<string, unknown>;
  readonly at: Date;
}

/** Audits the final outcome of generating or sending a monthly report. */
export async function auditReport(tx: Tx, { id, siteId }: ReportClaim, outcome: ReportOutcome): Promise<void> {
  await recordChange(tx, { ...outcome, actor: suncrew, entity: "kept_report", entityId: id, siteId });
}
