import { describe, expect, test } from "vitest";
import { depositedMass, hsuRatio, isBeyondMeasured } from "./hsu.ts";
import { cleanRows, modelFor, ratioOfRows, type SoilingHour, type SoilingSettings, soilRows } from "./soiling-model.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const HOUR_MS = 3_600_000;
const hsu: SoilingSettings = { model: "hsu", tiltDegrees: 0, soilingRateFactor: 1, effectivenessPercent: 95 };
const kimber: SoilingSettings = { ...hsu, model: "kimber" };

const atHour = (index: number) => new Date(START + (index + 1) * HOUR_MS);
const hour = (index: number, known: Partial<SoilingHour> = {}): SoilingHour => {
  return { at: atHour(index), pm2_5: null, pm10: null, rain_mm: null, irradiance_w_m2: null, ...known };
};
const hoursOf = (count: number, known: Partial<SoilingHour> | ((index: number) => Partial<SoilingHour>)) => {
  return Array.from({ length: count }, (_, index) => hour(index, typeof known === "function" ? known(index) : known));
};
const ratioAfter = (settings: SoilingSettings, hours: readonly SoilingHour[]) => {
  return ratioOfRows(settings.model, soilRows(settings, hours, [], cleanRows([1])).state)?.value ?? Number.NaN;
};

// Rain and expected figures of pvlib-python, tests/test_soiling.py (BSD-3-Clause), its fixtures `rainfall_input`,
// `expected_output` and `expected_output_1`.
const rain = [0, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0.3, 0.3, 0.3, 0.3, 0, 0, 0, 0];
const withRain = [
  0.98484972, 0.97277367, 0.96167471, 0.95119603, 1, 0.98484972, 0.97277367, 0.96167471, 1, 1, 0.98484972, 0.97277367,
  0.96167471, 0.95119603, 0.94118234, 0.93154854, 0.922242, 0.91322759, 0.90448058, 0.89598283, 0.88772062, 0.87968325,
  0.8718622, 0.86425049,
];
const slowSettling = [
  0.96998483, 0.94623958, 0.92468139, 0.90465654, 0.88589707, 0.86826366, 0.85167258, 0.83606715, 0.82140458,
  0.80764919, 0.79476875, 0.78273241, 0.77150951, 0.76106905, 0.75137932, 0.74240789, 0.73412165, 0.72648695,
  0.71946981, 0.7130361, 0.70715176, 0.70178307, 0.69689677, 0.69246034,
];

