import type { WeatherAdvice } from "@suncrew/contract/weather/weather.ts";

/** §9 Weather: a day with more than this is a day of rain. */
export const RAIN_PERCENT = 50;
/** §9 Weather: the days from the site's today on that count. */
export const ADVICE_DAYS = 3;

export interface AdviceDay {
  readonly precipitation_percent: number;
}

/** True where the day counts as one of rain (§4: above 50 percent). */
export function isRainDay(day: AdviceDay): boolean {
  return day.precipitation_percent > RAIN_PERCENT;
}

/** §4 Weather recommendation: from the first three days of the forecast, the first being the site's today. */
export function weatherAdvice(forecast: readonly AdviceDay[]): WeatherAdvice {
  const rainDays = forecast.slice(0, ADVICE_DAYS).filter((day) => isRainDay(day)).length;
  if (rainDays >= 2) return "not-recommended";
  return rainDays === 1 ? "caution" : "recommended";
}
