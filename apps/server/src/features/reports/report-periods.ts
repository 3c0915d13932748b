import { NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import type { OutcomeCounts, ReportDay } from "./report-data.ts";
import { day, dayOfMonth } from "./report-words.ts";

/** A point of the charts: a day, or a week of a long range. */
export interface Period {
  /** Under the axis. */
  readonly label: string;
  /** In the table. */
  readonly name: string;
  readonly minutesCleaned: number;
  readonly uptimePercent: number | null;
  readonly averageBattery: number | null;
  readonly done: number;
  readonly notDone: number;
  /** True where all of it is still to come: nothing is to be known of it. */
  readonly isAhead: boolean;
}

/** With more days than these a page has no room for a point each. */
const MOST_DAYS = 62;

export function isByWeek(days: readonly ReportDay[]): boolean {
  return days.length > MOST_DAYS;
}

/** `today` is the site's when the report is made. Weeks begin on Monday; minutes and runs are added up, percentages are the mean of the days that have one. */
export function periodsOf(days: readonly ReportDay[], today: string): Period[] {
  if (!isByWeek(days)) return days.map((one) => ({ ...merged([one], today), name: day(one.date) }));
  const weeks = Map.groupBy(days, ({ date }) => mondayOf(date));
  return Array.from(weeks.values(), (week) => {
    const last = week.at(-1)?.date ?? "";
    return { ...merged(week, today), name: `${dayOfMonth(week[0]?.date ?? last)} to ${day(last)}` };
  });
}

function merged(days: readonly ReportDay[], today: string): Omit<Period, "name"> {
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
