import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noEnergyFacts } from "../sites/site-energy-facts.ts";
import { energySaved, savedKwh } from "./energy-saved.ts";
import { modelSoiling, type SoilingSite } from "./site-soiling.ts";
import type { RowRun, SoilingHour } from "./soiling-model.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Midnight at the site. */
const START = Date.parse("2026-03-31T18:30:00Z");
const at = (days: number) => new Date(START + days * DAY_MS);
const site: SoilingSite = {
  ...noEnergyFacts,
  dc_capacity_kwp: 1000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 80,
  timezone: "Asia/Kolkata",
  rows: [1, 2, 3, 4],
};
/** From 30 days before the range to 10 days after its begin. */
const hours = Array.from({ length: 40 * 24 }, (_, index): SoilingHour => {
  const end = new Date(Date.parse("2026-03-01T19:00:00Z") + index * HOUR_MS);
  const isDay = end.getUTCHours() > 0 && end.getUTCHours() <= 12;
  return { at: end, pm2_5: 60, pm10: 150, rain_mm: 0, irradiance_w_m2: isDay ? 500 : 0 };
});
const range = {
  from: at(0),
  dates: Array.from({ length: 10 }, (_, day) => `2026-04-${String(day + 1).padStart(2, "0")}`),
};
const runs: RowRun[] = [-4, 2, 5].flatMap((day) => site.rows.map((row) => ({ row, endedAt: at(day), share: 1 })));

describe("energy saved by the cleanings of some days", () => {
  test("is what was lost without them less what was lost, with the particles at half and at twice", () => {
    const saved = energySaved(site, hours, runs, range);
    const lostOf = (some: readonly RowRun[], end: "value" | "low" | "high") =>
      modelSoiling(site, hours, some, at(10))
        .days.filter(({ date }) => range.dates.includes(date))
        .reduce((sum, { lost_kwh }) => sum + (lost_kwh?.[end] ?? Number.NaN), 0);
    expect(saved).toMatchObject({ model: "hsu", days: 10 });
    for (const end of ["value", "low", "high"] as const) {
      expect(saved?.lost[end]).toBeCloseTo(lostOf(runs, end), 8);
      expect(saved?.lostWithout[end]).toBeCloseTo(lostOf(runs.slice(0, 4), end), 8);
    }
    const { value, low, high } = savedKwh(saved ?? { lostWithout: nothing, lost: nothing });
    expect(value).toBe(Math.round(saved?.lostWithout.value ?? 0) - Math.round(saved?.lost.value ?? 0));
    expect(value).toBeGreaterThan(300);
    expect(low / value > 0.5 && low / value < 0.6).toBe(true);
    expect(high / value > 1.6 && high / value < 2).toBe(true);
  });

  test("counts only days whose hours are all known, and nothing of what earlier runs saved", () => {
    const gap = (hour: SoilingHour, day: number) => hour.at > at(day) && hour.at <= at(day + 1);
    const known = hours.map((hour) => (gap(hour, 3) || gap(hour, 7) ? { ...hour, pm10: null } : hour));
    expect(energySaved(site, known, runs, range)?.days).toBe(8);
    const none = energySaved(site, hours, runs.slice(0, 4), range);
    expect(none?.lost).toEqual(none?.lostWithout);
    expect(savedKwh(none ?? { lostWithout: { value: 1, low: 1, high: 1 }, lost: nothing }).value).toBe(0);
  });

  test.each(["dc_capacity_kwp", "tilt_degrees", "azimuth_degrees", "performance_ratio_percent"] as const)(
    "is not known without %s, without robots or without hours of these days",
    (fact) => {
      expect(energySaved({ ...site, [fact]: null }, hours, runs, range)).toBeNull();
      expect(energySaved({ ...site, rows: [] }, hours, runs, range)).toBeNull();
      expect(energySaved(site, hours.slice(0, 20 * 24), runs, range)).toBeNull();
    },
  );

  test("property: no run and no rain makes it negative, and its band holds its value", () => {
    const run = fc.record({
      row: fc.integer({ min: 1, max: 4 }),
      day: fc.double({ min: -9, max: 9, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), fc.nat(hours.length - 1), (some, rainAt) => {
        const wet = hours.map((hour, index) => (index === rainAt ? { ...hour, rain_mm: 5 } : hour));
        const ran = some.map(({ day, ...one }) => ({ ...one, endedAt: at(day) }));
        const saved = energySaved(site, wet, ran, range);
        if (saved === null) throw new Error("nothing is known");
        const { value, low, high } = savedKwh(saved);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low <= value && value <= high).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

const nothing = { value: 0, low: 0, high: 0 };
