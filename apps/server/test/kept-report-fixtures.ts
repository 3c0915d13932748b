import type { Db } from "../src/platform/database/database.ts";
import type { Fixtures } from "./fixtures.ts";

/** The id of the monthly report that `addKeptReports` gives a site. */
export const keptReportId = (siteId: number) => 920_000 + siteId;

/** A monthly report of the owner's site and one of the stranger's, each named by its site's owner. */
export async function addKeptReports(db: Db, { ownRobot, foreignRobot }: Fixtures): Promise<void> {
  for (const [siteId, words] of [
    [ownRobot.siteId, "%PDF-1.7 Ownfield"],
    [foreignRobot.siteId, "%PDF-1.7 Farfield"],
  ] as const) {
    const pdf = Buffer.from(words);
    const report = { site_id: siteId, month: "2026-05-01", status: "READY", bytes: pdf.length } as const;
    await db
      .insertInto("kept_reports")
      .values({ ...report, id: keptReportId(siteId), created_at: new Date("2026-06-01T00:00:00Z") })
      .execute();
    await db
      .insertInto("kept_report_files")
      .values({ report_id: keptReportId(siteId), pdf })
      .execute();
  }
}
