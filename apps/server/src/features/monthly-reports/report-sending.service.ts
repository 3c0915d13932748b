import type { BodyOf, QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type {
  makeMonthlyReport,
  monthlyReportMail,
  monthlyReportPreview,
  ReportRecipient,
  sendMonthlyReport,
} from "@suncrew/contract/reports/reports.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, invalid } from "../../platform/http/http-error.ts";
import { canSendMail } from "../../platform/mailer.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange } from "../audit/public.ts";
import { mailNotSetUp } from "../mail-server/public.ts";
import { readSettingsRow } from "../report-templates/public.ts";
import { lastMonth, monthName } from "@suncrew/domain/reports/report-months.ts";
import { orderReport, readMailedReport } from "./monthly-reports.repository.ts";
import { readReportDeliveries, requireReadyReport, requireReportedSite } from "./monthly-reports.queries.ts";
import { type Addressee, addresseeOf, isReachable, queueDeliveries, tryDeliveriesNow } from "./report-deliveries.ts";
import { readSiteContacts, lockWaiting, type SiteContact } from "./report-deliveries.repository.ts";
import { settingsRecipients, writeReportMail } from "./report-mail.ts";

type ServiceDependencies = Pick<Dependencies, "db" | "clock" | "mailer" | "settings">;

/** Monthly reports that people have generated, look at, send and send again. */
export class ReportSending {
  readonly #deps: ServiceDependencies;

  constructor(deps: ServiceDependencies) {
    this.#deps = deps;
  }

  /** Has it generated, next of all. Throws 404, 400 for a month that is not over at the site, 409 for one that is kept. */
  async make(
    viewer: Viewer,
    { site_id: siteId, month }: BodyOf<typeof makeMonthlyReport>,
  ): Promise<ResponseOf<typeof makeMonthlyReport>> {
    const { db, clock } = this.#deps;
    const at = clock.now();
    const firstDay = `${month}-01`;
    const change = { actor: viewer, action: "MAKE_REPORT", entity: "kept_report", siteId, at };
    return auditedChange(db, change, async (tx, details) => {
      const { timezone } = await requireReportedSite(viewer, tx, siteId);
      if (firstDay > lastMonth(timezone, at).firstDay) throw invalid("month", "The month is not over at the site yet.");
      const reportId = await orderReport(tx, { siteId, firstDay }, at);
      if (reportId === null) throw conflict("REPORT_KEPT", `There is a report of ${monthName(firstDay)} already.`);
      details.entityId = reportId;
      details.after = { month, by_hand: true };
      return { message: `The report of ${monthName(firstDay)} is being generated. It can be sent then.`, reportId };
    });
  }

  /** Throws 404. */
  async mail(viewer: Viewer, reportId: number): Promise<ResponseOf<typeof monthlyReportMail>> {
    const { db, mailer } = this.#deps;
    const siteId = await requireReadyReport(viewer, db, reportId);
    const contacts = await readSiteContacts(db, siteId);
    const hasContacts = contacts.some(({ gets_reports }) => gets_reports);
    const others = hasContacts ? [] : await this.#settingsAddressees(viewer, db, reportId);
    return {
      mail_available: await canSendMail(mailer),
      has_contacts: hasContacts,
      recipients: [...contacts.map(recipientOf), ...others.map(shownAddressee)],
      deliveries: await readReportDeliveries(viewer, db, reportId),
    };
  }

  /** As a contact of its site gets it, or where there is none as the recipients of the settings do. Throws 404. */
  async preview(
    viewer: Viewer,
    reportId: number,
    { language = "en" }: QueryOf<typeof monthlyReportPreview>,
  ): Promise<ResponseOf<typeof monthlyReportPreview>> {
    const { db, settings } = this.#deps;
    const siteId = await requireReadyReport(viewer, db, reportId);
    const because = (await readSiteContacts(db, siteId)).length === 0 ? "SETTINGS" : "CONTACT";
    const base = settings.publicUrl?.() ?? null;
    // Without its token: whoever looks at it could unsubscribe somebody else.
    const unsubscribeUrl = because === "SETTINGS" || base === null ? null : new URL("/unsubscribe", base).href;
    const report = await readMailedReport(db, reportId);
    const { subject, text, html, fileName } = writeReportMail(report, { language, because, unsubscribeUrl });
    return { language, subject, text, html, file_name: fileName };
  }

  /**
   * Queues it at once; what waits for its next try to somebody is not sent there a second time, but tried. Throws 404,
   * 400 for what is no contact of the site that can get it, and 409 where nobody gets the site's reports, where it is on
   * its way to all of them, and without a mail server.
   */
  async send(
    viewer: Viewer,
    reportId: number,
    { contact_point_ids: chosen }: BodyOf<typeof sendMonthlyReport>,
  ): Promise<ResponseOf<typeof sendMonthlyReport>> {
    const { db, clock, mailer } = this.#deps;
    const at = clock.now();
    const canSend = await canSendMail(mailer);
    const change = { actor: viewer, action: "SEND_REPORT", entity: "kept_report", entityId: reportId, at };
    const names = await auditedChange(db, change, async (tx, details) => {
      const siteId = await requireReadyReport(viewer, tx, reportId);
      details.siteId = siteId;
      if (!canSend) throw mailNotSetUp();
      const addressees = await this.#addressees(viewer, tx, { reportId, siteId, chosen });
      const waiting = await lockWaiting(tx, reportId);
      const waitingFor = ({ contactPointId, address }: Addressee) =>
        waiting.find((one) =>
          contactPointId === null ? one.address === address : one.contact_point_id === contactPointId,
        );
      const unsent = addressees.filter((one) => waitingFor(one) === undefined);
      const ids = addressees.flatMap((one) => waitingFor(one)?.id ?? []);
      const hurried = await tryDeliveriesNow(tx, ids, at);
      const sent = addressees.filter((one) => unsent.includes(one) || hurried.includes(waitingFor(one)?.id ?? 0));
      if (sent.length === 0) throw conflict("REPORT_ON_ITS_WAY", "The report is on its way to everybody chosen.");
      details.after = { recipients: sent.map(({ address }) => address), by_hand: true };
      await queueDeliveries(tx, reportId, unsent, { by: viewer, at });
      return sent.map(({ name }) => name);
    });
    return { message: `The report is on its way to ${names.join(", ")}.` };
  }

  async #addressees(
    viewer: Viewer,
    db: Executor,
    { reportId, siteId, chosen }: { reportId: number; siteId: number; chosen: readonly number[] | undefined },
  ): Promise<Addressee[]> {
    const contacts = await readSiteContacts(db, siteId);
    if (chosen !== undefined) {
      const found = contacts.filter((contact) => chosen.includes(contact.id) && isReachable(contact));
      if (found.length === new Set(chosen).size) return found.map(addresseeOf);
      const message = "Choose email contacts of this site that are neither paused nor unsubscribed.";
      throw invalid("contact_point_ids", message, "REPORT_RECIPIENT_OFF");
    }
    const getting = contacts.filter(({ gets_reports }) => gets_reports);
    const addressees =
      getting.length > 0
        ? getting.filter(isReachable).map(addresseeOf)
        : await this.#settingsAddressees(viewer, db, reportId);
    if (addressees.length > 0) return addressees;
    const message = "Nobody gets the reports of this site: add an email contact of the site that does.";
    throw conflict("REPORT_WITHOUT_RECIPIENTS", message);
  }

  /** A partner's users do not learn them: they may be addresses of people unrelated to the partner. */
  async #settingsAddressees(viewer: Viewer, db: Executor, reportId: number): Promise<Addressee[]> {
    if (viewer.role !== "SUPER_ADMIN") return [];
    const addresses = settingsRecipients(await readSettingsRow(db), await readMailedReport(db, reportId));
    return addresses.map((address) => ({ contactPointId: null, name: address, address, language: "en" }));
  }
}

function recipientOf(contact: SiteContact): ReportRecipient {
  const { id, name, address, site_role: role, language, gets_reports } = contact;
  const state = contact.unsubscribed_at !== null ? "UNSUBSCRIBED" : contact.enabled ? "READY" : "PAUSED";
  return { contact_point_id: id, name, address, role, language, gets_reports, state };
}

function shownAddressee({ name, address, language }: Addressee): ReportRecipient {
  return { contact_point_id: null, name, address, role: null, language, gets_reports: true, state: "READY" };
}
