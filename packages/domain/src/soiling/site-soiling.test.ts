import { describe, expect, test } from "vitest";
import type { CleaningEconomics } from "./cleaning-value.ts";
import { type NightAhead, nextNight } from "./next-night.ts";
import { modelSoiling, type SoilingSite } from "./site-soiling.ts";
import type { RowRun, SoilingHour } from "./soiling-model.ts";
import { noEnergyFacts } from "../sites/site-energy-facts.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 17:30 at the site. */
const now = new Date("2026-03-20T12:00:00Z");

const bare: SoilingSite = { ...noEnergyFacts, timezone: "Asia/Kolkata", rows: [1, 2, 3, 4] };
const site: SoilingSite = {
  ...bare,
  dc_capacity_kwp: 1000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 80,
  tariff_per_kwh: 3,
  currency: "INR",
  cleaning_price: 500,
  cleaning_price_per: "run",
};

/** From so many days ago to so many ahead, with the sun up from 6 to 18 at the site, and rain of 8 mm in one hour. */
function dusty(daysAgo: number, daysAhead: number, rainAfterHours?: number): SoilingHour[] {
  return Array.from({ length: (daysAgo + daysAhead) * 24 }, (_, index): SoilingHour => {
    const at = new Date(now.getTime() - daysAgo * DAY_MS + (index + 1) * HOUR_MS);
    const isDay = at.getUTCHours() > 0 && at.getUTCHours() <= 12;
    const isRain = at.getTime() === now.getTime() + (rainAfterHours ?? Number.NaN) * HOUR_MS;
    return { at, pm2_5: 60, pm10: 150, rain_mm: isRain ? 8 : 0, irradiance_w_m2: isDay ? 500 : 0 };
  });
}
const runOf = (row: number, hoursAgo: number): RowRun => {
  return { row, endedAt: new Date(now.getTime() - hoursAgo * HOUR_MS), share: 1 };
};

