import { createContactPoint, updateContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import { messageLink, unsubscribeByLink } from "@suncrew/contract/notifications/deliveries.ts";
import { updateReportSettings } from "@suncrew/contract/report-templates/report-templates.ts";
import { updateMailServer } from "@suncrew/contract/reports/mail-server.ts";
import {
  makeMonthlyReport,
  monthlyReportMail,
  monthlyReportPreview,
  monthlyReports,
  sendMonthlyReport,
} from "@suncrew/contract/reports/reports.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMonthlyReports, monthlyReportId } from "../../../test/monthly-report-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import { attachmentOf, SmtpSink } from "../../demo/smtp-sink.ts";
import { MailOutbox } from "../../platform/mail-outbox.ts";
import { storedMailer } from "../mail-server/public.ts";
import { MonthlyReports, reportMails } from "./monthly-reports.ts";
import { reportDeliveryMails } from "./report-deliveries.ts";

let server: TestApp;
let sink: SmtpSink;
let siteId: number;
let reportId: number;
beforeEach(async () => {
  [server, sink] = await Promise.all([createTestApp(), SmtpSink.open()]);
  await addMonthlyReports(server.db, server.fixtures);
  siteId = server.fixtures.ownRobot.siteId;
  reportId = monthlyReportId(siteId);
  const figures = JSON.stringify({ runs: 36, runs_done: 34, minutes_cleaned: 750, reachable_percent: 98.43 });
  await server.db.updateTable("kept_reports").set({ figures }).where("id", "=", reportId).execute();
});
afterEach(async () => {
  await server.close();
  await sink.close();
});

const contact = (name: string, address: string, language: "en" | "de" | "hi" = "en") => ({
  name,
  channel: "EMAIL" as const,
  address,
  timezone: "Asia/Kolkata",
  quiet_from: null,
  quiet_to: null,
  days_off: [],
  critical_pierces: true,
  enabled: true,
  language,
  gets_reports: true,
});

async function addContact(...[name, address, language]: Parameters<typeof contact>): Promise<number> {
  const owner = await server.as("owner");
  const { contactPointId } = await owner.ask(createContactPoint, {
    body: { owner: { kind: "SITE", id: siteId, role: "OWNER" }, ...contact(name, address, language) },
  });
  return contactPointId;
}

async function setUpMail(): Promise<void> {
  const admin = await server.as("admin");
  await admin.ask(updateMailServer, {
    body: {
      host: "127.0.0.1",
      port: sink.port,
      encryption: "NONE",
      user: null,
      from_name: "Suncrew",
      from_address: "reports@sun.example",
    },
  });
}

/** As each server does every ten seconds. */
async function sendDue(): Promise<void> {
  const mailer = storedMailer(server.deps);
  await new MailOutbox({ ...server.deps, mailer }, [reportDeliveryMails(server.deps)]).runOnce();
}

describe("monthly reports: sent to the contacts of their site", () => {
  test("by hand each contact gets a mail of its own, in its language, with the figures and a way out", async () => {
    const owner = await server.as("owner");
    await setUpMail();
    await addContact("Sonja Weber", "sonja@owner.example", "de");
    await addContact("Asha Rathore", "asha@owner.example");
    const { message } = await owner.ask(sendMonthlyReport, { params: { reportId }, body: {} });
    expect(message).toBe("The report is on its way to Asha Rathore, Sonja Weber.");
    await sendDue();
    expect(sink.mails.map(({ to }) => to)).toEqual([["asha@owner.example"], ["sonja@owner.example"]]);
    expect(sink.mails.map(({ raw }) => /^List-Unsubscribe:\s*<([^>]*)>/m.exec(raw)?.[1])).toEqual([
      expect.stringContaining("http://suncrew.example/api/notifications/links/one-click?token="),
      expect.stringContaining("http://suncrew.example/api/notifications/links/one-click?token="),
    ]);
    const [english, german] = sink.mails.map((mail) => ({ raw: mail.raw.replaceAll(/=\r\n/g, ""), mail }));
    expect(english?.raw).toContain("Subject: Ownfield Park: report for May 2026");
    expect(english?.raw).toContain("Cleaning runs done: 34 of 36");
    expect(german?.raw).toContain("Bericht_f=C3=BCr_Mai_20");
    expect(german?.raw).toContain("Abgeschlossene Reinigungen: 34 von 36");
    expect(german?.raw).toContain("Reinigungszeit: 12,5 Stunden");
    expect(german && attachmentOf(german.mail).toString()).toBe("%PDF-1.7 Ownfield");
    expect(german?.raw).not.toContain("asha@owner.example");
    const { deliveries } = await owner.ask(monthlyReportMail, { params: { reportId } });
    expect(deliveries).toMatchObject([
      { name: "Sonja Weber", address: "sonja@owner.example", status: "SENT", tries: 1, reason: null, language: "de" },
      { name: "Asha Rathore", address: "asha@owner.example", status: "SENT", sent_by: expect.any(String) },
    ]);
    const { reports } = await owner.ask(monthlyReports);
    expect(reports[0]).toMatchObject({ mail_status: "SENT" });
  });

  test("what the mail server refuses is shown with its reason, tried again, and can be sent again by hand", async () => {
    const owner = await server.as("owner");
    await setUpMail();
    const id = await addContact("Asha Rathore", "asha@owner.example");
    sink.refuses = ["asha@owner.example"];
    await owner.ask(sendMonthlyReport, { params: { reportId }, body: { contact_point_ids: [id] } });
    await sendDue();
    const mail = () => owner.ask(monthlyReportMail, { params: { reportId } });
    expect((await mail()).deliveries).toMatchObject([
      { status: "WAITING", tries: 1, reason: expect.stringContaining("550 5.1.1 nobody has this address") },
    ]);
    await sendDue();
    expect((await mail()).deliveries).toMatchObject([{ tries: 1 }]);
    // The address is corrected: the mail that waits is tried at once, and goes there; it is not sent twice.
    sink.refuses = [];
    await owner.ask(updateContactPoint, {
      params: { contactPointId: id },
      body: contact("Asha Rathore", "asha.rathore@owner.example"),
    });
    await owner.ask(sendMonthlyReport, { params: { reportId }, body: {} });
    const again = await owner.call(sendMonthlyReport, { params: { reportId }, body: {} });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("REPORT_ON_ITS_WAY")]);
    await sendDue();
    expect((await mail()).deliveries).toMatchObject([
      { status: "SENT", tries: 2, address: "asha.rathore@owner.example" },
    ]);
    await owner.ask(sendMonthlyReport, { params: { reportId }, body: {} });
    await sendDue();
    expect([sink.mails.length, (await mail()).deliveries.length]).toEqual([2, 2]);
    expect(new Set(sink.mails.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1])).size).toBe(2);
  });

  test("sent twice at the same moment, each contact gets one mail", async () => {
    const owner = await server.as("owner");
    const admin = await server.as("admin");
    await setUpMail();
    await addContact("Asha Rathore", "asha@owner.example");
    const send = (client: typeof owner) => client.call(sendMonthlyReport, { params: { reportId }, body: {} });
    const presses = await Promise.all([owner, admin, owner].map(send));
    expect(presses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    await sendDue();
    expect(sink.mails).toHaveLength(1);
  });

  test("a mail that a server sends at the moment is left to it by another press", async () => {
    const owner = await server.as("owner");
    await setUpMail();
    await addContact("Asha Rathore", "asha@owner.example");
    await owner.ask(sendMonthlyReport, { params: { reportId }, body: {} });
    const held = Promise.withResolvers<void>();
    sink.holds = held.resolve;
    const sending = sendDue();
    await held.promise;
    const again = await owner.call(sendMonthlyReport, { params: { reportId }, body: {} });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("REPORT_ON_ITS_WAY")]);
    sink.holds = null;
    await sink.close();
    await sending;
    sink = await SmtpSink.open();
  });

  test("a contact that unsubscribes while its mail waits gets none", async () => {
    const owner = await server.as("owner");
    await setUpMail();
    const id = await addContact("Asha Rathore", "asha@owner.example");
    await owner.ask(sendMonthlyReport, { params: { reportId }, body: {} });
    const at = server.deps.clock.now();
    await server.db.updateTable("contact_points").set({ unsubscribed_at: at }).where("id", "=", id).execute();
    await sendDue();
    expect(sink.mails).toEqual([]);
    const { deliveries, recipients } = await owner.ask(monthlyReportMail, { params: { reportId } });
    expect(deliveries).toMatchObject([{ status: "DROPPED", tries: 0, reason: "The contact has unsubscribed." }]);
    expect(recipients).toMatchObject([{ name: "Asha Rathore", state: "UNSUBSCRIBED" }]);
    const refused = await owner.call(sendMonthlyReport, { params: { reportId }, body: { contact_point_ids: [id] } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("REPORT_RECIPIENT_OFF")]);
  });

  test("the link of a mail unsubscribes its contact, and no other", async () => {
    const owner = await server.as("owner");
    await setUpMail();
    await addContact("Asha Rathore", "asha@owner.example");
    await addContact("Sonja Weber", "sonja@owner.example", "de");
    await owner.ask(sendMonthlyReport, { params: { reportId }, body: {} });
    await sendDue();
    const raw = sink.mails[1]?.raw.replaceAll(/=\r\n/g, "") ?? "";
    const token = /^Abbestellen: .*unsubscribe#(\S+)/m.exec(raw)?.[1] ?? "";
    const nobody = await server.as(null);
    expect(await nobody.ask(messageLink, { body: { token } })).toMatchObject({
      action: "UNSUBSCRIBE",
      contact_point_name: "Sonja Weber",
      title: "Monthly report of Ownfield Park",
    });
    await nobody.ask(unsubscribeByLink, { body: { token } });
    await owner.ask(sendMonthlyReport, { params: { reportId }, body: {} });
    await sendDue();
    expect(sink.mails.map(({ to }) => to.join())).toEqual([
      "asha@owner.example",
      "sonja@owner.example",
      "asha@owner.example",
    ]);
  });

  test("a report that was just generated goes to its site's contacts by itself, and not to those of the settings", async () => {
    const { db, deps } = server;
    const march = new Date("2026-03-01T00:00:00Z");
    await setUpMail();
    await addContact("Asha Rathore", "asha@owner.example", "hi");
    const admin = await server.as("admin");
    await admin.ask(updateReportSettings, {
      body: { auto_generate_monthly: true, email_notifications: true, recipients: ["desk@suncrew.example"] },
    });
    await db.updateTable("report_settings").set({ auto_since: march }).execute();
    await db.updateTable("sites").set({ created_at: march }).execute();
    await db.deleteFrom("kept_reports").where("site_id", "=", siteId).execute();
    const figures = { runs: 36, runs_done: 34, minutes_cleaned: 750, reachable_percent: 98.43 };
    const mailer = storedMailer(deps);
    await new MonthlyReports({
      ...deps,
      mailer,
      generate: async () => ({ kind: "made", pdf: Buffer.from("%PDF"), partnerId: null, figures }),
    }).runOnce();
    await new MailOutbox({ ...deps, mailer }, [reportMails, reportDeliveryMails(deps)]).runOnce();
    const mails = sink.mails.filter(({ raw }) => /Ownfield Park/.test(raw));
    expect(mails.map(({ to }) => to)).toEqual([["asha@owner.example"]]);
    // Others have none.
    expect(sink.mails.filter((mail) => !mails.includes(mail)).map(({ to }) => to[0])).toContain("desk@suncrew.example");
    const row = await db.selectFrom("kept_reports").selectAll().where("site_id", "=", siteId).executeTakeFirst();
    expect(row).toMatchObject({ mail_status: "SENT", mailed_to: ["asha@owner.example"], figures });
  });

  test("never to a contact of another site, and another partner neither sees nor sends it", async () => {
    const [owner, stranger] = await Promise.all([server.as("owner"), server.as("stranger")]);
    await setUpMail();
    await addContact("Asha Rathore", "asha@owner.example");
    const { contactPointId } = await stranger.ask(createContactPoint, {
      body: {
        owner: { kind: "SITE", id: server.fixtures.foreignRobot.siteId, role: "OWNER" },
        ...contact("Far Owner", "far@owner.example"),
      },
    });
    const calls = [
      await owner.call(sendMonthlyReport, { params: { reportId }, body: { contact_point_ids: [contactPointId] } }),
      await stranger.call(monthlyReportPreview, { params: { reportId } }),
      await stranger.call(sendMonthlyReport, { params: { reportId }, body: {} }),
      await stranger.call(monthlyReportMail, { params: { reportId } }),
    ];
    expect(calls.map(({ status }) => status)).toEqual([400, 404, 404, 404]);
    await sendDue();
    expect(sink.mails).toEqual([]);
  });

  test("a site without contacts keeps the recipients of the settings, which only a Super Admin sees and sends to", async () => {
    const [owner, admin] = await Promise.all([server.as("owner"), server.as("admin")]);
    await setUpMail();
    await admin.ask(updateReportSettings, { body: { recipients: ["desk@suncrew.example"] } });
    const seen = { has_contacts: false, mail_available: true };
    const params = { reportId };
    expect(await owner.ask(monthlyReportMail, { params })).toMatchObject({ ...seen, recipients: [] });
    expect(await admin.ask(monthlyReportMail, { params })).toMatchObject({
      ...seen,
      recipients: [{ contact_point_id: null, address: "desk@suncrew.example" }],
    });
    const refused = await owner.call(sendMonthlyReport, { params, body: {} });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("REPORT_WITHOUT_RECIPIENTS")]);
    await admin.ask(sendMonthlyReport, { params, body: {} });
    await sendDue();
    expect(sink.mails.map(({ to }) => to)).toEqual([["desk@suncrew.example"]]);
    expect((await owner.ask(monthlyReportMail, { params })).deliveries).toEqual([]);
    expect((await admin.ask(monthlyReportMail, { params })).deliveries).toMatchObject([{ status: "SENT" }]);
  });

  test("without a mail server nothing is queued, and the answer says who can set one up", async () => {
    const owner = await server.as("owner");
    await addContact("Asha Rathore", "asha@owner.example");
    const refused = await owner.call(sendMonthlyReport, { params: { reportId }, body: {} });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("MAIL_NOT_SET_UP")]);
    expect(await server.db.selectFrom("report_deliveries").selectAll().execute()).toEqual([]);
  });

  test("the preview is the mail in the contact's language, and has nothing to load, to run or to sign with", async () => {
    const owner = await server.as("owner");
    await addContact("Asha Rathore", "asha@owner.example", "hi");
    const query = { language: "hi" } as const;
    const preview = await owner.ask(monthlyReportPreview, { params: { reportId }, query });
    expect(preview).toMatchObject({ language: "hi", subject: "Ownfield Park: मई 2026 की रिपोर्ट" });
    expect(preview.text).toContain("पूरी हुई सफ़ाइयाँ: 36 में से 34");
    expect(preview.html).toContain('<html lang="hi">');
    expect(preview.html).toContain("prefers-color-scheme: dark");
    expect(preview.html).not.toMatch(/<script|<img|src=|url\(|#[A-Za-z0-9_-]{20}/);
  });

  test("only email contacts of a site get reports", async () => {
    const owner = await server.as("owner");
    const refused = await owner.call(createContactPoint, {
      body: { owner: { kind: "PERSON" }, ...contact("Mine", "me@care.example") },
    });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("gets_reports")]);
  });
});

