import type { Db } from "../src/platform/database/database.ts";
import type { Fixtures } from "./fixtures.ts";
import { sampleLogo } from "./sample-logo.ts";

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

/** A mail server that nobody runs, a contact of each of these sites who gets its reports, and their logo. */
export async function addReportMail(db: Db, { ownRobot, foreignRobot }: Fixtures): Promise<void> {
  const at = new Date("2026-06-01T00:00:00Z");
  const sender = { from_name: "Suncrew", from_address: "reports@suncrew.example" };
  const server = { host: "127.0.0.1", port: 9, encryption: "NONE" } as const;
  await db
    .insertInto("mail_settings")
    .values({ ...server, ...sender, changed_at: at, changed_by: "Seeded" })
    .execute();
  await db
    .insertInto("report_logo")
    .values({ media_type: "image/png", width: 60, height: 20, content: sampleLogo, changed_at: at })
    .execute();
  const contact = {
    owner_kind: "SITE",
    site_role: "OWNER",
    channel: "EMAIL",
    timezone: "Asia/Kolkata",
    gets_reports: true,
    created_at: at,
  } as const;
  await db
    .insertInto("contact_points")
    .values([
      { ...contact, id: 981, site_id: ownRobot.siteId, name: "Own owner", address: "own@owner.example" },
      { ...contact, id: 982, site_id: foreignRobot.siteId, name: "Far owner", address: "far@owner.example" },
    ])
    .execute();
}
