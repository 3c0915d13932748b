import type { Banded, SoilingModel } from "@suncrew/contract/soiling/soiling.ts";
import {
  cleanedNow,
  cleanRows,
  ratioOfSoil,
  type RowRun,
  scaled,
  settledIn,
  type SoilingHour,
  type SoilingSettings,
  type SoilingState,
  soilRows,
} from "./soiling-model.ts";

/** Energy of soiling and cleaning, what it is worth, and when a cleaning pays. */

export interface PlantFacts {
  readonly dcCapacityKwp: number;
  /** Of clean panels. */
  readonly performanceRatioPercent: number;
}

/** kWh of clean panels for this many hours of full sun (1 kW/m²) on them. */
export function energyKwh(plant: PlantFacts, sunHours: number): number {
  return (plant.dcCapacityKwp * sunHours * plant.performanceRatioPercent) / 100;
}

/** The same of a figure with its band. */
export function bandedKwh(plant: PlantFacts, sunHours: Banded): Banded {
  return scaled(sunHours, energyKwh(plant, 1));
}

/**
 * What a cleaning of all rows at the end of this state gains over these hours, until rain cleans: hours of full sun, mean
 * of the rows; of a whole plant `bandedKwh` of it.
 */
export function gainOfCleaning(settings: SoilingSettings, state: SoilingState, hours: readonly SoilingHour[]): Banded {
  return gainBetween(settings, cleanedNow(settings, state), state, hours);
}

/**
 * What a run has gained, or will: hours of full sun of its row, against the same days without it, from the hour after it
 * until the next run of the row or until rain cleans. `hours` begin with the first that is known, with clean rows.
 */
export function gainOfRun(
  settings: SoilingSettings,
  hours: readonly SoilingHour[],
  runs: readonly RowRun[],
  run: RowRun,
): Banded {
  const own = runs.filter((one) => one.row === run.row && one !== run);
  const hourOf = (one: RowRun) => hours.findIndex(({ at }) => at >= one.endedAt);
  const end = hourOf(run);
  if (end < 0) return { value: 0, low: 0, high: 0 };
  const later = own.map((one) => hourOf(one)).filter((index) => index > end);
  const before = hours.slice(0, end + 1);
  const clean = cleanRows([run.row]);
  const left = soilRows(settings, before, own, clean).state;
  const cleaned = soilRows(settings, before, [...own, run], clean).state;
  return gainBetween(settings, cleaned, left, hours.slice(end + 1, Math.min(...later, hours.length)));
}

function gainBetween(
  settings: SoilingSettings,
  cleaned: SoilingState,
  left: SoilingState,
  hours: readonly SoilingHour[],
): Banded {
  const without = soilRows(settings, hours, [], left).hours;
  const withRun = soilRows(settings, hours, [], cleaned).hours;
  let [value, low, high] = [0, 0, 0];
  for (const [index, { hour, ratio, isCleanedByRain }] of without.entries()) {
    if (isCleanedByRain) break;
    const better = withRun[index]?.ratio ?? null;
    if (ratio === null || better === null) continue;
    const sun = (hour.irradiance_w_m2 ?? 0) / 1000;
    value += (better.value - ratio.value) * sun;
    low += (better.high - ratio.high) * sun;
    high += (better.low - ratio.low) * sun;
  }
  return { value, low: Math.min(value, low, high), high: Math.max(value, low, high) };
}

/** The price of a cleaning of the whole site. */
export function cleaningPrice(
  price: { readonly amount: number; readonly per: "run" | "kwp" },
  rows: number,
  dcCapacityKwp: number,
): number {
  return price.amount * (price.per === "run" ? rows : dcCapacityKwp);
}

/** What decides when a cleaning pays. Amounts are in one currency, rates for one unit of time: days unless said. */
export interface CleaningEconomics {
  /** Of the whole site. */
  readonly price: number;
  /** Worth of the energy of the clean plant. */
  readonly energyWorthPerDay: number;
  /** By which the loss (0 to 1) grows. */
  readonly lossPerDay: number;
}

/** Days between cleanings that cost least in all, cleaning and lost energy: T = √(2K / (kWp · y · c · r)). */
export function bestIntervalDays({ price, energyWorthPerDay, lossPerDay }: CleaningEconomics): number {
  return Math.sqrt((2 * price) / (energyWorthPerDay * lossPerDay));
}

/**
 * When the money lost since the last cleaning will reach the price, with what is lost so far and with the present loss (0
 * to 1): in how many days, and at what loss. From clean panels on that is the best interval. Zero days if it has reached
 * it; infinite if it never will.
 */
export function whenWorthIt(
  economics: CleaningEconomics,
  lostMoney: number,
  loss: number,
): { readonly days: number; readonly loss: number } {
  const { price, energyWorthPerDay, lossPerDay } = economics;
  if (lostMoney >= price) return { days: 0, loss: Math.min(loss, bestIntervalDays(economics) * lossPerDay) };
  const missing = (price - lostMoney) / energyWorthPerDay;
  const root = Math.sqrt(loss * loss + 2 * lossPerDay * missing);
  const days = (2 * missing) / (loss + root);
  return { days: Number.isNaN(days) ? Infinity : days, loss: root };
}

/** The last days whose dust and sun are taken for the present rate. */
export const RATE_HOURS = 7 * 24;

/**
 * What the last seven days would have done to clean rows, in a day: by how much the loss (0 to 1) grew, and hours of full
 * sun. `null` where nothing is known of them.
 */
export function presentRates(
  settings: SoilingSettings,
  hours: readonly SoilingHour[],
): { readonly lossPerDay: number | null; readonly sunHoursPerDay: number | null } {
  const last = hours.slice(-RATE_HOURS);
  const dusty = settings.model === "kimber" ? last : last.filter((hour) => hour.pm2_5 !== null && hour.pm10 !== null);
  const settled = dusty.reduce((sum, hour) => sum + settledIn(settings, hour), 0);
  const sunny = last.flatMap(({ irradiance_w_m2 }) => irradiance_w_m2 ?? []);
  const sun = sunny.reduce((sum, watts) => sum + watts / 1000, 0);
  return {
    lossPerDay: dusty.length === 0 ? null : lossIn(settings.model, (settled / dusty.length) * RATE_HOURS) / 7,
    sunHoursPerDay: sunny.length === 0 ? null : (sun / sunny.length) * 24,
  };
}

function lossIn(model: SoilingModel, soil: number): number {
  return 1 - ratioOfSoil(model, soil).value;
}
