import { maintenanceDueDate, maintenanceDueDates } from "@suncrew/domain/reports/maintenance-due.ts";
import type { ReportFigureName } from "@suncrew/domain/reports/report-figures.ts";
import { NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import { percentOf } from "@suncrew/domain/reports/uptime.ts";
import { localTimeOf, siteToday } from "@suncrew/domain/schedules/site-time.ts";
import {
  type OutcomeCounts,
  type PerformanceFigures,
  REPORT_DAY_ROBOTS,
  type ReportDay,
  type ReportHealth,
  type ReportMaintenance,
  type ReportRobot,
  type ReportRobotDay,
  type ReportRobotDays,
  type ReportScope,
  reportTime,
} from "./report-data.ts";
import {
  allOutcomes,
  cleanedMs,
  hasFigures,
  meanBattery,
  noRobotSums,
  noSums,
  type PerformanceSums,
  plannedOutcomes,
} from "./report-sums.ts";
import type { ClosedRobotDay } from "./report-performance.queries.ts";
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
  return {
    ...performanceFigures(performance, robots),
    maintenance_activities: locks.set + locks.released,
    system_changes: changes.bySystem,
    user_actions: changes.byPeople,
    scheduled_maintenance: maintenance.due.length,
    overdue_maintenance: maintenance.overdue.length,
    completed_maintenance: locks.released,
  };
}

/** The figures that follow from how the robots performed; the range before has these too. */
export function performanceFigures(performance: PerformanceSums, robots: readonly ReportRobot[]): PerformanceFigures {
  const { alerts, days } = performance;
  const whole = performance.total();
  const total = (of: (robot: ReportRobot) => number) => sum(robots.map(of));
  const reachable = total(({ minutesReachable }) => minutesReachable);
  const known = total(({ minutesKnown }) => minutesKnown);
  const minutesPlanned = total(({ minutesPlanned }) => minutesPlanned);
  const asPlanned = total(({ minutesAsPlanned }) => minutesAsPlanned);
  const runs = total(({ planned }) => sum(Object.values(planned)));
  const done = total(({ planned }) => planned.COMPLETED);
  const running = total(({ planned }) => planned.RUNNING);
  return {
    data_days: days.filter(hasFigures).length,
    uptime: percentOf(reachable, known),
    minutes_reachable: reachable,
    minutes_known: known,
    uptime_days: days.filter(({ counted_ms }) => counted_ms > 0).length,
    critical_minutes: total(({ minutesCritical }) => minutesCritical),
    done_share: percentOf(done, runs - running),
    planned_runs: runs,
    planned_runs_done: done,
    planned_runs_running: running,
    cleaning_cycles: allOutcomes(whole).COMPLETED,
    minutes_cleaned: total(({ minutesCleaned }) => minutesCleaned),
    minutes_as_planned: asPlanned,
    minutes_outside_plan: total(({ minutesOutsidePlan }) => minutesOutsidePlan),
    minutes_by_hand: total(({ minutesByHand }) => minutesByHand),
    minutes_planned: minutesPlanned,
    efficiency: percentOf(asPlanned, minutesPlanned),
    average_battery: meanBattery(whole),
    battery_days: days.filter(({ read_ms }) => read_ms > 0).length,
    error_count: alerts.critical_alerts,
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
      planned: plannedOutcomes(sums),
    };
  });
}

/** The robots whose days are drawn: all, or those with the most planned runs that were not done. */
export function robotsByDay(robots: readonly ReportRobot[]): { readonly shown: ReportRobot[]; readonly rest: number } {
  const planned = robots.filter((robot) => sum(Object.values(robot.planned)) > 0);
  const worst = planned.toSorted((one, other) => notDoneOf(other.planned) - notDoneOf(one.planned));
  const shown = planned.length > REPORT_DAY_ROBOTS ? worst.slice(0, REPORT_DAY_ROBOTS) : planned;
  return { shown, rest: planned.length - shown.length };
}

/** What became of the planned runs of some robots on each day of the range. */
export function computeRobotDays(
  { scope, performance }: ReportSources,
  { shown, rest }: ReturnType<typeof robotsByDay>,
  closed: readonly ClosedRobotDay[],
): ReportRobotDays {
  const byRobot = new Map<number, Map<number, OutcomeCounts>>();
  for (const { robot_id, date, ...sums } of closed) {
    const days = byRobot.get(robot_id) ?? new Map<number, OutcomeCounts>();
    byRobot.set(robot_id, days.set(performance.closedDates.get(date) ?? -1, plannedOutcomes(sums)));
  }
  const dayOf = (robotId: number, nth: number): ReportRobotDay | null => {
    const planned = byRobot.get(robotId)?.get(nth) ?? performance.openDays.get(robotId)?.get(nth);
    const runs = planned === undefined ? 0 : sum(Object.values(planned));
    return planned === undefined || runs === 0 ? null : { runs, notDone: notDoneOf(planned) };
  };
  const rows = shown.map(({ robotId, name, serialNumber }) => ({
    name,
    serialNumber,
    days: scope.days.map((_, nth) => dayOf(robotId, nth)),
  }));
  return { rows, rest };
}

export function notDoneOf(outcomes: OutcomeCounts): number {
  return sum(NOT_DONE.map((outcome) => outcomes[outcome]));
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
  const withFigures = [...sums].filter(([, of]) => hasFigures(of));
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
    activeAlerts: row.alerts.map(({ raised_at, ...alert }) => ({
      ...alert,
      since: reportTime(new Date(raised_at), timezone),
    })),
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
