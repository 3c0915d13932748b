import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { LEASE_MS } from "./report-claims.repository.ts";

/** A report that this server sends now. */
export interface MailClaim {
  readonly reportId: number;
  readonly siteId: number;
  readonly siteName: string;
  readonly timezone: string;
  /** Null where the site has no partner, or another than when the report was made, or the partner no address. */
  readonly partnerEmail: string | null;
  readonly siteDeleted: boolean;
  /** 'YYYY-MM-01'. */
  readonly month: string;
  readonly createdAt: Date;
  /** Those whose mail was taken by an earlier try. */
  readonly mailedTo: readonly string[];
  /** Counts the claims: a result counts only while nobody has claimed it after. */
  readonly attempt: number;
}

/** Takes the mail that is due longest, for this server alone until the lease ends; null where none is due. */
export async function claimMail(db: Db, now: Date): Promise<MailClaim | null> {
  const leaseEnds = new Date(now.getTime() + LEASE_MS);
  const { rows } = await sql<MailClaim>`
    update kept_reports k set mail_attempts = k.mail_attempts + 1, mail_try_at = ${leaseEnds}
    from sites s left join partners p on p.id = s.maintenance_partner_id and p.deleted_at is null
    where s.id = k.site_id and k.id = (
      select id from kept_reports where mail_status = 'PENDING' and mail_try_at <= ${now}
      order by mail_try_at, id limit 1 for update skip locked)
    returning k.id as "reportId", k.site_id as "siteId", s.name as "siteName", s.timezone,
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
  /** When it is tried again; null but for PENDING. */
  readonly tryAt: Date | null;
  readonly mailedTo: readonly string[];
}

/** Stores what became of a mail; false where another server has claimed it since. */
export async function storeMail(tx: Tx, { reportId, attempt }: MailClaim, outcome: MailOutcome): Promise<boolean> {
  const stored = await tx
    .updateTable("kept_reports")
    .set({
      mail_status: outcome.status,
      mail_reason: outcome.reason,
      mail_try_at: outcome.tryAt,
      mailed_to: [...outcome.mailedTo],
    })
    .where("id", "=", reportId)
    .where("mail_attempts", "=", attempt)
    .where("mail_status", "=", "PENDING")
    .returning("id")
    .executeTakeFirst();
  return stored !== undefined;
}
