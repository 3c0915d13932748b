import type { FieldName } from "@suncrew/domain/report-templates/template-sections.ts";
import { heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { barList, columnChart, lineChart, percentScale, scaleUpTo } from "../../platform/pdf/charts.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { type Column, titledTable } from "../../platform/pdf/table.ts";
import { outcomeBars, type Period, periodsOf } from "./day-layout.ts";
import type { OutcomeCounts, ReportData } from "./report-data.ts";
import { count, hours, oneDecimal, percent, rangeText } from "./report-format.ts";

/** Charts of time cleaned, uptime, battery and outcomes, then the same figures as a table. */
export function* writeCharts(document: PdfDocument, data: ReportData, fields: ReadonlySet<FieldName>): Generator<void> {
  const { word, all: periods, axis } = periodsOf(data);
  const hasBattery = fields.has("average_battery");
  heading(document, "H3", `Performance by ${word}`, 200);
  if (word === "week") {
    paragraph(
      document,
      "The range is longer than 62 days, so each point is a week from Monday to Sunday, labelled with its first day in the range: times and runs are totals, percentages are the mean of the days.",
      noteStyle,
    );
  }
  const axes = { labels: periods.map(({ label }) => label), axis };
  drawTimes(document, data, periods, word, axes);
  yield;
  const drawPercentages = (name: string, valueOf: (period: Period) => number | null) => {
    const values = periods.map(valueOf);
    const known = values.filter((value) => value !== null);
    if (known.length === 0) {
      paragraph(document, `There is no data on ${name.toLowerCase()} in this range, so there is no chart of it.`);
      return;
    }
    const [min, max] = [Math.min(...known), Math.max(...known)];
    const alt = `Line chart of ${name.toLowerCase()} in percent by ${word}, ${rangeText(data.range)}: between ${oneDecimal(min)} and ${oneDecimal(max)}.`;
    lineChart(document, { title: `${name} by ${word}`, unit: "%", alt, scale: percentScale(min), ...axes }, values);
  };
  drawPercentages("Uptime", ({ uptimePercent }) => uptimePercent);
  if (hasBattery) drawPercentages("Average battery", ({ averageBattery }) => averageBattery);
  drawOutcomes(document, data.outcomes);
  yield;
  const column = (title: string, share: number, text: (period: Period) => string): Column<Period> => ({
    title,
    share,
    align: "RIGHT",
    of: (period) => (period.isAhead ? "\u2013" : text(period)),
  });
  yield* titledTable(document, {
    title: `Figures by ${word}`,
    notes: periods.some(({ isAhead }) => isAhead) ? [`A dash marks a ${word} that was still in the future.`] : [],
    namesRows: true,
    columns: [
      { title: word === "week" ? "Week" : "Day", share: 30, of: ({ name }) => name },
      column("Time cleaned", 18, ({ minutesCleaned }) => hours(minutesCleaned)),
      column("Uptime", 14, ({ uptimePercent }) => percent(uptimePercent)),
      ...(hasBattery ? [column("Average battery", 16, ({ averageBattery }) => percent(averageBattery))] : []),
      column("Runs done", 16, ({ done }) => count(done)),
      column("Runs not done", 16, ({ notDone }) => count(notDone)),
    ],
    rows: periods,
  });
}

/** From this many minutes on a column's axis is in hours. */
const HOURS_FROM = 180;

function drawTimes(
  document: PdfDocument,
  { range, figures }: ReportData,
  periods: readonly Period[],
  word: string,
  axes: { readonly labels: readonly string[]; readonly axis: string },
): void {
  const minutes = periods.map(({ minutesCleaned }) => minutesCleaned);
  const max = Math.max(0, ...minutes);
  if (max === 0) {
    paragraph(document, "No robot cleaned in this range, so there is no chart of time cleaned.");
    return;
  }
  const best = periods[minutes.indexOf(max)]?.name ?? "";
  const alt = `Column chart of the time cleaned by ${word}, ${rangeText(range)}: ${hours(figures.minutes_cleaned)} in total, at most ${hours(max)} (${best}).`;
  const [unit, divisor] = max >= HOURS_FROM ? (["h", 60] as const) : (["min", 1] as const);
  const values = minutes.map((value) => value / divisor);
  const chart = { title: `Time cleaned by ${word}`, unit, alt, scale: scaleUpTo(max / divisor), ...axes };
  columnChart(document, chart, values);
}

function drawOutcomes(document: PdfDocument, outcomes: OutcomeCounts): void {
  const { all, bars } = outcomeBars(outcomes);
  if (all === 0) {
    paragraph(document, "There were no runs in this range, so there is no chart of their outcomes.");
    return;
  }
  const alt = `Bar chart of the outcomes of ${count(all)} runs: ${bars.map(({ name, text }) => `${name} ${text}`).join(", ")}.`;
  barList(document, `Outcomes of ${count(all)} runs, planned and manual (number of runs)`, alt, bars);
}
