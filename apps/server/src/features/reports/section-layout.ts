import {
  type FieldName,
  type PrintedSection,
  sectionCatalogue,
} from "@suncrew/domain/report-templates/template-sections.ts";
import { gatherEntries } from "@suncrew/domain/reports/gathered-entries.ts";
import { type ReportFigureName, reportFigureRules } from "@suncrew/domain/reports/report-figures.ts";
import { cards } from "../../platform/pdf/blocks.ts";
import { type PdfDocument, theme } from "../../platform/pdf/pdf-document.ts";
import type { TextStyle } from "../../platform/pdf/typesetter.ts";
import type { Newest, ReportData, ReportRange, ReportRobot, ReportTime } from "./report-data.ts";
import { count, duration, figure, formatDate, formatDateTime, hours } from "./report-format.ts";

/** Writes what follows a section's heading and cards, with the given fields; yields after every few rows. */
export type SectionWriter = (
  document: PdfDocument,
  data: ReportData,
  fields: ReadonlySet<FieldName>,
) => Generator<void>;

/** The figures that a template's field enables; shown on cards. */
const figuresByField: Partial<Record<FieldName, readonly ReportFigureName[]>> = {
  uptime: ["uptime", "critical_minutes"],
  cleaning_cycles: ["cleaning_cycles", "done_share", "minutes_cleaned"],
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
  cleaning_cycles: ["data_days"],
  done_share: ["planned_runs", "planned_runs_done", "planned_runs_running"],
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

/** Figures of a range: those of the report, or those of the range that it is compared with. */
export interface RangeFigures {
  readonly figures: Partial<ReportData["figures"]>;
  readonly range: ReportRange;
}

/** Null without data: nothing counted on days of which nothing is known is not 0. */
function figureValue(of: RangeFigures, name: ReportFigureName): number | null {
  const value = of.figures[name] ?? null;
  const isKnown = reportFigureRules[name].unit === "days" || knownDays(of, name) !== 0;
  return value === 0 && !isKnown ? null : value;
}

export function figureText(of: RangeFigures, name: ReportFigureName): string {
  const { range } = of;
  const value = figureValue(of, name);
  if (name === "average_resolution_time") return duration(value);
  return figure(value, reportFigureRules[name].unit, range.days);
}

/** Cards of figures, each with the numbers that it is calculated from and the days on which it is known. */
export function figureCards(document: PdfDocument, data: ReportData, names: readonly ReportFigureName[]): void {
  const figureOf = (name: ReportFigureName) => ({
    name: reportFigureRules[name].label,
    value: figureText(data, name),
    note: [figureFormula(data, name), coverageText(data, name)].filter((one) => one !== null).join("; "),
  });
  cards(document, names.map(figureOf));
}

/** The days of the range on which a figure is known; null if it is not one of days. */
export function knownDays({ figures, range }: RangeFigures, name: ReportFigureName): number | null {
  const days = {
    DATA: figures.data_days ?? 0,
    UPTIME: figures.uptime_days ?? 0,
    BATTERY: figures.battery_days ?? 0,
    RECORDS: range.daysBegun,
    PRESENT: null,
  };
  return days[reportFigureRules[name].coverage];
}

/** Such as "known on 9 of 31 days"; null for a figure that says so itself. */
export function coverageText(of: RangeFigures, name: ReportFigureName): string | null {
  const { unit } = reportFigureRules[name];
  if (unit === "days") return null;
  const days = knownDays(of, name);
  return days === null ? "when generated" : `known on ${figure(days, "days", of.range.days)}`;
}

/** The numbers that a figure is calculated from; null if it is counted or has no data. */
export function figureFormula(of: RangeFigures, name: ReportFigureName): string | null {
  const { figures } = of;
  if (figureValue(of, name) === null) return null;
  const time = (one: ReportFigureName) => hours(figures[one] ?? 0);
  const number = (one: ReportFigureName) => count(figures[one] ?? 0);
  switch (name) {
    case "uptime":
      return `${time("minutes_reachable")} of ${time("minutes_known")} reachable`;
    case "critical_minutes":
      return "total over all robots, whether reachable or not";
    case "done_share": {
      const running = figures.planned_runs_running ?? 0;
      const rest = running === 0 ? "" : `, ${count(running)} under way`;
      return `${number("planned_runs_done")} of ${number("planned_runs")} planned runs${rest}`;
    }
    case "minutes_cleaned":
      return `${time("minutes_as_planned")} as planned, ${time("minutes_outside_plan")} outside the plan, ${time("minutes_by_hand")} in manual runs`;
    case "efficiency":
      return `${time("minutes_as_planned")} cleaned as planned of ${time("minutes_planned")} planned`;
    default:
      return null;
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

/** A row of a list: one entry, or several that repeat. */
export interface GatheredRow<T> {
  readonly newest: T;
  /** How many there are, if it is not one. */
  readonly times: string;
  /** When: of several, from the oldest to the newest. */
  readonly when: string;
  /** Of several robots, how many. */
  readonly robot: string;
  readonly oldest: T;
  readonly isOne: boolean;
}

/** Entries, newest first, with those that repeat gathered: "12 \u00d7", "21:00 to 21:40". */
export function gatheredRows<T extends RobotNames>(
  entries: readonly T[],
  { timeOf, kindOf }: { readonly timeOf: (entry: T) => ReportTime; readonly kindOf: (entry: T) => readonly unknown[] },
): GatheredRow<T>[] {
  const gathered = gatherEntries(entries, {
    kindOf: (entry) => JSON.stringify(kindOf(entry)),
    atMs: (entry) => Date.parse(timeOf(entry).utc),
  });
  return gathered.map(({ entries: all, newest, oldest }) => {
    const robots = new Set(all.map(robotLabel));
    return {
      newest,
      oldest,
      isOne: all.length === 1,
      times: all.length === 1 ? "" : `${count(all.length)} \u00d7 `,
      when: timesText(timeOf(oldest), timeOf(newest)),
      robot: robots.size === 1 ? robotLabel(newest) : `${count(robots.size)} robots`,
    };
  });
}

/** Such as "3 Nov 2026, 21:00 to 21:40"; one time if both are in the same minute. */
function timesText(from: ReportTime, to: ReportTime): string {
  const [first, last] = [formatDateTime(from, ""), formatDateTime(to, "")];
  if (first === last) return first;
  return `${first} to ${first.slice(0, -5) === last.slice(0, -5) ? last.slice(-5) : last}`;
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
