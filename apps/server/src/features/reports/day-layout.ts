import { NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import { theme } from "../../platform/pdf/pdf-document.ts";
import type { OutcomeCounts, ReportData, ReportDay, ReportRobotDay } from "./report-data.ts";
import { count, countOf, dayOfMonth, formatDate, oneDecimal, rangeText } from "./report-format.ts";
import { robotLabel } from "./section-layout.ts";

type Outcome = keyof OutcomeCounts;

export const outcomeText: Record<Outcome, string> = {
  COMPLETED: "Done",
  STOPPED: "Stopped early",
  CUT_SHORT: "Cut short",
  FAILED: "Failed",
  SKIPPED: "Skipped",
  MISSED: "Missed",
  RUNNING: "Under way",
};

/** From the bottom of a column upwards. */
export const outcomeOrder = ["COMPLETED", "RUNNING", "STOPPED", "CUT_SHORT", "SKIPPED", "MISSED", "FAILED"] as const;

/** They differ in brightness too, for those who see no colours, and for print. */
const outcomeColors: Record<Outcome, string> = {
  COMPLETED: theme.accent,
  RUNNING: "#a5d3dd",
  STOPPED: "#f7dc9b",
  CUT_SHORT: theme.sun,
  SKIPPED: "#b9c3cc",
  MISSED: theme.muted,
  FAILED: theme.poor,
};

/** A page has no room for more points. */
const MAX_DAYS_BY_DAY = 62;

/** A point of the charts: a day, or a week of a long range. */
export interface Period {
  /** Its days, as indexes of the range's. */
  readonly days: readonly number[];
  /** Printed below the axis. */
  readonly label: string;
  /** Printed in the table. */
  readonly name: string;
  readonly minutesCleaned: number;
  /** Null if nothing can be known, for example in the future. */
  readonly uptimePercent: number | null;
  readonly averageBattery: number | null;
  readonly planned: OutcomeCounts;
  readonly done: number;
  readonly notDone: number;
  /** Entirely in the future, so nothing is known yet. */
  readonly isAhead: boolean;
}

export interface Periods {
  readonly word: "day" | "week";
  readonly all: readonly Period[];
  /** Printed below the axis. */
  readonly axis: string;
}

/** Weeks begin on Monday. */
export function periodsOf({ days, generatedAt }: Pick<ReportData, "days" | "generatedAt">): Periods {
  const today = generatedAt.local.slice(0, 10);
  const numbered = days.map((day, nth) => ({ ...day, nth }));
  if (days.length <= MAX_DAYS_BY_DAY) {
    const all = numbered.map((day) => ({ ...mergeDays([day], today), name: formatDate(day.date) }));
    return { word: "day", all, axis: "Day" };
  }
  const weeks = Map.groupBy(numbered, ({ date }) => mondayOf(date));
  const all = Array.from(weeks.values(), (week) => {
    const merged = mergeDays(week, today);
    return { ...merged, name: `${merged.label} to ${formatDate(week.at(-1)?.date ?? "")}` };
  });
  return { word: "week", all, axis: "Week, by first day" };
}

/** Minutes and runs are summed; percentages are the mean of the days that have one. */
function mergeDays(days: readonly (ReportDay & { readonly nth: number })[], today: string): Omit<Period, "name"> {
  const sum = (of: (one: ReportDay) => number) => days.reduce((total, one) => total + of(one), 0);
  const planned = { COMPLETED: 0, STOPPED: 0, CUT_SHORT: 0, FAILED: 0, SKIPPED: 0, MISSED: 0, RUNNING: 0 };
  for (const outcome of outcomeOrder) planned[outcome] = sum((day) => day.planned[outcome]);
  return {
    days: days.map(({ nth }) => nth),
    label: dayOfMonth(days[0]?.date ?? ""),
    minutesCleaned: sum(({ minutesCleaned }) => minutesCleaned),
    uptimePercent: mean(days.map(({ uptimePercent }) => uptimePercent)),
    averageBattery: mean(days.map(({ averageBattery }) => averageBattery)),
    planned,
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

/** What the second page shows, as plain values. */
export interface DayPage {
  /** Planned runs by outcome; null without any. */
  readonly runs: RunColumns | null;
  readonly reasons: readonly ReasonRow[];
  /** Null without planned runs. */
  readonly robots: RobotHeat | null;
}

export interface RunColumns {
  readonly title: string;
  readonly alt: string;
  readonly max: number;
  readonly series: readonly { readonly name: string; readonly color: string; readonly values: readonly number[] }[];
}

export interface ReasonRow {
  readonly outcome: string;
  readonly text: string;
  readonly runs: number;
}

export interface RobotHeat {
  readonly title: string;
  readonly alt: string;
  readonly rows: readonly { readonly name: string; readonly cells: readonly HeatCell[] }[];
  /** How many robots are left out. */
  readonly rest: number;
}

export interface HeatCell {
  readonly color: string;
  /** How many runs were not done, if any; so that nothing is said by colour alone. */
  readonly text: string;
  readonly textColor: string;
}

export function dayPageOf(data: ReportData, { word, all: periods }: Periods): DayPage {
  const total = (outcome: Outcome) => periods.reduce((sum, { planned }) => sum + planned[outcome], 0);
  const present = outcomeOrder.filter((outcome) => total(outcome) > 0);
  const runs = present.reduce((sum, outcome) => sum + total(outcome), 0);
  if (runs === 0) return { runs: null, reasons: [], robots: null };
  const series = present.map((outcome) => ({
    name: `${outcomeText[outcome]} ${count(total(outcome))}`,
    color: outcomeColors[outcome],
    values: periods.map(({ planned }) => planned[outcome]),
  }));
  const max = Math.max(...periods.map(({ planned }) => present.reduce((sum, outcome) => sum + planned[outcome], 0)));
  const columns = {
    title: `Planned runs by ${word}, and what became of them`,
    alt: `Stacked columns of ${countOf(runs, "planned run", "planned runs")} by ${word}, ${rangeText(data.range)}: ${series.map(({ name }) => name).join(", ")}.`,
    max,
    series,
  };
  const notDone = NOT_DONE.reduce((sum, outcome) => sum + total(outcome), 0);
  return { runs: columns, reasons: reasonRows(data, notDone), robots: heatOf(data, { word, periods }) };
}

/** They add up to all planned runs that were not done. */
function reasonRows({ reasons }: ReportData, notDone: number): ReasonRow[] {
  const rows = reasons.map(({ outcome, text, isExact, runs }) => ({
    outcome: outcomeText[outcome],
    text: isExact ? text : `${text} (newest example)`,
    runs,
  }));
  const rest = notDone - reasons.reduce((sum, { runs }) => sum + runs, 0);
  if (rest > 0)
    rows.push({ outcome: "Other", text: "Other reasons, and reasons that are not on record any more", runs: rest });
  return rows;
}

const noRuns: HeatCell = { color: theme.soft, text: "", textColor: theme.muted };

function heatOf(
  { robotDays, range }: ReportData,
  { word, periods }: { readonly word: string; readonly periods: readonly Period[] },
): RobotHeat | null {
  if (robotDays.rows.length === 0) return null;
  const rows = robotDays.rows.map((row) => {
    const cells = periods.map((period) => mergeCells(period.days.map((nth) => row.days[nth] ?? null)));
    const missing = cells.reduce((sum, cell) => sum + (cell?.notDone ?? 0), 0);
    return { name: robotLabel({ robotName: row.name, serialNumber: row.serialNumber }), cells, missing };
  });
  const worst = rows.toSorted((one, other) => other.missing - one.missing)[0];
  const said =
    worst === undefined || worst.missing === 0
      ? "every planned run that is over was done"
      : `most runs not done by ${worst.name}, ${count(worst.missing)}`;
  const shown =
    robotDays.rest === 0
      ? ""
      : `the ${count(rows.length)} of ${count(rows.length + robotDays.rest)} robots with the most runs not done, `;
  return {
    title: `Planned runs of each robot by ${word}: the number not done`,
    alt: `Heat map of planned runs by robot and ${word}, ${rangeText(range)}, ${shown}${said}. The same by robot is in the table of planned and done runs.`,
    rows: rows.map(({ name, cells }) => ({ name, cells: cells.map(heatCell) })),
    rest: robotDays.rest,
  };
}

function mergeCells(days: readonly (ReportRobotDay | null)[]): ReportRobotDay | null {
  const known = days.filter((day) => day !== null);
  if (known.length === 0) return null;
  const sum = (of: (day: ReportRobotDay) => number) => known.reduce((total, day) => total + of(day), 0);
  return { runs: sum(({ runs }) => runs), notDone: sum(({ notDone }) => notDone) };
}

/** What the colours of the heat map mean. */
export const heatLegend = [
  { name: "All done", color: "#7fb8c4" },
  { name: "Some not done", color: theme.sun },
  { name: "None done", color: theme.poor },
  { name: "None planned", color: theme.soft },
] as const;

function heatCell(day: ReportRobotDay | null): HeatCell {
  if (day === null) return noRuns;
  if (day.notDone === 0) return { color: heatLegend[0].color, text: "", textColor: theme.text };
  const text = count(day.notDone);
  if (day.notDone < day.runs) return { color: heatLegend[1].color, text, textColor: theme.text };
  return { color: heatLegend[2].color, text, textColor: "#ffffff" };
}

/** Of all runs, planned and manual, for the bars of their outcomes. */
export function outcomeBars(outcomes: OutcomeCounts) {
  const all = outcomeOrder.reduce((sum, outcome) => sum + outcomes[outcome], 0);
  const bars = outcomeOrder.map((outcome) => ({
    name: outcomeText[outcome],
    value: outcomes[outcome],
    text: `${count(outcomes[outcome])} (${oneDecimal(all === 0 ? 0 : (outcomes[outcome] * 100) / all)} %)`,
    color: outcomeColors[outcome],
  }));
  return { all, bars };
}
