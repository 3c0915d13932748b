import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holdLock } from "../../../test/row-locks.ts";
import { MonthlyBench } from "../../../test/monthly-bench.ts";
import { claimMail } from "../../platform/mail-outbox.ts";
import { claimReport } from "./monthly-reports.repository.ts";
import { reportMails } from "./report-mails.ts";
import type { GeneratedReport } from "./monthly-reports.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let bench: MonthlyBench;
beforeEach(async () => {
  bench = await MonthlyBench.open();
});
afterEach(() => bench.close());

describe("monthly reports: when they are made", () => {
  test("each site's on the first day of its own month, for its own range", async () => {
    await bench.settings({ since: bench.clock.now() });
    const auckland = await bench.site("A", "Pacific/Auckland");
    const india = await bench.site("I");
    const berlin = await bench.site("B", "Europe/Berlin");
    const newYork = await bench.site("N", "America/New_York");
    const one = bench.server();
    const dueAt = [
      ["2026-10-31T11:00:00Z", auckland],
      ["2026-10-31T18:30:00Z", india],
      ["2026-10-31T23:00:00Z", berlin],
      ["2026-11-01T04:00:00Z", newYork],
    ] as const;
    for (const [nth, [at, siteId]] of dueAt.entries()) {
      bench.until(new Date(new Date(at).getTime() - 1_000));
      await one.runDue();
      expect(bench.ordered).toHaveLength(nth);
      bench.until(at);
      await one.runDue();
      expect(bench.ordered.at(-1)).toMatchObject({ siteId, from: "2026-10-01 00:00:00", to: "2026-10-31 23:59:59" });
    }
    expect(await bench.summaries()).toEqual(dueAt.map(([, siteId]) => `${siteId} 2026-10-01 READY`));
  });

  test("enabled in the middle of a month they begin with the next first day; sites that did not exist yet wait", async () => {
    const old = await bench.site("Old");
    await bench.settings({ since: bench.clock.now() });
    const one = bench.server();
    await one.runDue();
    expect(await bench.summaries()).toEqual([]);
    bench.until("2026-11-03T00:00:00Z");
    const young = await bench.site("Young");
    await bench.db
      .updateTable("sites")
      .set({ created_at: new Date("2026-11-02T00:00:00Z") })
      .where("id", "=", young)
      .execute();
    await one.runDue();
    expect(await bench.summaries()).toEqual([`${old} 2026-10-01 READY`]);
    bench.until("2026-12-01T00:00:00Z");
    await one.runDue();
    expect((await bench.summaries()).slice(1)).toEqual([`${old} 2026-11-01 READY`, `${young} 2026-11-01 READY`]);
  });

  test("servers that were down on the first day make the last month later, and no earlier month", async () => {
    const id = await bench.site("Old");
    await bench.settings({});
    bench.until("2027-03-20T00:00:00Z");
    await bench.server().runDue();
    expect(await bench.summaries()).toEqual([`${id} 2027-02-01 READY`]);
  });

  test("none while the setting is off, and none for deleted sites", async () => {
    const id = await bench.site("Gone");
    await bench.settings({ since: null });
    const one = bench.server();
    await one.runDue();
    await bench.settings({});
    await bench.db.updateTable("sites").set({ deleted_at: bench.clock.now() }).where("id", "=", id).execute();
    await one.runDue();
    expect(await bench.summaries()).toEqual([]);
  });
});

