import { FORECAST_DAYS } from "@suncrew/contract/weather/weather.ts";
import type { Conditions } from "./conditions.ts";
import { daysFrom } from "./site-days.ts";
import { meaningOfCode } from "./wmo-codes.ts";

/** §9 Weather: how long the sample takes, in milliseconds. */
export const SAMPLE_DELAY_MS = 500;

interface SampleDay {
  readonly code: number;
  readonly min: number;
  readonly max: number;
  readonly rainPercent: number;
  readonly wind: number;
}

/** Dry days first, so that the sample recommends cleaning, and one of rain that does not count any more (§4). */
const days: readonly SampleDay[] = [
  { code: 0, min: 24, max: 36, rainPercent: 0, wind: 14 },
  { code: 1, min: 25, max: 37, rainPercent: 5, wind: 16 },
  { code: 2, min: 25, max: 36, rainPercent: 20, wind: 18 },
  { code: 3, min: 26, max: 34, rainPercent: 35, wind: 21 },
  { code: 61, min: 24, max: 31, rainPercent: 70, wind: 26 },
  { code: 2, min: 23, max: 33, rainPercent: 25, wind: 17 },
  { code: 0, min: 23, max: 35, rainPercent: 5, wind: 12 },
];

/** The fixed forecast of the demo, dated from the site's `today` on; the same for every site. */
export function sampleForecast(today: string): Conditions {
  const dates = daysFrom(today, FORECAST_DAYS);
  return {
    current: { temperature: 34, ...meaningOfCode(0), humidity: 28, wind_speed: 12, pressure: 1006 },
    forecast: days.map((day, index) => ({
      date: dates[index] ?? today,
      min_temperature: day.min,
      max_temperature: day.max,
      ...meaningOfCode(day.code),
      precipitation_percent: day.rainPercent,
      wind_speed: day.wind,
    })),
  };
}
