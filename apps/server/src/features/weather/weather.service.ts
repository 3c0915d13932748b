import { FORECAST_DAYS, type Weather, type WeatherAdvice } from "@suncrew/contract/weather/weather.ts";
import { siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { weatherAdvice } from "@suncrew/domain/weather/weather-advice.ts";
import { type Clock, withTimeout } from "../../platform/clock.ts";
import type { Dependencies, Service, Settings } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { ThrottledLog } from "../../platform/throttle.ts";
import {
  type Conditions,
  daysFrom,
  meaningOfCode,
  ProviderFailure,
  roundedPlace,
  type WeatherPlace,
  type WeatherSite,
} from "./conditions.ts";
import { readConditions } from "./open-meteo-conditions.ts";
import { OpenMeteo } from "./open-meteo.ts";

interface ForecastCacheOptions {
  readonly clock: Clock;
  /** How long an answer is reused, in milliseconds. */
  readonly freshMs: number;
  /** How long a failure is reused, so that a service that is down is not hammered. */
  readonly failureMs: number;
  readonly maxEntries: number;
}

interface Entry<T> {
  readonly answer: Promise<T>;
  /** Null while the request is pending. */
  untilMs: number | null;
}

/** Caches answers for a while, in bounded memory; concurrent requests for the same key share one. */
export class ForecastCache<T> {
  readonly #options: ForecastCacheOptions;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: ForecastCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The cached answer or failure, or that of `load`. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const { clock, freshMs, failureMs, maxEntries } = this.#options;
    const known = this.#entries.get(key);
    if (known !== undefined && (known.untilMs === null || clock.monotonicMs() < known.untilMs)) return known.answer;
    const entry: Entry<T> = { answer: load(), untilMs: null };
    entry.answer.then(
      () => (entry.untilMs = clock.monotonicMs() + freshMs),
      () => (entry.untilMs = clock.monotonicMs() + failureMs),
    );
    // A map keeps insertion order: the first is the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > maxEntries && oldest.done !== true) this.#entries.delete(oldest.value);
    return entry.answer;
  }
}

/** §9 Weather: how long the sample takes, in milliseconds. */
export const SAMPLE_DELAY_MS = 500;

/** Dry days first, so that the sample recommends cleaning, and one with rain that does not count any more (§4). */
const days = [
  { code: 0, min_temperature: 24, max_temperature: 36, precipitation_percent: 0, wind_speed: 14 },
  { code: 1, min_temperature: 25, max_temperature: 37, precipitation_percent: 5, wind_speed: 16 },
  { code: 2, min_temperature: 25, max_temperature: 36, precipitation_percent: 20, wind_speed: 18 },
  { code: 3, min_temperature: 26, max_temperature: 34, precipitation_percent: 35, wind_speed: 21 },
  { code: 61, min_temperature: 24, max_temperature: 31, precipitation_percent: 70, wind_speed: 26 },
  { code: 2, min_temperature: 23, max_temperature: 33, precipitation_percent: 25, wind_speed: 17 },
  { code: 0, min_temperature: 23, max_temperature: 35, precipitation_percent: 5, wind_speed: 12 },
];

/** The fixed forecast of the demo, dated from the site's `today` on; the same for every site. */
function sampleForecast(today: string): Conditions {
  const dates = daysFrom(today, FORECAST_DAYS);
  return {
    current: { temperature: 34, ...meaningOfCode(0), humidity: 28, wind_speed: 12, pressure: 1006 },
    forecast: days.map(({ code, ...day }, index) => ({ date: dates[index] ?? today, ...meaningOfCode(code), ...day })),
  };
}

const FRESH_MS = 1_800_000;
const FAILURE_MS = 5_000;
const MAX_PLACES = 2_000;
/** How long a due run waits for the weather at most, in milliseconds. */
const ADVICE_TIMEOUT_MS = 3_000;

interface ForecastsDependencies extends Pick<Dependencies, "clock" | "log" | "fetch"> {
  readonly settings: Pick<Settings, "weather">;
}

