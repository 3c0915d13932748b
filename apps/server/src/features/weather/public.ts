export type { WeatherSite } from "./conditions.ts";
export { SAMPLE_DELAY_MS } from "./sample-forecast.ts";
/** For the scheduler: `adviceFor(site)` never throws, and answers null where the weather cannot be had in time. */
export { Forecasts } from "./weather.service.ts";
