import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noEnergyFacts } from "../sites/site-energy-facts.ts";
import { modelSoiling, type SoilingSite } from "../soiling/site-soiling.ts";
import type { RowRun, SoilingHour } from "../soiling/soiling-model.ts";
import { type CorrectedModel, correctionsOf, soilingRateFactor } from "./model-correction.ts";

const unbiased = { days: 0, bias: null };
const site = { model: "hsu" as const, performance_ratio_percent: 80, soiling_rate_factor: null };
const station = { days: 20, bias: { value: 1.5, low: 1.3, high: 1.6 } };
const stationDays = [{ station_ratio: 0.97, modelled_ratio: 0.98 }].map((day) => ({
  ...day,
  date: "2026-05-01",
  measured_kwh: null,
  clean_kwh: null,
  index: null,
  control_gain: null,
  not_counted: null,
}));

describe("A correction of the model is proposed", () => {
  const energyOf = (value: number, low: number, high: number) => ({ days: 20, bias: { value, low, high } });
  const ofEnergy = (energy: Parameters<typeof correctionsOf>[1]["energy"], percent: number | null = 80) =>
    correctionsOf({ ...site, performance_ratio_percent: percent }, { energy, station: unbiased, stationDays: [] });

  test("of the performance ratio, where the interval shows that it is wrong and to what a site may have", () => {
    expect(ofEnergy(energyOf(0.9, 0.88, 0.93))).toEqual([{ fact: "performance_ratio_percent", from: 80, to: 72 }]);
    expect(ofEnergy(energyOf(0.9, 0.88, 1))).toEqual([]);
    expect(ofEnergy({ days: 9, bias: null })).toEqual([]);
    expect(ofEnergy(energyOf(0.9, 0.88, 0.93), null)).toEqual([]);
    expect(ofEnergy(energyOf(1.3, 1.2, 1.4))).toEqual([]);
    expect(ofEnergy(energyOf(0.1, 0.1, 0.2))).toEqual([]);
    expect(ofEnergy(energyOf(1.00001, 1.000001, 1.1))).toEqual([]);
  });

  test("of what settles, where a station shows it and the model has particles", () => {
    const of = (change: Partial<CorrectedModel>, bias = station, days = stationDays) =>
      correctionsOf({ ...site, ...change }, { energy: unbiased, station: bias, stationDays: days });
    const [proposed] = of({});
    expect(proposed).toMatchObject({ fact: "soiling_rate_factor", from: 1 });
    // For small losses, measured by modelled to the power of 1 / 0.8473.
    expect(proposed?.to).toBeCloseTo(1.5 ** (1 / 0.8473), 1);
    expect(of({ model: "kimber" })).toEqual([]);
    // Within what the factor is exact to.
    const near = stationDays.map((day) => ({ ...day, station_ratio: 0.98, modelled_ratio: 0.98008 }));
    expect(of({ soiling_rate_factor: 2 }, station, near)).toEqual([]);
    expect(of({}, { days: 20, bias: { value: 1.5, low: 0.9, high: 1.6 } })).toEqual([]);
    // Most days lose less than modelled, but in sum they lose more.
    expect(of({}, { days: 20, bias: { value: 0.8, low: 0.7, high: 0.9 } })).toEqual([]);
  });
});

describe("The factor on what settles", () => {
  const days = [0.995, 0.98, 0.95, 0.9].map((ratio) => ({ station_ratio: ratio, modelled_ratio: ratio }));

  test("is what it was where the station agrees, and none beyond those that a site may have", () => {
    expect(soilingRateFactor(days, 1)).toBe(1);
    expect(soilingRateFactor(days, 1.4)).toBe(1.4);
    expect(
      soilingRateFactor(
        days.map((day) => ({ ...day, station_ratio: 0.5 })),
        1,
      ),
    ).toBeNull();
    expect(
      soilingRateFactor(
        days.map((day) => ({ ...day, station_ratio: 1.02 })),
        1,
      ),
    ).toBeNull();
  });

  test("the more the station loses, the greater it is", () => {
    const loss = fc.double({ min: 0.002, max: 0.15, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(loss, loss), { minLength: 1, maxLength: 30 }), (losses) => {
        const factorOf = (more: number) =>
          soilingRateFactor(
            losses.map(([modelled, measured]) => ({
              modelled_ratio: 1 - modelled,
              station_ratio: 1 - measured * more,
            })),
            1,
          );
        const [less, more] = [factorOf(1), factorOf(1.2)];
        return less === null || more === null || more > less;
      }),
    );
  });

  const plant: SoilingSite = { ...noEnergyFacts, tilt_degrees: 20, timezone: "Asia/Kolkata", rows: [1, 2, 3, 4] };
  const now = new Date("2026-03-20T12:00:00Z");
  const hours = Array.from({ length: 40 * 24 }, (_, index): SoilingHour => {
    const at = new Date(now.getTime() - (40 * 24 - index - 1) * 3_600_000);
    const isDay = at.getUTCHours() > 0 && at.getUTCHours() <= 12;
    return { at, pm2_5: 60, pm10: 150, rain_mm: index === 300 ? 5 : 0, irradiance_w_m2: isDay ? 500 : 0 };
  });
  const runs = [1, 2, 3].map((row): RowRun => ({
    row,
    endedAt: new Date(now.getTime() - row * 150 * 3_600_000),
    share: 1,
  }));
  const ratiosWith = (factor: number | null) =>
    modelSoiling({ ...plant, soiling_rate_factor: factor }, hours, runs, now).days.flatMap(
      ({ ratio }) => ratio?.value ?? [],
    );

  test.each([0.3, 0.8, 1.4, 2.5])(
    "found from its losses is that with which a dustier place was modelled: %d",
    (factor) => {
      const [measured, modelled] = [ratiosWith(factor), ratiosWith(null)];
      const found = soilingRateFactor(
        measured.map((ratio, nth) => ({ station_ratio: ratio, modelled_ratio: modelled[nth] ?? null })),
        1,
      );
      // Rows that differ are taken for their mean.
      expect(Math.abs((found ?? 0) / factor - 1)).toBeLessThan(0.01);
    },
  );
});
