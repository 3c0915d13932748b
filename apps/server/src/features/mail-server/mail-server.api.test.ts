import { reportSettings } from "@suncrew/contract/report-templates/report-templates.ts";
import {
  deleteMailServer,
  mailServer,
  testMailServer,
  updateMailServer,
} from "@suncrew/contract/reports/mail-server.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { buildApp } from "../../app.ts";
import { SmtpSink } from "../../demo/smtp-sink.ts";
import { type ShownMailServer, smtpMailer } from "../../platform/mailer.ts";

const HUSH = "hush-hush-7";

let server: TestApp;
let sink: SmtpSink;
beforeEach(async () => {
  [server, sink] = await Promise.all([createTestApp(), SmtpSink.open()]);
});
afterEach(async () => {
  await server.close();
  await sink.close();
});

const own = () => ({
  host: "127.0.0.1",
  port: sink.port,
  encryption: "NONE" as const,
  user: null,
  from_name: "Suncrew",
  from_address: "reports@sun.example",
});
const elsewhere = { host: "smtp.example.org", port: 587, encryption: "STARTTLS" as const, user: "reports" };
const sender = { from_name: "Suncrew", from_address: "reports@sun.example" };

describe("the mail server in the console", () => {
  test("counts at once, and a test tells what it answers: taken, refused, unreachable", async () => {
    const admin = await server.as("admin");
    const body = { to: "desk@suncrew.example" };
    expect(await admin.ask(mailServer)).toEqual({ source: "NONE", server: null, changed: null });
    const without = await admin.call(testMailServer, { body });
    expect([without.status, without.text]).toEqual([409, expect.stringContaining("MAIL_NOT_SET_UP")]);
    await admin.ask(updateMailServer, { body: own() });
    expect((await admin.ask(reportSettings)).email_configured).toBe(true);
    const taken = await admin.ask(testMailServer, { body });
    expect(taken).toEqual({ delivered: true, message: expect.stringMatching(/took the mail to desk@.*: 250 /) });
    expect(sink.mails.map(({ to }) => to)).toEqual([["desk@suncrew.example"]]);
    expect(sink.mails[0]?.raw).toContain("text/html");
    sink.refuses = ["desk@suncrew.example"];
    expect(await admin.ask(testMailServer, { body })).toEqual({
      delivered: false,
      message: expect.stringContaining("550 5.1.1 nobody has this address"),
    });
    await sink.close();
    expect(await admin.ask(testMailServer, { body })).toEqual({
      delivered: false,
      message: "The mail server could not be reached (ECONNREFUSED).",
    });
    sink = await SmtpSink.open();
    await admin.ask(deleteMailServer);
    expect((await admin.ask(reportSettings)).email_configured).toBe(false);
    const actions = await server.db.selectFrom("audit").select(["action", "outcome"]).orderBy("id").execute();
    expect(actions.filter(({ action }) => action.includes("MAIL_SERVER"))).toEqual([
      { action: "UPDATE_MAIL_SERVER", outcome: "DONE" },
      { action: "TEST_MAIL_SERVER", outcome: "DONE" },
      { action: "TEST_MAIL_SERVER", outcome: "FAILED" },
      { action: "TEST_MAIL_SERVER", outcome: "FAILED" },
      { action: "DELETE_MAIL_SERVER", outcome: "DONE" },
    ]);
  });

  test("the password is in no answer, row or audit, and stays only with the server and user it was entered for", async () => {
    const admin = await server.as("admin");
    await admin.ask(updateMailServer, { body: { ...elsewhere, ...sender, password: HUSH } });
    const shown = async () => (await admin.ask(mailServer)).server;
    expect(await shown()).toEqual({ ...elsewhere, ...sender, has_password: true });
    await admin.ask(updateMailServer, { body: { ...elsewhere, ...sender, from_name: "Reports" } });
    expect(await shown()).toMatchObject({ from_name: "Reports", has_password: true });
    const rows = JSON.stringify([
      await server.db.selectFrom("mail_settings").selectAll().execute(),
      await server.db.selectFrom("audit").selectAll().execute(),
    ]);
    expect(rows).not.toContain(HUSH);
    await admin.ask(updateMailServer, { body: { ...elsewhere, ...sender, host: "smtp.evil.example" } });
    expect(await shown()).toMatchObject({ host: "smtp.evil.example", has_password: false });
  });

  test("mail to another machine is encrypted or not set up, and an older edit does not undo a newer one", async () => {
    const admin = await server.as("admin");
    const open = await admin.call(updateMailServer, { body: { ...elsewhere, ...sender, encryption: "NONE" } });
    expect([open.status, open.text]).toEqual([400, expect.stringContaining("MAIL_UNENCRYPTED")]);
    await admin.ask(updateMailServer, { body: { ...elsewhere, ...sender } });
    await admin.ask(updateMailServer, { body: { ...elsewhere, ...sender, port: 465, encryption: "TLS", version: 1 } });
    const stale = await admin.call(updateMailServer, { body: { ...elsewhere, ...sender, version: 1 } });
    expect([stale.status, (await admin.ask(mailServer)).server?.port]).toEqual([409, 465]);
  });

  test("the demo's mail goes to its own mailbox until a mail server is entered, and again once that is removed", async () => {
    const admin = await server.as("admin");
    const other = await SmtpSink.open();
    const settings = {
      host: "127.0.0.1",
      port: sink.port,
      secure: false,
      requireTls: false,
      user: null,
      password: null,
    };
    const mail = { ...settings, from: { name: "Suncrew", address: "demo@sun.example" } };
    const demoMailbox = { mail, read: () => ({ messages: [], addresses: [] }) };
    const { http } = await buildApp({ ...server.deps, demoMailbox });
    const client = new TestClient(http, admin.token);
    const sent = () => [sink.mails.length, other.mails.length];
    const send = () => client.ask(testMailServer, { body: { to: "desk@suncrew.example" } });
    expect(await client.ask(mailServer)).toEqual({ source: "DEMO", server: null, changed: null });
    expect((await client.ask(reportSettings)).email_configured).toBe(true);
    await send();
    expect(sent()).toEqual([1, 0]);
    await client.ask(updateMailServer, { body: { ...own(), port: other.port } });
    expect((await client.ask(mailServer)).source).toBe("CONSOLE");
    await send();
    expect(sent()).toEqual([1, 1]);
    const { message } = await client.ask(deleteMailServer);
    expect(message).toBe("The mail server was removed. Mail goes to the demo's mailbox.");
    await send();
    expect(sent()).toEqual([2, 1]);
    await http.close();
    await other.close();
  });

  test("where the environment names one, it wins: it is shown without its password, tested, and not changed here", async () => {
    const admin = await server.as("admin");
    await admin.ask(updateMailServer, { body: { ...elsewhere, ...sender } });
    const settings = { host: "127.0.0.1", port: sink.port, secure: false, requireTls: false, user: null };
    const from = { name: "Suncrew", address: "env@sun.example" };
    const shown: ShownMailServer = { ...settings, from, hasPassword: false };
    const mailer = smtpMailer({ ...settings, from, password: null });
    const deps = { ...server.deps, mailer, settings: { ...server.deps.settings, mailServer: shown } };
    const { http } = await buildApp(deps);
    const client = new TestClient(http, admin.token);
    expect(await client.ask(mailServer)).toMatchObject({
      source: "ENVIRONMENT",
      server: { host: "127.0.0.1", from_address: "env@sun.example", encryption: "NONE" },
      changed: null,
    });
    const refused = await client.call(updateMailServer, { body: { ...elsewhere, ...sender } });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("MAIL_SET_BY_ENVIRONMENT")]);
    expect((await client.ask(testMailServer, { body: { to: "desk@suncrew.example" } })).delivered).toBe(true);
    expect(sink.mails.map(({ from: by }) => by)).toEqual(["env@sun.example"]);
    await http.close();
  });
});