interface Fetched extends Conditions {
  readonly at: Date;
}

/** The weather at sites, from the provider that the settings name. */
export class Forecasts implements Service {
  readonly #deps: ForecastsDependencies;
  /** Null for the sample. */
  readonly #read: ((place: WeatherPlace, today: string) => Promise<Conditions>) | null;
  readonly #cache: ForecastCache<Fetched>;
  readonly #log: ThrottledLog;
  #shutdown = new AbortController();

  constructor(deps: ForecastsDependencies) {
    const { clock } = deps;
    this.#deps = deps;
    this.#log = new ThrottledLog(deps.log, clock);
    this.#read = this.#reader();
    this.#cache = new ForecastCache({ clock, freshMs: FRESH_MS, failureMs: FAILURE_MS, maxEntries: MAX_PLACES });
  }

  #reader() {
    const { clock, settings, fetch: ask = fetch } = this.#deps;
    if (settings.weather.provider === "sample") return null;
    const { url, apiKey } = settings.weather;
    const openMeteo = new OpenMeteo({ apiKey, clock, fetch: ask });
    return (place: WeatherPlace, today: string) => readConditions(openMeteo, url, place, today, this.#shutdown.signal);
  }

  async start(): Promise<void> {
    this.#shutdown = new AbortController();
  }

  async stop(): Promise<void> {
    this.#shutdown.abort();
    await this.#log.stop();
  }

  /** The weather at the place. Throws 503 if it is not available; the log has the reason. */
  async at(place: WeatherPlace): Promise<Weather> {
    const { clock, settings } = this.#deps;
    if (settings.weather.provider === "sample") {
      const { delayMs } = settings.weather;
      if (delayMs > 0) await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
      return weatherOf(this.#sample(place), "sample");
    }
    try {
      return weatherOf(await this.#cachedForecast(place), "open-meteo");
    } catch {
      throw new HttpError(503, "WEATHER_UNAVAILABLE", "The weather is not available at the moment. Please try again.");
    }
  }

  /**
   * What the weather at the site says about cleaning today (§4), for a due run: null if it is not available within 3 s.
   * Never throws, and adds no delay for the sample.
   */
  async adviceFor(site: WeatherSite): Promise<WeatherAdvice | null> {
    if (this.#read === null) return weatherAdvice(this.#sample(site).forecast);
    const advice = this.#cachedForecast(site).then(
      ({ forecast }) => weatherAdvice(forecast),
      () => null,
    );
    return withTimeout(this.#deps.clock, advice, ADVICE_TIMEOUT_MS);
  }

  #sample(place: WeatherPlace): Fetched {
    const at = this.#deps.clock.now();
    return { ...sampleForecast(siteToday(place.timezone, at)), at };
  }

  /** Cached by rounded place and by the site's day, so that no forecast outlives its first day. */
  #cachedForecast(place: WeatherPlace): Promise<Fetched> {
    const today = siteToday(place.timezone, this.#deps.clock.now());
    const { latitude, longitude } = roundedPlace(place);
    return this.#cache.get(`${latitude} ${longitude} ${place.timezone} ${today}`, () => this.#fetch(place, today));
  }

  async #fetch(place: WeatherPlace, today: string): Promise<Fetched> {
    const { clock } = this.#deps;
    try {
      if (this.#read === null) throw new ProviderFailure("no provider");
      return { ...(await this.#read(place, today)), at: clock.now() };
    } catch (error) {
      const reason = error instanceof ProviderFailure ? error.message : "unexpected";
      if (!this.#shutdown.signal.aborted) {
        this.#log.warn({ provider: "open-meteo", reason }, "the weather forecast could not be fetched", reason);
      }
      throw error;
    }
  }
}

function weatherOf({ at, current, forecast }: Fetched, source: Weather["source"]): Weather {
  return { current, forecast, advice: weatherAdvice(forecast), source, fetched_at: at.toISOString() };
}
