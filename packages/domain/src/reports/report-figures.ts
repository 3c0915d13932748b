/**
 * The figures of a report, each with how it is computed: said once, here, and printed beside the figure. §3 Report
 * template names most of them; the others are what those are computed from, so that a reader can compute them again.
 */

/** `days` are so many of the days of the range. */
export type FigureUnit = "percent" | "count" | "minutes" | "days";

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
    how: "Minutes reachable / minutes known. It says whether robots could be reached, not whether they were fit to clean: see the time with a critical alert.",
  },
  minutes_reachable: {
    label: "Minutes reachable",
    unit: "minutes",
    how: "The part of the minutes known in which robots were reachable, added up over robots. A robot is reachable from the moment it connects until its connection ends or it has shown nothing for 90 seconds.",
  },
  minutes_known: {
    label: "Minutes known",
    unit: "minutes",
    how: "Time in the range from each robot's first connection at the site on, without its time in maintenance, added up over robots.",
  },
  uptime_days: {
    label: "Uptime known",
    unit: "days",
    how: "Days of the range with minutes known of at least one robot. Nothing is known of days before the first connection and of days to come.",
  },
  critical_minutes: {
    label: "Time with a critical alert",
    unit: "minutes",
    how: "Time in the range in which a robot had at least one open critical alert of its own, whether it was reachable or not, added up over robots.",
  },
  cleaning_cycles: {
    label: "Cleaning cycles",
    unit: "count",
    how: "Runs of single robots that were due or began in the range and are done: they reached their planned end, were finished by the robot, or were started by hand and ended by a person after a minute or more.",
  },
  minutes_cleaned: {
    label: "Minutes cleaned",
    unit: "minutes",
    how: "Minutes cleaned as planned + minutes beyond the plan + minutes by hand: the time that robots moved in the range, in whole minutes of each robot, added up over robots.",
  },
  minutes_as_planned: {
    label: "Minutes cleaned as planned",
    unit: "minutes",
    how: "Time in the range that robots moved in planned runs, within their planned time.",
  },
  minutes_beyond_plan: {
    label: "Minutes beyond the plan",
    unit: "minutes",
    how: "Time in the range that robots moved in planned runs, but after their planned end or before their planned start.",
  },
  minutes_by_hand: {
    label: "Minutes by hand",
    unit: "minutes",
    how: "Time in the range that robots moved in runs that were started by hand.",
  },
  minutes_planned: {
    label: "Minutes planned",
    unit: "minutes",
    how: "Planned time of runs that lies in the range and is past, added up over robots.",
  },
  efficiency: {
    label: "Efficiency",
    unit: "percent",
    how: "Minutes cleaned as planned / minutes planned. Only cleaning within the planned time counts, so it is 100 % at the most.",
  },
  average_battery: {
    label: "Average battery",
    unit: "percent",
    how: "Mean of the battery readings, each weighted with the time until the next one, 90 seconds at most (one hour in sample data).",
  },
  battery_days: {
    label: "Battery known",
    unit: "days",
    how: "Days of the range with a battery reading of at least one robot.",
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
    how: "Dates in the range on which maintenance of a robot was due. Robots whose date lies before the range and passed unheeded are overdue.",
  },
  overdue_maintenance: {
    label: "Overdue maintenance",
    unit: "count",
    how: "Robots whose maintenance was overdue when this report was made, since whatever date.",
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
