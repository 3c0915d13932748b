import { type DayFigures, noFigures, RUN_COLUMNS, type SiteAlerts } from "../robot-days/public.ts";
import type { OutcomeCounts } from "./report-data.ts";

/** The figures of robots' days that a report adds up. */
export const SUMMED_COLUMNS = [
  "read_ms",
  "battery_held",
  "counted_ms",
  "reachable_ms",
  "planned_ms",
  "as_planned_ms",
  "outside_plan_ms",
  "by_hand_ms",
  "by_hand",
  "critical_ms",
  "faults",
  ...RUN_COLUMNS.flatMap(([, planned, manual]) => [planned, manual]),
] as const;

/** Of several days of a robot, or of all robots on a day. */
export type Sums = Record<(typeof SUMMED_COLUMNS)[number], number>;

export interface RobotSums extends Sums {
  /** Days with time that counts. */
  uptime_days: number;
  /** Days with a reading. */
  battery_days: number;
}

export function noSums(): Sums {
  return { ...noFigures(), counted_ms: 0 };
}

export function noRobotSums(): RobotSums {
  return { ...noSums(), uptime_days: 0, battery_days: 0 };
}

/** How the robots of a site performed in the range of a report. */
export class PerformanceSums {
  /** Of every robot with a day on record. */
  readonly robots = new Map<number, RobotSums>();
  /** One for each day of the range. */
  readonly days: readonly Sums[];
  readonly alerts = { critical_alerts: 0, resolved_alerts: 0, resolution_ms: 0 };
  /** What robots were called in their last run of the range, and on which of its days. */
  readonly names = new Map<number, { readonly name: string; readonly serialNumber: string; readonly nth: number }>();
  /** What became of the planned runs of robots' days that were computed now, by robot and day. */
  readonly openDays = new Map<number, Map<number, OutcomeCounts>>();
  /** The days that were closed, which have that on record. */
  closedDates: ReadonlyMap<string, number> = new Map();
  /** True if sample data of a demo is in it. */
  sample = false;

  constructor(days: number) {
    this.days = Array.from({ length: days }, noSums);
  }

  /** Adds a robot's day, or its part of one. */
  addDay(nth: number, robotId: number, figures: DayFigures): void {
    const ofDay = { ...figures, counted_ms: figures.counted_ms ?? 0 };
    this.addToDay(nth, ofDay);
    const days = { uptime_days: Number(ofDay.counted_ms > 0), battery_days: Number(ofDay.read_ms > 0) };
    this.addToRobot(robotId, { ...ofDay, ...days });
    this.addName(nth, robotId, figures.robot_name, figures.serial_number);
    this.sample ||= figures.sample;
    if (figures.planned_ms === 0 && RUN_COLUMNS.every(([, planned]) => figures[planned] === 0)) return;
    const robotDays = this.openDays.get(robotId) ?? new Map<number, OutcomeCounts>();
    this.openDays.set(robotId, robotDays.set(nth, plannedOutcomes(ofDay)));
  }

  addName(nth: number, robotId: number, name: string | null, serialNumber: string | null): void {
    if (name === null || serialNumber === null || nth < (this.names.get(robotId)?.nth ?? 0)) return;
    this.names.set(robotId, { name, serialNumber, nth });
  }

  addAlerts(more: SiteAlerts): void {
    this.alerts.critical_alerts += more.critical_alerts;
    this.alerts.resolved_alerts += more.resolved_alerts;
    this.alerts.resolution_ms += more.resolution_ms;
  }

  /** Of all robots and days. */
  total(): Sums {
    const total = noSums();
    for (const day of this.days) add(total, day);
    return total;
  }

  addToDay(nth: number, sums: Sums): void {
    const day = this.days[nth];
    if (day !== undefined) add(day, sums);
  }

  addToRobot(robotId: number, sums: RobotSums): void {
    const robot = this.robots.get(robotId) ?? noRobotSums();
    add(robot, sums);
    robot.uptime_days += sums.uptime_days;
    robot.battery_days += sums.battery_days;
    this.robots.set(robotId, robot);
  }
}

function add(into: Sums, more: Sums): void {
  for (const column of SUMMED_COLUMNS) into[column] += more[column];
}

export function plannedOutcomes(sums: Pick<Sums, (typeof RUN_COLUMNS)[number][1]>): OutcomeCounts {
  return outcomes(([, planned]) => sums[planned]);
}

/** Whether anything is known: time that counts, a reading, a run, cleaning, or a critical alert. */
export function hasFigures(sums: Sums): boolean {
  const runs = Object.values(allOutcomes(sums)).some((count) => count > 0);
  return runs || sums.planned_ms + cleanedMs(sums) + sums.counted_ms + sums.read_ms + sums.critical_ms > 0;
}

/** Of planned and manual runs. */
export function allOutcomes(sums: Sums): OutcomeCounts {
  return outcomes(([, planned, manual]) => sums[planned] + sums[manual]);
}

function outcomes(count: (columns: (typeof RUN_COLUMNS)[number]) => number): OutcomeCounts {
  const counts = { COMPLETED: 0, STOPPED: 0, CUT_SHORT: 0, FAILED: 0, SKIPPED: 0, MISSED: 0, RUNNING: 0 };
  for (const columns of RUN_COLUMNS) counts[columns[0]] = count(columns);
  return counts;
}

export function cleanedMs({ as_planned_ms, outside_plan_ms, by_hand_ms }: Sums): number {
  return as_planned_ms + outside_plan_ms + by_hand_ms;
}

/** In percent; null if nothing was measured. */
export function meanBattery({ battery_held, read_ms }: Sums): number | null {
  return read_ms > 0 ? battery_held / read_ms / 100 : null;
}
