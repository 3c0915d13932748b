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
  ReportTime,
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
  type GatheredRow,
  gatheredRows,
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
  if (!fields.has("timeline")) return;
  const { rows, rest } = data.activity;
  const some = `The ${countOf(rows.length + rest, "entry", "entries")} of this range ${rows.length + rest === 1 ? "is" : "are"} at the end of this report.`;
  paragraph(document, rows.length === 0 ? NO_ENTRIES : some);
  yield;
};

const NO_ENTRIES = "No robot was started or stopped in this range.";

/** The last part of a report: whatever started or stopped a robot. */
export function* writeTimeline(document: PdfDocument, data: ReportData): Generator<void> {
  const { rows, rest } = data.activity;
  const others = countOf(rest, "older entry is", "older entries are");
  const inCsv = `The other ${others} in the CSV file of this report, which has all ${count(rows.length + rest)}.`;
  const times = `Timestamps are local to the site (${data.site.timezone}, ${offsetText(data.range)}), with UTC beside them. Entries that repeat within half an hour are one row, with their number, the first and the last time.`;
  yield* titledTable<GatheredRow<ReportActivity>>(document, {
    title: "Timeline",
    notes: [times, ...truncationNotes(data.activity, "entries", inCsv)],
    isDense: true,
    columns: [
      { title: activityColumnName.localTime, share: 81, of: (row) => spanText(row, formatTimestamp) },
      { title: activityColumnName.utcTime, share: 64, of: (row) => spanText(row, formatUtc) },
      { title: activityColumnName.action, share: 58, of: ({ times: many, newest }) => many + actionText(newest) },
      { title: activityColumnName.robot, share: 66, maxLines: 2, of: ({ robot }) => robot },
      { title: activityColumnName.status, share: 34, of: ({ newest: { status } }) => activityStatusCells[status] },
      { title: activityColumnName.user, share: 46, maxLines: 2, of: ({ newest: { userName } }) => userName },
      { title: activityColumnName.details, share: 90, maxLines: 5, of: ({ newest: { details } }) => details },
    ],
    rows: gatheredRows(rows, {
      timeOf: ({ at }) => at,
      kindOf: ({ action, actionType, status, userName, details }) => [action, actionType, status, userName, details],
    }),
    empty: NO_ENTRIES,
  });
}

/** The time of one entry; of several, those of the oldest and the newest. */
function spanText({ isOne, oldest, newest }: GatheredRow<ReportActivity>, text: (time: ReportTime) => string): string {
  const [first, last] = [text(oldest.at), text(newest.at)];
  if (isOne || first === last) return first;
  return `${first}\u2013${first.slice(0, -8) === last.slice(0, -8) ? last.slice(-8) : last}`;
}

function actionText({ action, actionType }: ReportActivity): string {
  return `${actionWord[action]}, ${actionTypeWord[actionType].toLowerCase()}`;
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

interface PresentRobot extends ReportHealth {
  readonly label: string;
}

export const writeHealth: SectionWriter = function* (document, data, fields) {
  const present = data.robots.flatMap((robot): PresentRobot[] =>
    robot.health === null ? [] : [{ ...robot.health, label: nameOf(robot) }],
  );
  const former = data.robots.filter(({ health }) => health === null);
  const hasDue = fields.has("maintenance_due_date");
  const note = `As of when this report was generated, ${formatDateTime(data.generatedAt, "")}. Errors are critical alerts raised in the range.`;
  yield* titledTable(document, {
    title: "Health by robot",
    notes: [hasDue ? `${note} ${maintenanceDueRule(data.maintenance.intervalDays)}` : note],
    namesRows: true,
    columns: [
      ...healthColumns,
      ...(hasDue ? [dueColumn] : []),
      ...(fields.has("active_alerts") ? [activeAlertsColumn] : []),
    ],
    rows: present,
    empty: "The site currently has no robots.",
  });
  if (former.length > 0) {
    const text = `No longer at the site, but with figures in this range: ${former.map(nameOf).join(", ")}.`;
    paragraph(document, text, noteStyle);
  }
};

const healthColumns: readonly Column<PresentRobot>[] = [
  { title: "Robot", share: 22, of: ({ label }) => label },
  { title: "Status", share: 20, maxLines: 5, of: statusCell },
  { title: "Errors", share: 9, align: "RIGHT", of: ({ errorCount }) => count(errorCount) },
  { title: "Battery", share: 12, align: "RIGHT", of: ({ battery }) => percent(battery) },
  { title: "Firmware", share: 13, of: ({ firmware }) => firmware },
  { title: "Last cleaned", share: 17, of: ({ lastCleanedAt }) => formatDateTime(lastCleanedAt, "Never") },
];

const dueColumn: Column<PresentRobot> = {
  title: "Maintenance due",
  share: 19,
  of: ({ maintenanceDueDate, overdue }) =>
    overdue
      ? { text: `${formatDate(maintenanceDueDate)}, overdue`, color: theme.poor, isStrong: true }
      : formatDate(maintenanceDueDate),
};

const activeAlertsColumn: Column<PresentRobot> = {
  title: "Active alerts",
  share: 27,
  maxLines: 6,
  of: ({ activeAlerts }) => {
    const texts = activeAlerts.map(({ severity, text }) => `${severityText[severity]}, ${text}`);
    return texts.length === 0 ? "None" : `${count(texts.length)}: ${texts.join("; ")}`;
  },
};

/** A robot in maintenance counts as offline, so its actual connection is printed too. */
function statusCell({ status, online, inMaintenance }: ReportHealth): Cell {
  if (inMaintenance === null) return robotStatusCells[status];
  return `In maintenance since ${formatDate(inMaintenance.since.local)}, ${online ? "online" : "offline"}`;
}

export const writeMaintenance: SectionWriter = function* (document, data, fields) {
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
    { name: "Email", value: partner.email ?? "None" },
  ]);
}

