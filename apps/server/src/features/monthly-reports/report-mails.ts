import { MAX_ATTEMPTS, monthName, retryTime } from "@suncrew/domain/reports/monthly-reports.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { type Mail, type Mailer, MailRefused, type MailResult } from "../../platform/mailer.ts";
import { readSettingsRow } from "../report-templates/public.ts";
import {
  auditReport,
  claimMail,
  type MailClaim,
  type MailOutcome,
  readReportBytes,
  storeMailOutcome,
} from "./monthly-reports.repository.ts";

type ReportMailsDependencies = Pick<Dependencies, "db" | "clock" | "log" | "mailer">;

/**
 * Sends reports that are waiting to be mailed, one at a time. If a server dies after sending a mail and before storing
 * that, the mail is sent again when its lease ends: rather twice, under the same Message-ID, than never.
 */
export class ReportMails {
  readonly #deps: ReportMailsDependencies;
  readonly #stopping: () => AbortSignal;

  constructor(deps: ReportMailsDependencies, stopping: () => AbortSignal) {
    this.#deps = deps;
    this.#stopping = stopping;
  }

  async sendDue(): Promise<void> {
    const { db, clock, mailer } = this.#deps;
    // A server without SMTP leaves mails to the others.
    if (mailer === undefined) return;
    while (!this.#stopping().aborted) {
      const claim = await claimMail(db, clock.now());
      if (claim === null) return;
      await this.#store(claim, await this.#send(claim, mailer));
    }
  }

  async #send(claim: MailClaim, mailer: Mailer): Promise<MailOutcome> {
    const { db, clock, log } = this.#deps;
    const { mailedTo } = claim;
    const none = (reason: string): MailOutcome => ({ status: "NONE", reason, retryAt: null, mailedTo });
    if (claim.siteDeleted) return none("The site was deleted before the report was sent.");
    const settings = await readSettingsRow(db);
    if (!settings.email_notifications)
      return none("E-mail notifications were switched off before the report was sent.");
    const partners = settings.send_to_partners && claim.partnerEmail ? [claim.partnerEmail] : [];
    const recipients = distinct([...settings.recipients, ...partners]);
    if (recipients.length === 0) return none("There are no recipients.");
    const to = recipients.filter((address) => !mailedTo.includes(address));
    if (to.length === 0) return { status: "SENT", reason: null, retryAt: null, mailedTo };
    if (claim.attempt > MAX_ATTEMPTS) {
      const reason = "Every server that tried to send it stopped before it was done.";
      return { status: "FAILED", reason, retryAt: null, mailedTo };
    }
    try {
      const pdf = await readReportBytes(db, claim.id);
      return this.#outcomeOf(claim, await mailer.send(reportMail(claim, to, pdf), this.#stopping()));
    } catch (error) {
      // Another server, or this one after its restart, sends it.
      if (this.#stopping().aborted) return { status: "PENDING", reason: null, retryAt: clock.now(), mailedTo };
      log.warn({ error, reportId: claim.id }, "sending a monthly report failed");
      const unknown = "The mail could not be sent. See the server's log for the reason.";
      return this.#failed(claim, error instanceof MailRefused ? error.message : unknown, mailedTo);
    }
  }

  #outcomeOf(claim: MailClaim, { accepted, rejected }: MailResult): MailOutcome {
    const mailedTo = [...claim.mailedTo, ...accepted];
    if (rejected.length === 0) return { status: "SENT", reason: null, retryAt: null, mailedTo };
    const reasons = rejected.map(({ address, reason }) => `${address}: ${reason}`);
    return this.#failed(claim, `Rejected for ${reasons.join("; ")}`.slice(0, 1_000), mailedTo);
  }

  #failed({ attempt }: MailClaim, reason: string, mailedTo: readonly string[]): MailOutcome {
    const retryAt = retryTime(attempt, this.#deps.clock.now());
    return { status: retryAt === null ? "FAILED" : "PENDING", reason, retryAt, mailedTo };
  }

  async #store(claim: MailClaim, outcome: MailOutcome): Promise<void> {
    const at = this.#deps.clock.now();
    await inTransaction(this.#deps.db, async (tx) => {
      if (!(await storeMailOutcome(tx, claim, outcome))) return;
      const { status, reason, mailedTo } = outcome;
      if (status !== "SENT" && status !== "FAILED") return;
      await auditReport(tx, claim, {
        action: "SEND_REPORT",
        outcome: status === "SENT" ? "DONE" : "FAILED",
        ...(reason && { reason }),
        after: { recipients: mailedTo },
        at,
      });
    });
  }
}

/** Each address once, ignoring case. */
function distinct(addresses: readonly string[]): string[] {
  return addresses.filter(
    (address, nth) => addresses.findIndex((one) => one.toLowerCase() === address.toLowerCase()) === nth,
  );
}

function reportMail(claim: MailClaim, to: readonly string[], pdf: Buffer): Mail {
  const { id, siteName, timezone, month, createdAt } = claim;
  const name = `${siteName} report ${month.slice(0, 7)}.pdf`.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, " ");
  return {
    messageId: `report-${id}-${month}-${createdAt.getTime()}`,
    to,
    subject: `${siteName}: report for ${monthName(month)}`,
    text: [
      `The report of ${siteName} for ${monthName(month)} is attached.`,
      `All times are local to the site (${timezone}).`,
      "",
      "Suncrew generated this report automatically. You are receiving it because your address is in Suncrew's report",
      "settings, or because you maintain the site.",
      "",
    ].join("\n"),
    file: { name, type: "application/pdf", content: pdf },
  };
}
