import type { Weather, WeatherAdvice } from "@suncrew/contract/weather/weather.ts";
import { siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { weatherAdvice } from "@suncrew/domain/weather/weather-advice.ts";
import { type Clock, withTimeout } from "../../platform/clock.ts";
import type { Dependencies, Service, Settings } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { ThrottledLog } from "../../platform/throttle.ts";
import { type Conditions, ProviderFailure, roundedPlace, type WeatherPlace, type WeatherSite } from "./conditions.ts";
import { readConditions } from "./open-meteo-conditions.ts";
import { OpenMeteo } from "./open-meteo.ts";
import { sampleConditions } from "./sample-hours.ts";

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

  /** The weather at the site. Throws 503 if it is not available; the log has the reason. */
  async at(site: WeatherSite): Promise<Weather> {
    const { clock, settings } = this.#deps;
    if (settings.weather.provider === "sample") {
      const { delayMs } = settings.weather;
      if (delayMs > 0) await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
      return weatherOf(this.#sample(site), "sample");
    }
    try {
      return weatherOf(await this.#cachedForecast(site), "open-meteo");
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

  #sample(site: WeatherSite): Fetched {
    const at = this.#deps.clock.now();
    return { ...sampleConditions(site, at), at };
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
