import type { FieldName } from "@suncrew/domain/report-templates/template-sections.ts";
import { NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import { heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { barList, columnChart, lineChart, percentScale, scaleUpTo } from "../../platform/pdf/charts.ts";
import { type PdfDocument, theme } from "../../platform/pdf/pdf-document.ts";
import { type Column, titledTable } from "../../platform/pdf/table.ts";
import type { OutcomeCounts, ReportData, ReportDay } from "./report-data.ts";
import { count, formatDate, dayOfMonth, minutes, oneDecimal, percent, rangeText } from "./report-format.ts";

export const outcomeText: Record<keyof OutcomeCounts, string> = {
  COMPLETED: "Done",
  STOPPED: "Stopped early",
  CUT_SHORT: "Cut short",
  FAILED: "Failed",
  SKIPPED: "Skipped",
  MISSED: "Missed",
  RUNNING: "Under way",
};

/** Charts of minutes cleaned, uptime, battery and outcomes, then the same figures as a table. */
export function* writeCharts(document: PdfDocument, data: ReportData, fields: ReadonlySet<FieldName>): Generator<void> {
  const word = data.days.length > MAX_DAYS_BY_DAY ? "week" : "day";
  const periods = groupByPeriod(data.days, word, data.generatedAt.local.slice(0, 10));
  const hasBattery = fields.has("average_battery");
  heading(document, "H3", `Performance by ${word}`, 200);
  if (word === "week") {
    paragraph(
      document,
      "The range is longer than 62 days, so each point is a week from Monday to Sunday, labelled with its first day in the range: minutes and runs are totals, percentages are the mean of the days.",
      noteStyle,
    );
  }
  const axes = { labels: periods.map(({ label }) => label), axis: word === "week" ? "Week, by first day" : "Day" };
  drawMinutes(document, data, periods, word, axes);
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
      column("Minutes cleaned", 18, ({ minutesCleaned }) => count(minutesCleaned)),
      column("Uptime", 14, ({ uptimePercent }) => percent(uptimePercent)),
      ...(hasBattery ? [column("Average battery", 16, ({ averageBattery }) => percent(averageBattery))] : []),
      column("Runs done", 16, ({ done }) => count(done)),
      column("Runs not done", 16, ({ notDone }) => count(notDone)),
    ],
    rows: periods,
  });
}

function drawMinutes(
  document: PdfDocument,
  { range, figures }: ReportData,
  periods: readonly Period[],
  word: string,
  axes: { readonly labels: readonly string[]; readonly axis: string },
): void {
  const values = periods.map(({ minutesCleaned }) => minutesCleaned);
  const max = Math.max(0, ...values);
  if (max === 0) {
    paragraph(document, "No robot cleaned in this range, so there is no chart of minutes cleaned.");
    return;
  }
  const best = periods[values.indexOf(max)]?.name ?? "";
  const alt = `Column chart of the minutes cleaned by ${word}, ${rangeText(range)}: ${minutes(figures.minutes_cleaned)} in total, at most ${count(max)} (${best}).`;
  const chart = { title: `Minutes cleaned by ${word}`, unit: "min", alt, scale: scaleUpTo(max), ...axes };
  columnChart(document, chart, values);
}

const outcomeOrder = ["COMPLETED", "STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED", "RUNNING"] as const;

function drawOutcomes(document: PdfDocument, outcomes: OutcomeCounts): void {
  const all = outcomeOrder.reduce((sum, outcome) => sum + outcomes[outcome], 0);
  if (all === 0) {
    paragraph(document, "There were no runs in this range, so there is no chart of their outcomes.");
    return;
  }
  const bars = outcomeOrder.map((outcome) => ({
    name: outcomeText[outcome],
    value: outcomes[outcome],
    text: `${count(outcomes[outcome])} (${oneDecimal((outcomes[outcome] * 100) / all)} %)`,
    color: outcome === "COMPLETED" ? theme.accent : "#8fa3ad",
  }));
  const alt = `Bar chart of the outcomes of ${count(all)} runs: ${bars.map(({ name, text }) => `${name} ${text}`).join(", ")}.`;
  barList(document, `Outcomes of ${count(all)} runs (number of runs)`, alt, bars);
}

/** A page has no room for more points. */
const MAX_DAYS_BY_DAY = 62;

/** A point of the charts: a day, or a week of a long range. */
interface Period extends Omit<ReportDay, "date" | "outcomes"> {
  /** Printed below the axis. */
  readonly label: string;
  /** Printed in the table. */
  readonly name: string;
  readonly done: number;
  readonly notDone: number;
  /** Entirely in the future, so nothing is known yet. */
  readonly isAhead: boolean;
}

/** `today` is the site's date when the report is generated. Weeks begin on Monday. */
function groupByPeriod(days: readonly ReportDay[], word: "day" | "week", today: string): Period[] {
  if (word === "day") return days.map((day) => ({ ...mergeDays([day], today), name: formatDate(day.date) }));
  const weeks = Map.groupBy(days, ({ date }) => mondayOf(date));
  return Array.from(weeks.values(), (week) => {
    const merged = mergeDays(week, today);
    return { ...merged, name: `${merged.label} to ${formatDate(week.at(-1)?.date ?? "")}` };
  });
}

/** Minutes and runs are summed; percentages are the mean of the days that have one. */
function mergeDays(days: readonly ReportDay[], today: string): Omit<Period, "name"> {
  const sum = (of: (one: ReportDay) => number) => days.reduce((total, one) => total + of(one), 0);
  return {
    label: dayOfMonth(days[0]?.date ?? ""),
    minutesCleaned: sum(({ minutesCleaned }) => minutesCleaned),
    uptimePercent: mean(days.map(({ uptimePercent }) => uptimePercent)),
    averageBattery: mean(days.map(({ averageBattery }) => averageBattery)),
    done: sum(({ outcomes }) => outcomes.COMPLETED),
    notDone: sum(({ outcomes }) => NOT_DONE.reduce((all, outcome) => all + outcomes[outcome], 0)),
    isAhead: days.every(({ date }) => date > today),
  };
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function mondayOf(date: string): string {
  const plain = new Date(`${date}T00:00:00Z`);
  plain.setUTCDate(plain.getUTCDate() - ((plain.getUTCDay() + 6) % 7));
  return plain.toISOString().slice(0, 10);
}
