import { describe, expect, test } from "vitest";
import { noEnergyFacts } from "../sites/site-energy-facts.ts";
import { simulateStrategy } from "./cleaning-by-need.ts";
import type { SoilingSite } from "./site-soiling.ts";
import type { SoilingHour } from "./soiling-model.ts";
import { compareStrategies } from "./strategies-of-site.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const from = new Date("2025-06-14T18:30:00Z");
const to = new Date(from.getTime() + 365 * DAY_MS);
const year = { from, to, eveningUtcHour: 14, limits: { least: 1, most: 14 } };

const site: SoilingSite = {
  ...noEnergyFacts,
  timezone: "Asia/Kolkata",
  rows: [1, 2, 3, 4],
  dc_capacity_kwp: 1000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 80,
  tariff_per_kwh: 3,
  currency: "INR",
  cleaning_price: 200,
  cleaning_price_per: "run",
};

const hours = Array.from({ length: 366 * 24 }, (_, index): SoilingHour => {
  const at = new Date(Date.parse("2025-06-14T12:00:00Z") + (index + 1) * HOUR_MS);
  const isDay = at.getUTCHours() > 0 && at.getUTCHours() <= 12;
  return { at, pm2_5: 60, pm10: 150, rain_mm: 0, irradiance_w_m2: isDay ? 500 : 0 };
});

describe("cleaning by need against fixed intervals over a year", () => {
  test("each costs what its strategy costs, at the price of all rows", () => {
    const { strategies, ...known } = compareStrategies(site, hours, year);
    expect(known).toEqual({ model: "hsu", days: 365, known_days: 365 });
    expect(strategies.map(({ kind }) => kind)).toEqual(["BY_NEED", "DAILY", "WEEKLY", "NEVER"]);
    const [byNeed, daily, weekly, never] = strategies;
    expect(daily).toMatchObject({ cleanings: 365, runs: 1460, cleaning_cost: 292_000 });
    expect(weekly).toMatchObject({ cleanings: 52, cleaning_cost: 41_600 });
    expect(never).toMatchObject({ cleanings: 0, cleaning_cost: 0 });
    expect(byNeed?.cost.value).toBeLessThanOrEqual(Math.min(daily?.cost.value ?? 0, weekly?.cost.value ?? 0) * 1.02);
    expect(byNeed?.loss_percent).toBeGreaterThan(daily?.loss_percent ?? Infinity);
    const settings = { model: "hsu", tiltDegrees: 20, soilingRateFactor: 1, effectivenessPercent: 95 } as const;
    const plant = { dcCapacityKwp: 1000, performanceRatioPercent: 80 };
    const alone = { settings, plant, rows: 4, cleaningPrice: 800, tariffPerKwh: 3, eveningUtcHour: 14 };
    const within = hours.filter(({ at }) => at > from && at <= to);
    expect(simulateStrategy(alone, within.slice(0, 365 * 24), { kind: "never" }).lostKwh.value).toBeCloseTo(
      never?.lost_kwh.value ?? 0,
      6,
    );
  });

  test("a day counts as known with all its hours; what is missing counts for nothing", () => {
    const gap = (hour: SoilingHour) => hour.at.getTime() > from.getTime() + 100 * DAY_MS;
    const some = compareStrategies(
      site,
      hours.filter((hour) => gap(hour)),
      year,
    );
    expect(some).toMatchObject({ days: 365, known_days: 265 });
    const all = compareStrategies(site, hours, year);
    expect(some.strategies[3]?.lost_kwh.value).toBeLessThan(all.strategies[3]?.lost_kwh.value ?? 0);
    const dark = hours.map((hour, index) => (index % 48 === 7 ? { ...hour, irradiance_w_m2: null } : hour));
    expect(compareStrategies(site, dark, year).known_days).toBeLessThan(190);
  });

  test.each([
    ["a fact", { ...site, tariff_per_kwh: null }, hours],
    ["robots", { ...site, rows: [] }, hours],
    ["hours", site, []],
  ])("without %s nothing is compared", (_, of, stored) => {
    expect(compareStrategies(of, stored, year)).toMatchObject({ known_days: 0, strategies: [] });
  });
});
