import { maintenanceDueDate, maintenanceDueDates } from "@suncrew/domain/reports/maintenance-due.ts";
import type { ReportFigureName } from "@suncrew/domain/reports/report-figures.ts";
import { newRobotTally } from "@suncrew/domain/reports/run-tally.ts";
import { percentOf, type Uptime } from "@suncrew/domain/reports/uptime.ts";
import { localTimeOf, siteToday } from "@suncrew/domain/schedules/site-time.ts";
import {
  type ReportDay,
  type ReportHealth,
  type ReportMaintenance,
  type ReportRobot,
  type ReportScope,
  reportTime,
} from "./report-data.ts";
import type { BatterySums, ReportRuns } from "./report-performance.queries.ts";
import type { ReportAlerts, ReportLocks, ReportRobotRow } from "./reports.queries.ts";

const MINUTE_MS = 60_000;

/** What a report's queries found. */
export interface ReportSources {
  readonly scope: ReportScope;
  readonly intervalDays: number;
  readonly robots: readonly ReportRobotRow[];
  readonly runs: ReportRuns;
  readonly uptimes: ReadonlyMap<number, Uptime>;
  /** Milliseconds with a critical alert, by robot. */
  readonly criticalMs: ReadonlyMap<number, number>;
  readonly batteries: ReadonlyMap<number, BatterySums>;
  readonly locks: ReportLocks;
  readonly alerts: ReportAlerts;
  readonly changes: { readonly bySystem: number; readonly byPeople: number };
}

/** Minutes are summed over the robots as printed. */
export function computeFigures(
  sources: ReportSources,
  robots: readonly ReportRobot[],
  maintenance: ReportMaintenance,
): Record<ReportFigureName, number | null> {
  const { runs, alerts, changes, locks } = sources;
  const uptimes = [...sources.uptimes.values()];
  const batteries = [...sources.batteries.values()];
  const total = (of: (robot: ReportRobot) => number) => sum(robots.map(of));
  const reachable = total(({ minutesReachable }) => minutesReachable);
  const known = total(({ minutesKnown }) => minutesKnown);
  const planned = total(({ minutesPlanned }) => minutesPlanned);
  const asPlanned = total(({ minutesAsPlanned }) => minutesAsPlanned);
  return {
    uptime: percentOf(reachable, known),
    minutes_reachable: reachable,
    minutes_known: known,
    uptime_days: daysWith(uptimes.map(({ countedMsByDay }) => countedMsByDay)),
    critical_minutes: total(({ minutesCritical }) => minutesCritical),
    cleaning_cycles: runs.tally.outcomes.COMPLETED,
    minutes_cleaned: total(({ minutesCleaned }) => minutesCleaned),
    minutes_as_planned: asPlanned,
    minutes_outside_plan: total(({ minutesOutsidePlan }) => minutesOutsidePlan),
    minutes_by_hand: total(({ minutesByHand }) => minutesByHand),
    minutes_planned: planned,
    efficiency: percentOf(asPlanned, planned),
    average_battery: meanOf(
      batteries.flatMap(({ weighted }) => weighted),
      batteries.flatMap(({ seconds }) => seconds),
    ),
    battery_days: daysWith(batteries.map(({ seconds }) => seconds)),
    maintenance_activities: locks.set + locks.released,
    system_changes: changes.bySystem,
    user_actions: changes.byPeople,
    error_count: alerts.critical,
    scheduled_maintenance: maintenance.due.length,
    overdue_maintenance: maintenance.overdue.length,
    completed_maintenance: locks.released,
    critical_alerts: alerts.critical,
    resolved_alerts: alerts.resolved,
    average_resolution_time: alerts.averageResolutionMinutes,
  };
}

export function computeDays({ scope, runs, uptimes, batteries }: ReportSources): ReportDay[] {
  const [presences, readings] = [[...uptimes.values()], [...batteries.values()]];
  return scope.days.map(({ date }, nth) => {
    const at = (series: readonly number[]) => series[nth] ?? 0;
    const reachable = sum(presences.map(({ reachableMsByDay }) => at(reachableMsByDay)));
    const counted = sum(presences.map(({ countedMsByDay }) => at(countedMsByDay)));
    const weighted = readings.map((battery) => at(battery.weighted));
    const seconds = readings.map((battery) => at(battery.seconds));
    return {
      date,
      minutesCleaned: at(runs.tally.cleanedMsByDay) / MINUTE_MS,
      uptimePercent: percentOf(reachable, counted),
      averageBattery: meanOf(weighted, seconds),
      outcomes: runs.tally.outcomesByDay[nth] ?? runs.tally.outcomes,
    };
  });
}

