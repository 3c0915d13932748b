import { addDays } from "../schedules/calendar-date.ts";

/** Default days between maintenances. */
export const MAINTENANCE_INTERVAL_DAYS = 180;

/** The dates that determine when a robot's maintenance is due, in the site's time zone. */
export interface MaintenancePast {
  readonly installed: string;
  /** Releases from maintenance. */
  readonly released: readonly string[];
}

/** Next due date: `intervalDays` after the last release or the installation, whichever is later. */
export function maintenanceDueDate({ installed, released }: MaintenancePast, intervalDays: number): string {
  return addDays([installed, ...released].toSorted().at(-1) ?? installed, intervalDays);
}

/** The dates in a range (both ends included) on which maintenance fell due without having been done before. */
export function maintenanceDueDates(
  { installed, released }: MaintenancePast,
  intervalDays: number,
  range: { readonly from: string; readonly to: string },
): string[] {
  const since = [...new Set([installed, ...released])].toSorted();
  return since.flatMap((date, nth) => {
    const due = addDays(date, intervalDays);
    const next = since[nth + 1];
    const wasDoneBefore = next !== undefined && next < due;
    return !wasDoneBefore && due >= range.from && due <= range.to ? [due] : [];
  });
}
