/**
 * The figures of a report, each with how it is computed: said once, here, and printed beside the figure. §3 Report
 * template names most of them; the cleaning minutes come with the charts.
 */

export type FigureUnit = "percent" | "count" | "minutes";

export interface FigureRule {
  readonly label: string;
  readonly unit: FigureUnit;
  /** One or two plain sentences. */
  readonly how: string;
}

export const reportFigureRules = {
  uptime: {
    label: "Uptime",
    unit: "percent",
    how: "Time the robots were reachable / time in the range. A robot is reachable from the moment it connects until its connection ends or it has shown nothing for 90 seconds; it counts from its first connection at the site on, and time in maintenance counts neither for nor against it.",
  },
  cleaning_cycles: {
    label: "Cleaning cycles",
    unit: "count",
    how: "Runs of single robots that were due or began in the range and are done: they reached their planned end, were finished by the robot, or were started by hand and ended by a person after a minute or more.",
  },
  minutes_cleaned: {
    label: "Minutes cleaned",
    unit: "minutes",
    how: "Time the robots moved within the range, planned and by hand, added up over robots.",
  },
  minutes_planned: {
    label: "Minutes planned",
    unit: "minutes",
    how: "Planned length of the runs that were due in the range, as far as it lies in the range, added up over robots.",
  },
  efficiency: {
    label: "Efficiency",
    unit: "percent",
    how: "Minutes cleaned / minutes planned, over the runs that were due in the range.",
  },
  average_battery: {
    label: "Average battery",
    unit: "percent",
    how: "Mean of the battery readings, each weighted with the time until the next one, 90 seconds at most (one hour in sample data).",
  },
  maintenance_activities: {
    label: "Maintenance activities",
    unit: "count",
    how: "Maintenance locks that were set in the range plus those that were released in it.",
  },
  system_changes: {
    label: "System changes",
    unit: "count",
    how: "Entries of the audit about this site in the range that the server made by itself.",
  },
  user_actions: {
    label: "User actions",
    unit: "count",
    how: "Entries of the audit about this site in the range that people made, also refused ones.",
  },
  error_count: {
    label: "Error count",
    unit: "count",
    how: "Critical alerts that were raised in the range.",
  },
  scheduled_maintenance: {
    label: "Scheduled maintenance",
    unit: "count",
    how: "Dates in the range on which maintenance of a robot was due.",
  },
  completed_maintenance: {
    label: "Completed maintenance",
    unit: "count",
    how: "Maintenance locks that were released in the range.",
  },
  critical_alerts: {
    label: "Critical alerts",
    unit: "count",
    how: "Critical alerts that were raised in the range.",
  },
  resolved_alerts: {
    label: "Resolved alerts",
    unit: "count",
    how: "Alerts of any severity that were cleared in the range.",
  },
  average_resolution_time: {
    label: "Average resolution time",
    unit: "minutes",
    how: "Mean time from raising to clearing, over the alerts that were cleared in the range.",
  },
} as const satisfies Record<string, FigureRule>;

export type ReportFigureName = keyof typeof reportFigureRules;

/** The same for what is no number. */
export function maintenanceDueRule(intervalDays: number): string {
  return `Maintenance is due ${intervalDays} days after a robot's last release from maintenance or its installation, whichever is later.`;
}