/** Overdue maintenance comes first, so that even a hasty reader sees it. */
function* dueTable(document: PdfDocument, data: ReportData): Generator<void> {
  const { due, overdue, intervalDays } = data.maintenance;
  const warning = overdueText(data, overdue.length);
  if (warning !== null) paragraph(document, warning.replace("overdue", "Overdue"), warningStyle);
  const title = "Due in this range";
  const rule = maintenanceDueRule(intervalDays);
  if (due.length === 0) {
    heading(document, "H3", title);
    paragraph(document, rule, noteStyle);
    const none = "No robot's maintenance was due in this range";
    paragraph(document, warning === null ? `${none}, and none is overdue.` : `${none}.`);
    return;
  }
  yield* titledTable(document, {
    title,
    notes: [rule],
    columns: [
      { title: "Due on", share: 25, of: ({ date }) => formatDate(date) },
      { title: "Robot", share: 75, of: robotLabel },
    ],
    rows: due,
  });
}

const INCLUDED_ABOVE = "The figures above include all of them.";

function lockTable(document: PdfDocument, { locks }: ReportMaintenance): Generator<void> {
  return titledTable(document, {
    title: "Maintenance locks",
    notes: truncationNotes(locks, "locks", INCLUDED_ABOVE),
    columns: [
      { title: "Robot", share: 19, maxLines: 2, of: robotLabel },
      { title: "Set", share: 19, of: ({ setAt }) => formatDateTime(setAt, "") },
      { title: "Set by", share: 13, maxLines: 2, of: ({ setBy }) => setBy },
      { title: "Reason", share: 24, of: ({ reason }) => reason || "Not given" },
      { title: "Released", share: 19, of: ({ releasedAt }) => formatDateTime(releasedAt, "Not released") },
      { title: "Released by", share: 13, maxLines: 2, of: ({ releasedBy }) => releasedBy ?? "" },
      { title: "Duration", share: 14, align: "RIGHT", of: ({ minutes }) => duration(minutes) },
    ],
    rows: locks.rows,
    empty: "No robot was in maintenance in this range.",
  });
}

export const writeAlerts: SectionWriter = function* (document, data, fields) {
  yield* titledTable(document, {
    title: "Alerts raised or cleared in the range",
    notes: truncationNotes(data.alerts, "alerts", INCLUDED_ABOVE),
    columns: [
      ...alertColumns,
      ...(fields.has("resolved_alerts") ? [clearedColumn] : []),
      ...(fields.has("average_resolution_time") ? [timeToClearColumn] : []),
    ],
    rows: gatheredRows(data.alerts.rows, {
      timeOf: ({ raisedAt }) => raisedAt,
      // Printed as one only where what is printed of their end is the same, too.
      kindOf: ({ severity, text, clearedAt, minutes }) => [severity, text, formatDateTime(clearedAt, ""), minutes],
    }),
    empty: "No alert was raised or cleared in this range.",
  });
};

const severityCells: Record<Severity, Cell> = {
  INFO: severityText.INFO,
  WARNING: { text: severityText.WARNING, color: theme.fair, isStrong: true },
  CRITICAL: { text: severityText.CRITICAL, color: theme.poor, isStrong: true },
};

type AlertColumn = Column<GatheredRow<ReportAlert>>;

const alertColumns: readonly AlertColumn[] = [
  { title: "Raised", share: 20, of: ({ when }) => when },
  { title: "Severity", share: 11, of: ({ newest: { severity } }) => severityCells[severity] },
  { title: "Robot", share: 20, maxLines: 2, of: ({ robot }) => robot },
  { title: "Alert", share: 36, of: ({ times, newest: { text } }) => `${times}${text}` },
];
const clearedColumn: AlertColumn = {
  title: "Cleared",
  share: 20,
  of: ({ newest: { clearedAt } }) => formatDateTime(clearedAt, "Still open"),
};
const timeToClearColumn: AlertColumn = {
  title: "Time to clear",
  share: 14,
  align: "RIGHT",
  of: ({ newest: { minutes } }) => (minutes === null ? "" : duration(minutes)),
};
