import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holdLock } from "../../../test/row-locks.ts";
import { MonthlyHarness } from "../../../test/monthly-harness.ts";
import { storedReasonCodes } from "../../../test/stored-reasons.ts";
import { claimMail } from "../../platform/mail-outbox.ts";
import { claimReport } from "./monthly-reports.repository.ts";
import { type GeneratedReport, reportMails } from "./monthly-reports.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let harness: MonthlyHarness;
beforeEach(async () => {
  harness = await MonthlyHarness.open();
});
afterEach(() => harness.close());

describe("monthly reports: when they are made", () => {
  test("each site's on the first day of its own month, for its own range", async () => {
    await harness.settings({ since: harness.clock.now() });
    const auckland = await harness.site("A", "Pacific/Auckland");
    const india = await harness.site("I");
    const berlin = await harness.site("B", "Europe/Berlin");
    const newYork = await harness.site("N", "America/New_York");
    const one = harness.server();
    const dueAt = [
      ["2026-10-31T11:00:00Z", auckland],
      ["2026-10-31T18:30:00Z", india],
      ["2026-10-31T23:00:00Z", berlin],
      ["2026-11-01T04:00:00Z", newYork],
    ] as const;
    for (const [nth, [at, siteId]] of dueAt.entries()) {
      harness.until(new Date(new Date(at).getTime() - 1_000));
      await one.runOnce();
      expect(harness.ordered).toHaveLength(nth);
      harness.until(at);
      await one.runOnce();
      expect(harness.ordered.at(-1)).toMatchObject({ siteId, from: "2026-10-01 00:00:00", to: "2026-10-31 23:59:59" });
    }
    expect(await harness.summaries()).toEqual(dueAt.map(([, siteId]) => `${siteId} 2026-10-01 READY`));
  });

  test("enabled in the middle of a month they begin with the next first day; sites that did not exist yet wait", async () => {
    const old = await harness.site("Old");
    await harness.settings({ since: harness.clock.now() });
    const one = harness.server();
    await one.runOnce();
    expect(await harness.summaries()).toEqual([]);
    harness.until("2026-11-03T00:00:00Z");
    const young = await harness.site("Young");
    await harness.db
      .updateTable("sites")
      .set({ created_at: new Date("2026-11-02T00:00:00Z") })
      .where("id", "=", young)
      .execute();
    await one.runOnce();
    expect(await harness.summaries()).toEqual([`${old} 2026-10-01 READY`]);
    harness.until("2026-12-01T00:00:00Z");
    await one.runOnce();
    expect((await harness.summaries()).slice(1)).toEqual([`${old} 2026-11-01 READY`, `${young} 2026-11-01 READY`]);
  });

  test("servers that were down on the first day make the last month later, and no earlier month", async () => {
    const id = await harness.site("Old");
    await harness.settings({});
    harness.until("2027-03-20T00:00:00Z");
    await harness.server().runOnce();
    expect(await harness.summaries()).toEqual([`${id} 2027-02-01 READY`]);
  });

  test("none while the setting is off, and none for deleted sites", async () => {
    const id = await harness.site("Gone");
    await harness.settings({ since: null });
    const one = harness.server();
    await one.runOnce();
    await harness.settings({});
    await harness.db.updateTable("sites").set({ deleted_at: harness.clock.now() }).where("id", "=", id).execute();
    await one.runOnce();
    expect(await harness.summaries()).toEqual([]);
  });
});

