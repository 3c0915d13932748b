import { FORECAST_DAYS } from "@suncrew/contract/weather/weather.ts";
import { z } from "zod";
import { type Conditions, ProviderFailure } from "./conditions.ts";
import { meaningOfCode } from "./wmo-codes.ts";

/** What is asked for, by the service's own names. */
export const CURRENT_FIELDS = [
  "temperature_2m",
  "relative_humidity_2m",
  "is_day",
  "weather_code",
  "pressure_msl",
  "wind_speed_10m",
] as const;
export const DAILY_FIELDS = [
  "weather_code",
  "temperature_2m_max",
  "temperature_2m_min",
  "precipitation_probability_max",
  "wind_speed_10m_max",
] as const;

// Wider than any weather that was ever measured, and narrow enough to notice another unit or nonsense.
const celsius = z.number().min(-100).max(70);
const percent = z.number().min(0).max(100);
const kilometresPerHour = z.number().min(0).max(500);
const hectopascals = z.number().min(800).max(1100);
const code = z.int().min(0).max(99);
const eachDay = <T extends z.ZodType>(of: T) => z.array(of).length(FORECAST_DAYS);

const answerSchema = z.object({
  current: z.object({
    temperature_2m: celsius,
    relative_humidity_2m: percent,
    is_day: z.literal([0, 1]),
    weather_code: code,
    pressure_msl: hectopascals,
    wind_speed_10m: kilometresPerHour,
  } satisfies Record<(typeof CURRENT_FIELDS)[number], z.ZodType>),
  daily: z.object({
    time: eachDay(z.iso.date()),
    weather_code: eachDay(code),
    temperature_2m_max: eachDay(celsius),
    temperature_2m_min: eachDay(celsius),
    precipitation_probability_max: eachDay(percent),
    wind_speed_10m_max: eachDay(kilometresPerHour),
  } satisfies Record<(typeof DAILY_FIELDS)[number] | "time", z.ZodType>),
});

/**
 * Open-Meteo's answer as conditions of the days that were asked for.
 * @throws ProviderFailure naming the first field that is missing or wrong; nothing is made up for it.
 */
export function conditionsOf(answer: unknown, days: readonly string[]): Conditions {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join(".") ?? "";
    throw new ProviderFailure(`${path === "" ? "the answer" : path} is missing or wrong`);
  }
  const { current, daily } = parsed.data;
  if (daily.time.join() !== days.join()) throw new ProviderFailure("the forecast is of other days");
  return {
    current: {
      temperature: current.temperature_2m,
      ...meaningOfCode(current.weather_code, current.is_day === 1),
      humidity: current.relative_humidity_2m,
      wind_speed: current.wind_speed_10m,
      pressure: current.pressure_msl,
    },
    forecast: days.map((date, day) => ({
      date,
      min_temperature: nth(daily.temperature_2m_min, day),
      max_temperature: nth(daily.temperature_2m_max, day),
      ...meaningOfCode(nth(daily.weather_code, day)),
      precipitation_percent: nth(daily.precipitation_probability_max, day),
      wind_speed: nth(daily.wind_speed_10m_max, day),
    })),
  };
}

/** The schema has counted them. */
function nth(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new ProviderFailure("a day is missing");
  return value;
}
