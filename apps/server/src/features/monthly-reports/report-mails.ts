import { MAX_ATTEMPTS, retryDelayMs } from "@suncrew/domain/reports/retry-delay.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { type Mailer, MailRefused, type MailResult } from "../../platform/mailer.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { readSettingsRow } from "../report-templates/public.ts";
import { claimMail, type MailClaim, type MailOutcome, readReportBytes, storeMail } from "./mail-claims.repository.ts";
import { recordReport } from "./report-audit.ts";
import { reportMail } from "./report-mail.ts";

/**
 * Sends the reports that wait for it, one at a time. A server that dies between sending and storing leaves the mail to be
 * sent again when its lease ends: rather twice, under the same Message-ID, than never.
 */
export class ReportMails {
  readonly #deps: Pick<Dependencies, "db" | "clock" | "log" | "mailer">;
  readonly #stopping: () => AbortSignal;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "log" | "mailer">, stopping: () => AbortSignal) {
    this.#deps = deps;
    this.#stopping = stopping;
  }

  async sendDue(): Promise<void> {
    const { db, clock, mailer } = this.#deps;
    // One without SMTP leaves it to the others.
    if (mailer === undefined) return;
    while (!this.#stopping().aborted) {
      const claim = await claimMail(db, clock.now());
      if (claim === null) return;
      await this.#store(claim, await this.#send(claim, mailer));
    }
  }

  async #send(claim: MailClaim, mailer: Mailer): Promise<MailOutcome> {
    const { db, log } = this.#deps;
    const { mailedTo } = claim;
    const settled = { reason: null, tryAt: null, mailedTo };
    if (claim.siteDeleted) return { ...settled, status: "NONE", reason: "The site was deleted before it was sent." };
    const settings = await readSettingsRow(db);
    if (!settings.email_notifications) {
      return { ...settled, status: "NONE", reason: "E-mail notifications were switched off before it was sent." };
    }
    const partners = settings.send_to_partners && claim.partnerEmail ? [claim.partnerEmail] : [];
    const wanted = withoutTwice([...settings.recipients, ...partners]);
    const to = wanted.filter((address) => !mailedTo.includes(address));
    if (wanted.length === 0) return { ...settled, status: "NONE", reason: "Nobody is named to get it." };
    if (to.length === 0) return { ...settled, status: "SENT" };
    if (claim.attempt > MAX_ATTEMPTS) {
      return { ...settled, status: "FAILED", reason: "The servers that sent it ended each time." };
    }
    try {
      return this.#outcomeOf(
        claim,
        await mailer.send(reportMail(claim, to, await readReportBytes(db, claim.reportId)), this.#stopping()),
      );
    } catch (error) {
      // Another server, or this one when it is back, sends it.
      if (this.#stopping().aborted) return { ...settled, status: "PENDING", tryAt: this.#deps.clock.now() };
      log.warn({ error, reportId: claim.reportId }, "sending a monthly report failed");
      const reason = error instanceof MailRefused ? error.message : "It could not be sent; the server's log says why.";
      return this.#failed(claim, reason, mailedTo);
    }
  }

  #outcomeOf(claim: MailClaim, { accepted, rejected }: MailResult): MailOutcome {
    const mailedTo = [...claim.mailedTo, ...accepted];
    if (rejected.length === 0) return { status: "SENT", reason: null, tryAt: null, mailedTo };
    const reasons = rejected.map(({ address, reason }) => `${address}: ${reason}`);
    return this.#failed(claim, `Not taken for ${reasons.join("; ")}`.slice(0, 1_000), mailedTo);
  }

  #failed({ attempt }: MailClaim, reason: string, mailedTo: readonly string[]): MailOutcome {
    const pause = retryDelayMs(attempt);
    if (pause === null) return { status: "FAILED", reason, tryAt: null, mailedTo };
    const tryAt = new Date(this.#deps.clock.now().getTime() + pause);
    return { status: "PENDING", reason, tryAt, mailedTo };
  }

  async #store(claim: MailClaim, outcome: MailOutcome): Promise<void> {
    const at = this.#deps.clock.now();
    await inTransaction(this.#deps.db, async (tx) => {
      if (!(await storeMail(tx, claim, outcome))) return;
      const { status, reason, mailedTo } = outcome;
      if (status !== "SENT" && status !== "FAILED") return;
      const done = status === "SENT" ? ("DONE" as const) : ("FAILED" as const);
      const after = { recipients: mailedTo };
      await recordReport(tx, { action: "SEND_REPORT", ...claim, outcome: done, ...(reason && { reason }), after, at });
    });
  }
}

function withoutTwice(addresses: readonly string[]): string[] {
  return addresses.filter(
    (address, nth) => addresses.findIndex((one) => one.toLowerCase() === address.toLowerCase()) === nth,
  );
}
