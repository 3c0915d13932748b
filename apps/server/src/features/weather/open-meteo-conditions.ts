import { FORECAST_DAYS } from "@suncrew/contract/weather/weather.ts";
import { z } from "zod";
import { type Conditions, daysFrom, meaningOfCode, ProviderFailure, type WeatherPlace } from "./conditions.ts";
import { type OpenMeteo, parsedAnswer } from "./open-meteo.ts";

/** Well below the 10 s after which the console gives up (§9). */
const TIMEOUT_MS = 5_000;
/** An answer has some 2 kB. */
const MAX_BYTES = 65_536;

// Wider than any weather ever measured, and narrow enough to notice another unit or nonsense.
const celsius = z.number().min(-100).max(70);
const percent = z.number().min(0).max(100);
const kilometresPerHour = z.number().min(0).max(500);
const hectopascals = z.number().min(800).max(1100);
const code = z.int().min(0).max(99);
const eachDay = <T extends z.ZodType>(of: T) => z.array(of).length(FORECAST_DAYS);

/** The requested fields, by the service's own names. */
const currentFields = {
  temperature_2m: celsius,
  relative_humidity_2m: percent,
  is_day: z.literal([0, 1]),
  weather_code: code,
  pressure_msl: hectopascals,
  wind_speed_10m: kilometresPerHour,
};
const dailyFields = {
  weather_code: eachDay(code),
  temperature_2m_max: eachDay(celsius),
  temperature_2m_min: eachDay(celsius),
  precipitation_probability_max: eachDay(percent),
  wind_speed_10m_max: eachDay(kilometresPerHour),
};

const answerSchema = z.object({
  current: z.object(currentFields),
  daily: z.object({ time: eachDay(z.iso.date()), ...dailyFields }),
});

/** Open-Meteo's answer as conditions of the requested days. @throws ProviderFailure; nothing is made up. */
function conditionsOf(answer: unknown, days: readonly string[]): Conditions {
  const { current, daily } = parsedAnswer(answerSchema, answer);
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

/** The schema guarantees the length. */
function nth(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new ProviderFailure("a day is missing");
  return value;
}

/** Conditions from the site's `today` on. @throws ProviderFailure for anything but a valid answer. */
export async function readConditions(
  openMeteo: OpenMeteo,
  url: string,
  place: WeatherPlace,
  today: string,
  ended: AbortSignal,
): Promise<Conditions> {
  const days = daysFrom(today, FORECAST_DAYS);
  const answer = await openMeteo.ask(url, {
    place,
    parameters: {
      current: Object.keys(currentFields).join(),
      daily: Object.keys(dailyFields).join(),
      timezone: place.timezone,
      start_date: days.at(0) ?? "",
      end_date: days.at(-1) ?? "",
      // The service's own defaults, stated explicitly because the wire promises these units.
      temperature_unit: "celsius",
      wind_speed_unit: "kmh",
    },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    ended,
  });
  return conditionsOf(answer, days);
}
