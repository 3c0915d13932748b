import { type CodedText, textsOf } from "@suncrew/contract/http/coded-text.ts";
import type { Banded } from "@suncrew/contract/soiling/soiling.ts";
import type { RunDays } from "../schedules/schedule-validation.ts";
import {
  bandedKwh,
  type CleaningEconomics,
  energyKwh,
  type PlantFacts,
  presentRates,
  RATE_HOURS,
  whenWorthIt,
} from "./cleaning-value.ts";
import { percentText, RAIN_NEAR_HOURS, rainText } from "./next-night.ts";
import {
  cleanedNow,
  cleanRows,
  lostOfRows,
  ratioOfRows,
  type SoiledHour,
  type SoilingHour,
  type SoilingSettings,
  type SoilingState,
  soilRows,
} from "./soiling-model.ts";

/** Cleaning when it is worth it: the decision of an evening, and a year of such evenings against fixed intervals. */

/** Of a row, what a run has to have cleaned to count as its last one; 0 to 1. */
export const LAST_RUN_SHARE = 0.5;

/** What an evening is decided from. */
export interface Evening {
  /** Since the last run of all rows; `null` if none is known. */
  readonly daysSinceRun: number | null;
  /** Without it nothing can be said of its worth. */
  readonly worth: {
    readonly economics: CleaningEconomics;
    /** Since the last cleaning. */
    readonly lostMoney: number;
    /** 0 to 1. */
    readonly loss: number;
  } | null;
  /** Cleaning rain within `RAIN_NEAR_HOURS`: of its day, so many days from today on. */
  readonly rain: { readonly mm: number; readonly daysAhead: number } | null;
}

interface Worth {
  readonly loss_percent: number;
  readonly worth_from_percent: number;
}
interface Since {
  readonly days: number;
}

/** What was decided, and why; a code keeps its parameters, because stored decisions have them. */
export const eveningTexts = textsOf({
  RUNS_WORTH_IT: ({ loss_percent, worth_from_percent }: Worth) =>
    `Runs: loss ${percentText(loss_percent)}, worth from ${percentText(worth_from_percent)}.`,
  RUNS_MOST_DAYS: ({ days, most_days }: { readonly days: number | null; readonly most_days: number }) =>
    `Runs: ${days === null ? "no run known" : `${daysText(days)} since the last run`}, at most ${most_days}.`,
  NOT_LEAST_DAYS: ({ days, least_days }: Since & { readonly least_days: number }) =>
    `Not tonight: ${daysText(days)} since the last run, at least ${least_days}.`,
  NOT_RAIN_NEAR: ({ rain_mm, days_ahead }: { readonly rain_mm: number; readonly days_ahead: number }) =>
    `Not tonight: rain ${rainText(rain_mm)} forecast ${["today", "tomorrow"][days_ahead] ?? `in ${days_ahead} days`}.`,
  NOT_YET: ({ loss_percent, worth_from_percent }: Worth) =>
    `Not tonight: loss ${percentText(loss_percent)}, worth from ${percentText(worth_from_percent)}.`,
  NOT_KNOWN: () => "Not tonight: what it is decided from is missing or too old.",
  NOT_DECIDED: () => "Did not run: Suncrew could not decide it in time.",
});
export type EveningCode =
  | "RUNS_WORTH_IT"
  | "RUNS_MOST_DAYS"
  | "NOT_LEAST_DAYS"
  | "NOT_RAIN_NEAR"
  | "NOT_YET"
  | "NOT_KNOWN"
  | "NOT_DECIDED";

/**
 * Whether a schedule "when worth it" runs tonight, with its reason. The least days come first, then the most: these run in
 * spite of rain and of anything unknown.
 */
export function decideEvening(
  { daysSinceRun, worth, rain }: Evening,
  { least, most }: RunDays,
): CodedText<EveningCode> & { readonly runs: boolean } {
  if (daysSinceRun !== null && daysSinceRun < least) {
    return { runs: false, ...eveningTexts.text("NOT_LEAST_DAYS", { days: daysSinceRun, least_days: least }) };
  }
  if (daysSinceRun === null || daysSinceRun >= most) {
    return { runs: true, ...eveningTexts.text("RUNS_MOST_DAYS", { days: daysSinceRun, most_days: most }) };
  }
  if (worth === null) return { runs: false, ...eveningTexts.text("NOT_KNOWN", {}) };
  const { economics, lostMoney, loss } = worth;
  const worthFrom = whenWorthIt(economics, lostMoney, loss).loss;
  const percents = { loss_percent: loss * 100, worth_from_percent: worthFrom * 100 };
  if (lostMoney < economics.price) return { runs: false, ...eveningTexts.text("NOT_YET", percents) };
  if (rain !== null) {
    return { runs: false, ...eveningTexts.text("NOT_RAIN_NEAR", { rain_mm: rain.mm, days_ahead: rain.daysAhead }) };
  }
  return { runs: true, ...eveningTexts.text("RUNS_WORTH_IT", percents) };
}

