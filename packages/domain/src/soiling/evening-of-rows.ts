import { daysBetween } from "../schedules/calendar-date.ts";
import { energyKwh, presentRates } from "./cleaning-value.ts";
import type { Evening } from "./cleaning-by-need.ts";
import { RAIN_NEAR_HOURS } from "./next-night.ts";
import { dateReader, economicsOf, plantOf, priceOf, rainOfDay, settingsOf, type SoilingSite } from "./site-soiling.ts";
import {
  cleanRows,
  lostOfRows,
  modelFor,
  ratioOfRows,
  type RowRun,
  type SoilingHour,
  soilRows,
} from "./soiling-model.ts";

const HOUR_MS = 3_600_000;

/** What an evening is decided from, apart from when its rows were run. */
type WorthOfRows = Pick<Evening, "worth" | "rain">;

/** The site as if it had only these of its rows, with their share of its capacity. */
export function partOfSite(site: SoilingSite, rows: readonly number[]): SoilingSite {
  const { dc_capacity_kwp: capacity } = site;
  const share = site.rows.length === 0 ? 0 : rows.length / site.rows.length;
  return { ...site, rows, dc_capacity_kwp: capacity === null ? null : capacity * share };
}

/**
 * What a cleaning of all rows of `site` is worth when it is due, and the rain after that. `hours` in order, without those
 * ahead if they are stale. Nothing is said of its worth where a fact is missing or an hour of the rain to come.
 */
export function eveningOfRows(
  site: SoilingSite,
  hours: readonly SoilingHour[],
  runs: readonly RowRun[],
  { now, dueAt }: { readonly now: Date; readonly dueAt: Date },
): WorthOfRows {
  const [dueMs, endMs] = [dueAt.getTime(), dueAt.getTime() + RAIN_NEAR_HOURS * HOUR_MS];
  const before = hours.filter(({ at }) => at <= dueAt);
  const ahead = hours.filter(({ at }) => at.getTime() > dueMs && at.getTime() <= endMs);
  const past = hours.filter(({ at }) => at <= now);
  const plant = plantOf(site);
  const model = modelFor(hours);
  const { tariff_per_kwh: tariff } = site;
  const isRainKnown = ahead.filter(({ rain_mm }) => rain_mm !== null).length >= RAIN_NEAR_HOURS;
  const isSunKnown = past.some(({ irradiance_w_m2 }) => irradiance_w_m2 !== null);
  if (!plant || model === null || tariff === null || site.currency === null) return { worth: null, rain: null };
  const settings = settingsOf(site, model);
  const { state } = soilRows(settings, before, runs, cleanRows(site.rows));
  const ratio = ratioOfRows(model, state);
  const economics = economicsOf(plant, priceOf(site), tariff, presentRates(settings, past));
  if (economics === null || ratio === null || !isRainKnown || !isSunKnown) return { worth: null, rain: null };

  const dateOf = dateReader(site.timezone);
  const rainy = soilRows(settings, ahead, [], state).hours.find(({ isCleanedByRain }) => isCleanedByRain);
  const rain = rainy && rainOfDay(ahead, dateOf(rainy.hour.at.getTime() - HOUR_MS), dateOf);
  return {
    worth: { economics, lostMoney: energyKwh(plant, lostOfRows(state).value) * tariff, loss: 1 - ratio.value },
    rain: rain === undefined ? null : { mm: rain.mm, daysAhead: daysBetween(dateOf(dueMs), rain.day) },
  };
}
