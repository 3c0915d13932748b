import type { Db } from "../src/platform/database/database.ts";
import type { Fixtures } from "./fixtures.ts";

/** The id of the monthly report that `addMonthlyReports` gives a site. */
export const monthlyReportId = (siteId: number) => 920_000 + siteId;

/** A monthly report of the owner's site and one of the stranger's, each named by its site's owner. */
export async function addMonthlyReports(db: Db, fixtures: Fixtures): Promise<void> {
  const { ownRobot, foreignRobot, ownerPartnerId, strangerPartnerId } = fixtures;
  for (const [siteId, partnerId, words] of [
    [ownRobot.siteId, ownerPartnerId, "%PDF-1.7 Ownfield"],
    [foreignRobot.siteId, strangerPartnerId, "%PDF-1.7 Farfield"],
  ] as const) {
    const pdf = Buffer.from(words);
    const made = { month: "2026-05-01", status: "READY", bytes: pdf.length } as const;
    const report = { ...made, site_id: siteId, partner_id: partnerId };
    await db
      .insertInto("kept_reports")
      .values({ ...report, id: monthlyReportId(siteId), created_at: new Date("2026-06-01T00:00:00Z") })
      .execute();
    await db
      .insertInto("kept_report_files")
      .values({ report_id: monthlyReportId(siteId), pdf })
      .execute();
  }
}
