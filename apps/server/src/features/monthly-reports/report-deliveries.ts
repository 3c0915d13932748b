import { reportFailedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { monthName } from "@suncrew/domain/reports/report-months.ts";
import { retryTime } from "@suncrew/domain/reports/report-retries.ts";
import { reportTexts } from "@suncrew/domain/reports/report-texts.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { type ComposedMail, enqueueMail, type MailKind, type MailOutcome } from "../../platform/mail-outbox.ts";
import { raiseSiteAlert } from "../alerts/public.ts";
import { linksOf } from "../notifications/public.ts";
import { readSettingsRow } from "../report-templates/public.ts";
import { auditReport, readMailedReport, readReportBytes } from "./monthly-reports.repository.ts";
import {
  insertReportDelivery,
  readReportDelivery,
  type SiteContact,
  storeContactsOff,
  storeDeliveryOutcome,
  summarizeDeliveries,
  tryNow,
} from "./report-deliveries.repository.ts";
import { reportMail } from "./report-mail.ts";

const KIND = "REPORT_DELIVERY";

/** Somebody who sends a report by hand. */
interface Sender {
  readonly userId: number;
  readonly name: string;
}

/** Whom a report is sent to. */
export type Addressee = Pick<SiteContact, "name" | "address" | "language"> & {
  /** Null for an address of the report settings. */
  readonly contactPointId: number | null;
};

export const isReachable = ({ enabled, unsubscribed_at }: Pick<SiteContact, "enabled" | "unsubscribed_at">) =>
  enabled && unsubscribed_at === null;

/** Queues one mail for each, in the transaction that makes them due. */
export async function queueDeliveries(
  tx: Tx,
  reportId: number,
  addressees: readonly Addressee[],
  { by, at }: { readonly by: Sender | null; readonly at: Date },
): Promise<void> {
  for (const { contactPointId, name, address, language } of addressees) {
    const id = await insertReportDelivery(tx, {
      report_id: reportId,
      contact_point_id: contactPointId,
      name,
      address,
      language,
      user_id: by?.userId ?? null,
      sent_by: by?.name ?? null,
      created_at: at,
    });
    await enqueueMail(tx, KIND, id, at);
  }
  await summarizeDeliveries(tx, reportId);
}

/** Has what waits for its next try tried at once, such as after its mail server or address was corrected. */
export async function tryDeliveriesNow(tx: Tx, deliveryIds: readonly number[], at: Date): Promise<number[]> {
  return tryNow(tx, KIND, deliveryIds, at);
}

/** Queues the mails of a report that was just generated, to the contacts of its site and to nobody else. */
export async function sendToContacts(
  tx: Tx,
  reportId: number,
  contacts: readonly SiteContact[],
  at: Date,
): Promise<void> {
  const told = contacts.filter((contact) => contact.gets_reports && isReachable(contact));
  if (told.length === 0) return storeContactsOff(tx, reportId, reportTexts.text("CONTACTS_OFF", {}));
  await queueDeliveries(tx, reportId, told.map(addresseeOf), { by: null, at });
}

export function addresseeOf({ id, name, address, language }: SiteContact): Addressee {
  return { contactPointId: id, name, address, language };
}

/**
 * A report to one address. A contact gets it where and in the language that it has at that time, and not at all once it
 * is deleted, paused or unsubscribed.
 */
export function reportDeliveryMails(deps: Pick<Dependencies, "clock" | "settings">): MailKind {
  return {
    kind: KIND,
    what: "a monthly report",
    retryTime,

    async compose(db, deliveryId) {
      const delivery = await readReportDelivery(db, deliveryId);
      const report = await readMailedReport(db, delivery.reportId);
      if (report.siteDeleted) return { none: reportTexts.text("SITE_DELETED", { before: "sent" }) };
      const none = await reasonForNone(db, delivery);
      if (none !== null) return { none };
      const { messageId, contactPointId, contactAddress, contactLanguage } = delivery;
      const address = contactAddress ?? delivery.address;
      const write: ComposedMail["write"] = async (to) => {
        const because = contactPointId === null ? "SETTINGS" : "CONTACT";
        const language = contactLanguage ?? delivery.language;
        const unsubscribeUrl =
          contactPointId === null
            ? null
            : linksOf(deps.settings, messageId, contactPointId, deps.clock.now()).unsubscribeUrl;
        const pdf = await readReportBytes(db, delivery.reportId);
        return reportMail(report, { to, language, because, unsubscribeUrl, messageId }, pdf);
      };
      return { recipients: [address], write };
    },

    async onOutcome(tx, deliveryId, outcome, at) {
      const report = await storeDeliveryOutcome(tx, deliveryId, outcome, at);
      await recordMailOutcome(tx, report, outcome, at);
    },
  };
}

/** Audits what became of a report's mail in the end, and raises an alert if it was given up. */
export async function recordMailOutcome(
  tx: Tx,
  report: { readonly id: number; readonly siteId: number; readonly month: string },
  { status, reason, sentTo }: MailOutcome,
  at: Date,
): Promise<void> {
  if (status !== "SENT" && status !== "FAILED") return;
  const outcome = status === "SENT" ? "DONE" : "FAILED";
  const why = reason && { reason: reason.text };
  await auditReport(tx, report, { action: "SEND_REPORT", outcome, ...why, after: { recipients: sentTo }, at });
  if (status === "SENT") return;
  // The reason may name addresses, which are no business of everybody who sees the site.
  const told = "The list of monthly reports says why.";
  const failed = { what: "MAIL", month: monthName(report.month), reason: told } as const;
  await raiseSiteAlert(tx, report.siteId, reportFailedAlert(failed), at);
}

async function reasonForNone(db: Db, delivery: Awaited<ReturnType<typeof readReportDelivery>>) {
  const { sentBy, contactPointId, contactId, getsReports, enabled, unsubscribed_at } = delivery;
  if (sentBy === null && !(await readSettingsRow(db)).email_notifications) {
    return reportTexts.text("NOTIFICATIONS_OFF", {});
  }
  if (contactPointId === null) return null;
  // By hand it is also sent to contacts that do not get each one.
  if (contactId === null || (sentBy === null && getsReports !== true)) return reportTexts.text("CONTACT_REMOVED", {});
  if (unsubscribed_at !== null) return reportTexts.text("CONTACT_UNSUBSCRIBED", {});
  return enabled === true ? null : reportTexts.text("CONTACT_PAUSED", {});
}