describe("HSU model", () => {
  test("a day with rain is that of pvlib", () => {
    const hours = rain.map((rain_mm, index) => hour(index, { pm2_5: 10_000, pm10: 20_000, rain_mm }));
    const soiled = soilRows({ ...hsu, cleaningRainMm: 0.5 }, hours, [], cleanRows([1])).hours;
    expect(soiled).toHaveLength(24);
    for (const [index, { ratio }] of soiled.entries()) expect(ratio?.value).toBeCloseTo(withRain[index] ?? 0, 8);
  });

  test("a day of other settling speeds without rain is that of pvlib", () => {
    const mass = depositedMass({ pm2_5: 1e6, pm10: 2e6 }, 3600, 0, { fine: 1e-5, coarse: 1e-4 });
    for (const [index, expected] of slowSettling.entries())
      expect(hsuRatio((index + 1) * mass)).toBeCloseTo(expected, 8);
  });

  test.each([
    [0, 1],
    [0.1, 0.99063088],
    [1, 0.93469959],
    [5, 0.77561069],
    [10, 0.68748987],
    [11, 0.68748987],
    [1000, 0.68748987],
  ])("%d g/m² leaves %d; from 10 g/m² on no more is lost, and that is told", (mass, ratio) => {
    expect(hsuRatio(mass)).toBeCloseTo(ratio, 8);
    expect(isBeyondMeasured(mass)).toBe(mass > 10);
  });

  test.each([
    [1, 0.372],
    [7, 1.933],
    [30, 6.575],
  ])("60 and 150 µg/m³ on panels at 20° take after %d days %d %%", (days, percent) => {
    const settings = { ...hsu, tiltDegrees: 20 };
    const hours = hoursOf(days * 24, { pm2_5: 60, pm10: 150, rain_mm: 0 });
    expect((1 - ratioAfter(settings, hours)) * 100).toBeCloseTo(percent, 3);
  });

  test("more fine particles than particles of all sizes count once, and panels that stand upright stay clean", () => {
    expect(depositedMass({ pm2_5: 50, pm10: 40 }, 3600, 0)).toBeCloseTo(50e-6 * 0.0009 * 3600, 15);
    expect(depositedMass({ pm2_5: 50, pm10: 90 }, 3600, 90)).toBeCloseTo(0, 15);
  });

  test("an hour whose particles are unknown adds nothing", () => {
    const known = hoursOf(10, { pm2_5: 60, pm10: 150 });
    expect(ratioAfter(hsu, [...known, hour(10, { pm10: 150 }), hour(11)])).toBe(ratioAfter(hsu, known));
  });

  test("drizzle does not clean: less than 1 mm in an hour", () => {
    const dusty = { pm2_5: 60, pm10: 150 };
    expect(ratioAfter(hsu, hoursOf(10, { ...dusty, rain_mm: 0.9 }))).toBeLessThan(1);
    expect(ratioAfter(hsu, hoursOf(10, { ...dusty, rain_mm: 1 }))).toBe(1);
  });
});

describe("Kimber model", () => {
  test("loses 0.15 % a day, and at most 30 %", () => {
    expect(1 - ratioAfter(kimber, hoursOf(24, {}))).toBeCloseTo(0.0015, 12);
    expect(1 - ratioAfter(kimber, hoursOf(100 * 24, {}))).toBeCloseTo(0.15, 10);
    expect(1 - ratioAfter(kimber, hoursOf(250 * 24, {}))).toBe(1 - 0.7);
  });

  test("more than 6 mm within 24 hours cleans, and nothing settles for 14 days", () => {
    const rains = (mm: number) => (index: number) => ({ rain_mm: index === 240 || index === 263 ? mm : 0 });
    const lossAfter = (hours: number, mm: number) => 1 - ratioAfter(kimber, hoursOf(hours, rains(mm)));
    expect(lossAfter(264, 3)).toBeCloseTo(0.0015 * 11, 12);
    expect(lossAfter(263, 3.1)).toBeCloseTo((0.0015 * 263) / 24, 12);
    expect(lossAfter(264, 3.1)).toBe(0);
    expect(lossAfter(263 + 14 * 24, 3.1)).toBe(0);
    expect(lossAfter(264 + 14 * 24, 3.1)).toBeCloseTo(0.0015 / 24, 12);
  });

  test("two rains 24 hours apart are not one", () => {
    const hours = hoursOf(300, (index) => ({ rain_mm: index === 240 || index === 264 ? 3.1 : 0 }));
    expect(1 - ratioAfter(kimber, hours)).toBeCloseTo((0.0015 * 300) / 24, 12);
  });

  test("after a wash it goes on at once", () => {
    const runs = [{ row: 1, endedAt: atHour(239), share: 1 }];
    const settings = { ...kimber, effectivenessPercent: 100 };
    const { state } = soilRows(settings, hoursOf(264, {}), runs, cleanRows([1]));
    expect(1 - (ratioOfRows("kimber", state)?.value ?? 0)).toBeCloseTo(0.0015, 12);
  });
});

