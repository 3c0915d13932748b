import { reportFailedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import type { ReportMailFigures } from "@suncrew/contract/reports/reports.ts";
import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import { MAINTENANCE_INTERVAL_DAYS } from "@suncrew/domain/reports/maintenance-due.ts";
import { monthName, monthRange } from "@suncrew/domain/reports/report-months.ts";
import { MAX_ATTEMPTS, retryTime } from "@suncrew/domain/reports/report-retries.ts";
import { reportTexts } from "@suncrew/domain/reports/report-texts.ts";
import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { mailTexts } from "../../platform/mail-texts.ts";
import type { Readable } from "node:stream";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { enqueueMail, type MailKind } from "../../platform/mail-outbox.ts";
import { canSendMail } from "../../platform/mailer.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Workers, workOwnerOf } from "../../platform/workers/workers.ts";
import { raiseSiteAlert } from "../alerts/public.ts";
import { readPrintedTemplate, readSettingsRow } from "../report-templates/public.ts";
import { reportPdfTask } from "../reports/public.ts";
import {
  adoptReportMails,
  auditReport,
  claimReport,
  planReports,
  readMailedReport,
  readReportBytes,
  releaseReport,
  type ReportClaim,
  storeMailOutcome,
  storeNoReport,
  storeReport,
} from "./monthly-reports.repository.ts";
import { recordMailOutcome, sendToContacts } from "./report-deliveries.ts";
import { readSiteContacts } from "./report-deliveries.repository.ts";
import { reportMail, settingsRecipients } from "./report-mail.ts";

/** The monthly report of a site, to be generated with these sections. */
export interface ReportOrder {
  readonly siteId: number;
  readonly siteName: string;
  /** 'YYYY-MM-DD HH:MM:SS', local time at the site. */
  readonly from: string;
  /** This second is part of the range. */
  readonly to: string;
  readonly sections: readonly PrintedSection[];
  readonly signal: AbortSignal;
}

export type GeneratedReport =
  /** `partnerId` is the partner that had the site and is named in the report. */
  | {
      readonly kind: "made";
      readonly pdf: Buffer;
      readonly partnerId: number | null;
      /** What its mail tells of the month. */
      readonly figures?: ReportMailFigures;
    }
  /** The range has no activity. */
  | { readonly kind: "empty" };

/** Rejects if that fails, to be retried. */
type GenerateReport = (order: ReportOrder) => Promise<GeneratedReport>;

/** The first check comes one interval after the start, so as not to slow that down. */
const CHECK_INTERVAL_MS = 10_000;
/** Well within the lease, so that no two servers generate the same report. */
const GENERATION_TIMEOUT_MS = 5 * 60_000;

type MonthlyReportsDependencies = Pick<Dependencies, "db" | "clock" | "log" | "mailer"> & {
  readonly generate: GenerateReport;
};

/**
 * Generates last month's report of every site from the first day of a month, in the site's time zone, and queues its
 * mail. All servers do so at once, one report at a time each: PostgreSQL knows what is due, and a lease keeps each
 * report to one server. What a server leaves unfinished by dying, another one generates when the lease ends.
 */
export class MonthlyReports extends PeriodicTasks {
  readonly #deps: MonthlyReportsDependencies;

  constructor(deps: MonthlyReportsDependencies) {
    const work = (stopping: AbortSignal) => this.#generateDue(stopping);
    super(deps, [{ name: "monthly reports", everyMs: CHECK_INTERVAL_MS, work }]);
    this.#deps = deps;
  }

  async #generateDue(stopping: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    if ((await readSettingsRow(db)).auto_generate_monthly) await planReports(db, clock.now());
    while (!stopping.aborted) {
      const claim = await claimReport(db, clock.now());
      if (claim === null) return;
      await this.#generate(claim, stopping);
    }
  }

  async #generate(claim: ReportClaim, stopping: AbortSignal): Promise<void> {
    const { db, clock, log } = this.#deps;
    if (claim.siteDeleted) return this.#fail(claim, reportTexts.text("SITE_DELETED", { before: "generated" }), null);
    if (claim.attempt > MAX_ATTEMPTS) {
      return this.#fail(claim, reportTexts.text("REPORT_SERVERS_STOPPED", {}), null);
    }
    const { template_id: templateId } = await readSettingsRow(db);
    try {
      const { name, sections } = await readPrintedTemplate(db, templateId);
      const { siteId, siteName, month } = claim;
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(GENERATION_TIMEOUT_MS)]);
      const report = await this.#deps.generate({ siteId, siteName, ...monthRange(month), sections, signal });
      await this.#store(claim, name, report);
    } catch (error) {
      if (stopping.aborted) return releaseReport(db, claim, clock.now());
      log.error({ error, reportId: claim.id, siteId: claim.siteId }, "failed to generate a monthly report");
      const retryAt = retryTime(claim.attempt, clock.now());
      await this.#fail(claim, reportTexts.text("REPORT_FAILED", { retried: retryAt !== null }), retryAt);
    }
  }

  async #store(claim: ReportClaim, templateName: string | null, report: GeneratedReport): Promise<void> {
    const { db, clock, mailer } = this.#deps;
    const now = clock.now();
    const canSend = await canSendMail(mailer);
    await inTransaction(db, async (tx) => {
      if (report.kind === "empty") {
        await storeNoReport(tx, claim, { status: "EMPTY", reason: reportTexts.text("NO_ACTIVITY", {}), retryAt: null });
        return;
      }
      const { email_notifications: isSent } = await readSettingsRow(tx);
      const contacts = await readSiteContacts(tx, claim.siteId);
      const status = !isSent || claim.byHand ? "NONE" : canSend ? "PENDING" : "UNCONFIGURED";
      const { pdf, partnerId, figures = null } = report;
      if (!(await storeReport(tx, claim, { templateName, pdf, partnerId, figures, mailStatus: status }))) return;
      if (status === "PENDING") {
        // Where a site has contacts of its own, nobody else gets its reports.
        if (contacts.some(({ gets_reports }) => gets_reports)) await sendToContacts(tx, claim.id, contacts, now);
        else await enqueueMail(tx, KIND, claim.id, now);
      }
      const after = { month: claim.month.slice(0, 7), template: templateName, bytes: pdf.length };
      await auditReport(tx, claim, { action: "MAKE_REPORT", outcome: "DONE", after, at: now });
    });
  }

  async #fail(claim: ReportClaim, reason: CodedText, retryAt: Date | null): Promise<void> {
    await inTransaction(this.#deps.db, async (tx) => {
      const isStored = await storeNoReport(tx, claim, { status: "FAILED", reason, retryAt });
      if (!isStored || retryAt !== null) return;
      const at = this.#deps.clock.now();
      await auditReport(tx, claim, { action: "MAKE_REPORT", outcome: "FAILED", reason: reason.text, at });
      // A deleted site has no alerts.
      if (claim.siteDeleted) return;
      const failed = { what: "REPORT", month: monthName(claim.month), reason: reason.text } as const;
      await raiseSiteAlert(tx, claim.siteId, reportFailedAlert(failed), at);
    });
  }
}

