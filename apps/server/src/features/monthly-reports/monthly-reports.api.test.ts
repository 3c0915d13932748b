import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addPartner, addSite } from "../../../test/fixtures.ts";
import { holdTaken } from "../../../test/held-rows.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { type Mail, MailRefused, type MailResult } from "../../platform/mailer.ts";
import type { MadeReport, ReportOrder } from "./make-report.ts";
import { MonthlyReports } from "./monthly-reports.ts";
import { claimMail } from "./mail-claims.writes.ts";
import { claimReport } from "./report-claims.writes.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Some time in September: every site of these tests is older. */
const LONG_AGO = new Date("2026-09-10T00:00:00Z");

let database: OpenDatabase;
let clock: ManualClock;
/** What was ordered, by any server. */
let ordered: ReportOrder[];
let make: (order: ReportOrder) => Promise<MadeReport>;
let sent: Mail[];
let send: (mail: Mail) => Promise<MailResult>;

beforeEach(async () => {
  database = await createTestDatabase();
  clock = new ManualClock(new Date("2026-10-15T12:00:00Z"));
  [ordered, sent] = [[], []];
  make = async ({ siteName }) => ({ kind: "made", pdf: Buffer.from(`%PDF ${siteName}`) });
  send = async ({ to }) => ({ accepted: to, rejected: [] });
});
afterEach(() => database.close());

/** One of several servers over the same database; it looks when the test says so. */
function server({ canSend = true } = {}): MonthlyReports {
  return new MonthlyReports({
    db: database.db,
    clock,
    log: pino({ level: "silent" }),
    makeReport: async (order) => {
      ordered.push(order);
      return make(order);
    },
    ...(canSend && {
      mailer: {
        async send(mail) {
          sent.push(mail);
          return send(mail);
        },
      },
    }),
  });
}

async function settings(set: {
  readonly since?: Date | null;
  readonly recipients?: string[];
  readonly toPartners?: boolean;
  readonly templateId?: number;
}) {
  const { since = LONG_AGO, recipients = [], toPartners = false, templateId = null } = set;
  await database.db
    .updateTable("report_settings")
    .set({
      auto_generate_monthly: since !== null,
      auto_since: since,
      email_notifications: recipients.length > 0 || toPartners,
      recipients,
      send_to_partners: toPartners,
      template_id: templateId,
    })
    .execute();
}

async function site(name: string, timezone = "Asia/Kolkata", partnerId: number | null = null): Promise<number> {
  const id = await addSite(database.db, name, partnerId);
  await database.db.updateTable("sites").set({ timezone, created_at: LONG_AGO }).where("id", "=", id).execute();
  return id;
}

const until = (at: string | Date) => clock.advance(new Date(at).getTime() - clock.now().getTime());
const reports = () => database.db.selectFrom("kept_reports").selectAll().orderBy("id").execute();
const told = async () => (await reports()).map(({ site_id, month, status }) => `${site_id} ${month} ${status}`);