describe("rows", () => {
  const dusty = hoursOf(48, (index) => ({
    pm2_5: 60,
    pm10: 150,
    rain_mm: 0,
    irradiance_w_m2: index % 24 < 12 ? 0 : 500,
  }));
  const soilOf = (row: number, after: ReturnType<typeof soilRows>) => {
    return after.state.layers.find(({ rows }) => rows.includes(row));
  };

  test("a run takes its share of the soil of its row, and of no other", () => {
    const runs = [
      { row: 1, endedAt: atHour(47), share: 1 },
      { row: 2, endedAt: atHour(47), share: 0.5 },
      { row: 9, endedAt: atHour(47), share: 1 },
    ];
    const after = soilRows(hsu, dusty, runs, cleanRows([1, 2, 3]));
    const soil = soilOf(3, after)?.soil ?? 0;
    expect(soil).toBeCloseTo(48 * depositedMass({ pm2_5: 60, pm10: 150 }, 3600, 0), 12);
    expect(soilOf(1, after)?.soil).toBeCloseTo(0.05 * soil, 12);
    expect(soilOf(2, after)?.soil).toBeCloseTo(0.525 * soil, 12);
    expect(after.hours.at(-1)).toMatchObject({ runs: 2, cleanedShare: 0.5 });
    expect(after.state.lastCleaning).toEqual({ at: atHour(47).getTime(), cause: "RUN" });
  });

  test("what was lost is forgotten by a complete run, in part by an incomplete one, and by rain", () => {
    const runs = [
      { row: 1, endedAt: atHour(46.5), share: 1 },
      { row: 2, endedAt: atHour(46.5), share: 0.25 },
    ];
    const lost = (row: number, hours: readonly SoilingHour[]) => {
      return soilOf(row, soilRows(hsu, [...hours, hour(48)], runs, cleanRows([1, 2, 3])))?.lostSunHours.value ?? 0;
    };
    const dark = dusty.map((one, index) => (index === 47 ? { ...one, irradiance_w_m2: 0 } : one));
    expect(lost(3, dark)).toBeGreaterThan(0);
    expect(lost(1, dark)).toBe(0);
    expect(lost(2, dark)).toBeCloseTo(0.75 * lost(3, dark), 12);
    expect(lost(3, [...dark.slice(0, 47), hour(47, { rain_mm: 5 })])).toBe(0);
  });

  test("rows that are cleaned alike are computed as one", () => {
    const runs = [3, 1, 2].map((row) => ({ row, endedAt: atHour(30), share: 1 }));
    const { layers } = soilRows(hsu, dusty, runs, cleanRows([1, 2, 3, 4, 5])).state;
    expect(layers.map(({ rows }) => rows.toSorted((one, other) => one - other))).toEqual([
      [4, 5],
      [1, 2, 3],
    ]);
  });

  test("a run in an hour that is not there counts in the next", () => {
    const gap = dusty.filter((_, index) => index < 20 || index > 30);
    const runs = [{ row: 1, endedAt: atHour(25), share: 1 }];
    const [, ...later] = soilRows(hsu, gap, runs, cleanRows([1])).hours.filter(({ runs: count }) => count > 0);
    expect(later).toEqual([]);
    expect(soilRows(hsu, gap, runs, cleanRows([1])).hours[20]?.runs).toBe(1);
  });

  test("in the dark there is no ratio, where the sun is unknown there is", () => {
    const { hours } = soilRows(hsu, [hour(0, { irradiance_w_m2: 0 }), hour(1)], [], cleanRows([1]));
    expect(hours.map(({ ratio }) => ratio)).toEqual([null, { value: 1, low: 1, high: 1 }]);
  });

  test("without rows nothing is said", () => {
    const after = soilRows(hsu, dusty, [], cleanRows([]));
    expect([ratioOfRows("hsu", after.state), after.hours[40]?.ratio]).toEqual([null, null]);
  });

  test("Kimber where particles are unknown, none where rain is as well", () => {
    expect([modelFor(dusty), modelFor([hour(0, { rain_mm: 0, pm10: 3 })]), modelFor([hour(0)])]).toEqual([
      "hsu",
      "kimber",
      null,
    ]);
  });
});
