import { randomUUID } from "node:crypto";
import { measuredDays, storeMeasurements } from "@suncrew/contract/measurements/measurements.ts";
import { energySaved, savedKwh } from "@suncrew/domain/soiling/energy-saved.ts";
import { soiledDays } from "@suncrew/domain/soiling/site-soiling.ts";
import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp, TEST_NOW } from "../../../test/test-app.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { readSiteHours, SiteInputs } from "../weather/public.ts";
import { readReport } from "./reports.service.ts";

const MINUTE_MS = 60_000;
let server: TestApp;
let siteId: number;
let robots: readonly number[];
const facts = {
  dc_capacity_kwp: 1000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 80,
  tariff_per_kwh: 3,
  currency: "INR",
};

/** Two robots that ran on the mornings of 20 and 30 May and 5 June, each for an hour of an hour. */
beforeAll(async () => {
  server = await createTestApp();
  siteId = server.fixtures.ownSiteId;
  const rows = await server.db.selectFrom("robots").select("id").where("site_id", "=", siteId).orderBy("id").execute();
  robots = rows.map(({ id }) => id);
  await server.db.updateTable("sites").set(facts).where("id", "=", siteId).execute();
  await new SiteInputs(server.deps).runOnce();
  for (const day of ["2026-05-20", "2026-05-30", "2026-06-05"]) {
    for (const robotId of robots) await addRun(robotId, new Date(`${day}T00:30:00Z`));
  }
  const { id, serial } = server.fixtures.ownRobot;
  // Without activity there is no report.
  await sql`
    insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name, partner_name,
      robot_name, serial_number, details, params)
    values ('2026-06-05T00:30:00Z', ${siteId}, ${id}, 'START', 'MANUAL', 'SUCCESS', 'Omkar Jain', 'Ownfield', 'A partner',
      ${serial}, ${serial}, ${serial}, '{}')`.execute(server.db);
});
afterAll(() => server.close());

async function addRun(robotId: number, began: Date): Promise<void> {
  const ended = new Date(began.getTime() + 60 * MINUTE_MS);
  await server.db
    .insertInto("runs")
    .values({
      id: randomUUID(),
      robot_id: robotId,
      site_id: siteId,
      started_by: "Scheduler",
      planned: true,
      schedule_id: 1_000_000,
      due_at: began,
      stop_due_at: ended,
      began_at: began,
      ended_at: ended,
      outcome: "COMPLETED",
    })
    .execute();
}

const viewer: Viewer = {
  userId: 0,
  name: "Suncrew",
  email: "",
  role: "SUPER_ADMIN",
  partnerId: null,
  sessionId: "",
};
const june = { from: "2026-06-01 00:00:00", to: "2026-06-30 23:59:59" };
const read = () => readReport(viewer, server.db, { siteId, ...june }, { now: TEST_NOW, maintenanceIntervalDays: 180 });

test("energy saved: by the runs of the range, on the days whose hours are known, as the model of the site says", async () => {
  const { energy, before, sample } = await read();
  expect(energy).toMatchObject({ missing: [], runs: 2, uncountedRuns: 0, measured: null });
  // Today is not over.
  expect(energy.saved?.days).toBe(14);
  expect(before?.energy).toMatchObject({ missing: [], runs: 4, saved: { days: 31 } });
  expect(sample).toBe(true);
  const { site, hours, runs } = await inputs();
  const dates = Array.from({ length: 30 }, (_, day) => `2026-06-${String(day + 1).padStart(2, "0")}`);
  const expected = energySaved(site, hours, runs, { from: new Date("2026-05-31T18:30:00Z"), dates });
  expect(energy.saved).toMatchObject({ lost: expected?.lost, lostWithout: expected?.lostWithout, days: 14 });
  expect(expected && savedKwh(expected).value).toBeGreaterThan(0);
});

test("energy saved: of a range with no data of any robot it is not known, rather than nothing", async () => {
  const { before } = await readReport(
    viewer,
    server.db,
    { siteId, from: "2026-05-20 00:00:00", to: "2026-06-15 23:59:59" },
    { now: TEST_NOW, maintenanceIntervalDays: 180 },
  );
  expect(before).toMatchObject({ figures: { data_days: 0 }, energy: { saved: null, missing: [] } });
});

test("energy saved: what measured energy verifies is said, of the days of the range", async () => {
  const { site, hours, runs } = await inputs();
  const days = soiledDays(site, hours, runs)?.days ?? [];
  const values = days
    .filter(({ date }) => date >= "2026-05-25" && date < "2026-06-15")
    .map(({ date, energy_kwh }) => ({
      start: date,
      meter_energy_kwh: (energy_kwh ?? 0) * (date < "2026-06-05" ? 0.9 : 0.98),
    }));
  const owner = await server.as("owner");
  await owner.ask(storeMeasurements, { params: { siteId }, body: { values } });
  expect(
    (await owner.ask(measuredDays, { params: { siteId }, query: { from: "2026-06-01", to: "2026-06-14" } })).days,
  ).toHaveLength(14);
  const { energy, before } = await read();
  expect(energy.measured).toMatchObject({ cleanings: 1, verified: [{ date: "2026-06-05" }] });
  expect(energy.measured?.verified[0]?.gain.value).toBeCloseTo(0.98 / 0.9 - 1, 2);
  expect(before?.energy.measured).toMatchObject({ verified: [] });
});

test("energy saved: without facts, robots or hours it is not known, and the report says what is missing", async () => {
  const missing = async () => (await read()).energy;
  await server.db.updateTable("sites").set({ tilt_degrees: null }).where("id", "=", siteId).execute();
  expect(await missing()).toMatchObject({ saved: null, missing: ["tilt_degrees"] });
  await server.db.updateTable("sites").set(facts).where("id", "=", siteId).execute();
  await server.db.updateTable("site_air_days").set({ place: "0.00 0.00" }).execute();
  await server.db.updateTable("site_weather_days").set({ place: "0.00 0.00" }).execute();
  expect(await missing()).toMatchObject({ saved: null, missing: ["particles"] });
  await server.db.updateTable("robots").set({ deleted_at: TEST_NOW }).where("site_id", "=", siteId).execute();
  expect(await missing()).toMatchObject({ saved: null, missing: ["robots"] });
});

async function inputs() {
  const hours = await readSiteHours(server.db, siteId, new Date("2026-02-28T18:30:00Z"), TEST_NOW);
  const runs = ["2026-05-20", "2026-05-30", "2026-06-05"].flatMap((day) =>
    robots.map((row) => ({ row, endedAt: new Date(`${day}T01:30:00Z`), share: 1 })),
  );
  return { site: { ...noEnergyFacts, ...facts, timezone: "Asia/Kolkata", rows: robots }, hours, runs };
}
