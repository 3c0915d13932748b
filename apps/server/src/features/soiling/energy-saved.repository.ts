import { SOILING_PAST_DAYS, type SoilingDay, type SoilingGap } from "@suncrew/contract/soiling/soiling.ts";
import type { EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import type { SiteDay } from "@suncrew/domain/reports/report-range.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { startOfDay } from "@suncrew/domain/schedules/site-time.ts";
import { missingFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { type EnergySaved, energySaved } from "@suncrew/domain/soiling/energy-saved.ts";
import type { Executor } from "../../platform/database/database.ts";
import { readSiteHours } from "../weather/public.ts";
import { readRowRuns, readRows } from "./soiling-inputs.repository.ts";

const DAY_MS = 86_400_000;
/** A cleaning at the end of the range is judged by days after it, too. */
const DAYS_AFTER = 10;

/** What the runs of a range have saved by model, or what is missing to know it. */
export interface SavedByCleaning {
  readonly saved: Pick<EnergySaved, "model" | "lostWithout" | "lost" | "days"> | null;
  /** Facts of the site, `robots`, or `particles` for want of any day whose hours are known. */
  readonly missing: readonly SoilingGap[];
  /** Runs that ended in the range: those that count, and those of which nobody knows how long their row takes. */
  readonly runs: number;
  readonly uncountedRuns: number;
  /** Whether any of it rests on a demo's made-up air and weather. */
  readonly sample: boolean;
  /** From some days before the range to some days after it. */
  readonly soilingDays: readonly SoilingDay[];
}

export interface SavingRange {
  readonly from: Date;
  /** The end of the range, or now if that is earlier. */
  readonly until: Date;
  readonly now: Date;
  readonly days: readonly SiteDay[];
}

/** As the model of the site's soiling, begun as long before the range as that begins before today. */
export async function readSavedByCleaning(
  db: Executor,
  site: EnergyFacts & { readonly id: number; readonly timezone: string },
  { from, until, now, days }: SavingRange,
): Promise<SavedByCleaning> {
  const missing = missingFacts(site, "energy");
  const rows = await readRows(db, site.id);
  const first = days[0]?.date;
  const nothing = { saved: null, runs: 0, uncountedRuns: 0, sample: false, soilingDays: [] };
  if (missing.length > 0 || rows.length === 0 || first === undefined) {
    return { ...nothing, missing: [...missing, ...(rows.length === 0 ? (["robots"] as const) : [])] };
  }
  const begin = startOfDay(addDays(first, -SOILING_PAST_DAYS), site.timezone);
  const end = new Date(Math.min(now.getTime(), until.getTime() + DAYS_AFTER * DAY_MS));
  const hours = await readSiteHours(db, site.id, begin, end);
  const { runs, uncountedEnds } = await readRowRuns(db, site.id, begin, end);
  const dates = days.filter(({ fromMs }) => fromMs < until.getTime()).map(({ date }) => date);
  const saved = energySaved({ ...site, rows }, hours, runs, { from, dates });
  const isOfRange = (endedAt: Date) => endedAt > from && endedAt <= until;
  return {
    saved,
    missing: saved === null ? ["particles"] : [],
    runs: runs.filter(({ endedAt }) => isOfRange(endedAt)).length,
    uncountedRuns: uncountedEnds.filter(isOfRange).length,
    sample: saved !== null && hours.some(({ source }) => source === "sample"),
    soilingDays: saved?.soiled.days ?? [],
  };
}
