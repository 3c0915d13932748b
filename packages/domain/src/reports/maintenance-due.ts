import { addDays } from "../schedules/calendar-date.ts";

/** Days from one maintenance to the next unless it is configured. */
export const MAINTENANCE_INTERVAL_DAYS = 180;

/** What the dates of a robot's maintenance follow from; days of the site's calendar. */
export interface MaintenancePast {
  readonly installed: string;
  /** Releases from maintenance. */
  readonly released: readonly string[];
}

/** When maintenance is due next: so many days after the last release or the installation, whichever is later. */
export function maintenanceDueDate({ installed, released }: MaintenancePast, intervalDays: number): string {
  return addDays([installed, ...released].toSorted().at(-1) ?? installed, intervalDays);
}

/** The days of a stretch, both ends included, on which maintenance came due: nobody had done it before that day. */
export function maintenanceDueDates(
  { installed, released }: MaintenancePast,
  intervalDays: number,
  stretch: { readonly from: string; readonly to: string },
): string[] {
  const since = [...new Set([installed, ...released])].toSorted();
  return since.flatMap((date, nth) => {
    const due = addDays(date, intervalDays);
    const next = since[nth + 1];
    const wasDoneBefore = next !== undefined && next < due;
    return !wasDoneBefore && due >= stretch.from && due <= stretch.to ? [due] : [];
  });
}
