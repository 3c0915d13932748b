import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { maintenanceDueRule } from "@suncrew/domain/reports/report-figures.ts";
import { heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { look } from "../../platform/pdf/look.ts";
import { type Cell, type Column, titledTable } from "../../platform/pdf/table.ts";
import type { ReportHealth, ReportRobot } from "./report-data.ts";
import { beginSection, type ReportPart, robotWords } from "./report-part.ts";
import { count, day, moment, percent } from "./report-words.ts";

const statusCells: Record<RobotStatus, Cell> = {
  normal: "Normal",
  idle: "Idle",
  standby: "Standby",
  warning: { text: "Warning", color: look.fair, isStrong: true },
  offline: { text: "Offline", color: look.muted, isStrong: true },
  critical: { text: "Critical", color: look.poor, isStrong: true },
};

export const severityWords: Record<Severity, string> = { INFO: "Info", WARNING: "Warning", CRITICAL: "Critical" };

interface HealthColumn extends Column {
  readonly of: (health: ReportHealth) => Cell;
}

export const healthPart: ReportPart = function* (document, data, fields) {
  beginSection(document, data, "robot_health", fields);
  const present = data.robots.flatMap((robot) => (robot.health === null ? [] : [{ robot, health: robot.health }]));
  const gone = data.robots.filter(({ health }) => health === null);
  if (present.length === 0) {
    heading(document, "H3", "Health by robot");
    paragraph(document, "The site has no robots now.");
  } else {
    const made = moment(data.generatedAt, "");
    const note = asOf(made, data.maintenance.intervalDays, fields.has("maintenance_due_date"));
    const columns = [
      ...columnsOfStatus,
      ...(fields.has("maintenance_due_date") ? [dueColumn] : []),
      ...(fields.has("active_alerts") ? [alertsColumn] : []),
    ];
    yield* titledTable(document, "Health by robot", [note], {
      namesRows: true,
      columns: [{ title: "Robot", share: 22 }, ...columns],
      rows: present.map(({ robot, health }) => [nameOf(robot), ...columns.map(({ of }) => of(health))]),
    });
  }
  if (gone.length > 0) {
    paragraph(document, `Left the site since, with figures in this range: ${gone.map(nameOf).join(", ")}.`, noteStyle);
  }
};

function asOf(made: string, intervalDays: number, withDue: boolean): string {
  const now = `As it was when this report was made, ${made}; errors are critical alerts raised in the range.`;
  return withDue ? `${now} ${maintenanceDueRule(intervalDays)}` : now;
}

const columnsOfStatus: readonly HealthColumn[] = [
  { title: "Status", share: 20, most: 5, of: statusOf },
  { title: "Errors", share: 9, align: "RIGHT", of: ({ errorCount }) => count(errorCount) },
  {
    title: "Battery",
    share: 12,
    align: "RIGHT",
    of: ({ battery }) => (battery === null ? "No data" : percent(battery)),
  },
  { title: "Firmware", share: 13, of: ({ firmware }) => firmware },
  { title: "Last cleaned", share: 17, of: ({ lastCleanedAt }) => moment(lastCleanedAt, "Never") },
];

const dueColumn: HealthColumn = {
  title: "Maintenance due",
  share: 19,
  of: ({ maintenanceDueDate, overdue }) =>
    overdue
      ? { text: `${day(maintenanceDueDate)}, overdue`, color: look.poor, isStrong: true }
      : day(maintenanceDueDate),
};

const alertsColumn: HealthColumn = {
  title: "Active alerts",
  share: 27,
  most: 6,
  of: ({ activeAlerts }) =>
    activeAlerts.length === 0
      ? "None"
      : `${count(activeAlerts.length)}: ${activeAlerts.map(({ severity, text }) => `${severityWords[severity]}, ${text}`).join("; ")}`,
};

/** A robot in maintenance counts as offline, so its true connection is said beside it. */
function statusOf({ status, online, inMaintenance }: ReportHealth): Cell {
  if (inMaintenance === null) return statusCells[status];
  return `In maintenance since ${day(inMaintenance.since.local)}, ${online ? "online" : "offline"}`;
}

function nameOf(robot: ReportRobot): string {
  return robotWords(robot.name, robot.serialNumber);
}
