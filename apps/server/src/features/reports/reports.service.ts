import { REPORT_MAX_DAYS } from "@suncrew/contract/reports/reports.ts";
import { rangeBefore } from "@suncrew/domain/reports/report-change.ts";
import { reportTexts } from "@suncrew/domain/reports/report-texts.ts";
import { type ReportSpan, reportSpanOf, siteDaysOf, utcOffsetOf } from "@suncrew/domain/reports/report-range.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { HttpError, invalid } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import {
  computeDays,
  computeFigures,
  computeMaintenance,
  computeRobotDays,
  computeRobots,
  performanceFigures,
  type ReportSources,
  robotsByDay,
} from "./report-calculation.ts";
import {
  type ReportBefore,
  type ReportData,
  type ReportRange,
  type ReportScope,
  type ReportSite,
  reportTime,
} from "./report-data.ts";
import { readReportEnergy } from "./report-energy.ts";
import { readClosedRobotDays, readNotDone, readReasons } from "./report-performance.queries.ts";
import { readPerformance } from "./report-performance.ts";
import { allOutcomes } from "./report-sums.ts";
import {
  countChanges,
  hadActivity,
  readReportActivity,
  readReportAlerts,
  readReportLocks,
  readReportRobots,
  readReportSite,
  readSiteOpenAlerts,
} from "./reports.queries.ts";

/** No range begins earlier. */
const FIRST_DAY = "1970-01-02";

/** A site and a range in its local time, as requested. */
export interface ReportRequest {
  readonly siteId: number;
  /** 'YYYY-MM-DD HH:MM:SS'. */
  readonly from: string;
  /** This second is part of the range. */
  readonly to: string;
}

export interface ReportOptions {
  readonly now: Date;
  readonly maintenanceIntervalDays: number;
  /** Stops between two queries when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** §8 Report download: 404 if the range has no activity rows. */
export function noActivity(): HttpError {
  const { code, text } = reportTexts.text("NO_ACTIVITY", {});
  return new HttpError(404, code, text);
}

/** The instants of a range. Throws 400 with the field if it ends before it begins or is too long. */
export function spanOf({ from, to }: ReportRequest, timezone: string): ReportSpan {
  const span = reportSpanOf(from, to, timezone, REPORT_MAX_DAYS);
  if ("problem" in span) throw invalid(span.field, span.problem, "INVALID_RANGE");
  return span;
}

/**
 * Everything that the report of a site shows, from a single snapshot of the database, so that its figures agree. Throws
 * 404 for a site outside the viewer's scope and for a range that never had activity, 400 for an invalid range.
 */
export async function readReport(
  viewer: Viewer,
  db: Db,
  request: ReportRequest,
  options: ReportOptions,
): Promise<ReportData> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute((tx) => readAll(viewer, tx, request, options));
}

async function readAll(viewer: Viewer, tx: Tx, request: ReportRequest, options: ReportOptions): Promise<ReportData> {
  const { now, signal } = options;
  const { site, partner, partnerId } = await readReportSite(viewer, tx, request.siteId);
  const { timezone } = site;
  const span = spanOf(request, timezone);
  const until = span.to < now ? span.to : now;
  const days = siteDaysOf(span, timezone);
  const scope: ReportScope = { siteId: site.id, ...span, until, now, timezone, days, signal };
  if (!(await hadActivity(viewer, tx, scope))) throw noActivity();
  const robots = await readReportRobots(viewer, tx, scope);
  const performance = await readPerformance(viewer, tx, scope);
  const outcomes = allOutcomes(performance.total());
  signal?.throwIfAborted();
  const locks = await readReportLocks(viewer, tx, scope);
  const alerts = await readReportAlerts(viewer, tx, scope);
  const changes = await countChanges(viewer, tx, scope);
  const notDone = await readNotDone(viewer, tx, scope, outcomes);
  const { activity, sample } = await readReportActivity(viewer, tx, scope);
  const intervalDays = options.maintenanceIntervalDays;
  const found = { robots, performance, locks, changes };
  const sources: ReportSources = { scope, intervalDays, ...found };
  const maintenance = computeMaintenance(sources);
  const composed = computeRobots(sources);
  const byDay = robotsByDay(composed);
  const closedDays = await readClosedRobotDays(viewer, tx, site.id, {
    robotIds: byDay.shown.map(({ robotId }) => robotId),
    dates: [...performance.closedDates.keys()],
  });
  const reasons = await readReasons(viewer, tx, scope);
  const siteAlerts = await readSiteOpenAlerts(viewer, tx, scope);
  const before = await readBefore(viewer, tx, request, sources, site);
  signal?.throwIfAborted();
  const figures = computeFigures(sources, composed, maintenance);
  const energy = await readReportEnergy(viewer, tx, site, scope, figures);
  return {
    site,
    partner,
    partnerId,
    range: rangeOf(scope),
    generatedAt: reportTime(now, timezone),
    sample: sample || performance.sample || locks.sample || alerts.sample || energy.sample,
    figures,
    before,
    energy,
    days: computeDays(sources),
    robotDays: computeRobotDays(sources, byDay, closedDays),
    reasons,
    siteAlerts,
    outcomes,
    robots: composed,
    notDone,
    maintenance,
    alerts: alerts.alerts,
    activity,
  };
}

function rangeOf({ from, to, now, timezone, days }: ReportScope): ReportRange {
  return {
    from: reportTime(from, timezone),
    to: { utc: to.toISOString(), local: reportTime(new Date(to.getTime() - 1_000), timezone).local },
    fromOffset: utcOffsetOf(from, timezone),
    toOffset: utcOffsetOf(new Date(to.getTime() - 1), timezone),
    days: days.length,
    daysBegun: days.filter(({ fromMs }) => fromMs <= now.getTime()).length,
  };
}

/** The figures of the range before, computed in the same way; null if the range is too long, or the first of all. */
async function readBefore(
  viewer: Viewer,
  tx: Tx,
  request: ReportRequest,
  sources: ReportSources,
  site: ReportSite,
): Promise<ReportBefore | null> {
  const chosen = rangeBefore(request.from, request.to);
  if (chosen === null || chosen.from < FIRST_DAY) return null;
  const { now, timezone } = sources.scope;
  const span = spanOf({ siteId: request.siteId, ...chosen }, timezone);
  const until = span.to < now ? span.to : now;
  const scope: ReportScope = { ...sources.scope, ...span, until, days: siteDaysOf(span, timezone) };
  const performance = await readPerformance(viewer, tx, scope);
  const robots = computeRobots({ ...sources, scope, performance });
  const figures = performanceFigures(performance, robots);
  const energy = await readReportEnergy(viewer, tx, site, scope, figures);
  return { range: rangeOf(scope), isMonth: chosen.isMonth, figures, energy };
}