function daysText(days: number): string {
  return `${days} ${days === 1 ? "day" : "days"}`;
}

export type Strategy =
  | { readonly kind: "by-need"; readonly limits: RunDays }
  | { readonly kind: "every"; readonly days: number }
  | { readonly kind: "never" };

export interface StrategySite {
  readonly settings: SoilingSettings;
  readonly plant: PlantFacts;
  readonly rows: number;
  /** Of a cleaning of the whole site. */
  readonly cleaningPrice: number;
  readonly tariffPerKwh: number;
  /** When it is decided, by UTC, and its cleaning done. */
  readonly eveningUtcHour: number;
}

/** What a strategy would have cost, with every cleaning one of the whole site. */
export interface StrategyOutcome {
  /** Of the whole site: the wear of each row. */
  readonly cleanings: number;
  readonly runs: number;
  readonly energyKwh: number;
  readonly lostKwh: Banded;
  readonly lostMoney: Banded;
  readonly cleaningCost: number;
  /** Cleaning and lost energy. */
  readonly cost: Banded;
}

/**
 * The site through these hours, oldest first, under a strategy; it begins clean. The rain of the next two days is taken as
 * it fell: a forecast that is always right.
 */
export function simulateStrategy(
  site: StrategySite,
  hours: readonly SoilingHour[],
  strategy: Strategy,
): StrategyOutcome {
  const { settings, plant, tariffPerKwh } = site;
  // All rows are cleaned alike, so one stands for them.
  let state = cleanRows([0]);
  const rains = soilRows(settings, hours, [], state).hours;
  let [sunHours, value, low, high] = [0, 0, 0, 0];
  let [cleanings, evenings, daysSinceRun, begin] = [0, 0, 0, 0];
  for (let end = 1; end <= hours.length; end += 1) {
    const isEvening = hours[end - 1]?.at.getUTCHours() === site.eveningUtcHour;
    if (!isEvening && end < hours.length) continue;
    const soiled = soilRows(settings, hours.slice(begin, end), [], state);
    begin = end;
    ({ state } = soiled);
    for (const { hour, ratio } of soiled.hours) {
      const sun = (hour.irradiance_w_m2 ?? 0) / 1000;
      if (ratio === null || sun === 0) continue;
      sunHours += sun;
      value += (1 - ratio.value) * sun;
      low += (1 - ratio.high) * sun;
      high += (1 - ratio.low) * sun;
    }
    if (!isEvening) continue;
    [evenings, daysSinceRun] = [evenings + 1, daysSinceRun + 1];
    const isDue =
      strategy.kind === "by-need"
        ? decideEvening(eveningOf(site, state, hours, rains, end, daysSinceRun), strategy.limits).runs
        : strategy.kind === "every" && evenings % strategy.days === 0;
    if (!isDue) continue;
    state = cleanedNow(settings, state);
    [cleanings, daysSinceRun] = [cleanings + 1, 0];
  }
  const lostKwh = bandedKwh(plant, { value, low, high });
  const cleaningCost = cleanings * site.cleaningPrice;
  const lostMoney = {
    value: lostKwh.value * tariffPerKwh,
    low: lostKwh.low * tariffPerKwh,
    high: lostKwh.high * tariffPerKwh,
  };
  const cost = {
    value: lostMoney.value + cleaningCost,
    low: lostMoney.low + cleaningCost,
    high: lostMoney.high + cleaningCost,
  };
  return {
    cleanings,
    runs: cleanings * site.rows,
    energyKwh: energyKwh(plant, sunHours),
    lostKwh,
    lostMoney,
    cleaningCost,
    cost,
  };
}

function eveningOf(
  { settings, plant, cleaningPrice: price, tariffPerKwh }: StrategySite,
  state: SoilingState,
  hours: readonly SoilingHour[],
  soiled: readonly SoiledHour[],
  end: number,
  daysSinceRun: number,
): Evening {
  const { lossPerDay, sunHoursPerDay } = presentRates(settings, hours.slice(Math.max(0, end - RATE_HOURS), end));
  const ahead = soiled.slice(end, end + RAIN_NEAR_HOURS);
  const rainy = ahead.findIndex(({ isCleanedByRain }) => isCleanedByRain);
  const day = Math.floor(rainy / 24);
  const mm = ahead.slice(day * 24, (day + 1) * 24).reduce((sum, { hour }) => sum + (hour.rain_mm ?? 0), 0);
  const rain = rainy < 0 ? null : { mm, daysAhead: day + 1 };
  if (!lossPerDay || !sunHoursPerDay) return { daysSinceRun, worth: null, rain };
  const energyWorthPerDay = energyKwh(plant, sunHoursPerDay) * tariffPerKwh;
  const lostMoney = energyKwh(plant, lostOfRows(state).value) * tariffPerKwh;
  const loss = 1 - (ratioOfRows(settings.model, state)?.value ?? 1);
  return { daysSinceRun, worth: { economics: { price, energyWorthPerDay, lossPerDay }, lostMoney, loss }, rain };
}
