import { measuredAgainstModel } from "@suncrew/domain/measurements/measured-against-model.ts";
import { measuredDaysOf } from "@suncrew/domain/measurements/measurement-rows.ts";
import { siteToday } from "@suncrew/domain/schedules/site-time.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { readMeasurements } from "../measurements/public.ts";
import { readSavedByCleaning } from "../soiling/public.ts";
import type { PerformanceFigures, ReportEnergy, ReportScope, ReportSite } from "./report-data.ts";

/** What cleaning has saved in the range, by the model of the site's soiling, and what measured energy verifies of it. */
export async function readReportEnergy(
  viewer: Viewer,
  tx: Tx,
  site: ReportSite,
  scope: ReportScope,
  { data_days: dataDays }: Pick<PerformanceFigures, "data_days">,
): Promise<ReportEnergy> {
  const { soilingDays, ...energy } = await readSavedByCleaning(tx, site, scope);
  // Without data of any robot nobody knows what cleaned: that is not the same as nothing saved.
  if (dataDays === null || dataDays === 0) return { ...energy, saved: null, measured: null };
  const [first, last] = [soilingDays[0], soilingDays.at(-1)];
  if (first === undefined || last === undefined) return { ...energy, measured: null };
  const { timezone } = site;
  const measurements = await readMeasurements(viewer, tx, site, { from: first.date, to: last.date });
  const today = siteToday(timezone, scope.now);
  const measured = measuredDaysOf(measurements, timezone);
  const model = energy.saved?.model ?? null;
  const { source, cleanings } = measuredAgainstModel(measured, soilingDays, { ...site, model, today });
  if (source === null) return { ...energy, measured: null };
  const dates = new Set(scope.days.map(({ date }) => date));
  const own = cleanings
    .filter(({ date }) => dates.has(date))
    .toSorted((one, other) => (one.date < other.date ? -1 : 1));
  const verified = own.flatMap(({ date, verdict, gain }) => (verdict === "VERIFIED" && gain ? [{ date, gain }] : []));
  return { ...energy, measured: { cleanings: own.length, verified } };
}
