import { monthWords } from "@suncrew/domain/reports/site-month.ts";
import type { Mail } from "../../platform/mailer.ts";
import type { MailClaim } from "./mail-claims.repository.ts";

/** The mail that a monthly report is sent with. */
export function reportMail(claim: MailClaim, to: readonly string[], pdf: Buffer): Mail {
  const { reportId, siteName, timezone, month, createdAt } = claim;
  const name = `${siteName} report ${month.slice(0, 7)}.pdf`.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, " ");
  return {
    messageId: `report-${reportId}-${month}-${createdAt.getTime()}`,
    to,
    subject: `${siteName}: report of ${monthWords(month)}`,
    text: [
      `The report of ${siteName} for ${monthWords(month)} is attached.`,
      `Its times are local at the site (${timezone}).`,
      "",
      "Suncrew made it by itself. You get it because your address is named in its report settings, or because you",
      "maintain the site.",
      "",
    ].join("\n"),
    file: { name, type: "application/pdf", content: pdf },
  };
}
