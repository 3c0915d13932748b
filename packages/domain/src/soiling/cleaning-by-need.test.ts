import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideEvening, type Evening, simulateStrategy, type StrategySite } from "./cleaning-by-need.ts";
import { bestIntervalDays, presentRates } from "./cleaning-value.ts";
import type { SoilingHour } from "./soiling-model.ts";

const HOUR_MS = 3_600_000;
const START = Date.parse("2026-01-01T18:00:00Z");

describe("an evening's decision, with its reason", () => {
  const limits = { least: 2, most: 10 };
  const economics = { price: 1000, energyWorthPerDay: 10_000, lossPerDay: 0.0006 };
  const little = { economics, lostMoney: 120, loss: 0.004 };
  const much = { economics, lostMoney: 1001, loss: 0.012 };
  const rain = { mm: 8, daysAhead: 1 };

  test.each<[string, Evening, boolean, string]>([
    ["runs", { daysSinceRun: 5, worth: much, rain: null }, true, "Runs: loss 1.2 %, worth from 1.1 %."],
    ["rain", { daysSinceRun: 5, worth: much, rain }, false, "Not tonight: rain 8 mm forecast tomorrow."],
    [
      "rain",
      { daysSinceRun: 5, worth: much, rain: { mm: 12.4, daysAhead: 2 } },
      false,
      "Not tonight: rain 12 mm forecast in 2 days.",
    ],
    ["loss", { daysSinceRun: 5, worth: little, rain }, false, "Not tonight: loss 0.4 %, worth from 1.1 %."],
    [
      "least",
      { daysSinceRun: 1, worth: much, rain: null },
      false,
      "Not tonight: 1 day since the last run, at least 2.",
    ],
    ["most", { daysSinceRun: 10, worth: little, rain }, true, "Runs: 10 days since the last run, at most 10."],
    [
      "most, unknown worth",
      { daysSinceRun: 12, worth: null, rain: null },
      true,
      "Runs: 12 days since the last run, at most 10.",
    ],
    ["no run known", { daysSinceRun: null, worth: null, rain: null }, true, "Runs: no run known, at most 10."],
    [
      "unknown",
      { daysSinceRun: 5, worth: null, rain: null },
      false,
      "Not tonight: what it is decided from is missing or too old.",
    ],
  ])("%s", (_, evening, runs, text) => {
    expect(decideEvening(evening, limits)).toMatchObject({ runs, text });
  });

  test("never says that a loss is enough and does not run, nor the other way round", () => {
    const amount = fc.integer({ min: 1, max: 100_000 });
    const share = (max: number) => fc.double({ min: 0.0001, max, noNaN: true });
    fc.assert(
      fc.property(
        amount,
        amount,
        share(0.05),
        amount,
        share(0.3),
        (price, energyWorthPerDay, lossPerDay, lostMoney, loss) => {
          const worth = { economics: { price, energyWorthPerDay, lossPerDay }, lostMoney, loss };
          const { runs, params } = decideEvening({ daysSinceRun: 5, worth, rain: null }, limits);
          expect(Number(params["loss_percent"]) >= Number(params["worth_from_percent"])).toBe(runs);
        },
      ),
    );
  });
});

describe("a year under a strategy", () => {
  const site: StrategySite = {
    settings: { model: "hsu", tiltDegrees: 20, soilingRateFactor: 1, effectivenessPercent: 95 },
    plant: { dcCapacityKwp: 1000, performanceRatioPercent: 80 },
    rows: 20,
    cleaningPrice: 800,
    tariffPerKwh: 3,
    eveningUtcHour: 18,
  };
  const yearOf = (dust: (day: number) => number, rainDays: readonly number[] = []) => {
    return Array.from({ length: 365 * 24 }, (_, index): SoilingHour => {
      const day = Math.floor(index / 24);
      const isRain = rainDays.includes(day) && index % 24 === 6;
      return {
        at: new Date(START + (index + 1) * HOUR_MS),
        pm2_5: 40 * dust(day),
        pm10: 110 * dust(day),
        rain_mm: isRain ? 8 : 0,
        irradiance_w_m2: index % 24 > 6 && index % 24 < 19 ? 450 : 0,
      };
    });
  };
  const limits = { least: 1, most: 60 };
  const byNeed = { kind: "by-need", limits } as const;

  test("counts energy, loss, cost and wear", () => {
    const hours = yearOf(() => 1);
    const weekly = simulateStrategy(site, hours, { kind: "every", days: 7 });
    expect(weekly).toMatchObject({ cleanings: 52, runs: 1040, cleaningCost: 41_600 });
    expect(weekly.energyKwh).toBeCloseTo(1000 * 0.8 * 0.45 * 12 * 365, 6);
    expect(weekly.lostMoney.value).toBeCloseTo(weekly.lostKwh.value * 3, 8);
    expect(weekly.cost.value).toBeCloseTo(weekly.lostMoney.value + 41_600, 8);
    expect(weekly.lostKwh.low).toBeLessThan(weekly.lostKwh.value);
    expect(weekly.lostKwh.high).toBeGreaterThan(weekly.lostKwh.value);
    expect(simulateStrategy(site, hours, { kind: "never" })).toMatchObject({ cleanings: 0, cleaningCost: 0 });
    expect(simulateStrategy(site, hours, { kind: "every", days: 1 }).cleanings).toBe(365);
  });

  test("with even dust, by need is about the best interval and costs no more than daily or weekly", () => {
    const hours = yearOf(() => 1);
    const need = simulateStrategy(site, hours, byNeed);
    const { lossPerDay } = presentRates(site.settings, hours);
    const best = bestIntervalDays({ price: 800, energyWorthPerDay: 1000 * 0.8 * 5.4 * 3, lossPerDay: lossPerDay ?? 0 });
    expect(365 / need.cleanings).toBeGreaterThan(best - 1);
    expect(365 / need.cleanings).toBeLessThan(best + 1.5);
    for (const days of [1, 7]) {
      expect(need.cost.value).toBeLessThan(simulateStrategy(site, hours, { kind: "every", days }).cost.value * 1.01);
    }
  });

  test("with a dusty season and a rainy one it costs less than any fixed interval", () => {
    const rains = Array.from({ length: 45 }, (_, index) => 180 + index * 2);
    const hours = yearOf((day) => (day < 180 ? 2.5 : 0.5), rains);
    const need = simulateStrategy(site, hours, byNeed).cost.value;
    for (const days of [1, 2, 3, 4, 5, 6, 7, 10, 14]) {
      expect(need).toBeLessThan(simulateStrategy(site, hours, { kind: "every", days }).cost.value);
    }
  });

  test("waits for rain, and keeps its least and most days", () => {
    const cheap = { ...site, cleaningPrice: 1 };
    const dry = simulateStrategy(
      cheap,
      yearOf(() => 1),
      byNeed,
    );
    const wet = simulateStrategy(
      cheap,
      yearOf(
        () => 1,
        Array.from({ length: 365 }, (_, day) => day),
      ),
      byNeed,
    );
    // On the last evening no rain is known ahead.
    expect([dry.cleanings, wet.cleanings]).toEqual([365, 7]);
    const seldom = { kind: "by-need", limits: { least: 5, most: 60 } } as const;
    expect(
      simulateStrategy(
        cheap,
        yearOf(() => 1),
        seldom,
      ).cleanings,
    ).toBe(73);
    expect(
      simulateStrategy(
        { ...site, cleaningPrice: 1e9 },
        yearOf(() => 1),
        byNeed,
      ).cleanings,
    ).toBe(6);
  });
});
