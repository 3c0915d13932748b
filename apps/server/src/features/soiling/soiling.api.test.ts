import { randomUUID } from "node:crypto";
import { attentionList } from "@suncrew/contract/attention/attention.ts";
import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { measuredComparison } from "@suncrew/contract/measurements/measured-against-model.ts";
import { storeMeasurements } from "@suncrew/contract/measurements/measurements.ts";
import { energyAtRisk, siteSoiling, type SiteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { siteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import { deleteSite } from "@suncrew/contract/sites/site-forms.ts";
import type { EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { modelSoiling } from "@suncrew/domain/soiling/site-soiling.ts";
import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { runWholeRound } from "../../../test/whole-rounds.ts";
import type { Person } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp, TEST_NOW } from "../../../test/test-app.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { Workers } from "../../platform/workers/workers.ts";
import { SoilingWatch } from "./public.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let server: TestApp;
let siteId: number;
let robots: readonly number[];
beforeEach(async () => {
  server = await createTestApp();
  siteId = server.fixtures.ownSiteId;
  const rows = await server.db.selectFrom("robots").select("id").where("site_id", "=", siteId).orderBy("id").execute();
  robots = rows.map(({ id }) => id);
});
afterEach(() => server.close());

const allFacts: EnergyFacts = {
  ...noEnergyFacts,
  dc_capacity_kwp: 1000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 80,
  tariff_per_kwh: 3,
  currency: "INR",
  cleaning_price: 500,
  cleaning_price_per: "run",
};
const setFacts = (facts: Partial<EnergyFacts>, of = siteId) =>
  server.db
    .updateTable("sites")
    .set((eb) => ({ ...facts, version: eb("version", "+", 1) }))
    .where("id", "=", of)
    .execute();

interface Inputs {
  readonly air?: { readonly pm2_5: number; readonly pm10: number } | null;
  /** By the UTC hour at which it ends, `06-13T05`. */
  readonly rain?: Readonly<Record<string, number>>;
  readonly withSun?: boolean;
  readonly at?: Date;
  readonly days?: number;
  readonly source?: "sample" | "open-meteo";
  readonly of?: number;
}
const sunAt = (hour: number) => (hour >= 2 && hour <= 12 ? 600 : 0);

/** Stores dusty hours of the last days, all that count by default, and of the five ahead. */
async function store({
  air = { pm2_5: 60, pm10: 150 },
  rain = {},
  withSun = true,
  at = new Date(TEST_NOW.getTime() - HOUR_MS),
  days = 93,
  source = "open-meteo",
  of = siteId,
}: Inputs = {}): Promise<void> {
  const site = await server.db.selectFrom("sites").selectAll().where("id", "=", of).executeTakeFirstOrThrow();
  const received = {
    received_at: at,
    confirmed_at: at,
    source,
    place: `${site.latitude.toFixed(2)} ${site.longitude.toFixed(2)}`,
  };
  const each = (value: (hour: number) => number | null) => Array.from({ length: 24 }, (_, hour) => value(hour));
  for (let ahead = -days; ahead <= 6; ahead += 1) {
    const day = addDays("2026-06-15", ahead);
    const key = { site_id: of, day };
    if (air !== null) {
      const values = { pm2_5: each(() => air.pm2_5), pm10: each(() => air.pm10) };
      await server.db
        .insertInto("site_air_days")
        .values({ ...key, ...received, ...values })
        .execute();
    }
    const weather = {
      archived: false,
      surface: site.tilt_degrees === null ? null : `${site.tilt_degrees} ${site.azimuth_degrees}`,
      rain_mm: each((hour) => rain[`${day.slice(5)}T${String(hour).padStart(2, "0")}`] ?? 0),
      gust_kmh: each(() => 10),
      temperature_c: each(() => 30),
      irradiance_w_m2: each((hour) => (withSun ? sunAt(hour) : null)),
    };
    await server.db
      .insertInto("site_weather_days")
      .values({ ...key, ...received, ...weather })
      .execute();
  }
}

/** A run that began `daysAgo` days before now and took these minutes. */
async function addRun(
  robotId: number | undefined,
  daysAgo: number,
  minutes: number,
  run: Partial<Pick<Tables["runs"], "reason">> & {
    readonly plannedMinutes?: number;
    readonly outcome?: "COMPLETED" | "STOPPED" | "CUT_SHORT" | "SKIPPED";
  } = {},
): Promise<void> {
  const { plannedMinutes, outcome = "COMPLETED", reason = null } = run;
  const began = new Date(TEST_NOW.getTime() - daysAgo * 24 * HOUR_MS);
  const later = (by: number) => new Date(began.getTime() + by * MINUTE_MS);
  const isPlanned = plannedMinutes !== undefined;
  await server.db
    .insertInto("runs")
    .values({
      id: randomUUID(),
      robot_id: robotId ?? 0,
      site_id: siteId,
      started_by: "Scheduler",
      planned: isPlanned,
      schedule_id: isPlanned ? 1_000_000 : null,
      due_at: isPlanned ? began : null,
      stop_due_at: isPlanned ? later(plannedMinutes) : null,
      began_at: outcome === "SKIPPED" ? null : began,
      ended_at: later(minutes),
      outcome,
      reason,
    })
    .execute();
}

const ask = async (of = siteId, person: Person = "owner"): Promise<SiteSoiling> =>
  (await server.as(person)).ask(siteSoiling, { params: { siteId: of } });
const atRisk = async (person: Person = "owner") => (await server.as(person)).ask(energyAtRisk);

/** Another server on the same database. */
const watch = () => new SoilingWatch(server.deps, new Workers(server.deps));
const soiledAlerts = () =>
  server.db.selectFrom("alerts").selectAll().where("code", "=", "SITE_SOILED").orderBy("id").execute();

describe("soiling of a site", () => {
  test("of which nothing is known has no figure, and says what is missing", async () => {
    const answer = await ask();
    expect(answer).toMatchObject({ basis: "modelled", model: null, ratio: null, lost_kwh: null, days: [] });
    expect(answer.missing).toEqual([
      "dc_capacity_kwp",
      "tilt_degrees",
      "azimuth_degrees",
      "performance_ratio_percent",
      "tariff_per_kwh",
      "currency",
      "cleaning_price",
      "particles",
      "rain",
    ]);
    expect(answer).toMatchObject({ source: null, received_at: null, is_stale: false, coverage_percent: 0 });
    expect(answer.next_night).toMatchObject({ date: null, reason: "UNKNOWN" });
  });

  test("§6: of another partner does not exist, and neither does one that was deleted", async () => {
    const owner = await server.as("owner");
    const { foreignSiteId, secondSiteId } = server.fixtures;
    await server.db.updateTable("sites").set({ deleted_at: TEST_NOW }).where("id", "=", secondSiteId).execute();
    for (const id of [foreignSiteId, secondSiteId, 999_999]) {
      const answer = await owner.call(siteSoiling, { params: { siteId: id } });
      expect([answer.status, answer.body]).toEqual([404, { message: "Site not found", code: "SITE_NOT_FOUND" }]);
    }
  });

  test("is what the domain's model makes of the stored hours, runs and facts", async () => {
    await setFacts(allFacts);
    await store({ rain: { "06-01T05": 4, "06-17T05": 2 } });
    await addRun(robots[0], 3, 30, { plannedMinutes: 60, outcome: "STOPPED" });
    const hours = Array.from({ length: 98 * 24 }, (_, index) => {
      const at = new Date(Date.parse("2026-03-14T19:00:00Z") + index * HOUR_MS);
      const key = at.toISOString().slice(5, 13);
      const rain_mm = key === "06-01T05" ? 4 : key === "06-17T05" ? 2 : 0;
      return { at, pm2_5: 60, pm10: 150, rain_mm, irradiance_w_m2: sunAt(at.getUTCHours()) };
    });
    const endedAt = new Date(TEST_NOW.getTime() - 3 * 24 * HOUR_MS + 30 * MINUTE_MS);
    const expected = modelSoiling(
      { ...allFacts, timezone: "Asia/Kolkata", rows: robots },
      hours,
      [{ row: robots[0] ?? 0, endedAt, share: 0.5 }],
      TEST_NOW,
    );
    const answer = await ask();
    expect(answer).toEqual({
      ...expected,
      site_id: siteId,
      basis: "modelled",
      missing: [],
      source: "open-meteo",
      received_at: "2026-06-15T05:30:00.000Z",
      is_stale: false,
      uncounted_runs: 0,
      corrections: [],
    });
    expect(answer).toMatchObject({ model: "hsu", coverage_percent: 100, last_cleaning: { cause: "RUN" } });
    expect(answer.days).toHaveLength(98);
    expect(answer.days.find(({ date }) => date === "2026-06-12")).toMatchObject({ runs: 1, cleaned_share: 0.25 });
    expect(answer.tonight_gain_kwh?.value).toBeGreaterThan(0);
    expect(answer.next_night.reason).not.toBe("UNKNOWN");
  });

  test.each([
    ["tilt_degrees", ["lost_kwh", "lost_money", "tonight_gain_kwh", "tonight_gain_money"]],
    ["azimuth_degrees", ["lost_kwh", "lost_money", "tonight_gain_kwh", "tonight_gain_money"]],
    ["dc_capacity_kwp", ["lost_kwh", "lost_money", "tonight_gain_kwh", "tonight_gain_money"]],
    ["performance_ratio_percent", ["lost_kwh", "lost_money", "tonight_gain_kwh", "tonight_gain_money"]],
    ["tariff_per_kwh", ["lost_money", "tonight_gain_money", "worth_from_percent", "best_interval_days"]],
    ["currency", ["lost_money", "tonight_gain_money", "cleaning_price"]],
    ["cleaning_price", ["cleaning_price", "worth_from_percent", "best_interval_days"]],
  ] as const)("without %s has no figure that needs it", async (fact, unknown) => {
    await setFacts({ ...allFacts, [fact]: null });
    await store();
    const answer = await ask();
    expect(answer.missing).toEqual([fact]);
    for (const figure of unknown) expect([figure, answer[figure]]).toEqual([figure, null]);
    expect(answer.ratio).not.toBeNull();
    expect(answer.next_night).toMatchObject({ date: null, reason: "UNKNOWN" });
  });

  test("without particles is Kimber's, and without irradiation has no energy", async () => {
    await setFacts(allFacts);
    await store({ air: null, withSun: false, source: "sample" });
    expect(await ask()).toMatchObject({
      model: "kimber",
      source: "sample",
      missing: ["particles", "irradiation"],
      second_opinion: null,
      lost_kwh: null,
      tonight_gain_kwh: null,
    });
  });

  test("without robots has no rows to soil", async () => {
    const { secondSiteId } = server.fixtures;
    await setFacts(allFacts, secondSiteId);
    await store({ of: secondSiteId });
    expect(await ask(secondSiteId)).toMatchObject({ missing: ["robots"], model: null, ratio: null, days: [] });
  });

  test("says that its inputs are stale 12 hours after they came, and nothing of the days ahead", async () => {
    await setFacts(allFacts);
    await store({ at: new Date(TEST_NOW.getTime() - 12 * HOUR_MS) });
    expect(await ask()).toMatchObject({ is_stale: false });
    server.clock.advance(1);
    const answer = await ask();
    expect(answer).toMatchObject({ is_stale: true, received_at: "2026-06-14T18:30:00.000Z", tonight_gain_kwh: null });
    expect(answer.days.filter(({ is_forecast }) => is_forecast)).toEqual([]);
    expect(answer.ratio?.value).toBeLessThan(1);
    expect(answer.next_night).toMatchObject({ date: null, reason: "UNKNOWN" });
  });

  test("rain has cleaned it", async () => {
    await setFacts(allFacts);
    await store({ rain: { "06-14T05": 3 } });
    expect((await ask()).last_cleaning).toEqual({ at: "2026-06-14T05:00:00.000Z", cause: "RAIN" });
  });
});

describe("the soiling of a site is computed once for all who ask", () => {
  /** Changes values in place, as nobody else does: only a new computation sees it. */
  const addDust = () => server.db.updateTable("site_air_days").set({ pm10: Array.from({ length: 24 }, () => 300) });

  test("while nothing changes that it is computed from, also for the comparison with what was measured", async () => {
    await setFacts(allFacts);
    await store();
    const [before, together] = await Promise.all([ask(), ask(siteId, "admin")]);
    expect(together).toEqual(before);
    await addDust().execute();
    server.clock.advance(14 * MINUTE_MS);
    expect(await ask()).toEqual(before);
    const owner = await server.as("owner");
    const values = [{ start: "2026-06-10", meter_energy_kwh: 400 }];
    await owner.ask(storeMeasurements, { params: { siteId }, body: { values } });
    const [compared] = (await owner.ask(measuredComparison, { params: { siteId } })).days;
    expect(compared?.modelled_ratio).toBe(before.days.find(({ date }) => date === "2026-06-10")?.ratio?.value);
    server.clock.advance(MINUTE_MS);
    expect((await ask()).ratio?.value).toBeLessThan(before.ratio?.value ?? 0);
  });

  test.each([
    [
      "a robot",
      () =>
        server.db
          .updateTable("robots")
          .set({ deleted_at: TEST_NOW })
          .where("id", "=", robots[0] ?? 0),
    ],
    ["a fact", () => server.db.updateTable("sites").set({ version: 77 }).where("id", "=", siteId)],
    [
      "an answer",
      () => server.db.updateTable("site_air_days").set({ confirmed_at: TEST_NOW }).where("day", "=", "2026-06-15"),
    ],
  ])("and again once there is another: %s", async (_what, change) => {
    await setFacts(allFacts);
    await store();
    const before = await ask();
    await addDust().execute();
    await change().execute();
    expect((await ask()).ratio?.value).toBeLessThan(before.ratio?.value ?? 0);
  });

  test("as the work of who asked first, whose other work waits rather than everybody's", async () => {
    await setFacts(allFacts);
    await store();
    const run = vi.spyOn(Workers.prototype, "run");
    onTestFinished(() => run.mockRestore());
    await ask();
    await (await server.as("owner")).ask(siteStrategies, { params: { siteId } });
    const owner = { person: expect.stringMatching(/^user /), team: expect.stringMatching(/^partner /) };
    expect(run.mock.calls.map(([, , options]) => options.owner)).toEqual([owner, owner]);
  });

  test("and again by the next call if that failed", async () => {
    await setFacts(allFacts);
    await store();
    await sql`alter table robot_group_members rename to members_away`.execute(server.db);
    const owner = await server.as("owner");
    expect((await owner.call(siteSoiling, { params: { siteId } })).status).toBe(500);
    await sql`alter table members_away rename to robot_group_members`.execute(server.db);
    expect((await ask()).model).toBe("hsu");
  });
});

describe("runs in the soiling of a site", () => {
  const cleanedShare = async () => (await ask()).days.reduce((sum, { cleaned_share }) => sum + cleaned_share, 0);

  test("clean the row of their robot, by minutes done of minutes planned, and only if they cleaned", async () => {
    await setFacts(allFacts);
    await store();
    const before = await ask();
    expect(before).toMatchObject({ last_cleaning: null });
    await addRun(robots[0], 2, 60, { plannedMinutes: 60, outcome: "SKIPPED" });
    await addRun(robots[0], 2.1, 0.5, { outcome: "STOPPED" });
    expect(await ask()).toEqual(before);
    await addRun(robots[0], 1.9, 15, { plannedMinutes: 60, outcome: "CUT_SHORT" });
    expect(await cleanedShare()).toBeCloseTo(0.25 / 2);
    await addRun(robots[1], 2, 60, { plannedMinutes: 60 });
    expect(await cleanedShare()).toBeCloseTo(1.25 / 2);
    const after = await ask();
    expect(after.uncounted_runs).toBe(0);
    expect(after.ratio?.value).toBeGreaterThan(before.ratio?.value ?? 1);
  });

  test("by hand are counted by the duration of the robot's schedule, and said to be uncounted without one", async () => {
    await setFacts(allFacts);
    await store();
    await addRun(robots[0], 2, 20);
    expect(await ask()).toMatchObject({ uncounted_runs: 1, last_cleaning: null });
    const group = await server.db
      .insertInto("robot_groups")
      .values({ site_id: siteId, group_name: "Rows", name_key: "rows" })
      .returning("id")
      .executeTakeFirstOrThrow();
    await server.db
      .insertInto("robot_group_members")
      .values({ robot_id: robots[0] ?? 0, group_id: group.id, site_id: siteId })
      .execute();
    const schedule = { frequency: "DAILY", start_time: "2026-06-15 20:00:00", status: "INACTIVE" } as const;
    await server.db
      .insertInto("schedules")
      .values({ ...schedule, group_id: group.id, site_id: siteId, duration_minutes: 80 })
      .execute();
    expect(await ask()).toMatchObject({ uncounted_runs: 0, last_cleaning: { cause: "RUN" } });
    expect(await cleanedShare()).toBeCloseTo(0.25 / 2);
  });

  test("that the robot ended as finished did their whole row, however long it took", async () => {
    await setFacts(allFacts);
    await store();
    await addRun(robots[0], 2, 20, { reason: "FINISHED" });
    await addRun(robots[1], 2, 20, { reason: "FINISHED", plannedMinutes: 60 });
    expect(await cleanedShare()).toBeCloseTo(1);
  });

  test("of robots that were deleted do not count, nor do their rows", async () => {
    await setFacts(allFacts);
    await store();
    await addRun(robots[0], 2, 60, { plannedMinutes: 60 });
    const deleted = server.db.updateTable("robots").set({ deleted_at: TEST_NOW });
    await deleted.where("id", "=", robots[0] ?? 0).execute();
    expect(await ask()).toMatchObject({ uncounted_runs: 0, last_cleaning: null, cleaning_price: 500 });
  });
});

describe("energy at risk tonight", () => {
  test("is that of the viewer's sites, most first, in each currency; sites without a figure are counted", async () => {
    const { secondSiteId, foreignSiteId } = server.fixtures;
    expect(await atRisk("admin")).toEqual({
      sites: [],
      total_kwh: null,
      totals_money: [],
      known_sites: 0,
      unknown_sites: 3,
      missing_facts_sites: 3,
      waiting_sites: 0,
      stale_sites: 0,
      factor_sites: 0,
    });
    await setFacts(allFacts);
    // Its first air and weather are on their way.
    expect(await atRisk("admin")).toMatchObject({ unknown_sites: 3, missing_facts_sites: 2, waiting_sites: 1 });
    await store();
    await setFacts({ ...allFacts, dc_capacity_kwp: 5000, currency: "EUR", soiling_rate_factor: 1.5 }, foreignSiteId);
    await store({ of: foreignSiteId });
    await runWholeRound(watch());
    const all = await atRisk("admin");
    expect(all).toMatchObject({ known_sites: 2, unknown_sites: 1, stale_sites: 0, factor_sites: 1 });
    expect(all.sites.map(({ site_id }) => site_id)).toEqual([foreignSiteId, siteId]);
    expect(all.totals_money.map(({ currency }) => currency)).toEqual(["EUR", "INR"]);
    const { tonight_gain_kwh, tonight_gain_money, ratio } = await ask();
    const own = await atRisk();
    expect(own).toMatchObject({ known_sites: 1, unknown_sites: 1, factor_sites: 0, total_kwh: tonight_gain_kwh });
    expect(own.sites).toEqual([
      {
        site_id: siteId,
        site_name: "Ownfield Park",
        ratio,
        soiling_rate_factor: 1,
        gain_kwh: tonight_gain_kwh,
        gain_money: tonight_gain_money,
        currency: "INR",
        source: "open-meteo",
        computed_at: TEST_NOW.toISOString(),
      },
    ]);
    expect((await atRisk("stranger")).sites.map(({ site_id }) => site_id)).toEqual([foreignSiteId]);
    server.clock.advance(11 * HOUR_MS + 1);
    expect(await atRisk("admin")).toMatchObject({ sites: [], known_sites: 0, unknown_sites: 1, stale_sites: 2 });
    await server.db.updateTable("sites").set({ deleted_at: TEST_NOW }).where("id", "=", secondSiteId).execute();
    expect(await atRisk("admin")).toMatchObject({ unknown_sites: 0 });
  });
});

describe("the soiling of sites is kept current", () => {
  const computedAt = async () =>
    await server.db
      .selectFrom("site_soiling")
      .select(["computed_at", "attempts"])
      .where("site_id", "=", siteId)
      .executeTakeFirstOrThrow();

  test("by one of several servers each time", async () => {
    await setFacts(allFacts);
    await store();
    await Promise.all([watch().runOnce(), watch().runOnce(), watch().runOnce()]);
    expect(await computedAt()).toEqual({ computed_at: TEST_NOW, attempts: 1 });
  });

  test("at once when the first inputs come", async () => {
    await setFacts(allFacts);
    await watch().runOnce();
    expect(await atRisk()).toMatchObject({ known_sites: 0 });
    await store();
    await server.db
      .insertInto("site_inputs")
      .values({ site_id: siteId, kind: "AIR", asked_for: "", next_at: TEST_NOW, received_at: TEST_NOW })
      .execute();
    await watch().runOnce();
    expect(await atRisk()).toMatchObject({ known_sites: 1 });
  });

  test("by another server if this one stops meanwhile, which is no error", async () => {
    await setFacts(allFacts);
    await store();
    const begun = Promise.withResolvers<void>();
    const workers = new Workers(server.deps);
    vi.spyOn(workers, "run").mockImplementation((...[, , { signal }]) => {
      begun.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    const lines: string[] = [];
    const log = pino({}, { write: (line) => void lines.push(line) });
    const stopping = new SoilingWatch({ ...server.deps, log }, workers);
    const round = stopping.runOnce();
    await begun.promise;
    await stopping.stop();
    await round;
    expect(lines).toEqual([]);
  });

  test("again within the hour after a run, a fact, a robot or an answer has come, not twice in ten minutes", async () => {
    await setFacts(allFacts);
    await store();
    await watch().runOnce();
    await watch().runOnce();
    expect((await computedAt()).attempts).toBe(1);
    const changes = [
      () => addRun(robots[0], 0.1, 60, { plannedMinutes: 60 }),
      () => setFacts({ tilt_degrees: 21 }),
      () =>
        server.db
          .updateTable("robots")
          .set({ deleted_at: TEST_NOW })
          .where("id", "=", robots[1] ?? 0)
          .execute(),
      () =>
        server.db
          .insertInto("site_inputs")
          .values({ site_id: siteId, kind: "AIR", asked_for: "", next_at: TEST_NOW, received_at: TEST_NOW })
          .execute(),
    ];
    let attempts = 1;
    for (const change of changes) {
      await change();
      server.clock.advance(9 * MINUTE_MS);
      await watch().runOnce();
      expect((await computedAt()).attempts).toBe(attempts);
      server.clock.advance(MINUTE_MS);
      await watch().runOnce();
      attempts += 1;
      expect(await computedAt()).toEqual({ computed_at: server.clock.now(), attempts });
    }
    server.clock.advance(59 * MINUTE_MS);
    await watch().runOnce();
    expect((await computedAt()).attempts).toBe(attempts);
    server.clock.advance(MINUTE_MS);
    await watch().runOnce();
    expect((await computedAt()).attempts).toBe(attempts + 1);
  });
});

describe("a soiled site needs attention", () => {
  test("from its limit on, once, with how far the model may be wrong, until it is clean", async () => {
    await setFacts(allFacts);
    await store({ days: 30 });
    await Promise.all([watch().runOnce(), watch().runOnce()]);
    const [alert, ...more] = await soiledAlerts();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ site_id: siteId, robot_id: null, severity: "WARNING", cleared_at: null });
    expect(alert?.text).toMatch(/^By model, soiling takes about 7 % of this site's energy: between \d % and 1\d %/);
    expect(alert?.text).toContain("Nothing was measured. Attention is due from 5 %.");
    const { alerts } = await (await server.as("owner")).ask(alertList, { query: {} });
    expect(alerts.map(({ code }) => code)).toEqual(["SITE_SOILED"]);
    const { items } = await (await server.as("owner")).ask(attentionList);
    expect(items).toMatchObject([{ kind: "ALERT", code: "SITE_SOILED", severity: "WARNING", site_id: siteId }]);
    // Above 80 % of the limit it stays, so that it does not come and go.
    await setFacts({ soiling_alert_percent: 7.5 });
    server.clock.advance(10 * MINUTE_MS);
    await watch().runOnce();
    expect((await soiledAlerts()).map(({ cleared_at }) => cleared_at)).toEqual([null]);
    expect((await soiledAlerts())[0]?.text).toContain("from 7.5 %");
    for (const robot of robots) await addRun(robot, 0.1, 60, { plannedMinutes: 60 });
    server.clock.advance(10 * MINUTE_MS);
    await watch().runOnce();
    expect((await soiledAlerts()).map(({ cleared_at }) => cleared_at)).toEqual([server.clock.now()]);
  });

  test("not below its limit, nor where its tilt is not known", async () => {
    await setFacts({ ...allFacts, soiling_alert_percent: 20 });
    await store({ days: 30 });
    await watch().runOnce();
    await setFacts({ ...allFacts, tilt_degrees: null });
    server.clock.advance(10 * MINUTE_MS);
    await watch().runOnce();
    expect(await soiledAlerts()).toEqual([]);
  });

  test("no longer once its inputs have vanished; what was said stays while they are only stale", async () => {
    await setFacts(allFacts);
    await store({ days: 30 });
    await watch().runOnce();
    server.clock.advance(24 * HOUR_MS);
    await watch().runOnce();
    expect((await soiledAlerts()).map(({ cleared_at }) => cleared_at)).toEqual([null]);
    // What was received is of another place.
    await server.db.updateTable("sites").set({ latitude: 10 }).where("id", "=", siteId).execute();
    server.clock.advance(HOUR_MS);
    await watch().runOnce();
    expect((await soiledAlerts()).map(({ cleared_at }) => cleared_at)).toEqual([server.clock.now()]);
  });

  test("no longer once it is deleted", async () => {
    await setFacts(allFacts);
    await store({ days: 30 });
    await watch().runOnce();
    await (await server.as("admin")).ask(deleteSite, { params: { id: siteId } });
    server.clock.advance(2 * HOUR_MS);
    await watch().runOnce();
    expect((await soiledAlerts()).map(({ cleared_at }) => cleared_at)).toEqual([TEST_NOW]);
  });
});
