import { details } from "../../../test/details.ts";
import { reportSettings, updateReportSettings } from "@suncrew/contract/report-templates/report-templates.ts";
import { monthlyReportFile, monthlyReports } from "@suncrew/contract/reports/reports.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attachmentOf, SmtpSink } from "../../demo/smtp-sink.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { buildApp } from "../../app.ts";
import { MailOutbox } from "../../platform/mail-outbox.ts";
import { smtpMailer } from "../../platform/mailer.ts";
import { Workers } from "../../platform/workers/workers.ts";
import { recordActivity } from "../activity/public.ts";
import { MonthlyReports, reportGenerator, reportMails } from "./public.ts";

let server: TestApp;
let sink: SmtpSink;
beforeAll(async () => {
  [server, sink] = await Promise.all([createTestApp(), SmtpSink.open()]);
});
afterAll(async () => {
  await server.close();
  await sink.close();
});

test("monthly reports: the PDF of a real month is stored, downloaded and mailed byte for byte; a month without activity has none", async () => {
  const { db, deps, fixtures } = server;
  const mailer = smtpMailer({
    host: "127.0.0.1",
    port: sink.port,
    secure: false,
    requireTls: false,
    user: null,
    password: null,
    from: { name: "Suncrew", address: "reports@sun.example" },
  });
  const { http } = await buildApp({ ...deps, mailer });
  const admin = new TestClient(http, (await server.as("admin")).token);
  await admin.ask(updateReportSettings, {
    body: { auto_generate_monthly: true, email_notifications: true, recipients: ["asha@sun.example"], template_id: 2 },
  });
  expect((await admin.ask(reportSettings)).email_configured).toBe(true);
  await http.close();
  const march = new Date("2026-03-01T00:00:00Z");
  await db.updateTable("report_settings").set({ auto_since: march }).execute();
  await db.updateTable("sites").set({ created_at: march }).execute();
  const { ownRobot } = fixtures;
  await recordActivity(db, {
    at: new Date("2026-05-31T18:29:59Z"),
    robotId: ownRobot.id,
    siteId: ownRobot.siteId,
    commandId: null,
    action: "START",
    actionType: "MANUAL",
    status: "SUCCESS",
    userId: null,
    userName: "Anita Rao",
    details: details("Started."),
    mode: "AUTO",
    params: { direction: "FWD", "main-speed": 75, "brush-speed": 80 },
  });

  await new MonthlyReports({ ...deps, mailer, generate: reportGenerator(deps, new Workers(deps)) }).runOnce();
  await new MailOutbox({ ...deps, mailer }, [reportMails]).runOnce();

  const owner = await server.as("owner");
  const { reports } = await owner.ask(monthlyReports);
  const reason = "No activity logs found between these dates";
  expect(reports.toSorted((one, other) => one.site_id - other.site_id)).toMatchObject([
    { site_id: fixtures.ownSiteId, month: "2026-05", status: "READY", mail_status: "SENT", reason: null },
    { site_id: fixtures.secondSiteId, month: "2026-05", status: "EMPTY", mail_status: "NONE", reason, bytes: null },
  ]);
  const ready = reports.find(({ status }) => status === "READY");
  expect(ready?.template_name).toBe("Performance Only Report");
  const file = await owner.call(monthlyReportFile, { params: { reportId: ready?.id ?? 0 } });
  expect(file.text).toMatch(/^%PDF-1\.\d/);
  const [mail, ...others] = sink.mails;
  expect([mail?.to, others]).toEqual([["asha@sun.example"], []]);
  const attached = mail === undefined ? Buffer.alloc(0) : attachmentOf(mail);
  expect([attached.length, attached.toString("utf8") === file.text]).toEqual([ready?.bytes, true]);
});
