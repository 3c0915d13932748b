import type { WeatherAdvice } from "@suncrew/contract/weather/weather.ts";

/** §9 Weather: a day with more than this counts as rainy. */
export const RAIN_PERCENT = 50;
/** §9 Weather: the number of days, from today at the site, that count. */
export const ADVICE_DAYS = 3;

export interface AdviceDay {
  readonly precipitation_percent: number;
}

/** True if the day counts as rainy (§4: above 50 percent). */
export function isRainDay(day: AdviceDay): boolean {
  return day.precipitation_percent > RAIN_PERCENT;
}

/** §4 Weather recommendation: from the first three days of the forecast, starting with today at the site. */
export function weatherAdvice(forecast: readonly AdviceDay[]): WeatherAdvice {
  const rainDays = forecast.slice(0, ADVICE_DAYS).filter((day) => isRainDay(day)).length;
  if (rainDays >= 2) return "not-recommended";
  return rainDays === 1 ? "caution" : "recommended";
}
