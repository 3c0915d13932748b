import type { ForecastDay } from "@suncrew/contract/weather/weather.ts";

/** Where the bars of one day stand, in percent of the graphic's height. */
export interface DayBars {
  readonly date: string;
  readonly coldFrom: number;
  readonly warmth: number;
  readonly rain: number;
}

/** No bar is thinner: a day of one temperature shows as well. */
const LEAST_WARMTH = 8;

/** The days' temperatures on one scale from the coldest to the warmest, and how likely rain is from 0 to 100. */
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
