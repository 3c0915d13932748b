import {
  BIAS_DAYS,
  type ComparedDay,
  type ControlRows,
  type DayNotCounted,
  type EnergySource,
  type Interval,
  type MeasuredCleaning,
  type ModelBias,
  type SiteComparison,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import type { MeasuredDay } from "@suncrew/contract/measurements/measurements.ts";
import type { EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import type { SoilingDay } from "@suncrew/contract/soiling/soiling.ts";
import { addDays, daysBetween } from "../schedules/calendar-date.ts";
import { cleaningEffect, controlRowsEffect } from "./cleaning-effect.ts";
import { type CorrectedModel, correctionsOf } from "./model-correction.ts";

/**
 * What was measured against what the model says: which days can be compared, by how much the model is off, and which
 * cleanings the data can show. Nothing is corrected here, only proposed.
 */

/** A day with a change of clocks has an hour less. */
const WHOLE_DAY_HOURS = 23;
/** Rain of a day that may have cleaned, or kept the panels wet, in mm. */
const RAIN_DAY_MM = 1;
/** A day counts as clear with at least this share of the irradiation that is usual within so many days. */
const CLEAR_SHARE = 0.75;
const USUAL_WITHIN_DAYS = 15;
/** Of less loss than this, the ratio of two losses says nothing of the model. */
const LEAST_LOSS = 0.005;
/** Days on each side of a cleaning: further away the season changes more than it. */
const EFFECT_WITHIN_DAYS = 7;

type Known = Pick<SoilingDay, "date" | "ratio" | "rain_mm" | "energy_kwh" | "runs" | "cleaned_share" | "is_forecast">;

export interface ComparedSite extends CorrectedModel, ControlFacts {
  /** By the site's calendar; it is not over. */
  readonly today: string;
}
type ControlFacts = Pick<EnergyFacts, "dc_capacity_kwp" | "control_capacity_kwp">;

/** `modelled` in order, of the past. */
export function measuredAgainstModel(
  measured: readonly MeasuredDay[],
  modelled: readonly Known[],
  site: ComparedSite,
): Omit<SiteComparison, "site_id" | "first" | "last"> {
  const { today } = site;
  const source = energySourceOf(measured);
  const past = modelled.filter(({ is_forecast, date }) => !is_forecast && date < today);
  const byDate = new Map(past.map((day) => [day.date, day]));
  const usualOf = usualEnergy(past);
  const skyOf = (date: string) => skyProblem(byDate.get(date), usualOf(date));
  const days = measured.map((day): ComparedDay => {
    const known = byDate.get(day.date);
    const kwh = source === null ? null : day[`${source}_energy_kwh`];
    const clean = known?.energy_kwh ?? null;
    return {
      date: day.date,
      measured_kwh: kwh,
      clean_kwh: clean,
      index: kwh !== null && clean !== null && clean > 0 ? kwh / clean : null,
      modelled_ratio: known?.ratio?.value ?? null,
      station_ratio: day.soiling_ratio,
      control_gain: controlGain(site, kwh, day.control_energy_kwh),
      not_counted: plantProblem(day, kwh !== null, today) ?? skyOf(day.date),
    };
  });
  // To a station it is nothing what became of the plant's energy, or how the plant is built.
  const stationDays = days.filter((day) => {
    return [null, "NO_IRRADIATION"].includes(skyOf(day.date)) && stationBias(day).length > 0;
  });
  const energy = biasOf(days.filter(({ not_counted }) => not_counted === null).flatMap(energyBias));
  const station = biasOf(stationDays.flatMap(stationBias));
  return {
    source,
    days,
    energy,
    station,
    proposed: correctionsOf(site, { energy, station, stationDays }),
    control: measured.some(({ control_energy_kwh: kwh }) => kwh !== null) ? controlRowsOf(site, days) : null,
    cleanings: cleaningsOf(days, past),
  };
}

/** Of a day, by how much more the other rows gave for each kWp than the control rows. */
function controlGain(
  { dc_capacity_kwp: all, control_capacity_kwp: control }: ControlFacts,
  siteKwh: number | null,
  controlKwh: number | null,
): number | null {
  if (all === null || control === null || siteKwh === null || controlKwh === null || controlKwh <= 0) return null;
  return control >= all ? null : (siteKwh - controlKwh) / (all - control) / (controlKwh / control) - 1;
}

/** Clean and left rows have the same sun, so that a day counts whether the model knows it or not. */
const WITHOUT_MODEL: readonly (DayNotCounted | null)[] = [null, "NOT_MODELLED", "NO_IRRADIATION"];

function controlRowsOf(site: ControlFacts, days: readonly ComparedDay[]): ControlRows {
  const gains = days
    .filter(({ not_counted }) => WITHOUT_MODEL.includes(not_counted))
    .flatMap(({ control_gain: gain }) => gain ?? []);
  const effect = controlRowsEffect(gains);
  return {
    missing: (["dc_capacity_kwp", "control_capacity_kwp"] as const).filter((fact) => site[fact] === null),
    days: gains.length,
    gain: effect?.gain ?? null,
    detectable: effect?.detectable ?? null,
    verdict: effect?.verdict ?? "NOT_MEASURABLE",
  };
}

/** The meter counts what is paid for, but not where it covers fewer days than the inverters. */
export function energySourceOf(days: readonly MeasuredDay[]): EnergySource | null {
  const meter = days.filter((day) => day.meter_energy_kwh !== null).length;
  const inverter = days.filter((day) => day.inverter_energy_kwh !== null).length;
  if (meter === 0 && inverter === 0) return null;
  return meter >= inverter ? "meter" : "inverter";
}

function plantProblem(
  { date, hours, curtailed }: MeasuredDay,
  hasEnergy: boolean,
  today: string,
): DayNotCounted | null {
  // A station measures at noon only.
  if (date >= today || (hasEnergy && hours < WHOLE_DAY_HOURS)) return "INCOMPLETE";
  return curtailed === true ? "CURTAILED" : null;
}

function skyProblem(known: Known | undefined, usual: number | null): DayNotCounted | null {
  if (known === undefined || known.ratio === null) return "NOT_MODELLED";
  if ((known.rain_mm ?? 0) >= RAIN_DAY_MM) return "RAIN";
  if (!known.energy_kwh) return "NO_IRRADIATION";
  return usual !== null && known.energy_kwh < CLEAR_SHARE * usual ? "CLOUDY" : null;
}

/** Irradiation that is usual around a day: the median of the days near it. Energy of clean panels is in proportion to it. */
function usualEnergy(days: readonly Known[]): (date: string) => number | null {
  const sunny = days.flatMap(({ date, energy_kwh }) => (energy_kwh ? [{ date, kwh: energy_kwh }] : []));
  return (date) => {
    const near = sunny.filter((day) => Math.abs(daysBetween(day.date, date)) <= USUAL_WITHIN_DAYS);
    return near.length === 0 ? null : medianOf(near.map(({ kwh }) => kwh).toSorted((one, other) => one - other));
  };
}

function energyBias({ index, modelled_ratio: ratio }: ComparedDay): number[] {
  return index === null || ratio === null || ratio <= 0 ? [] : [index / ratio];
}

function stationBias({ station_ratio: station, modelled_ratio: ratio }: ComparedDay): number[] {
  if (station === null || ratio === null || 1 - ratio < LEAST_LOSS) return [];
  // A wet station measures a little more than clean: it loses nothing.
  return [Math.max(1 - station, 0) / (1 - ratio)];
}

function biasOf(each: readonly number[]): ModelBias {
  return { days: each.length, bias: medianInterval(each) };
}

/**
 * The median with a 95 % interval by order statistics, which takes nothing for granted of how the values are spread, so
 * that a few wild days move neither; `null` with fewer than ten.
 */
export function medianInterval(values: readonly number[]): Interval | null {
  if (values.length < BIAS_DAYS) return null;
  const sorted = values.toSorted((one, other) => one - other);
  const nth = orderOf95(sorted.length);
  const low = sorted[nth];
  const high = sorted[sorted.length - 1 - nth];
  return low === undefined || high === undefined ? null : { value: medianOf(sorted), low, high };
}

/**
 * How many values are outside on each side: the most with which the true median is beyond them in at most 1 of 40 cases.
 * By logarithms, as half to the power of a year's days is next to nothing.
 */
function orderOf95(count: number): number {
  let logChance = -count * Math.LN2;
  let sum = Math.exp(logChance);
  let outside = 0;
  for (; sum <= 0.025; outside++) {
    logChance += Math.log((count - outside) / (outside + 1));
    sum += Math.exp(logChance);
  }
  return Math.max(outside - 1, 0);
}

function medianOf(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** Every day on which runs ended, newest first, with what the days around it show. */
function cleaningsOf(days: readonly ComparedDay[], modelled: readonly Known[]): MeasuredCleaning[] {
  if (!days.some(({ measured_kwh }) => measured_kwh !== null)) return [];
  const counted = new Map(days.filter(({ not_counted }) => not_counted === null).map((day) => [day.date, day.index]));
  const known = new Map(modelled.map((day) => [day.date, day]));
  const [first = "", last = ""] = [days[0]?.date, days.at(-1)?.date];
  return modelled
    .filter(({ date, runs }) => runs > 0 && date >= first && date <= last)
    .map(({ date, runs, cleaned_share }): MeasuredCleaning => {
      const before = indicesFrom(date, -1, known, counted);
      const after = indicesFrom(date, 1, known, counted);
      const effect = cleaningEffect(before, after);
      return {
        date,
        runs,
        cleaned_share,
        days_before: before.length,
        days_after: after.length,
        verdict: effect?.verdict ?? "NOT_MEASURABLE",
        gain: effect?.gain ?? null,
        detectable: effect?.detectable ?? null,
      };
    })
    .toReversed();
}

/**
 * Indices of the days that count on one side of a cleaning, up to another run, rain, or a day of which neither is known.
 * Not of its own day, of which nobody knows how much was before it.
 */
function indicesFrom(
  date: string,
  step: 1 | -1,
  known: ReadonlyMap<string, Known>,
  counted: ReadonlyMap<string, number | null>,
): number[] {
  const indices: number[] = [];
  for (let nth = 1; nth <= EFFECT_WITHIN_DAYS; nth++) {
    const day = known.get(addDays(date, nth * step));
    if (day === undefined || day.runs > 0 || day.rain_mm === null || day.rain_mm >= RAIN_DAY_MM) break;
    const index = counted.get(day.date) ?? null;
    if (index !== null) indices.push(index);
  }
  return indices;
}
