import { maintenanceDueDate, maintenanceDueDates } from "@suncrew/domain/reports/maintenance-due.ts";
import type { ReportFigureName } from "@suncrew/domain/reports/report-figures.ts";
import { percentOf } from "@suncrew/domain/reports/uptime.ts";
import { localTimeOf, siteToday } from "@suncrew/domain/schedules/site-time.ts";
import {
  type ReportDay,
  type ReportHealth,
  type ReportMaintenance,
  type ReportRobot,
  type ReportScope,
  reportTime,
} from "./report-data.ts";
import {
  allOutcomes,
  cleanedMs,
  meanBattery,
  noRobotSums,
  noSums,
  type PerformanceSums,
  plannedOutcomes,
} from "./report-sums.ts";
import type { ReportLocks, ReportRobotRow } from "./reports.queries.ts";

const MINUTE_MS = 60_000;

/** What a report's queries found. */
export interface ReportSources {
  readonly scope: ReportScope;
  readonly intervalDays: number;
  readonly robots: readonly ReportRobotRow[];
  readonly performance: PerformanceSums;
  readonly locks: ReportLocks;
  readonly changes: { readonly bySystem: number; readonly byPeople: number };
}

/** Minutes are summed over the robots as printed. */
export function computeFigures(
  sources: ReportSources,
  robots: readonly ReportRobot[],
  maintenance: ReportMaintenance,
): Record<ReportFigureName, number | null> {
  const { performance, changes, locks } = sources;
  const { alerts, days } = performance;
  const whole = performance.total();
  const total = (of: (robot: ReportRobot) => number) => sum(robots.map(of));
  const reachable = total(({ minutesReachable }) => minutesReachable);
  const known = total(({ minutesKnown }) => minutesKnown);
  const planned = total(({ minutesPlanned }) => minutesPlanned);
  const asPlanned = total(({ minutesAsPlanned }) => minutesAsPlanned);
  return {
    uptime: percentOf(reachable, known),
    minutes_reachable: reachable,
    minutes_known: known,
    uptime_days: days.filter(({ counted_ms }) => counted_ms > 0).length,
    critical_minutes: total(({ minutesCritical }) => minutesCritical),
    cleaning_cycles: allOutcomes(whole).COMPLETED,
    minutes_cleaned: total(({ minutesCleaned }) => minutesCleaned),
    minutes_as_planned: asPlanned,
    minutes_outside_plan: total(({ minutesOutsidePlan }) => minutesOutsidePlan),
    minutes_by_hand: total(({ minutesByHand }) => minutesByHand),
    minutes_planned: planned,
    efficiency: percentOf(asPlanned, planned),
    average_battery: meanBattery(whole),
    battery_days: days.filter(({ read_ms }) => read_ms > 0).length,
    maintenance_activities: locks.set + locks.released,
    system_changes: changes.bySystem,
    user_actions: changes.byPeople,
    error_count: alerts.critical_alerts,
    scheduled_maintenance: maintenance.due.length,
    overdue_maintenance: maintenance.overdue.length,
    completed_maintenance: locks.released,
    critical_alerts: alerts.critical_alerts,
    resolved_alerts: alerts.resolved_alerts,
    average_resolution_time:
      alerts.resolved_alerts === 0 ? null : alerts.resolution_ms / alerts.resolved_alerts / MINUTE_MS,
  };
}

export function computeDays({ scope, performance }: ReportSources): ReportDay[] {
  return scope.days.map(({ date }, nth) => {
    const sums = performance.days[nth] ?? noSums();
    return {
      date,
      minutesCleaned: cleanedMs(sums) / MINUTE_MS,
      uptimePercent: percentOf(sums.reachable_ms, sums.counted_ms),
      averageBattery: meanBattery(sums),
      outcomes: allOutcomes(sums),
    };
  });
}

/** The robots currently at the site, then those that have left but have figures in the range; each by name. */
export function computeRobots(sources: ReportSources): ReportRobot[] {
  const { robots, performance } = sources;
  const left = leftRobots(robots, performance)
    .map((id) => ({ id, ...(performance.names.get(id) ?? { name: "Former robot", serialNumber: "" }) }))
    .toSorted((one, other) => one.name.localeCompare(other.name) || one.id - other.id);
  return [
    ...robots.map((row) => computeRobot(sources, row, healthOf(sources, row))),
    ...left.map((row) => computeRobot(sources, row, null)),
  ];
}

