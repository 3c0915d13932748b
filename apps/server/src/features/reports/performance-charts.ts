import type { FieldName } from "@suncrew/domain/report-templates/template-sections.ts";
import { NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import { bodyStyle, heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { barList, columnChart, lineChart, percentScale, scaleUpTo } from "../../platform/pdf/charts.ts";
import { type PdfDocument, theme } from "../../platform/pdf/pdf-document.ts";
import { titledTable } from "../../platform/pdf/table.ts";
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
  const byWeek = isByWeek(data.days);
  const word = byWeek ? "week" : "day";
  const periods = groupByPeriod(data.days, data.generatedAt.local.slice(0, 10));
  heading(document, "H3", `Performance by ${word}`, 200);
  if (byWeek) {
    paragraph(
      document,
      "The range is longer than 62 days, so each point is a week from Monday to Sunday, labelled with its first day in the range: minutes and runs are totals, percentages are the mean of the days.",
      noteStyle,
    );
  }
  drawMinutes(document, data, periods, word);
  yield;
  const uptime = { name: "Uptime", of: (period: Period) => period.uptimePercent };
  drawPercentages(document, data.range, periods, word, uptime);
  const battery = { name: "Average battery", of: (period: Period) => period.averageBattery };
  if (fields.has("average_battery")) drawPercentages(document, data.range, periods, word, battery);
  drawOutcomes(document, data.outcomes);
  yield;
  const ahead = periods.some(({ isAhead }) => isAhead) ? [`A dash marks a ${word} that was still in the future.`] : [];
  yield* titledTable(document, `Figures by ${word}`, ahead, {
    namesRows: true,
    columns: [
      { title: byWeek ? "Week" : "Day", share: 30 },
      { title: "Minutes cleaned", share: 18, align: "RIGHT" },
      { title: "Uptime", share: 14, align: "RIGHT" },
      ...(fields.has("average_battery") ? [{ title: "Average battery", share: 16, align: "RIGHT" } as const] : []),
      { title: "Runs done", share: 16, align: "RIGHT" },
      { title: "Runs not done", share: 16, align: "RIGHT" },
    ],
    rows: periods.map(({ name, isAhead, ...period }) => {
      const cells = [
        count(period.minutesCleaned),
        percent(period.uptimePercent),
        ...(fields.has("average_battery") ? [percent(period.averageBattery)] : []),
        count(period.done),
        count(period.notDone),
      ];
      return [name, ...(isAhead ? cells.map(() => "\u2013") : cells)];
    }),
  });
}

function drawMinutes(document: PdfDocument, data: ReportData, periods: readonly Period[], word: string): void {
  const values = periods.map(({ minutesCleaned }) => minutesCleaned);
  const most = Math.max(0, ...values);
  if (most === 0) {
    paragraph(document, `No robot cleaned in this range, so there is no chart of minutes cleaned.`, bodyStyle);
    return;
  }
  const best = periods[values.indexOf(most)];
  const chart = {
    title: `Minutes cleaned by ${word}`,
    unit: "min",
    alt: `Column chart of the minutes cleaned by ${word}, ${rangeText(data.range)}: ${minutes(data.figures.minutes_cleaned)} in total, at most ${count(most)} (${best?.name ?? ""}).`,
    scale: scaleUpTo(most),
    labels: periods.map(({ label }) => label),
    axis: axisOf(word),
  };
  columnChart(document, chart, values);
}

function drawPercentages(
  document: PdfDocument,
  range: ReportData["range"],
  periods: readonly Period[],
  word: string,
  { name, of }: { readonly name: string; readonly of: (period: Period) => number | null },
): void {
  const values = periods.map(of);
  const known = values.filter((value) => value !== null);
  if (known.length === 0) {
    paragraph(document, `There is no data on ${name.toLowerCase()} in this range, so there is no chart of it.`);
    return;
  }
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const chart = {
    title: `${name} by ${word}`,
    unit: "%",
    alt: `Line chart of ${name.toLowerCase()} in percent by ${word}, ${rangeText(range)}: between ${oneDecimal(least)} and ${oneDecimal(most)}.`,
    scale: percentScale(least),
    labels: periods.map(({ label }) => label),
    axis: axisOf(word),
  };
  lineChart(document, chart, values);
}

function axisOf(word: string): string {
  return word === "week" ? "Week, by first day" : "Day";
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

/** A point of the charts: a day, or a week of a long range. */
interface Period {
  /** Under the axis. */
  readonly label: string;
  /** In the table. */
  readonly name: string;
  readonly minutesCleaned: number;
  readonly uptimePercent: number | null;
  readonly averageBattery: number | null;
  readonly done: number;
  readonly notDone: number;
  /** Entirely in the future, so that nothing is known of it yet. */
  readonly isAhead: boolean;
}

/** A page has no room for more points. */
const MAX_DAYS_BY_DAY = 62;

function isByWeek(days: readonly ReportDay[]): boolean {
  return days.length > MAX_DAYS_BY_DAY;
}

/** `today` is the site's date when the report is generated. Weeks begin on Monday; minutes and runs are added up, percentages are the mean of the days that have one. */
function groupByPeriod(days: readonly ReportDay[], today: string): Period[] {
  if (!isByWeek(days)) return days.map((one) => ({ ...mergeDays([one], today), name: formatDate(one.date) }));
  const weeks = Map.groupBy(days, ({ date }) => mondayOf(date));
  return Array.from(weeks.values(), (week) => {
    const last = week.at(-1)?.date ?? "";
    return { ...mergeDays(week, today), name: `${dayOfMonth(week[0]?.date ?? last)} to ${formatDate(last)}` };
  });
}

function mergeDays(days: readonly ReportDay[], today: string): Omit<Period, "name"> {
  const sum = (of: (one: ReportDay) => number) => days.reduce((all, one) => all + of(one), 0);
  return {
    label: dayOfMonth(days[0]?.date ?? ""),
    minutesCleaned: sum(({ minutesCleaned }) => minutesCleaned),
    uptimePercent: mean(days.map(({ uptimePercent }) => uptimePercent)),
    averageBattery: mean(days.map(({ averageBattery }) => averageBattery)),
    done: sum(({ outcomes }) => outcomes.COMPLETED),
    notDone: sum(({ outcomes }) => notDoneOf(outcomes)),
    isAhead: days.every(({ date }) => date > today),
  };
}

function notDoneOf(outcomes: OutcomeCounts): number {
  return NOT_DONE.reduce((sum, outcome) => sum + outcomes[outcome], 0);
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
