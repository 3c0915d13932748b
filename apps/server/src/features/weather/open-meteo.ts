import { FORECAST_DAYS } from "@suncrew/contract/weather/weather.ts";
import { z } from "zod";
import type { Clock } from "../../platform/clock.ts";
import {
  type Conditions,
  daysFrom,
  meaningOfCode,
  ProviderFailure,
  roundedPlace,
  type WeatherPlace,
} from "./conditions.ts";

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

/**
 * Open-Meteo's answer as conditions of the requested days. @throws ProviderFailure naming the first field that is
 * missing or invalid; nothing is made up for it.
 */
function conditionsOf(answer: unknown, days: readonly string[]): Conditions {
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

/** The schema guarantees the length. */
function nth(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new ProviderFailure("a day is missing");
  return value;
}

/** Until the last byte, in milliseconds: well below the 10 s after which the console gives up (§9). */
const TIMEOUT_MS = 5_000;
/** An answer has some 2 kB. */
const MAX_BYTES = 65_536;

interface OpenMeteoOptions {
  readonly url: string;
  /** Of the paid service; null without one. Sent in the request and nowhere else. */
  readonly apiKey: string | null;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

/** Queries Open-Meteo, or a compatible service, for one place. */
export class OpenMeteo {
  readonly #options: OpenMeteoOptions;

  constructor(options: OpenMeteoOptions) {
    this.#options = options;
  }

  /**
   * Conditions from the site's `today` on. `ended` aborts immediately when the server stops. @throws ProviderFailure
   * for anything but a valid answer within the limits of time and size.
   */
  async read(place: WeatherPlace, today: string, ended: AbortSignal): Promise<Conditions> {
    const { clock } = this.#options;
    const days = daysFrom(today, FORECAST_DAYS);
    const timeout = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => timeout.abort());
    try {
      const text = await this.#request(this.#urlFor(place, days), AbortSignal.any([ended, timeout.signal]));
      return conditionsOf(parseJson(text), days);
    } catch (error) {
      if (timeout.signal.aborted) throw new ProviderFailure(`no complete answer within ${TIMEOUT_MS / 1000} s`);
      throw error instanceof ProviderFailure ? error : new ProviderFailure(`not reached${codeOf(error)}`);
    } finally {
      cancel();
    }
  }

  #urlFor(place: WeatherPlace, days: readonly string[]): URL {
    const url = new URL(this.#options.url);
    const { latitude, longitude } = roundedPlace(place);
    const parameters: Readonly<Record<string, string>> = {
      latitude,
      longitude,
      current: Object.keys(currentFields).join(),
      daily: Object.keys(dailyFields).join(),
      timezone: place.timezone,
      start_date: days.at(0) ?? "",
      end_date: days.at(-1) ?? "",
      // The service's own defaults, stated explicitly because the wire promises these units.
      temperature_unit: "celsius",
      wind_speed_unit: "kmh",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    if (this.#options.apiKey !== null) url.searchParams.set("apikey", this.#options.apiKey);
    return url;
  }

  async #request(url: URL, signal: AbortSignal): Promise<string> {
    // Redirects are not followed: they would take the key elsewhere.
    const headers = { accept: "application/json", "user-agent": "Suncrew" };
    const response = await this.#options.fetch(url, { signal, redirect: "manual", headers });
    if (response.status === 200) return readText(response);
    await response.body?.cancel();
    throw new ProviderFailure(`answered ${response.status}`);
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new ProviderFailure(`the answer has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderFailure("the answer is not JSON");
  }
}

/** The system's code for the connection failure, such as ECONNREFUSED; other messages could contain the address. */
function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : "";
}