describe("monthly reports that somebody has generated", () => {
  /** As a server does for what is due. */
  async function generateDue(kind: "made" | "empty" = "made"): Promise<void> {
    const { deps, fixtures } = server;
    const made = { kind: "made", pdf: Buffer.from("%PDF April"), partnerId: fixtures.ownerPartnerId } as const;
    const generate = async () => (kind === "made" ? made : ({ kind } as const));
    await new MonthlyReports({ ...deps, mailer: storedMailer(deps), generate }).runOnce();
  }
  const april = () => ({ body: { site_id: siteId, month: "2026-04" } });

  test("are kept like the others, and sent to nobody but by hand, also where the site has contacts that get each one", async () => {
    const owner = await server.as("owner");
    await setUpMail();
    await addContact("Asha Rathore", "asha@owner.example");
    const { message, reportId: made } = await owner.ask(makeMonthlyReport, april());
    expect(message).toBe("The report of April 2026 is being generated. It can be sent then.");
    await generateDue();
    await sendDue();
    expect(sink.mails).toEqual([]);
    const { reports } = await owner.ask(monthlyReports);
    const kept = { id: made, month: "2026-04", status: "READY", mail_status: "NONE" };
    expect(reports).toContainEqual(expect.objectContaining(kept));
    await owner.ask(sendMonthlyReport, { params: { reportId: made }, body: {} });
    await sendDue();
    expect(sink.mails.map(({ to }) => to)).toEqual([["asha@owner.example"]]);
    const audits = await server.db
      .selectFrom("audit")
      .select(["action", "entity_id", "after"])
      .where("action", "=", "MAKE_REPORT")
      .orderBy("id")
      .execute();
    expect(audits[0]).toMatchObject({ entity_id: String(made), after: { month: "2026-04", by_hand: true } });
    const again = await owner.call(makeMonthlyReport, april());
    expect(again).toMatchObject({ status: 409, body: { code: "REPORT_KEPT" } });
  });

  test("are generated again where there was nothing to tell or it failed", async () => {
    const owner = await server.as("owner");
    const first = await owner.ask(makeMonthlyReport, april());
    expect(await owner.call(makeMonthlyReport, april())).toMatchObject({ status: 409 });
    await generateDue("empty");
    const second = await owner.ask(makeMonthlyReport, april());
    expect(second.reportId).toBe(first.reportId);
    await generateDue();
    const { reports } = await owner.ask(monthlyReports);
    expect(reports).toContainEqual(expect.objectContaining({ id: first.reportId, status: "READY", reason: null }));
  });

  test("§6: not of a month that is not over, nor of another partner's site", async () => {
    const owner = await server.as("owner");
    const now = { body: { site_id: siteId, month: TEST_NOW.toISOString().slice(0, 7) } };
    expect(await owner.call(makeMonthlyReport, now)).toMatchObject({ status: 400 });
    expect(await owner.call(makeMonthlyReport, { body: { site_id: siteId, month: "2026-13" } })).toMatchObject({
      status: 400,
    });
    expect(await (await server.as("stranger")).call(makeMonthlyReport, april())).toMatchObject({ status: 404 });
    expect(await (await server.as(null)).call(makeMonthlyReport, april())).toMatchObject({ status: 401 });
  });
});
