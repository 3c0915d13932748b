import type { Banded } from "@suncrew/contract/soiling/soiling.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { gainOfCleaning, gainOfRun } from "./cleaning-value.ts";
import { hsuRatio } from "./hsu.ts";
import {
  cleanRows,
  ratioOfRows,
  type RowRun,
  type SoilingHour,
  type SoilingSettings,
  soilRows,
} from "./soiling-model.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const HOUR_MS = 3_600_000;
const ROWS = [1, 2, 3, 4];

const settingsOf = fc.record({
  model: fc.constantFrom("hsu" as const, "kimber" as const),
  tiltDegrees: fc.double({ min: 0, max: 90, noNaN: true }),
  soilingRateFactor: fc.double({ min: 0.1, max: 10, noNaN: true }),
  effectivenessPercent: fc.integer({ min: 1, max: 100 }),
}) satisfies fc.Arbitrary<SoilingSettings>;

const figure = (max: number) => fc.option(fc.double({ min: 0, max, noNaN: true }), { freq: 8 });
const hourOf = fc.record({
  pm2_5: figure(5000),
  pm10: figure(20_000),
  rain_mm: fc.option(fc.constantFrom(0, 0, 0, 0, 0, 0, 0.4, 2, 7)),
  irradiance_w_m2: figure(1200),
});
const hoursOf = fc.array(hourOf, { minLength: 1, maxLength: 120 }).map((all) => {
  return all.map((known, index): SoilingHour => ({ ...known, at: new Date(START + (index + 1) * HOUR_MS) }));
});
const runsOf = fc.array(
  fc.record({
    row: fc.constantFrom(...ROWS),
    endedAt: fc.integer({ min: 1, max: 120 * 60 }).map((minute) => new Date(START + minute * 60_000)),
    share: fc.double({ min: 0, max: 1.2, noNaN: true }),
  }) satisfies fc.Arbitrary<RowRun>,
  { maxLength: 12 },
);
const bandsOf = ({ value, low, high }: Banded) => [low, value, high];
const withoutRain = (hours: readonly SoilingHour[]) => hours.map((hour) => ({ ...hour, rain_mm: 0 }));

test("the ratio is within its bounds and in its band, and never better than clean", () => {
  fc.assert(
    fc.property(settingsOf, hoursOf, runsOf, (settings, hours, runs) => {
      const { state, hours: soiled } = soilRows(settings, hours, runs, cleanRows(ROWS));
      const lowest = settings.model === "hsu" ? hsuRatio(10) : 0.7;
      for (const ratio of [...soiled.map((one) => one.ratio), ratioOfRows(settings.model, state)]) {
        if (ratio === null) continue;
        const [low = 0, value = 0, high = 0] = bandsOf(ratio);
        expect(low).toBeGreaterThanOrEqual(lowest - 1e-12);
        expect(value).toBeGreaterThanOrEqual(low);
        expect(high).toBeGreaterThanOrEqual(value);
        expect(high).toBeLessThanOrEqual(1 + 1e-12);
      }
    }),
  );
});

test("without rain and runs it only gets worse", () => {
  fc.assert(
    fc.property(settingsOf, hoursOf, (settings, hours) => {
      const ratios = soilRows(settings, withoutRain(hours), [], cleanRows(ROWS)).hours.flatMap(
        ({ ratio }) => ratio ?? [],
      );
      for (const [index, ratio] of ratios.entries()) {
        expect(ratio.value).toBeLessThanOrEqual((ratios[index - 1]?.value ?? 1) + 1e-12);
      }
    }),
  );
});

test("it is the same in pieces or at once, also with a state that was stored between", () => {
  fc.assert(
    fc.property(settingsOf, hoursOf, runsOf, fc.integer({ min: 0, max: 120 }), (settings, hours, runs, cut) => {
      const atOnce = soilRows(settings, hours, runs, cleanRows(ROWS));
      const first = soilRows(settings, hours.slice(0, cut), runs, cleanRows(ROWS));
      const kept = structuredClone(first.state);
      const second = soilRows(settings, hours.slice(cut), runs, kept);
      expect([...first.hours, ...second.hours]).toEqual(atOnce.hours);
      expect(second.state).toEqual(atOnce.state);
    }),
  );
});

test("a run never makes it dirtier", () => {
  fc.assert(
    fc.property(settingsOf, hoursOf, runsOf, (settings, hours, runs) => {
      const withRuns = soilRows(settings, hours, runs, cleanRows(ROWS)).hours;
      for (const [index, { ratio }] of soilRows(settings, hours, runs.slice(1), cleanRows(ROWS)).hours.entries()) {
        if (ratio === null) continue;
        expect(withRuns[index]?.ratio?.value).toBeGreaterThanOrEqual(ratio.value - 1e-12);
      }
    }),
  );
});

test("more particles never make it cleaner", () => {
  fc.assert(
    fc.property(
      settingsOf,
      hoursOf,
      runsOf,
      fc.double({ min: 1, max: 5, noNaN: true }),
      (settings, hours, runs, more) => {
        const dustier = hours.map((hour) => ({
          ...hour,
          pm2_5: hour.pm2_5 === null ? null : hour.pm2_5 * more,
          pm10: hour.pm10 === null ? null : hour.pm10 * more,
        }));
        const of = (some: readonly SoilingHour[]) => soilRows(settings, some, runs, cleanRows(ROWS)).hours;
        const less = of(hours);
        for (const [index, { ratio }] of of(dustier).entries()) {
          expect(ratio?.value ?? 0).toBeLessThanOrEqual((less[index]?.ratio?.value ?? 0) + 1e-12);
        }
      },
    ),
  );
});

test("the gain of a run or of a cleaning tonight is never negative", () => {
  fc.assert(
    fc.property(settingsOf, hoursOf, runsOf, (settings, hours, runs) => {
      const [run] = runs;
      const half = Math.floor(hours.length / 2);
      const { state } = soilRows(settings, hours.slice(0, half), runs, cleanRows(ROWS));
      const gains = [
        gainOfCleaning(settings, state, hours.slice(half)),
        ...(run === undefined ? [] : [gainOfRun(settings, hours, runs, run)]),
      ];
      for (const gain of gains.flatMap(bandsOf)) expect(gain).toBeGreaterThanOrEqual(-1e-12);
    }),
  );
});
