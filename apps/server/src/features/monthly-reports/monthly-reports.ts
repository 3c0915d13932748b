import { MAX_ATTEMPTS, retryDelayMs } from "@suncrew/domain/reports/retry-delay.ts";
import { monthRange } from "@suncrew/domain/reports/site-month.ts";
import type { Cancel } from "../../platform/clock.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { PeriodicTask } from "../../platform/periodic-task.ts";
import { readPrintedTemplate, readSettingsRow } from "../report-templates/public.ts";
import type { MadeReport, MakeReport } from "./make-report.ts";
import { recordReport } from "./report-audit.ts";
import {
  claimReport,
  planReports,
  releaseReport,
  type ReportClaim,
  storeNoReport,
  storeReport,
} from "./report-claims.repository.ts";
import { ReportMails } from "./report-mails.ts";

/** Every server looks for what is due this often; the first time one pause after its start, which it must not slow. */
const LOOK_MS = 10_000;
/** Making one report is given up after that; well within the lease, so that no two servers make it. */
const MOST_MS = 5 * 60_000;

export type MonthlyReportsParts = Pick<Dependencies, "db" | "clock" | "log"> &
  Pick<Dependencies, "mailer"> & { readonly makeReport: MakeReport };

/**
 * Makes last month's report of every site from the first day of a month on, in the site's time, on every server at once:
 * PostgreSQL says what is due, its locks and a lease keep each report to one server, one at a time on each. Whatever a
 * server leaves undone by dying, another makes when the lease ends.
 */
export class MonthlyReports implements Service {
  readonly #deps: MonthlyReportsParts;
  readonly #rounds: readonly PeriodicTask[];
  #cancel: Cancel | null = null;
  #stopping = new AbortController();

  constructor(deps: MonthlyReportsParts) {
    this.#deps = deps;
    const mails = new ReportMails(deps, () => this.#stopping.signal);
    this.#rounds = [
      new PeriodicTask(deps.log, () => this.#makeWhatIsDue()),
      new PeriodicTask(deps.log, () => mails.sendDue()),
    ];
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    this.#cancel = this.#deps.clock.every(LOOK_MS, () => {
      for (const rounds of this.#rounds) void rounds.run();
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancel?.();
    for (const rounds of this.#rounds) await rounds.idle();
  }

  /** Makes, then sends, everything that is due; resolves when that is done. */
  async look(): Promise<void> {
    for (const rounds of this.#rounds) await rounds.run();
  }

  async #makeWhatIsDue(): Promise<void> {
    const { db, clock } = this.#deps;
    if ((await readSettingsRow(db)).auto_generate_monthly) await planReports(db, clock.now());
    while (!this.#stopping.signal.aborted) {
      const claim = await claimReport(db, clock.now());
      if (claim === null) return;
      await this.#make(claim);
    }
  }

  async #make(claim: ReportClaim): Promise<void> {
    const { db, clock, log } = this.#deps;
    if (claim.siteDeleted) return this.#fail(claim, "The site was deleted before its report was made.", "for good");
    if (claim.attempt > MAX_ATTEMPTS) return this.#fail(claim, "The servers that made it ended each time.", "for good");
    const { template_id: templateId } = await readSettingsRow(db);
    try {
      const { name, sections } = await readPrintedTemplate(db, templateId);
      const { siteId, siteName, month } = claim;
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(MOST_MS)]);
      const made = await this.#deps.makeReport({ siteId, siteName, ...monthRange(month), sections, signal });
      await this.#keep(claim, name, made);
    } catch (error) {
      if (this.#stopping.signal.aborted) return releaseReport(db, claim, clock.now());
      log.error({ error, reportId: claim.reportId, siteId: claim.siteId }, "making a monthly report failed");
      await this.#fail(claim, "The report could not be made; the server's log says why.");
    }
  }

  async #keep(claim: ReportClaim, templateName: string | null, made: MadeReport): Promise<void> {
    const { db, clock, mailer } = this.#deps;
    const now = clock.now();
    await inTransaction(db, async (tx) => {
      if (made.kind === "empty") {
        await storeNoReport(tx, claim, { status: "EMPTY", reason: made.reason, tryAt: null });
        return;
      }
      const { email_notifications: isSent } = await readSettingsRow(tx);
      const status = !isSent ? "NONE" : mailer === undefined ? "UNCONFIGURED" : "PENDING";
      const mail = { status, at: status === "PENDING" ? now : null } as const;
      if (!(await storeReport(tx, claim, { templateName, pdf: made.pdf, partnerId: made.partnerId, mail }))) return;
      const after = { month: claim.month.slice(0, 7), template: templateName, bytes: made.pdf.length };
      await recordReport(tx, { action: "MAKE_REPORT", ...claim, outcome: "DONE", after, at: now });
    });
  }

  async #fail(claim: ReportClaim, reason: string, until?: "for good"): Promise<void> {
    const now = this.#deps.clock.now();
    const pause = until === undefined ? retryDelayMs(claim.attempt) : null;
    const tryAt = pause === null ? null : new Date(now.getTime() + pause);
    const told = tryAt === null ? reason : `${reason} It is tried again.`;
    await inTransaction(this.#deps.db, async (tx) => {
      if (!(await storeNoReport(tx, claim, { status: "FAILED", reason: told, tryAt })) || tryAt !== null) return;
      await recordReport(tx, { action: "MAKE_REPORT", ...claim, outcome: "FAILED", reason, at: now });
    });
  }
}
