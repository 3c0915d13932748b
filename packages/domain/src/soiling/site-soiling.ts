import {
  type Banded,
  type SiteSoiling,
  SOILING_FORECAST_DAYS,
  SOILING_PAST_DAYS,
  type SoilingDay,
  type SoilingModel,
} from "@suncrew/contract/soiling/soiling.ts";
import type { EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import { addDays } from "../schedules/calendar-date.ts";
import { localDateTimeOf, siteToday, startOfDay } from "../schedules/site-time.ts";
import { cleaningEffectivenessOf, missingFacts, soilingRateFactorOf } from "../sites/site-energy-facts.ts";
import {
  bandedKwh,
  bestIntervalDays,
  type CleaningEconomics,
  cleaningPrice,
  energyKwh,
  gainOfCleaning,
  type PlantFacts,
  presentRates,
  whenWorthIt,
} from "./cleaning-value.ts";
import { isBeyondMeasured } from "./hsu.ts";
import { type NightAhead, nextNight, RAIN_NEAR_HOURS, type RainAhead, unknownNight } from "./next-night.ts";
import {
  cleanedNow,
  cleanRows,
  isKnownHour,
  lostOfRows,
  modelFor,
  ratioOfRows,
  type RowRun,
  scaled,
  type SoiledHour,
  type SoilingHour,
  type SoilingSettings,
  type SoilingState,
  soilRows,
} from "./soiling-model.ts";

/** All that is said of a site's soiling: now, since the last cleaning, by days, ahead. What is not known stays `null`. */

export interface SoilingSite extends EnergyFacts {
  readonly timezone: string;
  /** The site's live robots; each cleans a row, all rows are equal. */
  readonly rows: readonly number[];
}

/** The part of the answer that follows from facts, hours and runs. */
export type ModelledSoiling = Omit<
  SiteSoiling,
  "site_id" | "basis" | "missing" | "source" | "received_at" | "is_stale" | "uncounted_runs" | "corrections"
>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A day with a change of clocks has an hour less. */
const WHOLE_DAY_HOURS = 23;

/**
 * `hours` in order, of the past and, unless they are stale, ahead; `runs` are those that ended and count. Tonight's
 * cleaning is taken to be done at the coming midnight of the site. Without a tilt or particles the model is Kimber's.
 */
export function modelSoiling(
  site: SoilingSite,
  hours: readonly SoilingHour[],
  runs: readonly RowRun[],
  now: Date,
): ModelledSoiling {
  const model = modelOf(site, hours);
  const past = hours.filter(({ at }) => at <= now);
  const ahead = hours.filter(({ at }) => at > now);
  const settings = settingsOf(site, model ?? "kimber");
  const rows = model === null ? [] : site.rows;
  const before = soilRows(settings, past, runs, cleanRows(rows));
  const dateOf = dateReader(site.timezone);
  const today = siteToday(site.timezone, now);
  const midnight = startOfDay(addDays(today, 1), site.timezone);
  const after = hoursAfter(settings, before.state, ahead, midnight);

  const plant = plantOf(site);
  const { tariff_per_kwh: tariff } = site;
  const inKwh = (sunHours: Banded | null) => (sunHours && plant ? bandedKwh(plant, sunHours) : null);
  const inMoney = (kwh: Banded | null) => (kwh && tariff !== null ? scaled(kwh, tariff) : null);
  const price = site.rows.length === 0 ? null : priceOf(site);
  const isSunKnown = past.some(({ irradiance_w_m2 }) => irradiance_w_m2 !== null);
  const lost = model !== null && isSunKnown ? inKwh(lostOfRows(before.state)) : null;
  const isAheadKnown = model !== null && after.rest.some(({ irradiance_w_m2 }) => irradiance_w_m2 !== null);
  const gain = isAheadKnown ? inKwh(gainOfCleaning(settings, after.tonight, after.rest)) : null;
  const ratio = ratioOfRows(settings.model, before.state);

  const rates = model === null ? null : presentRates(settings, past);
  const economics = plant && rates && economicsOf(plant, price, tariff, rates);
  const loss = ratio === null ? 0 : 1 - ratio.value;
  const isNextKnown = economics && site.currency !== null && lost !== null && isAheadKnown;
  const nights = isNextKnown ? nightsAhead(settings, before.state, ahead, midnight, dateOf) : [];
  const nightsInMoney = nights.map(({ lostSunHours, ...night }): NightAhead => {
    return { ...night, lostMoney: inMoney(inKwh(lostSunHours))?.value ?? 0 };
  });
  const lostMoney = inMoney(lost);

  return {
    model,
    soiling_rate_factor: model === "hsu" ? settings.soilingRateFactor : 1,
    is_beyond_measured: model === "hsu" && before.state.layers.some(({ soil }) => isBeyondMeasured(soil)),
    coverage_percent: model === null ? 0 : coveragePercent(settings, past, now),
    ratio,
    second_opinion: model === "hsu" ? secondOpinion(site, settings, past, runs) : null,
    last_cleaning: before.state.lastCleaning && {
      at: new Date(before.state.lastCleaning.at).toISOString(),
      cause: before.state.lastCleaning.cause,
    },
    lost_kwh: lost,
    lost_money: site.currency === null ? null : lostMoney,
    currency: site.currency,
    cleaning_price: site.currency === null ? null : price,
    tonight_gain_kwh: gain,
    tonight_gain_money: site.currency === null ? null : inMoney(gain),
    next_night:
      economics && site.currency !== null ? nextNight(economics, site.currency, nightsInMoney) : unknownNight(),
    worth_from_percent: economics && lostMoney ? whenWorthIt(economics, lostMoney.value, loss).loss * 100 : null,
    best_interval_days: economics ? bestIntervalDays(economics) : null,
    days: model === null ? [] : daysOf([...before.hours, ...after.hours], after.ifCleaned, plant, dateOf, today),
  };
}

/** What the model takes of a site's facts. */
export function settingsOf(site: EnergyFacts, model: SoilingModel): SoilingSettings {
  return {
    model,
    tiltDegrees: site.tilt_degrees ?? 0,
    soilingRateFactor: soilingRateFactorOf(site),
    effectivenessPercent: cleaningEffectivenessOf(site),
  };
}

/** What the hours of this site can be modelled by, if by anything. */
function modelOf(site: SoilingSite, hours: readonly SoilingHour[]): SoilingModel | null {
  const known = site.rows.length === 0 ? null : modelFor(hours);
  return known === "hsu" && site.tilt_degrees === null ? "kimber" : known;
}

/** What soiling takes on the days of a site's calendar, and of which all hours are known. */
export interface SoiledDays {
  readonly model: SoilingModel;
  readonly days: readonly (SoilingDay & { readonly isKnown: boolean })[];
}

/** The days of these hours, all in the past; null where they cannot be modelled. */
export function soiledDays(
  site: SoilingSite,
  hours: readonly SoilingHour[],
  runs: readonly RowRun[],
): SoiledDays | null {
  const model = modelOf(site, hours);
  if (model === null) return null;
  const settings = settingsOf(site, model);
  const dateOf = dateReader(site.timezone);
  const isKnown = (hour: SoilingHour) => isKnownHour(model, hour) && hour.irradiance_w_m2 !== null;
  const known = Map.groupBy(hours.filter(isKnown), ({ at }) => dateOf(at.getTime() - HOUR_MS));
  const soiled = soilRows(settings, hours, runs, cleanRows(site.rows)).hours;
  const days = calendarDays(soiled, [], plantOf(site), dateOf, () => false).map((day) => {
    return { ...day, isKnown: (known.get(day.date)?.length ?? 0) >= WHOLE_DAY_HOURS };
  });
  return { model, days };
}

/** Without tilt and azimuth the irradiation is not that of the panels. */
export function plantOf(site: SoilingSite): PlantFacts | null {
  const { dc_capacity_kwp: dcCapacityKwp, performance_ratio_percent: performanceRatioPercent } = site;
  if (dcCapacityKwp === null || performanceRatioPercent === null || missingFacts(site, "energy").length > 0)
    return null;
  return { dcCapacityKwp, performanceRatioPercent };
}

export function priceOf({ cleaning_price, cleaning_price_per, dc_capacity_kwp, rows }: SoilingSite): number | null {
  if (cleaning_price === null || cleaning_price_per === null) return null;
  if (cleaning_price_per === "kwp" && dc_capacity_kwp === null) return null;
  return cleaningPrice({ amount: cleaning_price, per: cleaning_price_per }, rows.length, dc_capacity_kwp ?? 0);
}

export function economicsOf(
  plant: PlantFacts,
  price: number | null,
  tariff: number | null,
  { lossPerDay, sunHoursPerDay }: ReturnType<typeof presentRates>,
): CleaningEconomics | null {
  // Without worth or dust no cleaning ever pays, and without a price every one does: there is nothing to compute.
  if (!price || !tariff || !lossPerDay || !sunHoursPerDay) return null;
  return { price, energyWorthPerDay: energyKwh(plant, sunHoursPerDay) * tariff, lossPerDay };
}

/** The hours ahead, in one piece without a run, and from midnight on with one. */
function hoursAfter(settings: SoilingSettings, state: SoilingState, ahead: readonly SoilingHour[], midnight: Date) {
  const evening = soilRows(
    settings,
    ahead.filter(({ at }) => at <= midnight),
    [],
    state,
  );
  const rest = ahead.filter(({ at }) => at > midnight);
  const without = soilRows(settings, rest, [], evening.state);
  const ifCleaned = soilRows(settings, rest, [], cleanedNow(settings, evening.state));
  return { tonight: evening.state, rest, hours: [...evening.hours, ...without.hours], ifCleaned: ifCleaned.hours };
}

/** Every night of the forecast at its midnight, as it would be without a run until then. */
function nightsAhead(
  settings: SoilingSettings,
  now: SoilingState,
  ahead: readonly SoilingHour[],
  midnight: Date,
  dateOf: (at: number) => string,
) {
  const end = ahead.at(-1)?.at.getTime() ?? 0;
  const rains = soilRows(settings, ahead, [], now).hours.filter(({ isCleanedByRain }) => isCleanedByRain);
  const nights: (Omit<NightAhead, "lostMoney"> & { readonly lostSunHours: Banded })[] = [];
  let state = now;
  let from = -Infinity;
  for (let at = midnight.getTime(); at <= end; at += DAY_MS) {
    const until = at;
    const part = ahead.filter((hour) => hour.at.getTime() > from && hour.at.getTime() <= until);
    ({ state } = soilRows(settings, part, [], state));
    from = until;
    const rain = rains.find(({ hour }) => {
      return hour.at.getTime() > until && hour.at.getTime() <= until + RAIN_NEAR_HOURS * HOUR_MS;
    });
    nights.push({
      // A night is named by its evening.
      date: dateOf(until - DAY_MS / 2),
      lostSunHours: lostOfRows(state),
      loss: 1 - (ratioOfRows(settings.model, state)?.value ?? 1),
      rain: rain === undefined ? null : rainOfDay(ahead, dateOf(rain.hour.at.getTime() - HOUR_MS), dateOf),
    });
  }
  return nights;
}

export function rainOfDay(ahead: readonly SoilingHour[], day: string, dateOf: (at: number) => string): RainAhead {
  const hours = ahead.filter(({ at }) => dateOf(at.getTime() - HOUR_MS) === day);
  return { day, mm: hours.reduce((sum, { rain_mm }) => sum + (rain_mm ?? 0), 0) };
}

function coveragePercent(settings: SoilingSettings, past: readonly SoilingHour[], now: Date): number {
  const since = now.getTime() - SOILING_PAST_DAYS * DAY_MS;
  const known = past.filter((hour) => hour.at.getTime() > since && isKnownHour(settings.model, hour));
  return Math.min((known.length / (SOILING_PAST_DAYS * 24)) * 100, 100);
}

function secondOpinion(
  site: SoilingSite,
  settings: SoilingSettings,
  past: readonly SoilingHour[],
  runs: readonly RowRun[],
): number | null {
  if (!past.some(({ rain_mm }) => rain_mm !== null)) return null;
  const { state } = soilRows({ ...settings, model: "kimber" }, past, runs, cleanRows(site.rows));
  return ratioOfRows("kimber", state)?.value ?? null;
}

/** The last days and those ahead. */
function daysOf(
  soiled: readonly SoiledHour[],
  ifCleaned: readonly SoiledHour[],
  plant: PlantFacts | null,
  dateOf: (at: number) => string,
  today: string,
): SoilingDay[] {
  const [first, last] = [addDays(today, -SOILING_PAST_DAYS), addDays(today, SOILING_FORECAST_DAYS)];
  const days = calendarDays(soiled, ifCleaned, plant, dateOf, (date) => date > today);
  return days.filter(({ date }) => date >= first && date <= last);
}

/** Days by the site's calendar; an hour counts for the day in which it begins. */
function calendarDays(
  soiled: readonly SoiledHour[],
  ifCleaned: readonly SoiledHour[],
  plant: PlantFacts | null,
  dateOf: (at: number) => string,
  isForecast: (date: string) => boolean,
): SoilingDay[] {
  const byDate = Map.groupBy(soiled, ({ hour }) => dateOf(hour.at.getTime() - HOUR_MS));
  const cleanedByDate = Map.groupBy(ifCleaned, ({ hour }) => dateOf(hour.at.getTime() - HOUR_MS));
  return [...byDate].map(([date, hours]) => {
    const sunHours = sumOf(hours.map(({ hour }) => hour.irradiance_w_m2 && hour.irradiance_w_m2 / 1000));
    const energy = sunHours !== null && plant ? energyKwh(plant, sunHours) : null;
    const ratio = meanRatio(hours);
    return {
      date,
      is_forecast: isForecast(date),
      ratio,
      ratio_if_cleaned: isForecast(date) ? (meanRatio(cleanedByDate.get(date) ?? [])?.value ?? null) : null,
      rain_mm: sumOf(hours.map(({ hour }) => hour.rain_mm)),
      pm2_5: meanOf(hours.map(({ hour }) => hour.pm2_5)),
      pm10: meanOf(hours.map(({ hour }) => hour.pm10)),
      energy_kwh: energy,
      lost_kwh: energy !== null && ratio ? lostOf(energy, ratio) : null,
      runs: hours.reduce((sum, one) => sum + one.runs, 0),
      cleaned_share: hours.reduce((sum, one) => sum + one.cleanedShare, 0),
    };
  });
}

function lostOf(energy: number, { value, low, high }: Banded): Banded {
  return { value: energy * (1 - value), low: energy * (1 - high), high: energy * (1 - low) };
}

/** Weighted by irradiation, or where that is not known of any hour, the plain mean. */
function meanRatio(hours: readonly SoiledHour[]): Banded | null {
  const isSunKnown = hours.some(({ hour }) => (hour.irradiance_w_m2 ?? 0) > 0);
  let [weights, value, low, high] = [0, 0, 0, 0];
  for (const { hour, ratio } of hours) {
    if (ratio === null) continue;
    const weight = isSunKnown ? (hour.irradiance_w_m2 ?? 0) : 1;
    weights += weight;
    value += ratio.value * weight;
    low += ratio.low * weight;
    high += ratio.high * weight;
  }
  return weights === 0 ? null : { value: value / weights, low: low / weights, high: high / weights };
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly (number | null)[]): number | null {
  const sum = sumOf(values);
  return sum === null ? null : sum / values.filter((value) => value !== null).length;
}

/** The site's date of an instant in ms; asks the calendar only twice for each day, as it is slow. */
export function dateReader(timezone: string): (at: number) => string {
  const offsetAt = (at: number) => {
    const local = localDateTimeOf(new Date(at), timezone).toString({ smallestUnit: "millisecond" });
    return Date.parse(`${local}Z`) - at;
  };
  const offsets = new Map<number, number>();
  const offsetOf = (at: number) => {
    const known = offsets.get(at);
    if (known !== undefined) return known;
    const offset = offsetAt(at);
    offsets.set(at, offset);
    return offset;
  };
  return (at) => {
    const day = Math.floor(at / DAY_MS) * DAY_MS;
    const offset = offsetOf(day);
    const exact = offset === offsetOf(day + DAY_MS) ? offset : offsetAt(at);
    return new Date(at + exact).toISOString().slice(0, 10);
  };
}