/** Monthly reports are generated by the server itself, for every site. */
const suncrew: Viewer = {
  userId: 0,
  name: "Suncrew",
  email: "",
  role: "SUPER_ADMIN",
  partnerId: null,
  sessionId: "",
};

/** The largest report that is stored; one of 2,000 rows is less than a tenth of it. */
const MAX_REPORT_BYTES = 24 * 1_024 * 1_024;

/** Generates the same report that a person gets for the same range. */
export function reportGenerator(
  { clock, settings }: Pick<Dependencies, "clock" | "settings">,
  workers: Workers,
): GenerateReport {
  const maintenanceIntervalDays = settings.maintenanceIntervalDays ?? MAINTENANCE_INTERVAL_DAYS;
  return async ({ siteId, from, to, sections, signal }) => {
    try {
      const request = {
        viewer: suncrew,
        request: { siteId, from, to },
        now: clock.now(),
        maintenanceIntervalDays,
        templateId: null,
        sections,
      };
      const { value, bytes } = await workers.make(reportPdfTask, request, { owner: workOwnerOf(suncrew), signal });
      const { partnerId, figures } = value;
      return { kind: "made", pdf: await readAll(bytes, signal), partnerId, figures };
    } catch (error) {
      // §8: a range without activity has no report.
      if (error instanceof HttpError && error.code === "NO_ACTIVITY") return { kind: "empty" };
      throw error;
    }
  };
}

async function readAll(stream: Readable, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    signal.throwIfAborted();
    if (!Buffer.isBuffer(chunk)) throw new TypeError("a report that is not written in bytes");
    bytes += chunk.length;
    if (bytes > MAX_REPORT_BYTES) throw new RangeError(`a report larger than ${MAX_REPORT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const KIND = "MONTHLY_REPORT";

/** The mail of a monthly report, to the recipients of the settings and, if chosen, the partner that it tells of. */
export const reportMails: MailKind = {
  kind: KIND,
  what: "a monthly report",
  retryTime,
  adopt: (db, now) => adoptReportMails(db, KIND, now),

  async compose(db, reportId) {
    const report = await readMailedReport(db, reportId);
    if (report.siteDeleted) return { none: reportTexts.text("SITE_DELETED", { before: "sent" }) };
    const settings = await readSettingsRow(db);
    if (!settings.email_notifications) return { none: reportTexts.text("NOTIFICATIONS_OFF", {}) };
    const recipients = settingsRecipients(settings, report);
    if (recipients.length === 0) return { none: mailTexts.text("NO_RECIPIENTS", {}) };
    return {
      recipients,
      write: async (to) =>
        reportMail(report, { to, language: "en", because: "SETTINGS" }, await readReportBytes(db, reportId)),
    };
  },

  async onOutcome(tx, reportId, outcome, at) {
    const { siteId, month } = await storeMailOutcome(tx, reportId, outcome);
    await recordMailOutcome(tx, { id: reportId, siteId, month }, outcome, at);
  },
};
