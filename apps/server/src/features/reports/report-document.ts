import type { Readable } from "node:stream";
import { allSections, type PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { streamPdf } from "../../platform/pdf/stream-pdf.ts";
import { activitiesPart } from "./report-activities.ts";
import { alertsPart } from "./report-alerts.ts";
import { coverPart } from "./report-cover.ts";
import type { ReportData } from "./report-data.ts";
import { healthPart } from "./report-health.ts";
import { maintenancePart } from "./report-maintenance.ts";
import { decoratePage } from "./report-page.ts";
import type { ReportPart } from "./report-part.ts";
import { performancePart } from "./report-performance.ts";
import { rangeWords } from "./report-range.ts";
import { summaryPart } from "./report-summary.ts";

const parts: Record<PrintedSection["type"], ReportPart> = {
  performance: performancePart,
  activities: activitiesPart,
  robot_health: healthPart,
  maintenance: maintenancePart,
  alerts: alertsPart,
};

/**
 * The PDF of a report, byte by byte as it is wanted: between a few rows and the next others get their turn, and a
 * stream that is destroyed costs nothing more. `printed` are the sections of a template in their order; null is all.
 */
export function writeReportPdf(data: ReportData, printed: readonly PrintedSection[] | null): Readable {
  const sections = printed ?? allSections;
  const document = new PdfDocument({
    title: `Site report: ${data.site.name}, ${rangeWords(data.range)}`,
    subject: `Cleaning robots of ${data.site.name}`,
    author: "Suncrew",
    language: "en-IN",
    createdAt: new Date(data.generatedAt.utc),
    decorate: (page, number) => decoratePage(page, number, data),
  });
  return streamPdf(document, steps(document, data, sections));
}

function* steps(document: PdfDocument, data: ReportData, sections: readonly PrintedSection[]): Generator<void> {
  document.newPage();
  yield* coverPart(document, data, sections);
  document.newPage();
  yield* summaryPart(document, data, sections);
  for (const { type, fields } of sections) {
    yield;
    yield* parts[type](document, data, new Set(fields));
  }
}
