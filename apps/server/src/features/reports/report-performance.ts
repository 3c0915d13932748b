import type { SiteDay } from "@suncrew/domain/reports/report-range.ts";
import type { Span } from "@suncrew/domain/reports/spans.ts";
import { siteDayOf } from "@suncrew/domain/robot-days/site-day.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import {
  hasFacts,
  readDayFigures,
  readRobotsWithin,
  readSiteAlerts,
  readStays,
  type Stay,
} from "../robot-days/public.ts";
import type { ReportScope } from "./report-data.ts";
import { readClosedDays, readClosedSums, readFormerNames } from "./report-performance.queries.ts";
import { PerformanceSums } from "./report-sums.ts";

/** Robots whose readings are aggregated per query, so that none takes long. */
const ROBOTS_AT_ONCE = 250;
/** Of a stretch of days that is longer, it is found out first whether there is anything to compute. */
const DAYS_WITHOUT_CHECK = 4;

const everything = { sources: new Set(["READINGS", "PRESENCE", "RUNS", "ALERTS"] as const), withMotion: false };

/**
 * The figures of a site's robots over a range that `viewer` may see: whole days that are closed as they were computed
 * then, all others from the rows that recorded them.
 */
export async function readPerformance(viewer: Viewer, tx: Tx, scope: ReportScope): Promise<PerformanceSums> {
  const sums = new PerformanceSums(scope.days.length);
  const closed = await readClosedDays(viewer, tx, scope);
  const isClosed = ({ date, fromMs, toMs }: SiteDay): boolean => {
    const whole = siteDayOf(new Date(fromMs), scope.timezone);
    return closed.has(date) && whole.fromMs === fromMs && whole.toMs === toMs;
  };
  const days = scope.days.map((day, nth) => ({ ...day, nth, closed: isClosed(day) }));
  const nthOf = new Map(days.map(({ date, nth }) => [date, nth]));
  const dates = days.flatMap(({ closed: done, date }) => (done ? [date] : []));
  sums.closedDates = new Map(dates.map((date) => [date, nthOf.get(date) ?? 0]));
  const found = await readClosedSums(viewer, tx, scope.siteId, dates);
  for (const { robotId, ...robot } of found.robots) sums.addToRobot(robotId, robot);
  for (const { date, ...day } of found.days) sums.addToDay(nthOf.get(date) ?? -1, day);
  sums.sample ||= found.sample;
  for (const { date, robotId, name, serialNumber } of await readFormerNames(viewer, tx, scope.siteId, dates))
    sums.addName(nthOf.get(date) ?? 0, robotId, name, serialNumber);
  for (const date of dates) {
    const day = closed.get(date);
    if (day !== undefined) sums.addAlerts(day);
  }

  // A closed day keeps the instants of its time, also if the site was moved to another time zone since.
  const open = days
    .filter((day) => !day.closed)
    .map(({ nth, fromMs, toMs }) => {
      const [before, after] = [days[nth - 1], days[nth + 1]].map((day) =>
        day?.closed ? closed.get(day.date) : undefined,
      );
      const endMs = Math.min(toMs, after?.began_at.getTime() ?? Infinity, scope.until.getTime());
      return { nth, fromMs: Math.max(fromMs, before?.ended_at.getTime() ?? -Infinity), toMs: endMs };
    })
    .filter(({ fromMs, toMs }) => fromMs < toMs);
  // Alerts need no day of their own: neighbouring ones are one time.
  for (const { fromMs, toMs } of stretches(open))
    sums.addAlerts(await readSiteAlerts(tx, { siteId: scope.siteId, fromMs, toMs }));
  if (open.length > 0) await addOpenDays(tx, scope, { days: open, stays: await readStays(tx, scope.siteId), sums });
  return sums;
}

function stretches(days: readonly Span[]): Span[] {
  const found: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of days) {
    const last = found.at(-1);
    if (last?.toMs === fromMs) last.toMs = toMs;
    else found.push({ fromMs, toMs });
  }
  return found;
}

interface OpenDays {
  readonly days: readonly { readonly nth: number; readonly fromMs: number; readonly toMs: number }[];
  readonly stays: ReadonlyMap<number, Stay>;
  readonly sums: PerformanceSums;
}

/** Halves long stretches until it has left out what nothing is known about. */
async function addOpenDays(tx: Tx, scope: ReportScope, { days, stays, sums }: OpenDays): Promise<void> {
  if (days.length > DAYS_WITHOUT_CHECK) {
    scope.signal?.throwIfAborted();
    const [fromMs, toMs] = [days[0]?.fromMs ?? 0, days.at(-1)?.toMs ?? 0];
    if (!(await hasFacts(tx, { siteId: scope.siteId, fromMs, toMs }, stays))) return;
    const half = days.length >> 1;
    for (const part of [days.slice(0, half), days.slice(half)])
      await addOpenDays(tx, scope, { days: part, stays, sums });
    return;
  }
  for (const { nth, ...span } of days) {
    const dayScope = { ...span, siteId: scope.siteId, now: scope.now };
    const robots = [...(await readRobotsWithin(tx, dayScope, stays))];
    for (let first = 0; first < robots.length; first += ROBOTS_AT_ONCE) {
      scope.signal?.throwIfAborted();
      const some = new Map(robots.slice(first, first + ROBOTS_AT_ONCE));
      for (const [robotId, figures] of await readDayFigures(tx, dayScope, some, everything))
        sums.addDay(nth, robotId, figures);
    }
  }
}