describe("soiling of a site", () => {
  test("by days of the site's calendar, with what was lost, and ahead with and without a run tonight", () => {
    const soiling = modelSoiling(site, dusty(30, 6), [runOf(1, 60), runOf(2, 60)], now);
    expect(soiling).toMatchObject({ model: "hsu", last_cleaning: { at: "2026-03-18T00:00:00.000Z", cause: "RUN" } });
    expect(soiling.coverage_percent).toBeCloseTo((30 / 92) * 100, 10);
    const dates = soiling.days.map(({ date }) => date);
    expect([dates[0], dates.at(-1), dates.length]).toEqual(["2026-02-18", "2026-03-25", 36]);
    const days = new Map(soiling.days.map((day) => [day.date, day]));
    const past = days.get("2026-03-18");
    expect(past).toMatchObject({ is_forecast: false, ratio_if_cleaned: null, runs: 2, cleaned_share: 0.5, rain_mm: 0 });
    expect([past?.pm2_5, past?.pm10]).toEqual([60, 150]);
    expect(past?.energy_kwh).toBeCloseTo(1000 * 6 * 0.8, 8);
    expect(past?.lost_kwh?.value).toBeCloseTo(4800 * (1 - (past?.ratio?.value ?? 0)), 8);
    const ahead = soiling.days.filter((day) => day.is_forecast);
    expect(ahead.map(({ date }) => date)).toEqual(dates.slice(-5));
    const gained = ahead.map((day) => ((day.ratio_if_cleaned ?? 0) - (day.ratio?.value ?? 1)) * (day.energy_kwh ?? 0));
    expect(gained.every((kwh) => kwh > 0)).toBe(true);
    // The hours known beyond the fifth day add to the gain.
    expect(soiling.tonight_gain_kwh?.value).toBeGreaterThan(gained.reduce((sum, kwh) => sum + kwh, 0));
    expect(soiling.tonight_gain_money?.value).toBeCloseTo((soiling.tonight_gain_kwh?.value ?? 0) * 3, 8);
    expect(soiling.second_opinion).toBeGreaterThan(soiling.ratio?.value ?? 1);
  });

  test("corrected by a factor, it is a place with so many more particles, band and all; the rule of thumb has none", () => {
    const hours = dusty(30, 6);
    const runs = [runOf(1, 60), runOf(2, 60)];
    const more = hours.map((hour) => ({ ...hour, pm2_5: 1.5 * (hour.pm2_5 ?? 0), pm10: 1.5 * (hour.pm10 ?? 0) }));
    const corrected = modelSoiling({ ...site, soiling_rate_factor: 1.5 }, hours, runs, now);
    const dustier = modelSoiling(site, more, runs, now);
    expect(corrected.soiling_rate_factor).toBe(1.5);
    for (const figure of ["ratio", "lost_kwh", "lost_money", "tonight_gain_kwh"] as const) {
      for (const end of ["value", "low", "high"] as const) {
        expect(corrected[figure]?.[end]).toBeCloseTo(dustier[figure]?.[end] ?? Number.NaN, 9);
      }
    }
    expect(corrected.next_night.date).toBe(dustier.next_night.date);
    expect(corrected.second_opinion).toBe(dustier.second_opinion);
    const rained = hours.map((hour) => ({ ...hour, pm2_5: null }));
    const [plain, unmoved] = [null, 1.5].map((factor) =>
      modelSoiling({ ...site, soiling_rate_factor: factor }, rained, runs, now),
    );
    expect(unmoved).toEqual(plain);
    expect(unmoved?.soiling_rate_factor).toBe(1);
  });

  test("more than the model was measured for is said, of any row", () => {
    const beyond = (factor: number, runs: RowRun[]) =>
      modelSoiling({ ...site, soiling_rate_factor: factor }, dusty(30, 6), runs, now).is_beyond_measured;
    expect(beyond(1, [])).toBe(false);
    expect(beyond(10, [])).toBe(true);
    expect(beyond(10, [runOf(1, 1), runOf(2, 1), runOf(3, 1)])).toBe(true);
    expect(
      beyond(
        10,
        [1, 2, 3, 4].map((row) => runOf(row, 1)),
      ),
    ).toBe(false);
  });

  test("rain ahead ends what a cleaning tonight gains", () => {
    const gainWith = (rain?: number) => modelSoiling(site, dusty(30, 5, rain), [], now).tonight_gain_kwh?.value ?? 0;
    expect(gainWith(8)).toBe(0);
    expect(gainWith(32)).toBeGreaterThan(0);
    expect(gainWith(32)).toBeLessThan(gainWith() / 2);
  });

  test("after every row was cleaned, lost is what was lost since", () => {
    const before = modelSoiling(site, dusty(30, 5), [], now);
    const after = modelSoiling(
      site,
      dusty(30, 5),
      [1, 2, 3, 4].map((row) => runOf(row, 12)),
      now,
    );
    const today = after.days.find(({ date }) => date === "2026-03-20");
    expect(after.lost_kwh?.value).toBeCloseTo(today?.lost_kwh?.value ?? 0, 8);
    expect(before.lost_kwh?.value).toBeCloseTo(
      before.days.reduce((sum, day) => sum + (day.is_forecast ? 0 : (day.lost_kwh?.value ?? 0)), 0),
      8,
    );
  });

  test("worth it now, later within the forecast, or by the present rate beyond it", () => {
    const nextFor = (cleaning_price: number) => {
      const { next_night } = modelSoiling({ ...site, cleaning_price }, dusty(10, 5), [], now);
      return [next_night.date, next_night.is_extrapolated, next_night.reason];
    };
    expect(nextFor(500)).toEqual(["2026-03-20", false, "WORTH_IT"]);
    expect(nextFor(900)).toEqual(["2026-03-24", false, "NOT_YET"]);
    expect(nextFor(3000)).toEqual(["2026-04-05", true, "NOT_YET"]);
  });

  test("a loss that is not worth a cleaning yet is below that from which one pays", () => {
    const { next_night, worth_from_percent } = modelSoiling({ ...site, cleaning_price: 1000 }, dusty(3, 5), [], now);
    expect(next_night.text).toBe("The loss is 1.0 % tonight; a cleaning pays from 3.9 %.");
    expect(worth_from_percent).toBeGreaterThan(1.0);
  });

  test("rain that is near is waited for", () => {
    const { next_night } = modelSoiling(site, dusty(10, 5, 30), [], now);
    expect(next_night).toMatchObject({ reason: "RAIN_NEAR", reason_params: { rain_mm: 8, day: "2026-03-21" } });
    expect(next_night.text).toBe("Cleaning would pay, but 8 mm of rain is forecast for 21 March and cleans as well.");
    expect(next_night.is_extrapolated).toBe(true);
  });

  test("stale inputs say nothing of the days ahead", () => {
    const soiling = modelSoiling(site, dusty(10, 0), [], now);
    expect(soiling).toMatchObject({ tonight_gain_kwh: null, next_night: { date: null, reason: "UNKNOWN" } });
    expect(soiling.lost_money?.value).toBeGreaterThan(0);
    expect(soiling.days.some((day) => day.is_forecast)).toBe(false);
  });
});

