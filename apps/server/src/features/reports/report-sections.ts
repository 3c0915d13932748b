import type { ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import {
  actionTypeWord,
  actionWord,
  activityColumnName,
  activityStatusWord,
} from "@suncrew/domain/activity/activity-words.ts";
import { maintenanceDueRule } from "@suncrew/domain/reports/report-figures.ts";
import { facts, heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { type PdfDocument, theme } from "../../platform/pdf/pdf-document.ts";
import { type Cell, type Column, titledTable } from "../../platform/pdf/table.ts";
import type {
  ReportActivity,
  ReportAlert,
  ReportData,
  ReportHealth,
  ReportMaintenance,
  ReportPartner,
} from "./report-data.ts";
import {
  count,
  countOf,
  duration,
  formatDate,
  formatDateTime,
  formatTimestamp,
  formatUtc,
  offsetText,
  percent,
} from "./report-format.ts";
import {
  beginSection,
  nameOf,
  overdueText,
  robotLabel,
  type SectionWriter,
  truncationNotes,
  warningStyle,
} from "./section-layout.ts";

const activityStatusCells: Record<ActivityStatus, Cell> = {
  SUCCESS: activityStatusWord.SUCCESS,
  FAILED: { text: activityStatusWord.FAILED, color: theme.poor, isStrong: true },
  REFUSED: { text: activityStatusWord.REFUSED, color: theme.fair, isStrong: true },
};

export const writeActivities: SectionWriter = function* (document, data, fields) {
  beginSection(document, data, "activities", fields);
  if (!fields.has("timeline")) return;
  const { rows, rest } = data.activity;
  if (rows.length === 0) {
    heading(document, "H3", "Timeline");
    paragraph(document, "No robot was started or stopped in this range.");
    return;
  }
  const others = countOf(rest, "older entry is", "older entries are");
  const inCsv = `The other ${others} in the CSV file of this report, which has all ${count(rows.length + rest)}.`;
  const times = `Timestamps are local to the site (${data.site.timezone}, ${offsetText(data.range)}), with UTC beside them.`;
  yield* titledTable(document, "Timeline", [times, ...truncationNotes(data.activity, "entries", inCsv)], {
    isDense: true,
    columns: [
      { title: activityColumnName.localTime, share: 81 },
      { title: activityColumnName.utcTime, share: 64 },
      { title: activityColumnName.action, share: 58 },
      { title: activityColumnName.robot, share: 66, most: 2 },
      { title: activityColumnName.status, share: 34 },
      { title: activityColumnName.user, share: 46, most: 2 },
      { title: activityColumnName.details, share: 90, most: 5 },
    ],
    rows: rows.map(rowOf),
  });
};

function rowOf({ at, action, actionType, robotName, serialNumber, status, userName, details }: ReportActivity): Cell[] {
  const words = `${actionWord[action]}, ${actionTypeWord[actionType].toLowerCase()}`;
  return [
    formatTimestamp(at),
    formatUtc(at),
    words,
    robotLabel(robotName, serialNumber),
    activityStatusCells[status],
    userName,
    details,
  ];
}

const robotStatusCells: Record<RobotStatus, Cell> = {
  normal: "Normal",
  idle: "Idle",
  standby: "Standby",
  warning: { text: "Warning", color: theme.fair, isStrong: true },
  offline: { text: "Offline", color: theme.muted, isStrong: true },
  critical: { text: "Critical", color: theme.poor, isStrong: true },
};

const severityText: Record<Severity, string> = { INFO: "Info", WARNING: "Warning", CRITICAL: "Critical" };

interface HealthColumn extends Column {
  readonly of: (health: ReportHealth) => Cell;
}

export const writeHealth: SectionWriter = function* (document, data, fields) {
  beginSection(document, data, "robot_health", fields);
  const present = data.robots.flatMap((robot) => (robot.health === null ? [] : [{ robot, health: robot.health }]));
  const gone = data.robots.filter(({ health }) => health === null);
  if (present.length === 0) {
    heading(document, "H3", "Health by robot");
    paragraph(document, "The site currently has no robots.");
  } else {
    const generatedAt = formatDateTime(data.generatedAt, "");
    const note = asOf(generatedAt, data.maintenance.intervalDays, fields.has("maintenance_due_date"));
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
    paragraph(
      document,
      `No longer at the site, but with figures in this range: ${gone.map(nameOf).join(", ")}.`,
      noteStyle,
    );
  }
};

function asOf(generatedAt: string, intervalDays: number, withDue: boolean): string {
  const now = `As of when this report was generated, ${generatedAt}. Errors are critical alerts raised in the range.`;
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
  { title: "Last cleaned", share: 17, of: ({ lastCleanedAt }) => formatDateTime(lastCleanedAt, "Never") },
];

const dueColumn: HealthColumn = {
  title: "Maintenance due",
  share: 19,
  of: ({ maintenanceDueDate, overdue }) =>
    overdue
      ? { text: `${formatDate(maintenanceDueDate)}, overdue`, color: theme.poor, isStrong: true }
      : formatDate(maintenanceDueDate),
};

const alertsColumn: HealthColumn = {
  title: "Active alerts",
  share: 27,
  most: 6,
  of: ({ activeAlerts }) =>
    activeAlerts.length === 0
      ? "None"
      : `${count(activeAlerts.length)}: ${activeAlerts.map(({ severity, text }) => `${severityText[severity]}, ${text}`).join("; ")}`,
};

/** A robot in maintenance counts as offline, so whether it is really connected is printed too. */
function statusOf({ status, online, inMaintenance }: ReportHealth): Cell {
  if (inMaintenance === null) return robotStatusCells[status];
  return `In maintenance since ${formatDate(inMaintenance.since.local)}, ${online ? "online" : "offline"}`;
}

export const writeMaintenance: SectionWriter = function* (document, data, fields) {
  beginSection(document, data, "maintenance", fields);
  yield* dueTable(document, data);
  if (fields.has("partner_details")) drawPartner(document, data.partner);
  if (fields.has("maintenance_history")) yield* lockTable(document, data.maintenance);
};

function drawPartner(document: PdfDocument, partner: ReportPartner | null): void {
  heading(document, "H3", "Maintenance partner");
  if (partner === null) {
    paragraph(document, "The site has no maintenance partner.");
    return;
  }
  facts(document, [
    { name: "Name", value: partner.name },
    { name: "Contact person", value: partner.contactPerson ?? "None" },
    { name: "Phone", value: partner.phone ?? "None" },
    { name: "E-mail", value: partner.email ?? "None" },
  ]);
}

/** Overdue maintenance comes first, so that a reader of only the beginning does not miss it. */
function* dueTable(document: PdfDocument, data: ReportData): Generator<void> {
  const { due: inRange, overdue, intervalDays } = data.maintenance;
  const words = overdueText(data, overdue.length);
  if (words !== null) paragraph(document, words.replace("overdue", "Overdue"), warningStyle);
  const title = "Due in this range";
  const rule = maintenanceDueRule(intervalDays);
  if (inRange.length === 0) {
    heading(document, "H3", title);
    paragraph(document, rule, noteStyle);
    const none = "No robot's maintenance was due in this range";
    paragraph(document, words === null ? `${none}, and none is overdue.` : `${none}.`);
    return;
  }
  yield* titledTable(document, title, [rule], {
    columns: [
      { title: "Due on", share: 25 },
      { title: "Robot", share: 75 },
    ],
    rows: inRange.map(({ date, robotName, serialNumber }) => [formatDate(date), robotLabel(robotName, serialNumber)]),
  });
}

function* lockTable(document: PdfDocument, { locks }: ReportMaintenance): Generator<void> {
  const title = "Maintenance locks";
  if (locks.rows.length === 0) {
    heading(document, "H3", title);
    paragraph(document, "No robot was in maintenance in this range.");
    return;
  }
  yield* titledTable(document, title, truncationNotes(locks, "locks", "The figures above include all of them."), {
    columns: [
      { title: "Robot", share: 19, most: 2 },
      { title: "Set", share: 19 },
      { title: "Set by", share: 13, most: 2 },
      { title: "Reason", share: 24 },
      { title: "Released", share: 19 },
      { title: "Released by", share: 13, most: 2 },
      { title: "Duration", share: 14, align: "RIGHT" },
    ],
    rows: locks.rows.map((lock) => [
      robotLabel(lock.robotName, lock.serialNumber),
      formatDateTime(lock.setAt, ""),
      lock.setBy,
      lock.reason === "" ? "Not given" : lock.reason,
      formatDateTime(lock.releasedAt, "Not released"),
      lock.releasedBy ?? "",
      duration(lock.minutes),
    ]),
  });
}

interface AlertColumn extends Column {
  readonly of: (alert: ReportAlert) => Cell;
}

const alertColumns: readonly AlertColumn[] = [
  { title: "Raised", share: 20, of: ({ raisedAt }) => formatDateTime(raisedAt, "") },
  { title: "Severity", share: 11, of: ({ severity }) => severityCell(severity) },
  { title: "Robot", share: 20, most: 2, of: ({ robotName, serialNumber }) => robotLabel(robotName, serialNumber) },
  { title: "Alert", share: 36, of: ({ text }) => text },
];
const clearedColumn: AlertColumn = {
  title: "Cleared",
  share: 20,
  of: ({ clearedAt }) => formatDateTime(clearedAt, "Still open"),
};
const tookColumn: AlertColumn = {
  title: "Time to clear",
  share: 14,
  align: "RIGHT",
  of: ({ minutes }) => (minutes === null ? "" : duration(minutes)),
};

export const writeAlerts: SectionWriter = function* (document, data, fields) {
  beginSection(document, data, "alerts", fields);
  const title = "Alerts raised or cleared in the range";
  if (data.alerts.rows.length === 0) {
    heading(document, "H3", title);
    paragraph(document, "No alert was raised or cleared in this range.");
    return;
  }
  const shown = [
    ...alertColumns,
    ...(fields.has("resolved_alerts") ? [clearedColumn] : []),
    ...(fields.has("average_resolution_time") ? [tookColumn] : []),
  ];
  yield* titledTable(
    document,
    title,
    truncationNotes(data.alerts, "alerts", "The figures above include all of them."),
    {
      columns: shown,
      rows: data.alerts.rows.map((alert) => shown.map(({ of }) => of(alert))),
    },
  );
};

function severityCell(severity: Severity): Cell {
  const text = severityText[severity];
  if (severity === "INFO") return text;
  return { text, isStrong: true, color: severity === "CRITICAL" ? theme.poor : theme.fair };
}
