import { z } from "zod";
import { type DayRange, daysOf, type Located, ProviderFailure, surfaceText } from "./conditions.ts";
import { type OpenMeteo, parsedAnswer } from "./open-meteo.ts";
import type { AirDay, DayHours, WeatherDay } from "./site-hours.repository.ts";

/** Nobody waits for it, and the longest answer takes the service a while. */
const TIMEOUT_MS = 20_000;
/** An answer of a year has some 400 kB. */
const MAX_BYTES = 1_048_576;
const HOURS = 24;

interface Reading {
  /** As the service names it; in another unit the answer is refused. */
  readonly units: readonly string[];
  /** Wider than any ever measured, and narrow enough to notice nonsense. */
  readonly value: z.ZodType<number>;
}

/** Models answer small negatives where there is nothing. */
const amount = (max: number) =>
  z
    .number()
    .min(-100)
    .max(max)
    .transform((value) => Math.max(0, value));
// Both letters are in use for micro.
const particles: Reading = { units: ["\u03bcg/m\u00b3", "\u00b5g/m\u00b3"], value: amount(100_000) };
const airReadings = { pm2_5: particles, pm10: particles };
const weatherReadings = {
  precipitation: { units: ["mm"], value: amount(1_000) },
  wind_gusts_10m: { units: ["km/h"], value: amount(500) },
  temperature_2m: { units: ["\u00b0C"], value: z.number().min(-100).max(70) },
};
const irradiance = { global_tilted_irradiance: { units: ["W/m\u00b2"], value: amount(2_500) } };

/** Particles in the air of these days. @throws ProviderFailure for anything but a valid answer. */
export async function readAirDays(
  openMeteo: OpenMeteo,
  url: string,
  site: Located,
  range: DayRange,
  ended: AbortSignal,
): Promise<AirDay[]> {
  const { pm2_5, pm10 } = await readHours(openMeteo, url, site, airReadings, range, {}, ended);
  return daysOf(range).map((day, nth) => ({ day, pm2_5: hoursOf(pm2_5, nth), pm10: hoursOf(pm10, nth) }));
}

/** The weather of these days, from the forecast or the archive; irradiance only of a site whose tilt is known. */
export async function readWeatherDays(
  openMeteo: OpenMeteo,
  url: string,
  site: Located,
  range: DayRange,
  ended: AbortSignal,
): Promise<WeatherDay[]> {
  const units = { wind_speed_unit: "kmh", temperature_unit: "celsius", precipitation_unit: "mm" };
  const isTilted = surfaceText(site) !== null;
  const readings: Readonly<Record<string, Reading>> = { ...weatherReadings, ...(isTilted && irradiance) };
  // To the service 0 is south, and -90 east.
  const surface = { tilt: String(site.tilt_degrees), azimuth: String((site.azimuth_degrees ?? 0) - 180) };
  const parameters = { ...units, ...(isTilted && surface) };
  const hourly = await readHours(openMeteo, url, site, readings, range, parameters, ended);
  return daysOf(range).map((day, nth) => ({
    day,
    rain_mm: hoursOf(hourly["precipitation"], nth),
    gust_kmh: hoursOf(hourly["wind_gusts_10m"], nth),
    temperature_c: hoursOf(hourly["temperature_2m"], nth),
    irradiance_w_m2: hoursOf(hourly["global_tilted_irradiance"], nth),
  }));
}

async function readHours<T extends string>(
  openMeteo: OpenMeteo,
  url: string,
  site: Located,
  readings: Readonly<Record<T, Reading>>,
  range: DayRange,
  more: Readonly<Record<string, string>>,
  ended: AbortSignal,
): Promise<Readonly<Record<string, DayHours>>> {
  const times = daysOf(range).flatMap((day) =>
    Array.from({ length: HOURS }, (_, hour) => `${day}T${String(hour).padStart(2, "0")}:00`),
  );
  const parameters = {
    hourly: Object.keys(readings).join(),
    start_date: range.first,
    end_date: range.last,
    timezone: "UTC",
    ...more,
  };
  const answer = await openMeteo.ask(url, {
    place: site,
    parameters,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    ended,
  });
  const given: [string, Reading][] = Object.entries(readings);
  const { hourly_units: units, hourly } = parsedAnswer(answerSchema, answer);
  for (const [name, { units: known }] of given) {
    if (!known.includes(units[name] ?? "")) throw new ProviderFailure(`hourly_units.${name} is missing or wrong`);
  }
  if (hourly.time.join() !== times.join()) throw new ProviderFailure("the hours are others than asked for");
  const valuesSchema = z.object({
    hourly: z.object(
      Object.fromEntries(given.map(([name, { value }]) => [name, z.array(value.nullable()).length(times.length)])),
    ),
  });
  return parsedAnswer(valuesSchema, answer).hourly;
}

const answerSchema = z.object({
  hourly_units: z.record(z.string(), z.string()),
  hourly: z.looseObject({ time: z.array(z.string()) }),
});

/** Without an answer nothing is known. */
function hoursOf(values: DayHours | undefined, nth: number): DayHours {
  return values?.slice(nth * HOURS, (nth + 1) * HOURS) ?? Array.from({ length: HOURS }, () => null);
}
