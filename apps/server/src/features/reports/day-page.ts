import { heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { heatMap, scaleUpTo, stackedChart } from "../../platform/pdf/charts.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { titledTable } from "../../platform/pdf/table.ts";
import { dayPageOf, heatLegend, periodsOf } from "./day-layout.ts";
import type { ReportData } from "./report-data.ts";
import { count, figure } from "./report-format.ts";

export const DAY_BY_DAY = "Planned against done";

/** The second page: planned runs by day with their outcomes, why they were not done, and the days of each robot. */
export function* writeDays(document: PdfDocument, data: ReportData): Generator<void> {
  const periods = periodsOf(data);
  const { runs, reasons, robots } = dayPageOf(data, periods);
  document.outline(DAY_BY_DAY);
  heading(document, "H2", DAY_BY_DAY);
  const known = figure(data.figures.data_days ?? 0, "days", data.range.days);
  const each =
    periods.word === "week"
      ? " Each column is a week from Monday to Sunday, labelled with its first day in the range."
      : "";
  const intro = `A run counts on the day of the site\u2019s calendar on which it was due, so those after midnight belong to the next day. There is data on ${known}.${each}`;
  paragraph(document, intro, noteStyle);
  const axes = { labels: periods.all.map(({ label }) => label), axis: periods.axis };
  if (runs === null) {
    paragraph(document, "No run was planned in this range, so there is nothing to compare with what was done.");
    return;
  }
  stackedChart(
    document,
    { title: runs.title, unit: "runs", alt: runs.alt, scale: scaleUpTo(runs.max), ...axes },
    runs.series,
  );
  yield;
  yield* titledTable(document, {
    title: "Why planned runs were not done",
    columns: [
      { title: "Outcome", share: 18, of: ({ outcome }) => outcome },
      { title: "Reason", share: 68, of: ({ text }) => text },
      { title: "Runs", share: 14, align: "RIGHT", of: ({ runs: number }) => count(number) },
    ],
    rows: reasons,
    empty: "Every planned run that is over was done.",
  });
  if (robots === null) return;
  heatMap(document, { ...robots, legend: heatLegend, ...axes });
  if (robots.rest > 0) {
    const some = `The ${count(robots.rows.length)} robots with the most planned runs not done are shown; the other ${count(robots.rest)} are in the table of planned and done runs.`;
    paragraph(document, some, noteStyle);
  }
  yield;
}
