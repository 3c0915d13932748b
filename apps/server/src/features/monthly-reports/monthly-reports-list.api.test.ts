import { monthlyReportFile, monthlyReports } from "@suncrew/contract/reports/reports.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addMonthlyReports, monthlyReportId } from "../../../test/monthly-report-fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await addMonthlyReports(server.db, server.fixtures);
  const { secondSiteId, ownerPartnerId } = server.fixtures;
  const rows = Array.from({ length: 5 }, (_, nth) => ({
    id: 930_000 + nth,
    site_id: secondSiteId,
    partner_id: ownerPartnerId,
    month: `2026-0${nth + 1}-01`,
    status: "EMPTY" as const,
    reason: "No activity logs found between these dates",
    created_at: new Date("2026-06-01T00:00:00Z"),
    mail_reason: "Rejected for asha@sun.example: 550",
  }));
  await server.db.insertInto("kept_reports").values(rows).execute();
});
afterAll(() => server.close());

describe("the list of monthly reports", () => {
  test("is newest first, page by page, each for the partner that has its site now", async () => {
    const { ownRobot, secondSiteId } = server.fixtures;
    const owner = await server.as("owner");
    const first = await owner.ask(monthlyReports, { query: { limit: 4 } });
    expect(first.reports.map(({ month }) => month)).toEqual(["2026-05", "2026-04", "2026-03", "2026-02"]);
    const cursor = first.next_cursor ?? "";
    const rest = await owner.ask(monthlyReports, { query: { limit: 4, cursor } });
    expect(rest).toEqual({
      reports: [
        expect.objectContaining({ site_id: secondSiteId, month: "2026-01", mail_reason: null }),
        {
          id: monthlyReportId(ownRobot.siteId),
          site_id: ownRobot.siteId,
          site_name: "Ownfield Park",
          month: "2026-05",
          template_name: null,
          status: "READY",
          reason: null,
          bytes: 17,
          created_at: "2026-06-01T00:00:00.000Z",
          mail_status: "NONE",
          mail_reason: null,
        },
      ],
      next_cursor: null,
    });
    const admin = await server.as("admin");
    const ofSecond = await admin.ask(monthlyReports, { query: { site_id: secondSiteId } });
    expect(ofSecond.reports.map(({ mail_reason }) => mail_reason)).toContain("Rejected for asha@sun.example: 550");
    expect([(await admin.ask(monthlyReports)).reports.length, ofSecond.reports.length]).toEqual([7, 5]);
  });

  test("§9: the PDF is downloaded under the name of a site report; an empty or another partner's one is 404", async () => {
    const { ownRobot, foreignRobot } = server.fixtures;
    const owner = await server.as("owner");
    const file = await owner.call(monthlyReportFile, { params: { reportId: monthlyReportId(ownRobot.siteId) } });
    expect([file.status, file.text]).toEqual([200, "%PDF-1.7 Ownfield"]);
    expect(file.headers).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": expect.stringContaining("Ownfield Park_report_2026-05-01_to_2026-05-31.pdf"),
    });
    for (const reportId of [monthlyReportId(foreignRobot.siteId), 930_001, 999_999]) {
      const answer = await owner.call(monthlyReportFile, { params: { reportId } });
      expect(answer).toMatchObject({ status: 404, body: { message: "Report not found" } });
    }
  });

  test("one made for a former partner of the site, which it names, is not available to the next partner", async () => {
    const { ownRobot, strangerPartnerId } = server.fixtures;
    const reportId = monthlyReportId(ownRobot.siteId);
    const site = server.db.updateTable("sites").where("id", "=", ownRobot.siteId);
    await site.set({ maintenance_partner_id: strangerPartnerId }).execute();
    for (const person of ["stranger", "owner"] as const) {
      const client = await server.as(person);
      const { reports } = await client.ask(monthlyReports);
      expect(reports.map(({ id }) => id)).not.toContain(reportId);
      expect((await client.call(monthlyReportFile, { params: { reportId } })).status).toBe(404);
    }
    const admin = await server.as("admin");
    expect((await admin.call(monthlyReportFile, { params: { reportId } })).status).toBe(200);
  });
});
