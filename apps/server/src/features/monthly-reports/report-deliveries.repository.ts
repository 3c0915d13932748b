import { type Insertable, sql } from "kysely";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { MailOutcome } from "../../platform/mail-outbox.ts";
import { inOutbox } from "./monthly-reports.repository.ts";

/** A contact of a site that mail can be sent to. */
export type SiteContact = Awaited<ReturnType<typeof readSiteContacts>>[number];

/** The email contacts of a site, those who get its reports first, by name. */
export async function readSiteContacts(db: Executor, siteId: number) {
  return await db
    .selectFrom("contact_points")
    .select(["id", "name", "address", "site_role", "language", "gets_reports", "enabled", "unsubscribed_at"])
    .where("site_id", "=", siteId)
    .where("channel", "=", "EMAIL")
    .where("deleted_at", "is", null)
    .orderBy("gets_reports", "desc")
    .orderBy(sql`lower(name)`)
    .orderBy("id")
    .execute();
}

export async function insertReportDelivery(tx: Tx, row: Insertable<Tables["report_deliveries"]>): Promise<number> {
  const { id } = await tx.insertInto("report_deliveries").values(row).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** Contacts and addresses that the report is on its way to. Nobody else queues any of it until the transaction ends. */
export async function lockWaiting(tx: Tx, reportId: number) {
  await tx.selectFrom("kept_reports").select("id").where("id", "=", reportId).forNoKeyUpdate().execute();
  return await tx
    .selectFrom("report_deliveries")
    .select(["id", "contact_point_id", "address"])
    .where("report_id", "=", reportId)
    .where("status", "=", "WAITING")
    .execute();
}

/** Has each of these that waits for its next try tried at once. Answers which; the others are due or being sent. */
export async function tryNow(tx: Tx, kind: string, deliveryIds: readonly number[], at: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update outgoing_mails m set due_at = ${at} from report_deliveries d
    where m.kind = ${kind} and m.about_id = d.id and d.id = ${anyInt(deliveryIds)}
      and m.status = 'PENDING' and m.due_at > ${at} and m.attempts = d.tries
    returning d.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** A delivery with its contact as of now; the contact's fields are null for an address of the settings. */
export async function readReportDelivery(db: Executor, deliveryId: number) {
  return await db
    .selectFrom("report_deliveries as d")
    .innerJoin("kept_reports as k", "k.id", "d.report_id")
    .leftJoin("contact_points as c", (join) =>
      join.onRef("c.id", "=", "d.contact_point_id").onRef("c.site_id", "=", "k.site_id").on("c.deleted_at", "is", null),
    )
    .select([
      "d.message_id as messageId",
      "d.report_id as reportId",
      "d.contact_point_id as contactPointId",
      "d.address",
      "d.language",
    ])
    .select(["d.sent_by as sentBy", "c.id as contactId", "c.address as contactAddress"])
    .select(["c.language as contactLanguage", "c.gets_reports as getsReports", "c.enabled", "c.unsubscribed_at"])
    .where("d.id", "=", deliveryId)
    .executeTakeFirstOrThrow();
}

const statusOf = { NONE: "DROPPED", PENDING: "WAITING", SENT: "SENT", FAILED: "FAILED" } as const;

/** Stores what became of a delivery's mail, and what the list says of its report. Answers the report. */
export async function storeDeliveryOutcome(tx: Tx, deliveryId: number, outcome: MailOutcome, at: Date) {
  const [address] = outcome.sentTo;
  const { report_id: reportId } = await tx
    .updateTable("report_deliveries")
    .set({
      status: statusOf[outcome.status],
      ...reasonColumns(outcome.reason),
      // Where it went in the end: the contact's address may have been corrected meanwhile.
      ...(outcome.status === "SENT" && address !== undefined && { address }),
      // A mail that is dropped was not tried.
      ...(outcome.status !== "NONE" && { tries: sql<number>`tries + 1`, tried_at: at }),
    })
    .where("id", "=", deliveryId)
    .returning("report_id")
    .executeTakeFirstOrThrow();
  return { id: reportId, ...(await summarizeDeliveries(tx, reportId)) };
}

/** What the list of reports says: of each address the newest delivery counts. */
export async function summarizeDeliveries(tx: Tx, reportId: number) {
  // One at a time, so that the last of several says what became of all.
  const report = await tx
    .selectFrom("kept_reports")
    .select(["site_id as siteId", "month"])
    .where("id", "=", reportId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const newest = await tx
    .selectFrom("report_deliveries")
    .distinctOn(sql`coalesce(contact_point_id::text, lower(address))`)
    .select(["status", "address", "reason", "reason_code", "reason_params"])
    .where("report_id", "=", reportId)
    .orderBy(sql`coalesce(contact_point_id::text, lower(address))`)
    .orderBy("id", "desc")
    .execute();
  const found = (status: (typeof newest)[number]["status"]) => newest.find((one) => one.status === status);
  const failed = found("FAILED");
  const isWaiting = found("WAITING") !== undefined;
  const sent = newest.filter(({ status }) => status === "SENT").map(({ address }) => address);
  const status = isWaiting ? "PENDING" : failed !== undefined ? "FAILED" : sent.length > 0 ? "SENT" : "NONE";
  const told = newest.find((one) => one.status === "WAITING" && one.reason !== null) ?? failed ?? found("DROPPED");
  const why = status === "SENT" ? undefined : told;
  await tx
    .updateTable("kept_reports")
    .set({
      mail_status: status,
      mail_reason: why?.reason ?? null,
      mail_reason_code: why?.reason_code ?? null,
      mail_reason_params: why?.reason_params ?? null,
      mail_try_at: isWaiting ? inOutbox : null,
      mailed_to: sent,
    })
    .where("id", "=", reportId)
    .execute();
  return report;
}

/** Nobody of a site's contacts can get its report as they are now. */
export async function storeContactsOff(tx: Tx, reportId: number, text: { code: string; text: string }): Promise<void> {
  await tx
    .updateTable("kept_reports")
    .set({ mail_status: "NONE", mail_reason: text.text, mail_reason_code: text.code, mail_reason_params: {} })
    .set({ mail_try_at: null })
    .where("id", "=", reportId)
    .execute();
}
