import type { SiteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import type { RunDays } from "../schedules/schedule-validation.ts";
import { missingFacts } from "../sites/site-energy-facts.ts";
import { simulateStrategy, type Strategy, type StrategySite } from "./cleaning-by-need.ts";
import { plantOf, priceOf, settingsOf, type SoilingSite } from "./site-soiling.ts";
import { isKnownHour, modelFor, type SoilingHour } from "./soiling-model.ts";

/** What cleaning by need would have cost at a site in its last year against fixed intervals. */

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

interface Year {
  readonly from: Date;
  readonly to: Date;
  /** When it is decided and cleaned, by UTC. */
  readonly eveningUtcHour: number;
  readonly limits: RunDays;
}

type Compared = Pick<SiteStrategies, "model" | "days" | "known_days" | "strategies">;

/** `known` are the stored hours, in order; those that are missing count as hours without dust, rain and sun. */
export function compareStrategies(
  site: SoilingSite,
  known: readonly SoilingHour[],
  { from, to, eveningUtcHour, limits }: Year,
): Compared {
  const hours = everyHour(known, from, to);
  const model = modelFor(hours);
  const days = Math.floor(hours.length / DAY_HOURS);
  const plant = plantOf(site);
  const { tariff_per_kwh: tariffPerKwh } = site;
  const cleaningPrice = priceOf(site);
  const areFactsKnown = missingFacts(site).length === 0 && site.rows.length > 0;
  if (model === null || !areFactsKnown || !plant || tariffPerKwh === null || cleaningPrice === null) {
    return { model, days, known_days: 0, strategies: [] };
  }
  const isKnown = (hour: SoilingHour) => isKnownHour(model, hour) && hour.irradiance_w_m2 !== null;
  const known_days = Array.from({ length: days }, (_, day) => {
    return hours.slice(day * DAY_HOURS, (day + 1) * DAY_HOURS).every(isKnown);
  }).filter(Boolean).length;
  if (known_days === 0) return { model, days, known_days, strategies: [] };
  const simulated: StrategySite = {
    settings: settingsOf(site, model),
    plant,
    rows: site.rows.length,
    cleaningPrice,
    tariffPerKwh,
    eveningUtcHour,
  };
  const outcomeOf = (kind: SiteStrategies["strategies"][number]["kind"], strategy: Strategy) => {
    const { cleanings, runs, energyKwh, lostKwh, lostMoney, cleaningCost, cost } = simulateStrategy(
      simulated,
      hours,
      strategy,
    );
    return {
      kind,
      cleanings,
      runs,
      loss_percent: energyKwh === 0 ? 0 : (lostKwh.value / energyKwh) * 100,
      lost_kwh: lostKwh,
      lost_money: lostMoney,
      cleaning_cost: cleaningCost,
      cost,
    };
  };
  const strategies = [
    outcomeOf("BY_NEED", { kind: "by-need", limits }),
    outcomeOf("DAILY", { kind: "every", days: 1 }),
    outcomeOf("WEEKLY", { kind: "every", days: 7 }),
    outcomeOf("NEVER", { kind: "never" }),
  ];
  return { model, days, known_days, strategies };
}

/** Whole days of hours, one after another. */
function everyHour(known: readonly SoilingHour[], from: Date, to: Date): SoilingHour[] {
  const byEnd = new Map(known.map((hour) => [hour.at.getTime(), hour]));
  // Where days begin at half past an hour, the first one is half of the day before.
  const fromMs = Math.floor(from.getTime() / HOUR_MS) * HOUR_MS;
  const length = Math.round((to.getTime() - from.getTime()) / (DAY_HOURS * HOUR_MS)) * DAY_HOURS;
  return Array.from({ length }, (_, nth): SoilingHour => {
    const at = new Date(fromMs + (nth + 1) * HOUR_MS);
    return byEnd.get(at.getTime()) ?? { at, pm2_5: null, pm10: null, rain_mm: null, irradiance_w_m2: null };
  });
}
