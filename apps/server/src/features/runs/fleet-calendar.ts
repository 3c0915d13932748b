import { type FleetNight, siteNightsSchema } from "@suncrew/contract/runs/runs.ts";
import { BEST_FIRST } from "@suncrew/domain/robot-history/night-states.ts";
import { nightOf } from "@suncrew/domain/robot-history/nights.ts";
import { countRuns } from "@suncrew/domain/runs/run-outcome.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { dueDates } from "@suncrew/domain/schedules/next-run.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { inSlices } from "../../platform/in-slices.ts";
import type { UpcomingSchedule } from "./runs.queries.ts";

/** Of a site: how many robots had this as their best run of a night. */
interface BestRuns {
  readonly site_id: number;
  /** Which of the nights. */
  readonly nth: number;
  /** As `runRank`. */
  readonly rank: number;
  readonly robots: number;
}

interface FleetCalendar {
  readonly dates: readonly string[];
  readonly tonight: string;
  /** By time zone. */
  readonly tonights: ReadonlyMap<string, string>;
  readonly sites: readonly { readonly id: number; readonly timezone: string }[];
  readonly best: readonly BestRuns[];
  readonly schedules: readonly UpcomingSchedule[];
}

/** A month of a thousand sites is much work: whatever else the server has to do gets its turn in between. */
export async function writeFleetCalendar(calendar: FleetCalendar): Promise<string> {
  const { dates, tonight, tonights, sites, best, schedules } = calendar;
  const nights = new NightsBySite();
  await inSlices(best, ({ site_id, nth, rank, robots }) => {
    const state = BEST_FIRST[rank - 1] ?? "SKIPPED";
    const counts = countRuns([{ outcome: state === "RUNNING" ? null : state, count: robots }]);
    nights.add(site_id, dates[nth] ?? tonight, counts);
  });
  const nextDates = new Map<string, string>();
  await inSlices(schedules, (schedule) => {
    const key = `${schedule.timezone} ${schedule.next_run_at.getTime()}`;
    const next = nextDates.get(key) ?? localTimeOf(schedule.next_run_at, schedule.timezone).date;
    nextDates.set(key, next);
    for (const date of plannedNights(schedule, next, dates)) nights.plan(schedule, date);
  });
  const texts: string[] = [];
  await inSlices(sites, ({ id, timezone }) => {
    const ofSite = { site_id: id, tonight: tonights.get(timezone) ?? tonight, nights: nights.of(id) };
    texts.push(JSON.stringify(siteNightsSchema.parse(ofSite)));
  });
  return `{"dates":${JSON.stringify(dates)},"tonight":${JSON.stringify(tonight)},"sites":[${texts.join(",")}]}`;
}

/** The evenings of the nights in which a schedule is due, from its next run, on the local date `next`, on. */
function plannedNights(schedule: UpcomingSchedule, next: string, dates: readonly string[]): string[] {
  const { start_time: startTime, frequency, is_worth_it: isWorthIt } = schedule;
  const [first = "", last = ""] = [dates.at(0), dates.at(-1)];
  const time = startTime.slice(11);
  const due = dueDates({ startTime, frequency }, first, addDays(last, 1)).filter((date) =>
    // One "when worth it" is planned only once that is decided.
    frequency === "WHEN_WORTH_IT" ? isWorthIt === true && date === next : date >= next,
  );
  return due.map((date) => nightOf({ date, time })).filter((evening) => evening >= first && evening <= last);
}

type Counts = FleetNight["counts"];

interface Night {
  readonly counts: Counts;
  plan: FleetNight["plan"];
}

/** Collects the nights of each site. */
class NightsBySite {
  readonly #sites = new Map<number, Map<string, Night>>();

  add(siteId: number, date: string, counts: ReturnType<typeof countRuns>): void {
    const night = this.#night(siteId, date);
    for (const [name, count] of Object.entries(counts) as [keyof Counts, number][])
      if (count > 0) night.counts[name] = (night.counts[name] ?? 0) + count;
  }

  plan({ site_id, start_time, duration_minutes, robots }: UpcomingSchedule, date: string): void {
    const night = this.#night(site_id, date);
    const first = start_time.slice(11, 16);
    const { plan } = night;
    if (robots > 0) night.counts.planned = (night.counts.planned ?? 0) + robots;
    night.plan = {
      first: plan !== null && sinceNoon(plan.first) < sinceNoon(first) ? plan.first : first,
      minutes: Math.max(plan?.minutes ?? 0, duration_minutes),
      groups: (plan?.groups ?? 0) + 1,
    };
  }

  of(siteId: number): FleetNight[] {
    const nights = this.#sites.get(siteId) ?? new Map<string, Night>();
    return Array.from(nights, ([date, night]) => ({ date, ...night })).toSorted((one, other) =>
      one.date.localeCompare(other.date),
    );
  }

  #night(siteId: number, date: string) {
    const site = this.#sites.get(siteId) ?? new Map<string, Night>();
    this.#sites.set(siteId, site);
    const night: Night = site.get(date) ?? { counts: {}, plan: null };
    site.set(date, night);
    return night;
  }
}

/** Orders times of day within a night: the evening's come before the morning's. */
function sinceNoon(time: string): string {
  return time < "12:00" ? `1${time}` : `0${time}`;
}
