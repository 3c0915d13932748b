import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleaningEffect, controlRowsEffect, LEAST_DETECTABLE, studentT95 } from "./cleaning-effect.ts";

/** Three days whose mean is `level` and whose standard deviation is `noise` of it. */
const days = (level: number, noise: number) => [level * (1 - noise), level, level * (1 + noise)];

describe("A cleaning is verified only where the data can carry it", () => {
  test("three days before and after with 1 % noise show 2.3 % at least", () => {
    const effect = cleaningEffect(days(0.8, 0.01), days(0.8 * 1.03, 0.01 / 1.03));
    expect(effect?.detectable).toBeCloseTo(0.0227, 4);
    expect(effect?.detectable).toBeCloseTo(LEAST_DETECTABLE, 9);
    expect(effect).toMatchObject({ verdict: "VERIFIED", gain: { value: expect.closeTo(0.03, 9) } });
    expect(effect?.gain.low).toBeCloseTo(0.0073, 4);
    expect(effect?.gain.high).toBeCloseTo(0.0527, 4);
    expect(cleaningEffect(days(0.8, 0.01), days(0.8 * 1.022, 0.01 / 1.022))?.verdict).toBe("NOT_MEASURABLE");
  });

  test("days that look alike by chance show no more than meters can", () => {
    expect(cleaningEffect([0.8, 0.8, 0.8], [0.81, 0.81, 0.81])?.verdict).toBe("NOT_MEASURABLE");
  });

  test("noisier days need a greater gain, more days a smaller one", () => {
    expect(cleaningEffect(days(0.8, 0.03), days(0.8 * 1.04, 0.03))?.verdict).toBe("NOT_MEASURABLE");
    const ten = Array.from({ length: 10 }, (_, day) => 0.8 * (1 + 0.01 * (-1) ** day));
    expect(cleaningEffect(ten, ten)?.detectable).toBeLessThan(0.011);
  });

  test("fewer than three days on a side, or days without energy, say nothing", () => {
    expect(cleaningEffect([0.8, 0.8], days(0.9, 0.01))).toBeNull();
    expect(cleaningEffect(days(0.8, 0.01), [0.9, 0.9])).toBeNull();
    expect(cleaningEffect([0, 0, 0], days(0.9, 0.01))).toBeNull();
  });

  test("nothing that happens by chance alone is verified in more than one of twenty cases or so", () => {
    // A fixed sequence: sums of twelve uniform numbers are close enough to normal ones.
    let state = 12_345;
    const uniform = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const normal = () => Array.from({ length: 12 }, uniform).reduce((sum, one) => sum + one, -6);
    const sample = () => Array.from({ length: 3 }, () => 0.8 * (1 + 0.02 * normal()));
    const cases = Array.from({ length: 2_000 }, () => cleaningEffect(sample(), sample())?.verdict);
    expect(cases.filter((verdict) => verdict === "VERIFIED").length / cases.length).toBeLessThan(0.05);
  });
});

describe("Control rows: those that were left out against those that were cleaned", () => {
  test("the mean with its interval; verified where that lies above what rows differ by anyway", () => {
    const effect = controlRowsEffect([0.03, 0.04, 0.05]);
    expect(effect).toMatchObject({ verdict: "VERIFIED", gain: { value: expect.closeTo(0.04, 9) } });
    const half = (4.303 * 0.01) / Math.sqrt(3);
    expect(effect?.gain.low).toBeCloseTo(0.04 - half, 9);
    expect(effect?.detectable).toBeCloseTo(half + 0.01, 9);
    expect(controlRowsEffect([0.02, 0.03, 0.04])?.verdict).toBe("NOT_MEASURABLE");
  });

  test("many days that agree show no less than rows differ by", () => {
    const days = (gain: number) => Array.from({ length: 400 }, (_, day) => gain + 0.001 * (-1) ** day);
    expect(controlRowsEffect(days(0.009))?.verdict).toBe("NOT_MEASURABLE");
    expect(controlRowsEffect(days(0.012))?.verdict).toBe("VERIFIED");
    // However alike they are, meters are not better than 1 % on a day.
    expect(controlRowsEffect(days(0.01))?.detectable).toBeCloseTo(0.01 + 1.966 * 0.0005, 4);
  });

  test("rows that are cleaned and give less verify nothing", () => {
    expect(controlRowsEffect([-0.1, -0.11, -0.09])?.verdict).toBe("NOT_MEASURABLE");
  });

  test("fewer than three days say nothing", () => {
    expect(controlRowsEffect([0.1, 0.1])).toBeNull();
  });
});

test("Student's t falls to the normal distribution's quantile", () => {
  expect([studentT95(4), studentT95(30)]).toEqual([2.776, 2.042]);
  expect(studentT95(60)).toBeCloseTo(2.0, 2);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), (freedom) => studentT95(freedom + 1) < studentT95(freedom)),
    { numRuns: 200 },
  );
});
