import type { FieldName } from "@suncrew/domain/report-templates/section-catalogue.ts";
import { sectionCatalogue } from "@suncrew/domain/report-templates/section-catalogue.ts";
import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import { type ReportFigureName, reportFigureRules } from "@suncrew/domain/reports/report-figures.ts";
import { heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { cards } from "../../platform/pdf/cards.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import type { Newest, ReportData } from "./report-data.ts";
import { count, duration, figure } from "./report-words.ts";

/** One section; it prints only these fields of it, and yields after every few rows. */
export type ReportPart = (document: PdfDocument, data: ReportData, fields: ReadonlySet<FieldName>) => Generator<void>;

/** The figures that stand for a field of a template. */
const figuresOf: Partial<Record<FieldName, readonly ReportFigureName[]>> = {
  uptime: ["uptime"],
  cleaning_cycles: ["cleaning_cycles", "minutes_cleaned"],
  efficiency: ["efficiency", "minutes_planned"],
  average_battery: ["average_battery"],
  maintenance_activities: ["maintenance_activities"],
  system_changes: ["system_changes"],
  user_actions: ["user_actions"],
  error_count: ["error_count"],
  scheduled_maintenance: ["scheduled_maintenance"],
  completed_maintenance: ["completed_maintenance"],
  critical_alerts: ["critical_alerts"],
  resolved_alerts: ["resolved_alerts"],
  average_resolution_time: ["average_resolution_time"],
};

export function figureNames(fields: Iterable<FieldName>): ReportFigureName[] {
  return Array.from(fields).flatMap((field) => figuresOf[field] ?? []);
}

export function figureText(data: ReportData, name: ReportFigureName): string {
  const value = data.figures[name];
  return name === "average_resolution_time" ? duration(value) : figure(value, reportFigureRules[name].unit);
}

export function sectionName(type: PrintedSection["type"]): string {
  return sectionCatalogue.find((section) => section.type === type)?.name ?? type;
}

/** Heading and figures of a section. */
export function beginSection(
  document: PdfDocument,
  data: ReportData,
  type: PrintedSection["type"],
  fields: ReadonlySet<FieldName>,
): void {
  document.outline(sectionName(type));
  heading(document, "H2", sectionName(type));
  const figures = figureNames(fields);
  cards(
    document,
    figures.map((name) => ({ name: reportFigureRules[name].label, value: figureText(data, name) })),
  );
}

/** Says that a table shows the newest rows only; nothing where it shows all. */
export function sayRest<T>(document: PdfDocument, { rows, rest }: Newest<T>, what: string, where: string): void {
  if (rest === 0) return;
  const all = count(rows.length + rest);
  paragraph(document, `The newest ${count(rows.length)} of ${all} ${what} are printed. ${where}`, noteStyle);
}

/** Number first, so that a long name is what is cut; alone where a robot has no other name. */
export function robotWords(name: string | null, serialNumber: string | null): string {
  if (name === null) return "The whole site";
  if (serialNumber === null || serialNumber === "") return name;
  return serialNumber === name ? name : `${serialNumber}, ${name}`;
}
