import { monthName, retryTime } from "@suncrew/domain/reports/monthly-reports.ts";
import type { Tx } from "../../platform/database/database.ts";
import { enqueueMail, type MailKind } from "../../platform/mail-outbox.ts";
import type { Mail } from "../../platform/mailer.ts";
import { readSettingsRow } from "../report-templates/public.ts";
import {
  adoptReportMails,
  auditReport,
  type MailedReport,
  readMailedReport,
  readReportBytes,
  storeMailOutcome,
} from "./monthly-reports.repository.ts";

const KIND = "MONTHLY_REPORT";

export async function queueReportMail(tx: Tx, reportId: number, at: Date): Promise<void> {
  await enqueueMail(tx, KIND, reportId, at);
}

/** The mail of a monthly report, to the recipients of the settings and, if chosen, the partner that it tells of. */
export const reportMails: MailKind = {
  kind: KIND,
  what: "a monthly report",
  retryTime,
  adopt: (db, now) => adoptReportMails(db, KIND, now),

  async compose(db, reportId) {
    const report = await readMailedReport(db, reportId);
    if (report.siteDeleted) return { none: "The site was deleted before the report was sent." };
    const settings = await readSettingsRow(db);
    if (!settings.email_notifications) {
      return { none: "E-mail notifications were switched off before the report was sent." };
    }
    const partners = settings.send_to_partners && report.partnerEmail ? [report.partnerEmail] : [];
    const recipients = distinct([...settings.recipients, ...partners]);
    if (recipients.length === 0) return { none: "There are no recipients." };
    return { recipients, write: async (to) => reportMail(report, to, await readReportBytes(db, reportId)) };
  },

  async onOutcome(tx, reportId, outcome, at) {
    const siteId = await storeMailOutcome(tx, reportId, outcome);
    const { status, reason, sentTo } = outcome;
    if (status !== "SENT" && status !== "FAILED") return;
    await auditReport(
      tx,
      { id: reportId, siteId },
      {
        action: "SEND_REPORT",
        outcome: status === "SENT" ? "DONE" : "FAILED",
        ...(reason && { reason }),
        after: { recipients: sentTo },
        at,
      },
    );
  },
};

/** Each address once, ignoring case. */
function distinct(addresses: readonly string[]): string[] {
  return addresses.filter(
    (address, nth) => addresses.findIndex((one) => one.toLowerCase() === address.toLowerCase()) === nth,
  );
}

function reportMail(report: MailedReport, to: readonly string[], pdf: Buffer): Mail {
  const { id, siteName, timezone, month, createdAt } = report;
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
