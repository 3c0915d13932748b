export type { WeatherSite } from "./conditions.ts";
export { readHoursOfSites, readSiteHours, type SiteHour } from "./site-hours.repository.ts";
export { SiteInputs } from "./site-inputs.ts";
export { askInputsAnew } from "./site-inputs.repository.ts";
export { Forecasts, SAMPLE_DELAY_MS } from "./weather.service.ts";
