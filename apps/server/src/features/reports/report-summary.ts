import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import { reportFigureRules } from "@suncrew/domain/reports/report-figures.ts";
import { heading, paragraph } from "../../platform/pdf/blocks.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { titledTable } from "../../platform/pdf/table.ts";
import type { ReportData } from "./report-data.ts";
import {
  allFigureNames,
  figureText,
  overdueWords,
  sectionName,
  tellsMaintenance,
  warningStyle,
} from "./report-part.ts";

/** Every figure of the report with how it is computed. */
export function* summaryPart(
  document: PdfDocument,
  data: ReportData,
  sections: readonly PrintedSection[],
): Generator<void> {
  const entry = document.outline("Summary");
  heading(document, "H2", "Summary");
  paragraph(
    document,
    "What was measured at the site in this range, and how each figure is computed. \u201cNo data\u201d means that there was nothing to compute it from; it is not 0.",
  );
  const overdue = tellsMaintenance(sections) ? overdueWords(data, 20) : null;
  if (overdue !== null) paragraph(document, `Maintenance: ${overdue}`, warningStyle);
  for (const { type, fields } of sections) {
    const names = allFigureNames(fields);
    if (names.length === 0) continue;
    yield* titledTable(document, sectionName(type), [], {
      namesRows: true,
      columns: [
        { title: "Figure", share: 24 },
        { title: "Value", share: 16, align: "RIGHT" },
        { title: "How it is computed", share: 60, most: 6 },
      ],
      rows: names.map((name) => [
        reportFigureRules[name].label,
        { text: figureText(data, name), isStrong: true },
        reportFigureRules[name].how,
      ]),
    });
    document.outline(sectionName(type), entry);
  }
}
