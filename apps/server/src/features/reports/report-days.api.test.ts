import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addRun, robotAt, siteIn } from "../../../test/day-fixtures.ts";
import { addSite, setState } from "../../../test/fixtures.ts";
import { closeDays } from "../../../test/report-histories.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { ensureReadingsPartitions } from "../devices/public.ts";
import type { ReportData } from "./report-data.ts";
import { readReport } from "./reports.service.ts";

let server: TestApp;
let siteId: number;
const NOW = new Date("2026-08-15T06:30:00Z");

beforeAll(async () => {
  server = await createTestApp();
  const { db } = server;
  siteId = await siteIn(db, "Asia/Kolkata");
  for (const month of ["2026-05-15", "2026-06-15"]) await ensureReadingsPartitions(db, new Date(month));
  const robotId = await robotAt(db, siteId, [
    ["2026-05-01T06:00Z", "2026-05-31T20:00Z"],
    ["2026-06-01T02:00Z", null],
  ]);
  await setState(db, robotId, { live_at: NOW });
  const leftId = await robotAt(db, siteId, [["2026-05-20T06:00Z", "2026-06-03T06:00Z"]]);
  await addRun(db, leftId, siteId, { moved: ["2026-05-30T06:00Z", "2026-05-30T07:00Z"], outcome: "COMPLETED" });
  await db
    .updateTable("robots")
    .set({ site_id: await addSite(db, "Elsewhere", null) })
    .where("id", "=", leftId)
    .execute();
  for (const due of ["2026-05-10T18:00Z", "2026-05-31T18:00Z", "2026-06-10T18:00Z"]) {
    const end = new Date(Date.parse(due) + 3_600_000).toISOString();
    await addRun(db, robotId, siteId, { due: [due, end], moved: [due, end], outcome: "COMPLETED" });
  }
  await sql`
    insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion, mode,
      battery, charging)
    select r.id, ${siteId}, t, t, 1, row_number() over (partition by r.id order by t), 'stop', 'idle', 'STOPPED', 'AUTO',
      30 + (extract(epoch from t)::bigint / 600 + r.id) % 60, true
    from unnest(array[${robotId}::int, ${leftId}::int]) r (id), generate_series(timestamptz '2026-05-28 00:00:10Z',
      '2026-06-03 06:00Z', interval '41 seconds') t`.execute(db);
  await db
    .insertInto("alerts")
    .values({
      robot_id: robotId,
      site_id: siteId,
      source: "ROBOT",
      code: "A",
      severity: "CRITICAL",
      text: "Fault.",
      raised_at: new Date("2026-05-31T10:00Z"),
      cleared_at: new Date("2026-06-02T10:00Z"),
    })
    .execute();
  await db
    .insertInto("activity")
    .values(
      ["2026-05-10T18:00Z", "2026-05-31T00:00Z", "2026-06-10T18:00Z"].map((at) => ({
        created_at: new Date(at),
        site_id: siteId,
        robot_id: robotId,
        action: "START" as const,
        action_type: "SCHEDULED" as const,
        status: "SUCCESS" as const,
        user_name: "Scheduler",
        site_name: "Days",
        robot_name: "R",
        serial_number: "R",
        details: "",
        params: JSON.stringify({}),
      })),
    )
    .execute();
});
afterAll(() => server.close());

function report(from: string, to: string): Promise<ReportData> {
  const { userIds } = server.fixtures;
  const viewer: Viewer = {
    userId: userIds.admin,
    name: "Anita Rao",
    email: "",
    role: "SUPER_ADMIN",
    partnerId: null,
    sessionId: "",
  };
  return readReport(viewer, server.db, { siteId, from, to }, { now: NOW, maintenanceIntervalDays: 180 });
}

const ranges = [
  ["2026-05-01 00:00:00", "2026-05-31 23:59:59"],
  ["2026-05-09 00:00:00", "2026-06-11 12:00:00"],
  ["2026-06-02 06:00:00", "2026-06-30 23:59:59"],
  ["2026-05-30 12:00:00", "2026-05-31 11:59:59"],
] as const;
const all = () => Promise.all(ranges.map(([from, to]) => report(from, to)));

test("Growth: every report is the same once its days are closed, and of whole days once their readings are dropped", async () => {
  const before = await all();
  expect(before[0]).toMatchObject({ figures: { uptime_days: 31, battery_days: 4 }, days: { length: 31 } });
  for (const now of [new Date("2026-06-03T02:00Z"), NOW]) {
    await closeDays(server.db, siteId, now);
    expect(await all()).toEqual(before);
  }
  await sql`drop table readings_2026_05`.execute(server.db);
  const [may, mixed, june, partial] = await all();
  expect([may, mixed, june]).toEqual(before.slice(0, 3));
  // Nothing is made up about a part of a day whose readings are gone.
  expect(before[3]).toMatchObject({ figures: { battery_days: 2 } });
  expect(partial).toMatchObject({ figures: { battery_days: 0, average_battery: null } });
});

test("Growth: a month whose runs, alerts, presence and activity were deleted keeps the figures of its report", async () => {
  const [month] = ranges;
  const before = await report(...month);
  expect(before).toMatchObject({ figures: { critical_alerts: 1, cleaning_cycles: 3 }, robots: { length: 2 } });
  const end = new Date("2026-06-04T00:00Z");
  const { db } = server;
  await db.deleteFrom("runs").where("ended_at", "<", end).execute();
  await db.deleteFrom("alerts").where("cleared_at", "<", end).execute();
  await db.deleteFrom("activity").where("created_at", "<", end).execute();
  await db.deleteFrom("robot_presence").where("offline_at", "<", new Date("2026-06-01T00:00Z")).execute();
  // None of this is a correction.
  await closeDays(db, siteId, NOW);
  const none = { rows: [], rest: 0 };
  const after = await report(...month);
  const cleaned = (of: ReportData) => of.robots.map(({ health }) => health?.lastCleanedAt);
  expect(cleaned(after)).toEqual(cleaned(before));
  expect(after).toEqual({ ...before, notDone: none, alerts: none, activity: none });
  // A range in which nothing happened has no report, as always.
  await expect(report("2026-04-01 00:00:00", "2026-04-30 23:59:59")).rejects.toThrow("No activity");
});
