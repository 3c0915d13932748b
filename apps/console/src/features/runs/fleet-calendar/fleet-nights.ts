import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { FleetNight, RunCounts, runsFleetCalendar } from "@suncrew/contract/runs/runs.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { countRuns } from "@suncrew/domain/runs/run-outcome.ts";
import { matchesSearch } from "../../../ui/matches-search.ts";
import { dayText } from "../../../ui/site-time-text.ts";
import { type EntryState, entryStateOf } from "../calendar-entry.ts";
import { countsText } from "../runs-looks.ts";
import type { CalendarFilter, CalendarUrl } from "./fleet-calendar-url.ts";

export type FleetCalendar = ResponseOf<typeof runsFleetCalendar>;

/** What the calendar shows of a site: the rest changes with each message of a robot. */
export type CalendarSite = Pick<
  Site,
  "id" | "name" | "address" | "state" | "timezone" | "maintenance_partner_id" | "partner_name"
>;

/** One night of one site. */
export interface SiteNight {
  /** The date of its evening. */
  readonly date: string;
  readonly when: "past" | "tonight" | "coming";
  /** Null if nothing was done and nothing is planned. */
  readonly state: EntryState | null;
  readonly counts: RunCounts;
  readonly robots: number;
  readonly plan: FleetNight["plan"];
}

export interface CalendarRow {
  readonly site: CalendarSite;
  readonly nights: readonly SiteNight[];
  /** How much went wrong in these nights; 0 if nothing did. */
  readonly trouble: number;
}

/** Outcomes that somebody should know of, the worst first, and how bad each is: a person's Stop is none. */
const TROUBLE = [
  ["failed", 3],
  ["missed", 3],
  ["cut_short", 2],
  ["skipped", 1],
] as const satisfies readonly (readonly [keyof RunCounts, number])[];

export function troubleOf(counts: RunCounts): number {
  return TROUBLE.reduce((sum, [count, weight]) => sum + counts[count] * weight, 0);
}

/** The counts of a night that are not its main figure, in this order. */
export const MARKS = ["running", ...TROUBLE.map(([count]) => count), "stopped"] as const;

const NOTHING = countRuns([]);

/** A row for each site, with a night for each date. */
export function calendarRows(sites: readonly CalendarSite[], calendar: FleetCalendar): CalendarRow[] {
  const answered = new Map(calendar.sites.map((site) => [site.site_id, site]));
  return sites.map((site) => {
    const known = answered.get(site.id);
    const tonight = known?.tonight ?? calendar.tonight;
    const byDate = new Map(known?.nights.map((night) => [night.date, night]));
    const nights = calendar.dates.map((date) => nightOf(date, tonight, byDate.get(date)));
    return { site, nights, trouble: nights.reduce((sum, { counts }) => sum + troubleOf(counts), 0) };
  });
}

function nightOf(date: string, tonight: string, night: FleetNight | undefined): SiteNight {
  const counts = { ...NOTHING, ...night?.counts };
  return {
    date,
    when: date < tonight ? "past" : date > tonight ? "coming" : "tonight",
    state: night === undefined ? null : nightStateOf(counts),
    counts,
    robots: Object.values(counts).reduce((sum, count) => sum + count, 0),
    plan: night?.plan ?? null,
  };
}

/** As an entry of the week's calendar; but a night in which no robot was done is as bad as the worst of its runs. */
function nightStateOf(counts: RunCounts): EntryState {
  if (counts.running > 0) return "running";
  const notDone = MARKS.find((mark) => counts[mark] > 0);
  if (counts.done === 0) return notDone ?? "planned";
  return entryStateOf({ state: "OVER", counts, by_need: null });
}

/** The rows that match. */
export function findRows(rows: readonly CalendarRow[], filter: CalendarFilter): readonly CalendarRow[] {
  const { search, state, partnerId, isTroubledOnly } = filter;
  return rows.filter(
    ({ site, trouble }) =>
      (search.trim() === "" || matchesSearch(search, [site.name, site.address, site.state, site.partner_name])) &&
      (state === "" || site.state === state) &&
      (partnerId === null || site.maintenance_partner_id === partnerId) &&
      (!isTroubledOnly || trouble > 0),
  );
}

/** Made once: each comparison would make its own. */
const { compare } = new Intl.Collator("en", { numeric: true });

/** By name, or with the most trouble first. */
export function orderRows(rows: readonly CalendarRow[], order: CalendarUrl["order"]): readonly CalendarRow[] {
  const byName = (one: CalendarRow, other: CalendarRow) => compare(one.site.name, other.site.name);
  return rows.toSorted((one, other) =>
    order === "worst" ? other.trouble - one.trouble || byName(one, other) : byName(one, other),
  );
}

/** Trouble, then what is in progress, then what is planned, then what is done; last the sites with nothing. */
export function phoneRank({ counts, state }: SiteNight): number {
  if (state === null) return 4;
  if (troubleOf(counts) > 0) return 0;
  if (state === "running") return 1;
  return state === "planned" ? 2 : 3;
}

/** A night in words: "12 done, 1 failed", "3 done, 9 planned at 18:30, 45 min". */
export function nightText({ state, counts, plan }: SiteNight): string {
  if (state === null) return "No run";
  const over = countsText({ ...counts, planned: 0 });
  if (plan === null) return over;
  const planned = `${counts.planned} planned ${plan.groups > 1 ? "from" : "at"} ${plan.first}, ${plan.minutes} min`;
  return over === "" ? planned : `${over}, ${planned}`;
}

/** The title of a night's details. */
export function nightTitle(siteName: string, night: string): string {
  return `${siteName}, night of ${dayText(night)}`;
}
