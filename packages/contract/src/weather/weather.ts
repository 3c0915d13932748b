import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { dateSchema, idInputSchema, instantSchema } from "../http/values.ts";

/** Icon names; the console draws them. */
export const weatherIconSchema = z.enum([
  "clear",
  "clear-night",
  "partly-cloudy",
  "partly-cloudy-night",
  "cloudy",
  "fog",
  "drizzle",
  "rain",
  "snow",
  "thunderstorm",
  "unknown",
]);
export type WeatherIcon = z.output<typeof weatherIconSchema>;

/** Temperatures in degrees Celsius, wind in km/h, humidity in percent, pressure at sea level in hPa. */
export const currentWeatherSchema = z.object({
  temperature: z.number(),
  description: z.string(),
  icon: weatherIconSchema,
  humidity: z.number(),
  wind_speed: z.number(),
  pressure: z.number(),
});
export type CurrentWeather = z.output<typeof currentWeatherSchema>;

export const forecastDaySchema = z.object({
  /** In the site's time zone. */
  date: dateSchema,
  min_temperature: z.number(),
  max_temperature: z.number(),
  description: z.string(),
  icon: weatherIconSchema,
  /** Probability of precipitation on that day. */
  precipitation_percent: z.number(),
  wind_speed: z.number(),
});
export type ForecastDay = z.output<typeof forecastDaySchema>;

/** §9 Weather. */
export const FORECAST_DAYS = 7;

/** §4 Weather recommendation; the console has the labels. */
export const weatherAdviceSchema = z.enum(["recommended", "caution", "not-recommended"]);
export type WeatherAdvice = z.output<typeof weatherAdviceSchema>;

/** `sample` is made-up data and shown as such. */
export const weatherSourceSchema = z.enum(["sample", "open-meteo"]);
export type WeatherSource = z.output<typeof weatherSourceSchema>;

/** §3 Weather. */
export const weatherSchema = z.object({
  current: currentWeatherSchema,
  /** From the site's today on. */
  forecast: z.array(forecastDaySchema).length(FORECAST_DAYS),
  advice: weatherAdviceSchema,
  source: weatherSourceSchema,
  fetched_at: instantSchema,
});
export type Weather = z.output<typeof weatherSchema>;

export const siteWeather = defineRoute({
  summary: "Current weather and seven-day forecast of a site; 503 if unavailable",
  method: "GET",
  path: "/api/weather/:siteId",
  params: z.object({ siteId: idInputSchema }),
  response: weatherSchema,
});
