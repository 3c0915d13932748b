import {
  type FieldName,
  type PrintedSection,
  sectionCatalogue,
} from "@suncrew/domain/report-templates/template-sections.ts";
import { type ReportFigureName, reportFigureRules } from "@suncrew/domain/reports/report-figures.ts";
import { cards } from "../../platform/pdf/blocks.ts";
import { type PdfDocument, theme } from "../../platform/pdf/pdf-document.ts";
import type { TextStyle } from "../../platform/pdf/typesetter.ts";
import type { Newest, ReportData, ReportRobot } from "./report-data.ts";
import { count, formatDate, duration, figure } from "./report-format.ts";

/** Writes what follows a section's heading and cards, with the given fields; yields after every few rows. */
export type SectionWriter = (
  document: PdfDocument,
  data: ReportData,
  fields: ReadonlySet<FieldName>,
) => Generator<void>;

/** The figures that a template's field enables; shown on cards. */
const figuresByField: Partial<Record<FieldName, readonly ReportFigureName[]>> = {
  uptime: ["uptime", "critical_minutes"],
  cleaning_cycles: ["cleaning_cycles", "minutes_cleaned"],
  efficiency: ["efficiency"],
  average_battery: ["average_battery"],
  maintenance_activities: ["maintenance_activities"],
  system_changes: ["system_changes"],
  user_actions: ["user_actions"],
  error_count: ["error_count"],
  scheduled_maintenance: ["scheduled_maintenance", "overdue_maintenance"],
  completed_maintenance: ["completed_maintenance"],
  critical_alerts: ["critical_alerts"],
  resolved_alerts: ["resolved_alerts"],
  average_resolution_time: ["average_resolution_time"],
};

/** The inputs of a calculated figure: cards print them below it, the summary has rows for them. */
const inputsByFigure: Partial<Record<ReportFigureName, readonly ReportFigureName[]>> = {
  uptime: ["minutes_reachable", "minutes_known", "uptime_days"],
  minutes_cleaned: ["minutes_as_planned", "minutes_outside_plan", "minutes_by_hand"],
  efficiency: ["minutes_planned"],
  average_battery: ["battery_days"],
};

export function figureNames(fields: Iterable<FieldName>): ReportFigureName[] {
  return Array.from(fields).flatMap((field) => figuresByField[field] ?? []);
}

export function figureNamesWithInputs(fields: Iterable<FieldName>): ReportFigureName[] {
  return figureNames(fields).flatMap((name) => [name, ...(inputsByFigure[name] ?? [])]);
}

export function figureText(data: ReportData, name: ReportFigureName): string {
  const value = data.figures[name];
  if (name === "average_resolution_time") return duration(value);
  return figure(value, reportFigureRules[name].unit, data.range.days);
}

/** Cards of figures, each with the numbers that it is calculated from. */
export function figureCards(document: PdfDocument, data: ReportData, names: readonly ReportFigureName[]): void {
  const figureOf = (name: ReportFigureName) => ({
    name: reportFigureRules[name].label,
    value: figureText(data, name),
    note: figureNote(data, name),
  });
  cards(document, names.map(figureOf));
}

function figureNote({ figures, range }: ReportData, name: ReportFigureName): string | undefined {
  const number = (one: ReportFigureName) => count(figures[one] ?? 0);
  const known = (days: number | null) => `known on ${figure(days ?? 0, "days", range.days)}`;
  switch (name) {
    case "uptime":
      return `${number("minutes_reachable")} of ${number("minutes_known")} min reachable; ${known(figures.uptime_days)}`;
    case "critical_minutes":
      return "total over all robots, whether reachable or not";
    case "minutes_cleaned":
      return `${number("minutes_as_planned")} as planned, ${number("minutes_outside_plan")} outside the plan, ${number("minutes_by_hand")} in manual runs`;
    case "efficiency":
      return `${number("minutes_as_planned")} min cleaned as planned of ${number("minutes_planned")} min planned`;
    case "average_battery":
      return known(figures.battery_days);
    default:
      return undefined;
  }
}

export const warningStyle: TextStyle = { size: 9.5, weight: "SEMIBOLD", color: theme.poor };

/** Whether a report with these sections prints when maintenance is due. */
export function showsMaintenance(sections: readonly PrintedSection[]): boolean {
  const fields = new Set(sections.flatMap((section): readonly FieldName[] => section.fields));
  return fields.has("scheduled_maintenance") || fields.has("maintenance_due_date");
}

/** Such as "overdue since 12 Mar 2024: SCR-1003; since 1 Jan 2026: SCR-1001, SCR-1002."; null if none is. */
export function overdueText({ maintenance }: ReportData, max: number): string | null {
  const { overdue } = maintenance;
  if (overdue.length === 0) return null;
  const byDate = Map.groupBy(overdue.slice(0, max), ({ date }) => date);
  const dates = Array.from(byDate, ([date, robots]) => {
    const names = robots.map(({ robotName, serialNumber }) => (serialNumber === "" ? robotName : serialNumber));
    return `since ${formatDate(date)}: ${names.join(", ")}`;
  });
  const rest = overdue.length - max;
  return `overdue ${dates.join("; ")}${rest > 0 ? `; and ${count(rest)} more` : ""}.`;
}

export function sectionName(type: PrintedSection["type"]): string {
  return sectionCatalogue.find((section) => section.type === type)?.name ?? type;
}

/** The note of a table that shows only the newest rows; none if it shows all. */
export function truncationNotes<T>({ rows, rest }: Newest<T>, what: string, where: string): string[] {
  if (rest === 0) return [];
  return [`The newest ${count(rows.length)} of ${count(rows.length + rest)} ${what} are shown. ${where}`];
}

interface RobotNames {
  /** Null if the row is about the whole site. */
  readonly robotName: string | null;
  readonly serialNumber: string | null;
}

/** Serial number first, so that only the name in a long label is truncated. */
export function robotLabel({ robotName, serialNumber }: RobotNames): string {
  if (robotName === null) return "The whole site";
  if (serialNumber === null || serialNumber === "") return robotName;
  return serialNumber === robotName ? serialNumber : `${serialNumber}, ${robotName}`;
}

export function nameOf({ name, serialNumber }: ReportRobot): string {
  return robotLabel({ robotName: name, serialNumber });
}
