export type { WeatherSite } from "./conditions.ts";
export { Forecasts, SAMPLE_DELAY_MS } from "./weather.service.ts";
