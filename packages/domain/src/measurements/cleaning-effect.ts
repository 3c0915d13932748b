/**
 * Whether measured days can show what a cleaning did: the mean of the days before and after, against how much such days
 * differ anyway (a two-sample t interval of 95 %).
 */

/** A day's measured energy by what clean panels would have given on it, 0 to about 1. */
export type PerformanceIndex = number;

export interface CleaningEffect {
  /** By how much the days after are better than those before, as a share of those before. */
  readonly gain: { readonly value: number; readonly low: number; readonly high: number };
  /** The least gain that these days could show. */
  readonly detectable: number;
  /** A gain below what the days could show is no result: neither that it cleaned nor that it did not. */
  readonly verdict: "VERIFIED" | "NOT_MEASURABLE";
}

/** Days needed on each side. */
export const EFFECT_DAYS = 3;
/** Meters and irradiation from a weather service are no better than this, however alike a few days may look. */
const LEAST_NOISE = 0.01;

/**
 * What a cleaning did; `null` with fewer than three days on a side. Three days on each with a noise of 1 % show gains
 * from 2.3 % on.
 */
export function cleaningEffect(
  before: readonly PerformanceIndex[],
  after: readonly PerformanceIndex[],
): CleaningEffect | null {
  if (before.length < EFFECT_DAYS || after.length < EFFECT_DAYS) return null;
  const level = meanOf(before);
  if (level <= 0) return null;
  const freedom = before.length + after.length - 2;
  const spread = Math.sqrt((squaresOf(before) + squaresOf(after)) / freedom) / level;
  const noise = Math.max(spread, LEAST_NOISE);
  const detectable = studentT95(freedom) * noise * Math.sqrt(1 / before.length + 1 / after.length);
  const value = meanOf(after) / level - 1;
  return {
    gain: { value, low: value - detectable, high: value + detectable },
    detectable,
    verdict: value > detectable ? "VERIFIED" : "NOT_MEASURABLE",
  };
}

/** Two groups of rows differ by as much when all are clean: in the modules, the wires, a shade. */
export const ROWS_DIFFER = 0.01;

/**
 * Rows that were left out on purpose against those that were cleaned, from the gains of days: by how much more each kWp of
 * the cleaned ones gave, as a share. Sun, curtailment and weather are the same for both, so that this shows what no
 * comparison of nights can, also for robots that clean every night. `null` with fewer than three days.
 */
export function controlRowsEffect(gains: readonly number[]): CleaningEffect | null {
  if (gains.length < EFFECT_DAYS) return null;
  const value = meanOf(gains);
  const noise = Math.max(Math.sqrt(squaresOf(gains) / (gains.length - 1)), LEAST_NOISE);
  const half = (studentT95(gains.length - 1) * noise) / Math.sqrt(gains.length);
  return {
    gain: { value, low: value - half, high: value + half },
    detectable: half + ROWS_DIFFER,
    verdict: value - half > ROWS_DIFFER ? "VERIFIED" : "NOT_MEASURABLE",
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** Two-sided 95 % quantiles of Student's t for 1, 2, 3... degrees of freedom. */
const T_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Beyond 30 degrees of freedom the first terms of its expansion, good to 0.001. */
export function studentT95(freedom: number): number {
  const normal = 1.959964;
  return T_95[freedom - 1] ?? normal + (normal ** 3 + normal) / (4 * freedom);
}

/** The least gain that three days on each side can show. */
export const LEAST_DETECTABLE = studentT95(2 * EFFECT_DAYS - 2) * LEAST_NOISE * Math.sqrt(2 / EFFECT_DAYS);