describe("monthly reports: once with any number of servers", () => {
  test("three servers that check together make one report per site, one at a time each, and none at later checks", async () => {
    await bench.settings({ templateId: 2 });
    const ids = [];
    for (let nth = 1; nth <= 12; nth += 1) ids.push(await bench.site(`Park ${nth}`));
    let atOnce = 0;
    let mostAtOnce = 0;
    bench.generate = async ({ siteName }) => {
      mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
      await bench.db.selectFrom("sites").select("id").execute();
      atOnce -= 1;
      return { kind: "made", pdf: Buffer.from(siteName), partnerId: null };
    };
    const servers = [bench.server(), bench.server(), bench.server()];
    for (let rounds = 0; rounds < 3; rounds += 1) await Promise.all(servers.map((one) => one.runDue()));
    expect(bench.ordered.map(({ siteId }) => siteId).toSorted((one, other) => one - other)).toEqual(ids);
    expect(mostAtOnce).toBeLessThanOrEqual(3);
    expect(bench.ordered[0]?.sections.map(({ type }) => type)).toEqual(["performance"]);
    const stored = await bench.reports();
    expect(stored.map(({ attempts, try_at }) => [attempts, try_at])).toEqual(ids.map(() => [1, null]));
    expect(new Set(stored.map(({ template_name }) => template_name))).toEqual(new Set(["Performance Only Report"]));
    const files = await bench.db.selectFrom("kept_report_files").selectAll().orderBy("report_id").execute();
    expect(files.map(({ pdf }) => pdf.toString()).toSorted()).toEqual(
      ids.map((_, nth) => `Park ${nth + 1}`).toSorted(),
    );
  });

  test("what a killed server had begun is made by another when its lease ends; later results of the first change nothing", async () => {
    await bench.settings({});
    await bench.site("Park");
    const begun = Promise.withResolvers<void>();
    const late = Promise.withResolvers<GeneratedReport>();
    bench.generate = async () => {
      begun.resolve();
      return late.promise;
    };
    const hung = bench.server().runDue();
    await begun.promise;
    bench.generate = async () => ({ kind: "made", pdf: Buffer.from("by another"), partnerId: null });
    const other = bench.server();
    await other.runDue();
    expect(bench.ordered).toHaveLength(1);
    bench.clock.advance(10 * MINUTE_MS);
    await other.runDue();
    late.resolve({ kind: "made", pdf: Buffer.from("too late"), partnerId: null });
    await hung;
    const [file] = await bench.db.selectFrom("kept_report_files").selectAll().execute();
    expect([bench.ordered.length, file?.pdf.toString()]).toEqual([2, "by another"]);
  });

  test("one that kills every server is given up", async () => {
    await bench.settings({});
    const id = await bench.site("Park");
    await bench.server().runDue();
    await bench.db.deleteFrom("kept_report_files").execute();
    await bench.db
      .updateTable("kept_reports")
      .set({ status: "PENDING", bytes: null, mail_status: "NONE", try_at: bench.clock.now(), attempts: 0 })
      .execute();
    while ((await claimReport(bench.db, bench.clock.now())) !== null && (await bench.reports())[0]?.attempts !== 8) {
      bench.clock.advance(10 * MINUTE_MS);
    }
    bench.clock.advance(10 * MINUTE_MS);
    await bench.server().runDue();
    expect(await bench.summaries()).toEqual([`${id} 2026-09-01 FAILED`]);
    expect(await bench.reports()).toMatchObject([
      { try_at: null, reason: "Every server that tried to generate it stopped before it was done." },
    ]);
    expect(bench.ordered).toHaveLength(1);
  });

  test("a server that stops releases the report in progress, and another begins it immediately", async () => {
    await bench.settings({});
    await bench.site("Park");
    const begun = Promise.withResolvers<void>();
    bench.generate = async ({ signal }) => {
      begun.resolve();
      const aborted = Promise.withResolvers<GeneratedReport>();
      signal.addEventListener("abort", () => aborted.reject(signal.reason));
      return aborted.promise;
    };
    const stopping = bench.server();
    const running = stopping.runDue();
    await begun.promise;
    await stopping.stop();
    await running;
    bench.generate = async () => ({ kind: "made", pdf: Buffer.from("pdf"), partnerId: null });
    await bench.server().runDue();
    expect(await bench.reports()).toMatchObject([{ status: "READY", attempts: 1 }]);
  });

  test("a report that another server has claimed is left to it", async () => {
    await bench.settings({});
    await bench.site("Park");
    await bench.server({ canSend: false }).runDue();
    await bench.db
      .updateTable("kept_reports")
      .set({ mail_status: "PENDING", mail_try_at: bench.clock.now() })
      .execute();
    const letGo = await holdLock(bench.db, (tx) => tx.selectFrom("kept_reports").select("id").forUpdate().execute());
    const now = bench.clock.now();
    await reportMails.adopt?.(bench.db, now);
    expect([await claimReport(bench.db, now), await claimMail(bench.db, [reportMails.kind], now)]).toEqual([
      null,
      null,
    ]);
    await letGo();
    await reportMails.adopt?.(bench.db, now);
    const letMailGo = await holdLock(bench.db, (tx) =>
      tx.selectFrom("outgoing_mails").select("id").forUpdate().execute(),
    );
    expect(await claimMail(bench.db, [reportMails.kind], now)).toBeNull();
    await letMailGo();
    expect(await claimMail(bench.db, [reportMails.kind], now)).toMatchObject({ attempt: 1 });
  });
});

describe("monthly reports: outcomes", () => {
  test("a month without activity is EMPTY with that reason, permanently", async () => {
    await bench.settings({ recipients: ["asha@sun.example"] });
    await bench.site("Quiet");
    bench.generate = async () => ({ kind: "empty", reason: "No activity logs found between these dates" });
    const one = bench.server();
    await one.runDue();
    bench.clock.advance(DAY_MS);
    await one.runDue();
    expect(await bench.reports()).toMatchObject([
      { status: "EMPTY", reason: "No activity logs found between these dates", bytes: null, mail_status: "NONE" },
    ]);
    expect([bench.ordered.length, bench.sent.length]).toEqual([1, 0]);
  });

  test("one that fails is FAILED and retried with growing pauses until it is made or given up", async () => {
    await bench.settings({});
    const id = await bench.site("Park");
    bench.generate = async () => {
      throw new Error("the disk is full");
    };
    const one = bench.server();
    const pauses: number[] = [];
    for (;;) {
      await one.runDue();
      const [report] = await bench.reports();
      expect(report?.reason).toMatch(/^The report could not be generated\. See the server's log for the reason\./);
      expect(report?.reason).not.toContain("disk");
      if (!report?.try_at) break;
      pauses.push((report.try_at.getTime() - bench.clock.now().getTime()) / MINUTE_MS);
      bench.until(report.try_at);
    }
    expect(pauses).toEqual([1, 5, 15, 60, 180, 360, 720]);
    expect(await bench.summaries()).toEqual([`${id} 2026-09-01 FAILED`]);
    const audits = await bench.db.selectFrom("audit").select(["actor", "action", "outcome", "site_id"]).execute();
    expect(audits).toEqual([{ actor: "Suncrew", action: "MAKE_REPORT", outcome: "FAILED", site_id: id }]);
  });
});