describe("monthly reports: when", () => {
  test("each site's begins with its own first day, in its own range", async () => {
    await settings({ since: clock.now() });
    const auckland = await site("A", "Pacific/Auckland");
    const india = await site("I");
    const berlin = await site("B", "Europe/Berlin");
    const newYork = await site("N", "America/New_York");
    const one = server();
    const dueAt = [
      ["2026-10-31T11:00:00Z", auckland],
      ["2026-10-31T18:30:00Z", india],
      ["2026-10-31T23:00:00Z", berlin],
      ["2026-11-01T04:00:00Z", newYork],
    ] as const;
    for (const [nth, [at, siteId]] of dueAt.entries()) {
      until(new Date(new Date(at).getTime() - 1_000));
      await one.look();
      expect(ordered).toHaveLength(nth);
      until(at);
      await one.look();
      expect(ordered.at(-1)).toMatchObject({ siteId, from: "2026-10-01 00:00:00", to: "2026-10-31 23:59:59" });
    }
    expect(await told()).toEqual(dueAt.map(([, siteId]) => `${siteId} 2026-10-01 READY`));
  });

  test("switched on in the middle of a month they begin with the next first day; sites that were not there yet wait", async () => {
    const old = await site("Old");
    await settings({ since: clock.now() });
    const one = server();
    await one.look();
    expect(await told()).toEqual([]);
    until("2026-11-03T00:00:00Z");
    const young = await site("Young");
    await database.db
      .updateTable("sites")
      .set({ created_at: new Date("2026-11-02T00:00:00Z") })
      .where("id", "=", young)
      .execute();
    await one.look();
    expect(await told()).toEqual([`${old} 2026-10-01 READY`]);
    until("2026-12-01T00:00:00Z");
    await one.look();
    expect((await told()).slice(1)).toEqual([`${old} 2026-11-01 READY`, `${young} 2026-11-01 READY`]);
  });

  test("servers that were down on the first day make the last month later, and no month before it", async () => {
    const id = await site("Old");
    await settings({});
    until("2027-03-20T00:00:00Z");
    await server().look();
    expect(await told()).toEqual([`${id} 2027-02-01 READY`]);
  });

  test("nothing while the setting is off, and nothing for sites that were deleted", async () => {
    const id = await site("Gone");
    await settings({ since: null });
    const one = server();
    await one.look();
    await settings({});
    await database.db.updateTable("sites").set({ deleted_at: clock.now() }).where("id", "=", id).execute();
    await one.look();
    expect(await told()).toEqual([]);
  });
});

describe("monthly reports: once with any number of servers", () => {
  test("three servers that look at once make one report of each site, one at a time each, and each later look none", async () => {
    await settings({ templateId: 2 });
    const ids = [];
    for (let nth = 1; nth <= 12; nth += 1) ids.push(await site(`Park ${nth}`));
    let atOnce = 0;
    let mostAtOnce = 0;
    make = async ({ siteName }) => {
      mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
      await database.db.selectFrom("sites").select("id").execute();
      atOnce -= 1;
      return { kind: "made", pdf: Buffer.from(siteName) };
    };
    const servers = [server(), server(), server()];
    for (let looks = 0; looks < 3; looks += 1) await Promise.all(servers.map((one) => one.look()));
    expect(ordered.map(({ siteId }) => siteId).toSorted((one, other) => one - other)).toEqual(ids);
    expect(mostAtOnce).toBeLessThanOrEqual(3);
    expect(ordered[0]?.sections.map(({ type }) => type)).toEqual(["performance"]);
    const kept = await reports();
    expect(kept.map(({ attempts, try_at }) => [attempts, try_at])).toEqual(ids.map(() => [1, null]));
    expect(new Set(kept.map(({ template_name }) => template_name))).toEqual(new Set(["Performance Only Report"]));
    const files = await database.db.selectFrom("kept_report_files").selectAll().orderBy("report_id").execute();
    expect(files.map(({ pdf }) => pdf.toString()).toSorted()).toEqual(
      ids.map((_, nth) => `Park ${nth + 1}`).toSorted(),
    );
  });

  test("what a killed server had begun is made by another when its lease ends; what it says later changes nothing", async () => {
    await settings({});
    await site("Park");
    const begun = Promise.withResolvers<void>();
    const late = Promise.withResolvers<MadeReport>();
    make = async () => {
      begun.resolve();
      return late.promise;
    };
    const hung = server().look();
    await begun.promise;
    make = async () => ({ kind: "made", pdf: Buffer.from("by another") });
    const other = server();
    await other.look();
    expect(ordered).toHaveLength(1);
    clock.advance(10 * MINUTE_MS);
    await other.look();
    late.resolve({ kind: "made", pdf: Buffer.from("too late") });
    await hung;
    const [file] = await database.db.selectFrom("kept_report_files").selectAll().execute();
    expect([ordered.length, file?.pdf.toString()]).toEqual([2, "by another"]);
  });

  test("one that kills every server is given up", async () => {
    await settings({});
    const id = await site("Park");
    await server().look();
    await database.db.deleteFrom("kept_report_files").execute();
    await database.db
      .updateTable("kept_reports")
      .set({ status: "PENDING", bytes: null, mail_status: "NONE", try_at: clock.now(), attempts: 0 })
      .execute();
    while ((await claimReport(database.db, clock.now())) !== null && (await reports())[0]?.attempts !== 8) {
      clock.advance(10 * MINUTE_MS);
    }
    clock.advance(10 * MINUTE_MS);
    await server().look();
    expect(await told()).toEqual([`${id} 2026-09-01 FAILED`]);
    expect(await reports()).toMatchObject([{ try_at: null, reason: "The servers that made it ended each time." }]);
    expect(ordered).toHaveLength(1);
  });

  test("a server that stops gives back what it was making, and another begins at once", async () => {
    await settings({});
    await site("Park");
    const begun = Promise.withResolvers<void>();
    make = async ({ signal }) => {
      begun.resolve();
      const aborted = Promise.withResolvers<MadeReport>();
      signal.addEventListener("abort", () => aborted.reject(signal.reason));
      return aborted.promise;
    };
    const stopping = server();
    const look = stopping.look();
    await begun.promise;
    await stopping.stop();
    await look;
    make = async () => ({ kind: "made", pdf: Buffer.from("pdf") });
    await server().look();
    expect(await reports()).toMatchObject([{ status: "READY", attempts: 1 }]);
  });

  test("a report that another server holds is left to it", async () => {
    await settings({});
    await site("Park");
    await server({ canSend: false }).look();
    await database.db.updateTable("kept_reports").set({ mail_status: "PENDING", mail_try_at: clock.now() }).execute();
    const letGo = await holdTaken(database.db, (tx) =>
      tx.selectFrom("kept_reports").select("id").forUpdate().execute(),
    );
    expect([await claimReport(database.db, clock.now()), await claimMail(database.db, clock.now())]).toEqual([
      null,
      null,
    ]);
    await letGo();
  });
});