describe("what is not known is not said", () => {
  const nothing = {
    lost_kwh: null,
    lost_money: null,
    cleaning_price: null,
    tonight_gain_kwh: null,
    worth_from_percent: null,
    best_interval_days: null,
    next_night: { reason: "UNKNOWN", date: null },
  };

  test("without facts the loss is Kimber's, as particles settle by tilt", () => {
    const soiling = modelSoiling(bare, dusty(20, 5), [], now);
    expect(soiling).toMatchObject({ model: "kimber", second_opinion: null, ...nothing });
    expect(1 - (soiling.ratio?.value ?? 0)).toBeCloseTo(0.03, 10);
    expect(soiling.days.every((day) => day.energy_kwh === null && day.lost_kwh === null)).toBe(true);
  });

  test("without an azimuth the irradiation is not that of the panels", () => {
    expect(modelSoiling({ ...site, azimuth_degrees: null }, dusty(20, 5), [], now)).toMatchObject({
      model: "hsu",
      lost_kwh: null,
      next_night: { reason: "UNKNOWN" },
    });
  });

  test("without a tariff energy, without a price no night", () => {
    const soiling = modelSoiling({ ...site, tariff_per_kwh: null }, dusty(20, 5), [], now);
    expect(soiling.lost_kwh?.value).toBeGreaterThan(0);
    expect(soiling).toMatchObject({ lost_money: null, next_night: { reason: "UNKNOWN" }, best_interval_days: null });
    expect(modelSoiling({ ...site, cleaning_price: null }, dusty(20, 5), [], now)).toMatchObject({
      cleaning_price: null,
      next_night: { reason: "UNKNOWN" },
    });
  });

  test("without irradiation the loss, without inputs or robots nothing", () => {
    const dark = dusty(20, 5).map((hour) => ({ ...hour, irradiance_w_m2: null }));
    const soiling = modelSoiling(site, dark, [], now);
    expect(soiling).toMatchObject({ model: "hsu", ...nothing, cleaning_price: 2000 });
    expect(soiling.days[5]?.ratio?.value).toBeLessThan(1);
    for (const none of [modelSoiling(site, [], [], now), modelSoiling({ ...site, rows: [] }, dusty(20, 5), [], now)]) {
      expect(none).toMatchObject({ model: null, ratio: null, second_opinion: null, coverage_percent: 0, days: [] });
    }
  });
});

describe("the next worthwhile night", () => {
  const economics: CleaningEconomics = { price: 1000, energyWorthPerDay: 10_000, lossPerDay: 0.004 };
  const night = (day: number, lostMoney: number, rain: NightAhead["rain"] = null): NightAhead => {
    return { date: `2026-03-2${day}`, lostMoney, loss: 0.01, rain };
  };

  test("is told with its money", () => {
    expect(nextNight(economics, "INR", [night(0, 12_345.6), night(1, 12_400)])).toEqual({
      date: "2026-03-20",
      is_extrapolated: false,
      reason: "WORTH_IT",
      reason_params: { lost: 12_345.6, price: 1000, currency: "INR" },
      text: "Soiling has cost 12,346 INR since the last cleaning; a cleaning costs 1,000 INR.",
    });
  });

  test("is the first after rain that it does not wait for", () => {
    const rain = { mm: 2.25, day: "2026-03-22" };
    const nights = [night(0, 1200, rain), night(1, 1300, rain), night(2, 10), night(3, 1001)];
    expect(nextNight(economics, "INR", nights)).toMatchObject({ date: "2026-03-23", reason: "RAIN_NEAR" });
  });

  test("is not named beyond a year, nor without nights", () => {
    const slow = { ...economics, energyWorthPerDay: 1, lossPerDay: 0.0001 };
    expect(nextNight(slow, "INR", [{ ...night(0, 0), loss: 0.0004 }])).toMatchObject({
      date: null,
      is_extrapolated: false,
      reason: "NOT_YET",
      text: expect.stringContaining("The loss is 0.04 % tonight"),
    });
    expect(nextNight(economics, "INR", [])).toMatchObject({ date: null, reason: "UNKNOWN" });
  });
});
