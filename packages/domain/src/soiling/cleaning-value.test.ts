import { describe, expect, test } from "vitest";
import {
  bestIntervalDays,
  cleaningPrice,
  energyKwh,
  gainOfCleaning,
  gainOfRun,
  presentRates,
  whenWorthIt,
} from "./cleaning-value.ts";
import { hsuRatio } from "./hsu.ts";
import { cleanRows, settledIn, type SoilingHour, type SoilingSettings, soilRows } from "./soiling-model.ts";

const HOUR_MS = 3_600_000;
const START = Date.parse("2026-01-01T00:00:00Z");
const settings: SoilingSettings = { model: "hsu", tiltDegrees: 20, soilingRateFactor: 1, effectivenessPercent: 100 };
const atHour = (index: number) => new Date(START + (index + 1) * HOUR_MS);
const dusty = (index: number, rain_mm = 0): SoilingHour => {
  return { at: atHour(index), pm2_5: 60, pm10: 150, rain_mm, irradiance_w_m2: 500 };
};
const hours = (count: number, rainAt?: number) => {
  return Array.from({ length: count }, (_, index) => dusty(index, index === rainAt ? 5 : 0));
};
const settled = settledIn(settings, dusty(0));

test("energy is capacity by irradiation by performance ratio, the price of a cleaning is by row or by kWp", () => {
  expect(energyKwh({ dcCapacityKwp: 1000, performanceRatioPercent: 80 }, 5.5)).toBe(4400);
  expect(cleaningPrice({ amount: 40, per: "run" }, 20, 1000)).toBe(800);
  expect(cleaningPrice({ amount: 0.5, per: "kwp" }, 20, 1000)).toBe(500);
});

describe("the gain of a run is the difference to the same days without it", () => {
  const gain = (count: number, rainAt?: number, nextRun?: number) => {
    const run = { row: 1, endedAt: atHour(47), share: 1 };
    const next = nextRun === undefined ? [] : [{ row: 1, endedAt: atHour(nextRun), share: 1 }];
    const other = { row: 2, endedAt: atHour(50), share: 1 };
    return gainOfRun(settings, hours(count, rainAt), [run, other, ...next], run).value;
  };
  /** By hand: half an hour of full sun for each of these hours after the run. */
  const byHand = (count: number) => {
    return Array.from({ length: count }, (_, index) => {
      return 0.5 * (hsuRatio((index + 1) * settled) - hsuRatio((index + 49) * settled));
    }).reduce((sum, one) => sum + one, 0);
  };

  test("until the hours end", () => expect(gain(72)).toBeCloseTo(byHand(24), 12));
  test("until rain cleans", () => expect(gain(72, 60)).toBeCloseTo(byHand(12), 12));
  test("until the next run of its row", () => expect(gain(72, undefined, 55)).toBeCloseTo(byHand(7), 12));
  test("nothing before the hour in which it ended", () => expect(gain(40)).toBe(0));

  test("tonight's as well, with its band", () => {
    const { state } = soilRows(settings, hours(48), [], cleanRows([1, 2]));
    const rest = hours(72).slice(48);
    const tonight = gainOfCleaning(settings, state, rest);
    expect(tonight.value).toBeCloseTo(byHand(24), 12);
    expect(tonight.low).toBeLessThan(0.7 * tonight.value);
    expect(tonight.high).toBeGreaterThan(1.5 * tonight.value);
  });
});

describe("when a cleaning pays", () => {
  test("10 MWp in India: every 5.963 days", () => {
    const economics = { price: 8000, energyWorthPerDay: 10_000 * 4.5 * 2.5, lossPerDay: 0.004 };
    expect(bestIntervalDays(economics)).toBeCloseTo(5.963, 3);
  });

  test("100 kWp in Europe: every 2.3355 years", () => {
    const perYear = { price: 360, energyWorthPerDay: 100 * 1200 * 0.11, lossPerDay: 0.01 };
    expect(bestIntervalDays(perYear)).toBeCloseTo(2.3355, 4);
  });

  const economics = { price: 8000, energyWorthPerDay: 112_500, lossPerDay: 0.004 };
  test("from clean panels on, at the end of the best interval", () => {
    const { days, loss } = whenWorthIt(economics, 0, 0);
    expect(days).toBeCloseTo(bestIntervalDays(economics), 10);
    expect(loss).toBeCloseTo(days * 0.004, 10);
  });

  test("later, the sooner the more is lost already; the loss from which it pays is above today's until it does", () => {
    expect(whenWorthIt(economics, 2000, 0.012).days).toBeCloseTo(2.975, 2);
    expect(whenWorthIt(economics, 7999, 0.02).loss).toBeGreaterThan(0.02);
    expect(whenWorthIt(economics, 8000, 0.02)).toEqual({ days: 0, loss: 0.02 });
  });

  test("never without dust", () => {
    expect(whenWorthIt({ ...economics, lossPerDay: 0 }, 0, 0).days).toBe(Infinity);
  });
});

test("the present rate is that of the last seven days, from hours that are known", () => {
  const unknown = { pm2_5: null, irradiance_w_m2: null };
  const some = hours(20 * 24).map((hour, index) => (index % 2 === 0 ? hour : { ...hour, ...unknown }));
  const { lossPerDay, sunHoursPerDay } = presentRates(settings, some);
  expect((lossPerDay ?? 0) * 7 * 100).toBeCloseTo(1.933, 3);
  expect(sunHoursPerDay).toBeCloseTo(12, 10);
  expect(presentRates(settings, [])).toEqual({ lossPerDay: null, sunHoursPerDay: null });
});
