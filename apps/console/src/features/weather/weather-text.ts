import type { ForecastDay } from "@suncrew/contract/weather/weather.ts";

const integer = new Intl.NumberFormat("en-GB", {
  maximumFractionDigits: 0,
  useGrouping: false,
  signDisplay: "negative",
});

// A number and its unit stay on one line.
export const celsius = (value: number): string => `${integer.format(value)}\u00a0°C`;
export const percent = (value: number): string => `${integer.format(value)}\u00a0%`;
export const kilometresPerHour = (value: number): string => `${integer.format(value)}\u00a0km/h`;
export const hectopascals = (value: number): string => `${integer.format(value)}\u00a0hPa`;
export const celsiusRange = (least: number, most: number): string =>
  `${integer.format(least)} to ${integer.format(most)}\u00a0°C`;

// Dates are the site's own days: no time zone may shift them.
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });
const dayOfMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", timeZone: "UTC" });
const month = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });

/** "Mon" of `YYYY-MM-DD`. */
export const weekdayOf = (date: string): string => weekday.format(new Date(date));
/** "Mon 15" of `YYYY-MM-DD`. */
export const shortDayOf = (date: string): string => `${weekdayOf(date)} ${dayOfMonth.format(new Date(date))}`;
/** "Jun" of `YYYY-MM-DD`. */
export const monthOf = (date: string): string => month.format(new Date(date));

/** One day of the forecast as a sentence, for those who cannot see the bars. */
export function sentenceOf(day: ForecastDay): string {
  const temperatures = celsiusRange(day.min_temperature, day.max_temperature);
  return `${shortDayOf(day.date)} ${monthOf(day.date)}: ${day.description}, ${temperatures}, precipitation ${percent(day.precipitation_percent)}.`;
}

/** Where the bars of one day are, in percent of the graphic's height. */
interface DayBars {
  readonly date: string;
  readonly coldFrom: number;
  readonly warmth: number;
  readonly rain: number;
}

/** No bar is thinner: a day with a single temperature is visible, too. */
const LEAST_WARMTH = 8;

/** The days' temperatures on one scale from the coldest to the warmest, and the chance of rain from 0 to 100. */
export function weekBars(days: readonly ForecastDay[]): DayBars[] {
  const coldest = Math.min(...days.map((day) => day.min_temperature));
  const warmest = Math.max(...days.map((day) => day.max_temperature));
  const range = Math.max(warmest - coldest, 1);
  return days.map((day) => {
    const from = ((day.min_temperature - coldest) / range) * 100;
    const warmth = Math.max(((day.max_temperature - day.min_temperature) / range) * 100, LEAST_WARMTH);
    return {
      date: day.date,
      coldFrom: Math.min(from, 100 - warmth),
      warmth,
      rain: Math.min(Math.max(day.precipitation_percent, 0), 100),
    };
  });
}
