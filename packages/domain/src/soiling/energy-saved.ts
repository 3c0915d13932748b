import type { Banded, SoilingModel } from "@suncrew/contract/soiling/soiling.ts";
import { type SoiledDays, soiledDays, type SoilingSite } from "./site-soiling.ts";
import type { RowRun, SoilingHour } from "./soiling-model.ts";

/** What the cleanings of some days have saved on these days: soiling as it was against soiling without them. */
export interface EnergySaved {
  readonly model: SoilingModel;
  /** In kWh, on the days that are known. */
  readonly lostWithout: Banded;
  readonly lost: Banded;
  /** Of the days asked for, those whose hours are all known. */
  readonly days: number;
  /** All days of the hours, as it was. */
  readonly soiled: SoiledDays;
}

/**
 * Of the runs that ended after `from`, what they saved on these dates of the site's calendar. `hours` begin long before, with
 * clean rows. Null where the model says nothing of any of these days, or not in kWh.
 */
export function energySaved(
  site: SoilingSite,
  hours: readonly SoilingHour[],
  runs: readonly RowRun[],
  { from, dates }: { readonly from: Date; readonly dates: readonly string[] },
): EnergySaved | null {
  const soiled = soiledDays(site, hours, runs);
  const earlier = runs.filter(({ endedAt }) => endedAt <= from);
  const without = soiledDays(site, hours, earlier);
  if (soiled === null || without === null) return null;
  const asked = new Set(dates);
  const lostOf = ({ days }: SoiledDays) =>
    days.flatMap(({ date, isKnown, lost_kwh }) => (isKnown && asked.has(date) && lost_kwh !== null ? [lost_kwh] : []));
  const lost = lostOf(soiled);
  if (lost.length === 0) return null;
  return { model: soiled.model, lostWithout: sumOf(lostOf(without)), lost: sumOf(lost), days: lost.length, soiled };
}

function sumOf(figures: readonly Banded[]): Banded {
  const add = (sum: Banded, { value, low, high }: Banded) => {
    return { value: sum.value + value, low: sum.low + low, high: sum.high + high };
  };
  return figures.reduce(add, { value: 0, low: 0, high: 0 });
}

/**
 * Saved energy in whole kWh: the difference of what was lost without the cleanings and with them, both rounded as they are
 * shown, so that who subtracts what is shown gets the same. Its band is that of the particles, the same on both sides.
 */
export function savedKwh({ lostWithout, lost }: Pick<EnergySaved, "lostWithout" | "lost">): Banded {
  const of = (end: keyof Banded) => Math.round(lostWithout[end]) - Math.round(lost[end]);
  const [value, low, high] = [of("value"), of("low"), of("high")];
  // Far beyond 10 g/m² more dust takes no more, so that more of it can save less.
  return { value, low: Math.min(value, low, high), high: Math.max(value, low, high) };
}
