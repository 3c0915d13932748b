import type { MailLanguage } from "@suncrew/contract/notifications/contact-points.ts";
import { reportMailFiguresSchema } from "@suncrew/contract/reports/reports.ts";
import {
  reportMailAsText,
  type ReportMailContent,
  type ReportMailText,
  reportMailText,
} from "@suncrew/domain/reports/report-mail-words.ts";
import type { Mail } from "../../platform/mailer.ts";
import { mailHeaders, mailPage } from "../notifications/public.ts";
import { distinctAddresses, type SettingsRow } from "../report-templates/public.ts";
import type { MailedReport } from "./monthly-reports.repository.ts";

export interface MailAddressee {
  readonly to: readonly string[];
  readonly language: MailLanguage;
  /** Why they get it. */
  readonly because: ReportMailContent["because"];
  /** A contact can unsubscribe. */
  readonly unsubscribeUrl?: string | null;
  /** Of a mail to one address; the one to the recipients of the settings is named after its report. */
  readonly messageId?: string;
}

/** What the mail of a report says, without its file. */
export function writeReportMail(
  report: MailedReport,
  { language, because, unsubscribeUrl = null }: Omit<MailAddressee, "to">,
): Pick<Mail, "subject" | "text"> & { readonly html: string; readonly fileName: string } {
  const { siteName, timezone, month } = report;
  const figures = reportMailFiguresSchema.safeParse(report.figures).data ?? null;
  const text = reportMailText(language, { siteName, timezone, month, figures, because });
  return {
    subject: text.subject,
    text: reportMailAsText(text, unsubscribeUrl),
    html: reportMailHtml(text, unsubscribeUrl),
    fileName: `${siteName} report ${month.slice(0, 7)}.pdf`.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, " "),
  };
}

/** The mail with the report attached. */
export function reportMail(report: MailedReport, addressee: MailAddressee, pdf: Buffer): Mail {
  const { to, unsubscribeUrl = null } = addressee;
  const { id, month, createdAt } = report;
  const { subject, text, html, fileName } = writeReportMail(report, addressee);
  return {
    messageId: addressee.messageId ?? `report-${id}-${month}-${createdAt.getTime()}`,
    to,
    subject,
    text,
    html,
    file: { name: fileName, type: "application/pdf", content: pdf },
    headers: mailHeaders(unsubscribeUrl),
  };
}

function reportMailHtml(text: ReportMailText, unsubscribeUrl: string | null): string {
  const { language, subject, greeting, paragraphs, facts, footer, unsubscribe } = text;
  return mailPage({
    language,
    title: subject,
    paragraphs: [greeting, ...paragraphs],
    facts,
    footer,
    unsubscribe: unsubscribeUrl === null ? null : { url: unsubscribeUrl, label: unsubscribe },
  });
}

/** Who gets the reports of sites without contacts of their own: the settings' list and, if chosen, the partner. */
export function settingsRecipients(
  { recipients, send_to_partners }: Pick<SettingsRow, "recipients" | "send_to_partners">,
  { partnerEmail }: Pick<MailedReport, "partnerEmail">,
): string[] {
  return distinctAddresses([...recipients, ...(send_to_partners && partnerEmail ? [partnerEmail] : [])]);
}
