import type { ReportMailFigures } from "@suncrew/contract/reports/reports.ts";
import { lastMonth } from "@suncrew/domain/reports/report-months.ts";
import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { type Claim, LeasedQueue } from "../../platform/database/leased-queue.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import type { MailOutcome } from "../../platform/mail-outbox.ts";
import { type AuditRecord, recordChange, suncrew } from "../audit/public.ts";

/** Reports to generate, in the rows of `kept_reports`. */
const generation = new LeasedQueue("kept_reports", {
  attempts: "attempts",
  dueAt: "try_at",
  isOpen: sql<boolean>`try_at is not null`,
});

export interface ReportClaim extends Claim {
  readonly siteId: number;
  readonly siteName: string;
  readonly siteDeleted: boolean;
  /** 'YYYY-MM-01'. */
  readonly month: string;
  /** Somebody wanted it: nobody is sent it by itself. */
  readonly byHand: boolean;
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

/** Has a month's report generated next, unless there is one or it is being generated: then null. */
export async function orderReport(
  tx: Tx,
  { siteId, firstDay }: { readonly siteId: number; readonly firstDay: string },
  now: Date,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    insert into kept_reports as k (site_id, month, partner_id, created_at, try_at, by_hand)
    select s.id, ${firstDay}::date, s.maintenance_partner_id, ${now}, ${now}, true from sites s where s.id = ${siteId}
    on conflict (site_id, month) do update set status = 'PENDING', reason = null, reason_code = null,
      reason_params = null, attempts = 0, partner_id = excluded.partner_id, try_at = excluded.try_at, by_hand = true
    where k.status in ('EMPTY', 'FAILED')
    returning k.id`.execute(tx);
  return rows[0]?.id ?? null;
}

/**
 * After the database was restored from a backup, in the caller's transaction: neither reports nor mails that were to be
 * made are, because nobody knows whether they were. The next month's are made as usual.
 */
export async function giveUpReports(tx: Tx, reason: CodedText, mailReason: CodedText, now: Date): Promise<void> {
  await tx
    .updateTable("kept_reports")
    .set({ status: "FAILED", ...reasonColumns(reason), try_at: null })
    .where("try_at", "is not", null)
    .execute();
  await tx
    .updateTable("report_deliveries")
    .set({ status: "FAILED", ...reasonColumns(mailReason) })
    .where("status", "=", "WAITING")
    .execute();
  await tx
    .updateTable("kept_reports")
    .set({
      mail_status: "FAILED",
      mail_reason: mailReason.text,
      mail_reason_code: mailReason.code,
      mail_reason_params: mailReason.params,
      mail_try_at: null,
    })
    .where("mail_status", "=", "PENDING")
    .execute();
  await tx.updateTable("report_settings").set({ auto_since: now }).where("auto_since", "<", now).execute();
}

/** Claims the report that has been due longest; null if none is due. */
export async function claimReport(db: Db, now: Date): Promise<ReportClaim | null> {
  const { rows } = await sql<ReportClaim>`
    update kept_reports k set ${generation.claiming("k", now)}, partner_id = s.maintenance_partner_id
    from sites s
    where s.id = k.site_id and k.id = ${generation.nextDue(now)}
    returning k.id, k.site_id as "siteId", s.name as "siteName", s.deleted_at is not null as "siteDeleted",
      k.month::text as month, k.by_hand as "byHand", k.attempts as attempt`.execute(db);
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
  readonly partnerId: number | null;
  readonly figures: ReportMailFigures | null;
  readonly mailStatus: "NONE" | "PENDING" | "UNCONFIGURED";
}

/** Stores a generated report; false if another server has claimed it since. */
export async function storeReport(
  tx: Tx,
  claim: ReportClaim,
  { templateName, pdf, partnerId, figures, mailStatus }: StoredReport,
): Promise<boolean> {
  const stored = await tx
    .updateTable("kept_reports")
    .set({
      status: "READY",
      ...reasonColumns(null),
      template_name: templateName,
      partner_id: partnerId,
      figures: figures === null ? null : JSON.stringify(figures),
      bytes: pdf.length,
      try_at: null,
      mail_status: mailStatus,
      mail_try_at: mailStatus === "PENDING" ? inOutbox : null,
    })
    .where(generation.isHeld(claim))
    .returning("id")
    .executeTakeFirst();
  if (stored === undefined) return false;
  await tx.insertInto("kept_report_files").values({ report_id: claim.id, pdf }).execute();
  return true;
}

/** Stores why there is no report, and never will be without `retryAt`. False if another server has claimed it. */
export async function storeNoReport(
  tx: Tx,
  claim: ReportClaim,
  why: { readonly status: "EMPTY" | "FAILED"; readonly reason: CodedText; readonly retryAt: Date | null },
): Promise<boolean> {
  const stored = await tx
    .updateTable("kept_reports")
    .set({ status: why.status, ...reasonColumns(why.reason), try_at: why.retryAt })
    .where(generation.isHeld(claim))
    .returning("id")
    .executeTakeFirst();
  return stored !== undefined;
}

/**
 * When a server of a version without the outbox would send the mail of a report: never. Such servers run beside newer ones
 * during an upgrade.
 */
export const inOutbox = sql<Date>`'infinity'`;

/** A report as its mail presents it. */
export type MailedReport = Awaited<ReturnType<typeof readMailedReport>>;

export async function readMailedReport(db: Db, reportId: number) {
  return (
    db
      .selectFrom("kept_reports as k")
      .innerJoin("sites as s", "s.id", "k.site_id")
      .leftJoin("partners as p", (join) =>
        join.onRef("p.id", "=", "s.maintenance_partner_id").on("p.deleted_at", "is", null),
      )
      .select(["k.id", "k.site_id as siteId", "s.name as siteName", "s.timezone", "k.month", "k.figures"])
      .select("k.created_at as createdAt")
      .select(sql<boolean>`s.deleted_at is not null`.as("siteDeleted"))
      // None where the site has another partner than when the report was generated.
      .select(sql<string | null>`case when k.partner_id = p.id then p.email end`.as("partnerEmail"))
      .where("k.id", "=", reportId)
      .executeTakeFirstOrThrow()
  );
}

/**
 * Moves mails that servers without the outbox have left in their reports' own columns into it, once nobody sends them. A
 * server that has lost such a mail changes nothing any more: its claim has an older number.
 */
export async function adoptReportMails(db: Db, kind: string, now: Date): Promise<void> {
  await sql`
    with due as (
      select id from kept_reports where mail_status = 'PENDING' and mail_try_at <= ${now} for update skip locked
    ), adopted as (
      update kept_reports k set mail_try_at = ${inOutbox}, mail_attempts = mail_attempts + 1 from due where k.id = due.id
      returning k.id, k.mail_attempts - 1 as attempts, k.mailed_to
    )
    insert into outgoing_mails (kind, about_id, created_at, due_at, attempts, sent_to)
    select ${kind}, id, ${now}, ${now}, attempts, mailed_to from adopted
    on conflict (kind, about_id) do update set status = 'PENDING', due_at = excluded.due_at`.execute(db);
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

/** What the list of reports says of a report's mail. Answers the report's site and month. */
export async function storeMailOutcome(tx: Tx, reportId: number, outcome: MailOutcome) {
  const { site_id, month } = await tx
    .updateTable("kept_reports")
    .set({
      mail_status: outcome.status,
      mail_reason: outcome.reason?.text ?? null,
      mail_reason_code: outcome.reason?.code ?? null,
      mail_reason_params: outcome.reason?.params ?? null,
      mail_try_at: outcome.status === "PENDING" ? inOutbox : null,
      mailed_to: [...outcome.sentTo],
    })
    .where("id", "=", reportId)
    .returning(["site_id", "month"])
    .executeTakeFirstOrThrow();
  return { siteId: site_id, month };
}

/** Audits the final outcome of generating or sending a monthly report. */
export async function auditReport(
  tx: Tx,
  { id, siteId }: Pick<ReportClaim, "id" | "siteId">,
  outcome: Pick<AuditRecord, "action" | "outcome" | "reason" | "after" | "at">,
): Promise<void> {
  await recordChange(tx, { ...outcome, actor: suncrew, entity: "kept_report", entityId: id, siteId });
}