/** Robots with figures in the range that are no longer at the site. */
function leftRobots(robots: readonly ReportRobotRow[], { robots: sums }: PerformanceSums): number[] {
  const here = new Set(robots.map(({ id }) => id));
  const withFigures = [...sums].filter(([, of]) => {
    const runs = Object.values(allOutcomes(of)).some((count) => count > 0);
    return runs || of.planned_ms + cleanedMs(of) + of.counted_ms + of.read_ms + of.critical_ms > 0;
  });
  return withFigures.map(([id]) => id).filter((id) => !here.has(id));
}

function computeRobot(
  { performance }: ReportSources,
  { id, name, serialNumber }: Pick<ReportRobotRow, "id" | "name" | "serialNumber">,
  health: ReportHealth | null,
): ReportRobot {
  const sums = performance.robots.get(id) ?? noRobotSums();
  const planned = minutesOf(sums.planned_ms);
  const asPlanned = minutesOf(sums.as_planned_ms);
  const outsidePlan = minutesOf(sums.outside_plan_ms);
  const byHand = minutesOf(sums.by_hand_ms);
  const reachable = minutesOf(sums.reachable_ms);
  const known = minutesOf(sums.counted_ms);
  return {
    robotId: id,
    name,
    serialNumber,
    planned: plannedOutcomes(sums),
    byHand: sums.by_hand,
    minutesPlanned: planned,
    minutesAsPlanned: asPlanned,
    minutesOutsidePlan: outsidePlan,
    minutesByHand: byHand,
    minutesCleaned: asPlanned + outsidePlan + byHand,
    efficiencyPercent: percentOf(asPlanned, planned),
    minutesReachable: reachable,
    minutesKnown: known,
    uptimePercent: percentOf(reachable, known),
    uptimeDays: sums.uptime_days,
    minutesCritical: minutesOf(sums.critical_ms),
    averageBattery: meanBattery(sums),
    batteryDays: sums.battery_days,
    health,
  };
}

function healthOf({ scope, performance, intervalDays }: ReportSources, row: ReportRobotRow): ReportHealth {
  const { timezone, now } = scope;
  const dueDate = maintenanceDueDate(pastOf(row, timezone), intervalDays);
  const lastRelease = row.released.at(-1);
  return {
    status: row.status,
    online: row.online,
    inMaintenance:
      row.locked_at === null ? null : { since: reportTime(row.locked_at, timezone), reason: row.reason ?? "" },
    errorCount: performance.robots.get(row.id)?.faults ?? 0,
    battery: row.battery,
    firmware: row.firmware,
    lastCleanedAt: row.cleaned_at === null ? null : reportTime(row.cleaned_at, timezone),
    lastMaintenanceAt: lastRelease === undefined ? null : reportTime(lastRelease, timezone),
    maintenanceDueDate: dueDate,
    overdue: dueDate < siteToday(timezone, now),
    activeAlerts: row.alerts,
  };
}

export function computeMaintenance({ scope, robots, locks, intervalDays }: ReportSources): ReportMaintenance {
  const { days, timezone, now } = scope;
  const today = siteToday(timezone, now);
  const stretch = { from: days[0]?.date ?? "", to: days.at(-1)?.date ?? "" };
  const datesOf = (dates: (row: ReportRobotRow) => readonly string[]) =>
    robots
      .flatMap((row) => dates(row).map((date) => ({ robotName: row.name, serialNumber: row.serialNumber, date })))
      .toSorted((one, other) => one.date.localeCompare(other.date));
  const due = datesOf((row) => maintenanceDueDates(pastOf(row, timezone), intervalDays, stretch));
  const next = datesOf((row) => [maintenanceDueDate(pastOf(row, timezone), intervalDays)]);
  const { set, released } = locks;
  return { intervalDays, set, released, locks: locks.locks, due, overdue: next.filter(({ date }) => date < today) };
}

function pastOf(row: ReportRobotRow, timezone: string) {
  return { installed: row.installed, released: row.released.map((at) => localTimeOf(at, timezone).date) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Rounded to whole minutes, so that printed sums match the printed values. */
function minutesOf(ms: number): number {
  return Math.round(ms / MINUTE_MS);
}