describe("monthly reports: what becomes of them", () => {
  test("a month without activity is EMPTY with the sentence, for good", async () => {
    await settings({ recipients: ["asha@sun.example"] });
    await site("Quiet");
    make = async () => ({ kind: "empty", reason: "No activity logs found between these dates" });
    const one = server();
    await one.look();
    clock.advance(DAY_MS);
    await one.look();
    expect(await reports()).toMatchObject([
      { status: "EMPTY", reason: "No activity logs found between these dates", bytes: null, mail_status: "NONE" },
    ]);
    expect([ordered.length, sent.length]).toEqual([1, 0]);
  });

  test("one that fails is FAILED and tried again with growing pauses until it is made or given up", async () => {
    await settings({});
    const id = await site("Park");
    make = async () => {
      throw new Error("the disk is full");
    };
    const one = server();
    const pauses: number[] = [];
    for (;;) {
      await one.look();
      const [report] = await reports();
      expect(report?.reason).toMatch(/^The report could not be made; the server's log says why\./);
      expect(report?.reason).not.toContain("disk");
      if (!report?.try_at) break;
      pauses.push((report.try_at.getTime() - clock.now().getTime()) / MINUTE_MS);
      until(report.try_at);
    }
    expect(pauses).toEqual([1, 5, 15, 60, 180, 360, 720]);
    expect(await told()).toEqual([`${id} 2026-09-01 FAILED`]);
    const audits = await database.db.selectFrom("audit").select(["actor", "action", "outcome", "site_id"]).execute();
    expect(audits).toEqual([{ actor: "Suncrew", action: "MAKE_REPORT", outcome: "FAILED", site_id: id }]);
  });
});

describe("monthly reports: by e-mail", () => {
  const mails = async () =>
    (await reports()).map(({ mail_status, mail_reason, mailed_to }) => [mail_status, mail_reason, mailed_to]);

  test("each goes once to the recipients and, if chosen, to the site's partner, with the PDF", async () => {
    const partnerId = await addPartner(database.db, "Care", "Cara");
    await settings({ recipients: ["asha@sun.example"], toPartners: true });
    await site("Sonnenfeld Süd", "Europe/Berlin", partnerId);
    const park = await site("Park");
    const servers = [server(), server()];
    for (let looks = 0; looks < 3; looks += 1) await Promise.all(servers.map((one) => one.look()));
    expect(sent.map(({ to, subject }) => `${subject}: ${to.join()}`).toSorted()).toEqual([
      "Park: report of September 2026: asha@sun.example",
      "Sonnenfeld Süd: report of September 2026: asha@sun.example,desk@partner.example",
    ]);
    const mail = sent.find(({ subject }) => subject.startsWith("Park"));
    expect(mail).toMatchObject({ file: { name: "Park report 2026-09.pdf", content: Buffer.from("%PDF Park") } });
    expect(mail?.text).toContain("Asia/Kolkata");
    expect((await mails()).map(([status, reason]) => [status, reason])).toEqual([
      ["SENT", null],
      ["SENT", null],
    ]);
    const audits = await database.db
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

  test("without SMTP a report says that it is not configured; nobody named, or switched off, is nobody", async () => {
    await site("Park");
    await settings({ recipients: ["asha@sun.example"] });
    await server({ canSend: false }).look();
    await server().look();
    expect(await mails()).toEqual([["UNCONFIGURED", null, []]]);
    await settings({ toPartners: true });
    until("2026-11-02T00:00:00Z");
    await server().look();
    expect((await mails())[1]).toEqual(["NONE", "Nobody is named to get it.", []]);
    await settings({});
    until("2026-12-02T00:00:00Z");
    await server().look();
    expect((await mails())[2]).toEqual(["NONE", null, []]);
    expect(sent).toEqual([]);
  });

  test("whoever was refused gets it with a later try, nobody twice; each try has the same Message-ID", async () => {
    await settings({ recipients: ["asha@sun.example", "ravi@sun.example"] });
    await site("Park");
    const rejected = [{ address: "ravi@sun.example", reason: "450 later" }];
    send = async () => ({ accepted: ["asha@sun.example"], rejected });
    const one = server();
    await one.look();
    expect(await mails()).toEqual([["PENDING", "Not taken for ravi@sun.example: 450 later", ["asha@sun.example"]]]);
    send = async ({ to }) => ({ accepted: to, rejected: [] });
    clock.advance(MINUTE_MS);
    await one.look();
    expect(await mails()).toEqual([["SENT", null, ["asha@sun.example", "ravi@sun.example"]]]);
    expect(sent.map(({ to }) => to)).toEqual([["asha@sun.example", "ravi@sun.example"], ["ravi@sun.example"]]);
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(1);
  });

  test("a mail server that fails is tried again with growing pauses, then given up with its reason", async () => {
    await settings({ recipients: ["asha@sun.example"] });
    await site("Park");
    send = async () => {
      throw new MailRefused("The mail server was not reached (ESOCKET).");
    };
    const one = server();
    for (let tries = 1; tries <= 10; tries += 1) {
      await one.look();
      clock.advance(DAY_MS);
    }
    expect(sent).toHaveLength(8);
    expect(await mails()).toEqual([["FAILED", "The mail server was not reached (ESOCKET).", []]]);
  });

  test("a server killed while it sends leaves the mail to another: rather twice than never", async () => {
    await settings({ recipients: ["asha@sun.example"] });
    await site("Park");
    const begun = Promise.withResolvers<void>();
    const hangs = Promise.withResolvers<MailResult>();
    send = async () => {
      begun.resolve();
      return hangs.promise;
    };
    const hung = server().look();
    await begun.promise;
    send = async ({ to }) => ({ accepted: to, rejected: [] });
    const other = server();
    await other.look();
    expect(sent).toHaveLength(1);
    clock.advance(10 * MINUTE_MS);
    await other.look();
    hangs.reject(new Error("gone"));
    await hung;
    expect(await mails()).toEqual([["SENT", null, ["asha@sun.example"]]]);
    expect([sent.length, sent[0]?.messageId]).toEqual([2, sent[1]?.messageId]);
  });
});
