/**
 * The figures of a report, each with how it is calculated, which is printed beside the figure. §3 Report template names
 * most of them; the others are their inputs, so that a reader can recalculate them.
 */

/** `days` counts days of the range. */
export type FigureUnit = "percent" | "count" | "minutes" | "days";

/**
 * Which days of the range a figure is known on: those with any data, with known time, with battery readings, all that have
 * begun, or none, because it is of the moment when the report is made.
 */
export type FigureCoverage = "DATA" | "UPTIME" | "BATTERY" | "RECORDS" | "PRESENT";

export interface FigureRule {
  readonly label: string;
  readonly unit: FigureUnit;
  readonly coverage: FigureCoverage;
  /** One or two plain sentences. */
  readonly how: string;
}

export const reportFigureRules = {
  data_days: {
    label: "Days with data",
    unit: "days",
    coverage: "DATA",
    how: "Days of the range on which anything is known of at least one robot: whether it was reachable, its battery, a run that was due or began, or a critical alert of its own. Figures of runs and alerts are known on these days.",
  },
  uptime: {
    label: "Uptime",
    unit: "percent",
    coverage: "UPTIME",
    how: "Time reachable / time known. It says whether robots could be reached, not whether they were able to clean: see the time with a critical alert.",
  },
  minutes_reachable: {
    label: "Time reachable",
    unit: "minutes",
    coverage: "UPTIME",
    how: "Time known in which robots were reachable, totalled over all robots. A robot is reachable from the moment it connects until its connection ends or nothing has been heard from it for 90 seconds.",
  },
  minutes_known: {
    label: "Time known",
    unit: "minutes",
    coverage: "UPTIME",
    how: "Time in the range since each robot's first connection at the site, excluding its time in maintenance, totalled over all robots.",
  },
  uptime_days: {
    label: "Uptime known",
    unit: "days",
    coverage: "UPTIME",
    how: "Days of the range with known time for at least one robot. Nothing is known about days before the first connection or days in the future.",
  },
  critical_minutes: {
    label: "Time with a critical alert",
    unit: "minutes",
    coverage: "DATA",
    how: "Time in the range in which a robot had at least one open critical alert of its own, whether it was reachable or not, totalled over all robots.",
  },
  done_share: {
    label: "Planned runs done",
    unit: "percent",
    coverage: "DATA",
    how: "Planned runs that were done / (planned runs - planned runs under way). Manual runs do not make up for planned ones.",
  },
  planned_runs: {
    label: "Planned runs",
    unit: "count",
    coverage: "DATA",
    how: "Runs of individual robots that were planned and due in the range, whatever became of them.",
  },
  planned_runs_done: {
    label: "Done as planned",
    unit: "count",
    coverage: "DATA",
    how: "Planned runs due in the range that reached their planned end or were finished by the robot.",
  },
  planned_runs_running: {
    label: "Planned runs under way",
    unit: "count",
    coverage: "DATA",
    how: "Planned runs due in the range that were not over yet when this report was generated.",
  },
  cleaning_cycles: {
    label: "Cleaning cycles",
    unit: "count",
    coverage: "DATA",
    how: "Runs of individual robots that were due or began in the range and are done: they reached their planned end, were finished by the robot, or were started manually and ended by a person after a minute or more.",
  },
  minutes_cleaned: {
    label: "Time cleaned",
    unit: "minutes",
    coverage: "DATA",
    how: "Time cleaned as planned + time outside the plan + time of manual runs: the time that robots moved in the range, in whole minutes per robot, totalled over all robots.",
  },
  minutes_as_planned: {
    label: "Time cleaned as planned",
    unit: "minutes",
    coverage: "DATA",
    how: "Time in the range that robots moved in planned runs, within their planned time.",
  },
  minutes_outside_plan: {
    label: "Time outside the plan",
    unit: "minutes",
    coverage: "DATA",
    how: "Time in the range that robots moved in planned runs before their planned start or after their planned end.",
  },
  minutes_by_hand: {
    label: "Time of manual runs",
    unit: "minutes",
    coverage: "DATA",
    how: "Time in the range that robots moved in runs that were started manually.",
  },
  minutes_planned: {
    label: "Time planned",
    unit: "minutes",
    coverage: "DATA",
    how: "Planned time of runs that lies in the range and has passed, totalled over all robots.",
  },
  efficiency: {
    label: "Efficiency",
    unit: "percent",
    coverage: "DATA",
    how: "Time cleaned as planned / time planned. Only cleaning within the planned time counts, so it never exceeds 100 %.",
  },
  average_battery: {
    label: "Average battery",
    unit: "percent",
    coverage: "BATTERY",
    how: "Mean of the battery readings, each weighted by the time until the next one, up to 90 seconds (one hour in sample data).",
  },
  battery_days: {
    label: "Battery known",
    unit: "days",
    coverage: "BATTERY",
    how: "Days of the range with a battery reading from at least one robot.",
  },
  maintenance_activities: {
    label: "Maintenance activities",
    unit: "count",
    coverage: "RECORDS",
    how: "Maintenance locks set in the range plus maintenance locks released in it.",
  },
  system_changes: {
    label: "System changes",
    unit: "count",
    coverage: "RECORDS",
    how: "Audit log entries about this site in the range for what the server did automatically.",
  },
  user_actions: {
    label: "User actions",
    unit: "count",
    coverage: "RECORDS",
    how: "Audit log entries about this site in the range for what people did, including refused attempts.",
  },
  error_count: {
    label: "Error count",
    unit: "count",
    coverage: "DATA",
    how: "Critical alerts raised in the range.",
  },
  scheduled_maintenance: {
    label: "Scheduled maintenance",
    unit: "count",
    coverage: "RECORDS",
    how: "Dates in the range on which maintenance of a robot was due. Robots whose maintenance was due before the range and has not been done since are overdue.",
  },
  overdue_maintenance: {
    label: "Overdue maintenance",
    unit: "count",
    coverage: "PRESENT",
    how: "Robots whose maintenance was overdue when this report was generated, no matter since when.",
  },
  completed_maintenance: {
    label: "Completed maintenance",
    unit: "count",
    coverage: "RECORDS",
    how: "Maintenance locks released in the range.",
  },
  critical_alerts: {
    label: "Critical alerts",
    unit: "count",
    coverage: "DATA",
    how: "Critical alerts raised in the range.",
  },
  resolved_alerts: {
    label: "Resolved alerts",
    unit: "count",
    coverage: "DATA",
    how: "Alerts of any severity cleared in the range.",
  },
  average_resolution_time: {
    label: "Average resolution time",
    unit: "minutes",
    coverage: "DATA",
    how: "Mean time from raised to cleared, over the alerts cleared in the range.",
  },
} as const satisfies Record<string, FigureRule>;

export type ReportFigureName = keyof typeof reportFigureRules;

export function maintenanceDueRule(intervalDays: number): string {
  return `Maintenance is due ${intervalDays} days after a robot's last release from maintenance or its installation, whichever is later.`;
}
