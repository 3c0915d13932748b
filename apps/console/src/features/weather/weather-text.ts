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

/** One day of the forecast as a sentence, for those who cannot see its icon. */
export function sentenceOf(day: ForecastDay): string {
  const temperatures = celsiusRange(day.min_temperature, day.max_temperature);
  return `${shortDayOf(day.date)} ${monthOf(day.date)}: ${day.description}, ${temperatures}, precipitation ${percent(day.precipitation_percent)}.`;
}