/** The robots currently at the site, then those that have left but have figures in the range; each by name. */
export function computeRobots(sources: ReportSources): ReportRobot[] {
  const { runs, robots, uptimes, criticalMs, batteries } = sources;
  const here = new Set(robots.map(({ id }) => id));
  const withFigures = new Set(runs.tally.robots.keys());
  for (const [id, { countedMs }] of uptimes) if (countedMs > 0) withFigures.add(id);
  for (const [id, { seconds }] of batteries) if (daysWith([seconds]) > 0) withFigures.add(id);
  for (const id of criticalMs.keys()) withFigures.add(id);
  const left = [...withFigures]
    .filter((id) => !here.has(id))
    .map((id) => ({ id, ...(runs.names.get(id) ?? { name: "Former robot", serialNumber: "" }) }))
    .toSorted((one, other) => one.name.localeCompare(other.name) || one.id - other.id);
  return [
    ...robots.map((row) => computeRobot(sources, row, healthOf(sources, row))),
    ...left.map((row) => computeRobot(sources, row, null)),
  ];
}

function computeRobot(
  { runs, uptimes, batteries, criticalMs }: ReportSources,
  { id, name, serialNumber }: Pick<ReportRobotRow, "id" | "name" | "serialNumber">,
  health: ReportHealth | null,
): ReportRobot {
  const tally = runs.tally.robots.get(id) ?? newRobotTally();
  const uptime = uptimes.get(id);
  const battery = batteries.get(id);
  const planned = minutesOf(tally.plannedMs);
  const asPlanned = minutesOf(tally.asPlannedMs);
  const outsidePlan = minutesOf(tally.outsidePlanMs);
  const byHand = minutesOf(tally.byHandMs);
  const reachable = minutesOf(uptime?.reachableMs ?? 0);
  const known = minutesOf(uptime?.countedMs ?? 0);
  return {
    robotId: id,
    name,
    serialNumber,
    planned: tally.planned,
    byHand: tally.byHand,
    minutesPlanned: planned,
    minutesAsPlanned: asPlanned,
    minutesOutsidePlan: outsidePlan,
    minutesByHand: byHand,
    minutesCleaned: asPlanned + outsidePlan + byHand,
    efficiencyPercent: percentOf(asPlanned, planned),
    minutesReachable: reachable,
    minutesKnown: known,
    uptimePercent: percentOf(reachable, known),
    uptimeDays: uptime === undefined ? 0 : daysWith([uptime.countedMsByDay]),
    minutesCritical: minutesOf(criticalMs.get(id) ?? 0),
    averageBattery: battery === undefined ? null : meanOf(battery.weighted, battery.seconds),
    batteryDays: battery === undefined ? 0 : daysWith([battery.seconds]),
    health,
  };
}

function healthOf({ scope, alerts, intervalDays }: ReportSources, row: ReportRobotRow): ReportHealth {
  const { timezone, now } = scope;
  const dueDate = maintenanceDueDate(pastOf(row, timezone), intervalDays);
  const lastRelease = row.released.at(-1);
  return {
    status: row.status,
    online: row.online,
    inMaintenance:
      row.locked_at === null ? null : { since: reportTime(row.locked_at, timezone), reason: row.reason ?? "" },
    errorCount: alerts.criticalByRobot.get(row.id) ?? 0,
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

/** On how many days at least one of the daily series has a value. */
function daysWith(series: readonly (readonly number[])[]): number {
  const days = series.flatMap((values) => values.flatMap((value, nth) => (value > 0 ? [nth] : [])));
  return new Set(days).size;
}

/** Null if nothing was measured. */
function meanOf(weighted: readonly number[], weights: readonly number[]): number | null {
  const weight = sum(weights);
  return weight > 0 ? sum(weighted) / weight : null;
}
