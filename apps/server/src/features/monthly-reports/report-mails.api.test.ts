import { mailTexts } from "../../platform/mail-texts.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addPartner } from "../../../test/fixtures.ts";
import { MonthlyHarness } from "../../../test/monthly-harness.ts";
import { storedReasonCodes } from "../../../test/stored-reasons.ts";
import { MailRefused, type MailResult } from "../../platform/mailer.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let harness: MonthlyHarness;
beforeEach(async () => {
  harness = await MonthlyHarness.open();
});
afterEach(() => harness.close());

describe("monthly reports: by email", () => {
  const mails = async () =>
    (await harness.reports()).map(({ mail_status, mail_reason, mailed_to }) => [mail_status, mail_reason, mailed_to]);

  test("each is sent once to the recipients and, if chosen, to the site's partner, with the PDF", async () => {
    const partnerId = await addPartner(harness.db, "Care", "Cara");
    await harness.settings({ recipients: ["asha@sun.example"], toPartners: true });
    await harness.site("Sonnenfeld Süd", "Europe/Berlin", partnerId);
    const park = await harness.site("Park");
    const servers = [harness.server(), harness.server()];
    for (let rounds = 0; rounds < 3; rounds += 1) await Promise.all(servers.map((one) => one.runOnce()));
    expect(harness.sent.map(({ to, subject }) => `${subject}: ${to.join()}`).toSorted()).toEqual([
      "Park: report for September 2026: asha@sun.example",
      "Sonnenfeld Süd: report for September 2026: asha@sun.example,desk@partner.example",
    ]);
    const mail = harness.sent.find(({ subject }) => subject.startsWith("Park"));
    expect(mail).toMatchObject({ file: { name: "Park report 2026-09.pdf", content: Buffer.from("%PDF Park") } });
    expect(mail?.text).toContain("Asia/Kolkata");
    expect((await mails()).map(([status, reason]) => [status, reason])).toEqual([
      ["SENT", null],
      ["SENT", null],
    ]);
    const audits = await harness.db
      .selectFrom("audit")
      .select(["action", "outcome", "after"])
      .where("site_id", "=", park)
      .orderBy("id")
      .execute();
    expect(audits).toMatchObject([
      { action: "MAKE_REPORT", outcome: "DONE", after: { month: "2026-09", template: null } },
      { action: "SEND_REPORT", outcome: "DONE", after: { recipients: ["asha@sun.example"] } },
    ]);
  });

  test("without SMTP a report says that mail is not configured; without recipients, or switched off, none is sent", async () => {
    await harness.site("Park");
    await harness.settings({ recipients: ["asha@sun.example"] });
    await harness.server({ canSend: false }).runOnce();
    await harness.server().runOnce();
    expect(await mails()).toEqual([["UNCONFIGURED", null, []]]);
    await harness.settings({ toPartners: true });
    harness.until("2026-11-02T00:00:00Z");
    await harness.server().runOnce();
    expect((await mails())[1]).toEqual(["NONE", "There are no recipients.", []]);
    expect(await storedReasonCodes(harness.db)).toEqual(["NO_RECIPIENTS"]);
    await harness.settings({});
    harness.until("2026-12-02T00:00:00Z");
    await harness.server().runOnce();
    expect((await mails())[2]).toEqual(["NONE", null, []]);
    expect(harness.sent).toEqual([]);
  });

  test("a refused recipient gets it with a later attempt, nobody gets it twice; each attempt has the same Message-ID", async () => {
    await harness.settings({ recipients: ["asha@sun.example", "ravi@sun.example"] });
    await harness.site("Park");
    const rejected = [{ address: "ravi@sun.example", reason: "450 later" }];
    harness.send = async () => ({ accepted: ["asha@sun.example"], rejected });
    const one = harness.server();
    await one.runOnce();
    expect(await mails()).toEqual([["PENDING", "Rejected for ravi@sun.example: 450 later", ["asha@sun.example"]]]);
    expect(await storedReasonCodes(harness.db)).toEqual(["RECIPIENTS_REJECTED"]);
    harness.send = async ({ to }) => ({ accepted: to, rejected: [] });
    harness.clock.advance(MINUTE_MS);
    await one.runOnce();
    expect(await mails()).toEqual([["SENT", null, ["asha@sun.example", "ravi@sun.example"]]]);
    expect(await storedReasonCodes(harness.db)).toEqual([]);
    expect(harness.sent.map(({ to }) => to)).toEqual([["asha@sun.example", "ravi@sun.example"], ["ravi@sun.example"]]);
    expect(new Set(harness.sent.map(({ messageId }) => messageId)).size).toBe(1);
  });

  test("a partner that took over the site after the report was made does not get it, because it names the former one", async () => {
    const former = await addPartner(harness.db, "Care", "Cara");
    const next = await addPartner(harness.db, "Next", "Nina");
    await harness.settings({ recipients: ["asha@sun.example"], toPartners: true });
    const park = await harness.site("Park", "Asia/Kolkata", former);
    harness.send = async () => {
      throw new MailRefused(mailTexts.text("SMTP_UNREACHABLE", { code: "ESOCKET" }));
    };
    const one = harness.server();
    await one.runOnce();
    await harness.db.updateTable("sites").set({ maintenance_partner_id: next }).where("id", "=", park).execute();
    harness.send = async ({ to }) => ({ accepted: to, rejected: [] });
    harness.clock.advance(MINUTE_MS);
    await one.runOnce();
    expect(harness.sent.map(({ to }) => to)).toEqual([
      ["asha@sun.example", "desk@partner.example"],
      ["asha@sun.example"],
    ]);
    expect((await mails())[0]?.[0]).toBe("SENT");
  });

  test("a failing mail server is retried with growing pauses, then given up with its reason", async () => {
    await harness.settings({ recipients: ["asha@sun.example"] });
    await harness.site("Park");
    harness.send = async () => {
      throw new MailRefused(mailTexts.text("SMTP_UNREACHABLE", { code: "ESOCKET" }));
    };
    const one = harness.server();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await one.runOnce();
      harness.clock.advance(DAY_MS);
    }
    expect(harness.sent).toHaveLength(8);
    expect(await mails()).toEqual([["FAILED", "The mail server could not be reached (ESOCKET).", []]]);
    expect(await storedReasonCodes(harness.db)).toEqual(["SMTP_UNREACHABLE"]);
    expect(await harness.db.selectFrom("alerts").selectAll().execute()).toMatchObject([
      { code: "REPORT_FAILED", text: expect.stringContaining("was not mailed to everybody") as string },
    ]);
  });

  test("a server that stops while it sends waits for no mail server, and another sends it immediately", async () => {
    await harness.settings({ recipients: ["asha@sun.example"] });
    await harness.site("Park");
    const begun = Promise.withResolvers<void>();
    harness.send = async (_mail, signal) => {
      begun.resolve();
      const aborted = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => aborted.reject(signal.reason));
      return aborted.promise;
    };
    const stopping = harness.server();
    const running = stopping.runOnce();
    await begun.promise;
    await stopping.stop();
    await running;
    harness.send = async ({ to }) => ({ accepted: to, rejected: [] });
    await harness.server().runOnce();
    expect(await mails()).toEqual([["SENT", null, ["asha@sun.example"]]]);
  });

  test("a server killed while it sends leaves the mail to another: rather twice than never", async () => {
    await harness.settings({ recipients: ["asha@sun.example"] });
    await harness.site("Park");
    const begun = Promise.withResolvers<void>();
    const hangs = Promise.withResolvers<MailResult>();
    harness.send = async () => {
      begun.resolve();
      return hangs.promise;
    };
    const hung = harness.server().runOnce();
    await begun.promise;
    harness.send = async ({ to }) => ({ accepted: to, rejected: [] });
    const other = harness.server();
    await other.runOnce();
    expect(harness.sent).toHaveLength(1);
    harness.clock.advance(10 * MINUTE_MS);
    await other.runOnce();
    hangs.reject(new Error("gone"));
    await hung;
    expect(await mails()).toEqual([["SENT", null, ["asha@sun.example"]]]);
    expect([harness.sent.length, harness.sent[0]?.messageId]).toEqual([2, harness.sent[1]?.messageId]);
  });

  describe("while servers without the outbox run beside newer ones", () => {
    const columns = () =>
      harness.db.selectFrom("kept_reports").select(["mail_status", "mail_attempts", "mailed_to"]).executeTakeFirst();
    /** A mail that such a server has queued in the report's own columns, or is sending until its lease ends. */
    const leftBy = async (set: { readonly dueAt: Date; readonly attempts?: number; readonly mailedTo?: string[] }) => {
      await harness.settings({ recipients: ["asha@sun.example", "ravi@sun.example"] });
      await harness.site("Park");
      await harness.server({ canSend: false }).runOnce();
      const { dueAt, attempts = 0, mailedTo = [] } = set;
      await harness.db
        .updateTable("kept_reports")
        .set({ mail_status: "PENDING", mail_try_at: dueAt, mail_attempts: attempts, mailed_to: mailedTo })
        .execute();
    };

    test("what they queued is sent, once, and to nobody who has it", async () => {
      await leftBy({ dueAt: harness.clock.now(), attempts: 1, mailedTo: ["asha@sun.example"] });
      const servers = [harness.server(), harness.server()];
      await Promise.all(servers.map((one) => one.runOnce()));
      expect(harness.sent.map(({ to }) => to)).toEqual([["ravi@sun.example"]]);
      expect(await mails()).toEqual([["SENT", null, ["asha@sun.example", "ravi@sun.example"]]]);
    });

    test("what they are sending is left to them until their lease ends; then it is sent, and their claim is over", async () => {
      await leftBy({ dueAt: new Date(harness.clock.now().getTime() + 10 * MINUTE_MS), attempts: 1 });
      const server = harness.server();
      await server.runOnce();
      expect(harness.sent).toEqual([]);
      harness.clock.advance(10 * MINUTE_MS);
      await server.runOnce();
      expect(harness.sent).toHaveLength(1);
      expect(await columns()).toMatchObject({ mail_status: "SENT", mail_attempts: 2 });
    });

    test("what newer ones queue is never due to them", async () => {
      await harness.settings({ recipients: ["asha@sun.example"] });
      await harness.site("Park");
      harness.send = async () => {
        throw new MailRefused(mailTexts.text("SMTP_UNREACHABLE", { code: "ESOCKET" }));
      };
      await harness.server().runOnce();
      const due = await harness.db
        .selectFrom("kept_reports")
        .select("id")
        .where("mail_status", "=", "PENDING")
        .where("mail_try_at", "<=", new Date("9999-01-01T00:00:00Z"))
        .execute();
      expect([due, (await mails())[0]?.[0]]).toEqual([[], "PENDING"]);
    });
  });
});
