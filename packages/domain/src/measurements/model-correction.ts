import type {
  ComparedDay,
  Interval,
  ModelBias,
  ModelCorrection,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import type { EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import { SOILING_RATE_FACTOR } from "@suncrew/contract/sites/site-forms.ts";
import type { SoilingModel } from "@suncrew/contract/soiling/soiling.ts";
import { soilingRateFactorOf } from "../sites/site-energy-facts.ts";
import { hsuRatio, MEASURED_TO_G_PER_M2 } from "../soiling/hsu.ts";

/** What would take the bias out of the model. Only proposed: a person applies it. */

/** Rows of different soil are taken for their mean: a smaller change of the factor is not meant. */
const FACTOR_EXACT_TO = 0.01;

/** What the model is made with. */
export interface CorrectedModel extends Pick<EnergyFacts, "performance_ratio_percent" | "soiling_rate_factor"> {
  readonly model: SoilingModel | null;
}

interface Biased {
  readonly energy: ModelBias;
  readonly station: ModelBias;
  /** Those that the station's bias is of. */
  readonly stationDays: readonly ComparedDay[];
}

/** The facts with which the model would say what was measured, where its bias is known and is one. */
export function correctionsOf(site: CorrectedModel, { energy, station, stationDays }: Biased): ModelCorrection[] {
  const { performance_ratio_percent: percent } = site;
  const corrections: ModelCorrection[] = [];
  if (percent !== null && isBiased(energy.bias)) {
    const to = Math.round(percent * energy.bias.value * 100) / 100;
    if (to >= 10 && to <= 100) corrections.push({ fact: "performance_ratio_percent", from: percent, to });
  }
  // The rule of thumb has no particles.
  if (site.model === "hsu" && isBiased(station.bias)) {
    const from = soilingRateFactorOf(site);
    const to = soilingRateFactor(stationDays, from);
    const isChange = to !== null && Math.abs(to / from - 1) >= FACTOR_EXACT_TO;
    // A few wild days can turn the sum against the median that is told.
    if (isChange && to > from === station.bias.value > 1) corrections.push({ fact: "soiling_rate_factor", from, to });
  }
  return corrections.filter(({ from, to }) => from !== to);
}

/** If the interval contains 1, the model is as good as the data can tell. */
function isBiased(bias: Interval | null): bias is Interval {
  return bias !== null && (bias.low > 1 || bias.high < 1);
}

/**
 * The factor on what settles with which these days lose by the model, in sum, what the station measured, if now it is
 * `present`. Mass is in proportion to the factor, so that a day's mean mass by the model, from its loss, is scaled; no more
 * precise than three digits. `null` beyond the factors that a site may have.
 */
export function soilingRateFactor(
  days: readonly Pick<ComparedDay, "station_ratio" | "modelled_ratio">[],
  present: number,
): number | null {
  const known = days.flatMap(({ station_ratio: station, modelled_ratio: modelled }) =>
    station === null || modelled === null ? [] : [{ loss: Math.max(1 - station, 0), mass: massOf(1 - modelled) }],
  );
  const measured = known.reduce((sum, { loss }) => sum + loss, 0);
  const modelledWith = (factor: number) =>
    known.reduce((sum, { mass }) => sum + 1 - hsuRatio((mass * factor) / present), 0);
  const { least, most } = SOILING_RATE_FACTOR;
  if (modelledWith(least) > measured || modelledWith(most) < measured) return null;
  return Number(rootOf((factor) => modelledWith(factor) - measured, least, most).toPrecision(3));
}

/** The mass in g/m² that takes this loss, at most that up to which it was measured. */
function massOf(loss: number): number {
  return rootOf((mass) => 1 - hsuRatio(mass) - loss, 0, MEASURED_TO_G_PER_M2);
}

/** Where a rising function is 0, by halving 50 times: to 1e-14 of the range. */
function rootOf(rising: (at: number) => number, low: number, high: number): number {
  let [below, above] = [low, high];
  for (let step = 0; step < 50; step++) {
    const middle = (below + above) / 2;
    if (rising(middle) < 0) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}