describe("monthly reports: once with any number of servers", () => {
  test("three servers that check together make one report per site, one at a time each, and none at later checks", async () => {
    await harness.settings({ templateId: 2 });
    const ids = [];
    for (let nth = 1; nth <= 12; nth += 1) ids.push(await harness.site(`Park ${nth}`));
    let atOnce = 0;
    let mostAtOnce = 0;
    harness.generate = async ({ siteName }) => {
      mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
      await harness.db.selectFrom("sites").select("id").execute();
      atOnce -= 1;
      return { kind: "made", pdf: Buffer.from(siteName), partnerId: null };
    };
    const servers = [harness.server(), harness.server(), harness.server()];
    for (let rounds = 0; rounds < 3; rounds += 1) await Promise.all(servers.map((one) => one.runOnce()));
    expect(harness.ordered.map(({ siteId }) => siteId).toSorted((one, other) => one - other)).toEqual(ids);
    expect(mostAtOnce).toBeLessThanOrEqual(3);
    expect(harness.ordered[0]?.sections.map(({ type }) => type)).toEqual(["performance"]);
    const stored = await harness.reports();
    expect(stored.map(({ attempts, try_at }) => [attempts, try_at])).toEqual(ids.map(() => [1, null]));
    expect(new Set(stored.map(({ template_name }) => template_name))).toEqual(new Set(["Performance Only Report"]));
    const files = await harness.db.selectFrom("kept_report_files").selectAll().orderBy("report_id").execute();
    expect(files.map(({ pdf }) => pdf.toString()).toSorted()).toEqual(
      ids.map((_, nth) => `Park ${nth + 1}`).toSorted(),
    );
  });

  test("what a killed server had begun is made by another when its lease ends; later results of the first change nothing", async () => {
    await harness.settings({});
    await harness.site("Park");
    const begun = Promise.withResolvers<void>();
    const late = Promise.withResolvers<GeneratedReport>();
    harness.generate = async () => {
      begun.resolve();
      return late.promise;
    };
    const hung = harness.server().runOnce();
    await begun.promise;
    harness.generate = async () => ({ kind: "made", pdf: Buffer.from("by another"), partnerId: null });
    const other = harness.server();
    await other.runOnce();
    expect(harness.ordered).toHaveLength(1);
    harness.clock.advance(10 * MINUTE_MS);
    await other.runOnce();
    late.resolve({ kind: "made", pdf: Buffer.from("too late"), partnerId: null });
    await hung;
    const [file] = await harness.db.selectFrom("kept_report_files").selectAll().execute();
    expect([harness.ordered.length, file?.pdf.toString()]).toEqual([2, "by another"]);
  });

  test("one that kills every server is given up", async () => {
    await harness.settings({});
    const id = await harness.site("Park");
    await harness.server().runOnce();
    await harness.db.deleteFrom("kept_report_files").execute();
    await harness.db
      .updateTable("kept_reports")
      .set({ status: "PENDING", bytes: null, mail_status: "NONE", try_at: harness.clock.now(), attempts: 0 })
      .execute();
    while (
      (await claimReport(harness.db, harness.clock.now())) !== null &&
      (await harness.reports())[0]?.attempts !== 8
    ) {
      harness.clock.advance(10 * MINUTE_MS);
    }
    harness.clock.advance(10 * MINUTE_MS);
    await harness.server().runOnce();
    expect(await storedReasonCodes(harness.db)).toEqual(["REPORT_SERVERS_STOPPED"]);
    expect(await harness.summaries()).toEqual([`${id} 2026-09-01 FAILED`]);
    expect(await harness.reports()).toMatchObject([
      { try_at: null, reason: "Every server that tried to generate it stopped before it was done." },
    ]);
    expect(harness.ordered).toHaveLength(1);
  });

  test("a server that stops releases the report in progress, and another begins it immediately", async () => {
    await harness.settings({});
    await harness.site("Park");
    const begun = Promise.withResolvers<void>();
    harness.generate = async ({ signal }) => {
      begun.resolve();
      const aborted = Promise.withResolvers<GeneratedReport>();
      signal.addEventListener("abort", () => aborted.reject(signal.reason));
      return aborted.promise;
    };
    const stopping = harness.server();
    const running = stopping.runOnce();
    await begun.promise;
    await stopping.stop();
    await running;
    harness.generate = async () => ({ kind: "made", pdf: Buffer.from("pdf"), partnerId: null });
    await harness.server().runOnce();
    expect(await harness.reports()).toMatchObject([{ status: "READY", attempts: 1 }]);
  });

  test("a report that another server has claimed is left to it", async () => {
    await harness.settings({});
    await harness.site("Park");
    await harness.server({ canSend: false }).runOnce();
    await harness.db
      .updateTable("kept_reports")
      .set({ mail_status: "PENDING", mail_try_at: harness.clock.now() })
      .execute();
    const letGo = await holdLock(harness.db, (tx) => tx.selectFrom("kept_reports").select("id").forUpdate().execute());
    const now = harness.clock.now();
    await reportMails.adopt?.(harness.db, now);
    expect([await claimReport(harness.db, now), await claimMail(harness.db, [reportMails.kind], now)]).toEqual([
      null,
      null,
    ]);
    await letGo();
    await reportMails.adopt?.(harness.db, now);
    const letMailGo = await holdLock(harness.db, (tx) =>
      tx.selectFrom("outgoing_mails").select("id").forUpdate().execute(),
    );
    expect(await claimMail(harness.db, [reportMails.kind], now)).toBeNull();
    await letMailGo();
    expect(await claimMail(harness.db, [reportMails.kind], now)).toMatchObject({ attempt: 1 });
  });
});

describe("monthly reports: outcomes", () => {
  test("a month without activity is EMPTY with that reason, permanently", async () => {
    await harness.settings({ recipients: ["asha@sun.example"] });
    await harness.site("Quiet");
    harness.generate = async () => ({ kind: "empty" });
    const one = harness.server();
    await one.runOnce();
    harness.clock.advance(DAY_MS);
    await one.runOnce();
    expect(await harness.reports()).toMatchObject([
      { status: "EMPTY", reason: "No activity logs found between these dates", bytes: null, mail_status: "NONE" },
    ]);
    expect(await storedReasonCodes(harness.db)).toEqual(["NO_ACTIVITY"]);
    expect([harness.ordered.length, harness.sent.length]).toEqual([1, 0]);
  });

  test("one that fails is FAILED and retried with growing pauses until it is made or given up", async () => {
    await harness.settings({});
    const id = await harness.site("Park");
    harness.generate = async () => {
      throw new Error("the disk is full");
    };
    const one = harness.server();
    const pauses: number[] = [];
    for (;;) {
      await one.runOnce();
      const [report] = await harness.reports();
      expect(report?.reason).toMatch(/^The report could not be generated\. See the server's log for the reason\./);
      expect(report?.reason).not.toContain("disk");
      if (!report?.try_at) break;
      pauses.push((report.try_at.getTime() - harness.clock.now().getTime()) / MINUTE_MS);
      harness.until(report.try_at);
    }
    expect(pauses).toEqual([1, 5, 15, 60, 180, 360, 720]);
    expect(await storedReasonCodes(harness.db)).toEqual(["REPORT_FAILED"]);
    expect(await harness.summaries()).toEqual([`${id} 2026-09-01 FAILED`]);
    const audits = await harness.db.selectFrom("audit").select(["actor", "action", "outcome", "site_id"]).execute();
    expect(audits).toEqual([{ actor: "Suncrew", action: "MAKE_REPORT", outcome: "FAILED", site_id: id }]);
    expect(await harness.db.selectFrom("alerts").selectAll().execute()).toMatchObject([
      {
        site_id: id,
        code: "REPORT_FAILED",
        severity: "WARNING",
        text: expect.stringMatching(/^The monthly report for September 2026 could not be generated\./) as string,
      },
    ]);
  });
});
