import type { Weather, WeatherAdvice } from "@suncrew/contract/weather/weather.ts";
import { weatherAdvice } from "@suncrew/domain/weather/weather-advice.ts";
import { withTimeout } from "../../platform/clock.ts";
import { ThrottledLog } from "../../platform/throttle.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Dependencies, Service, Settings } from "../../platform/dependencies.ts";
import { AnswerCache } from "./answer-cache.ts";
import { type Conditions, ProviderFailure, type WeatherPlace, type WeatherSite } from "./conditions.ts";
import { OpenMeteo, placeAsAsked } from "./open-meteo.ts";
import { sampleForecast } from "./sample-forecast.ts";
import { siteDayOf } from "./site-days.ts";

const FRESH_MS = 1_800_000;
const FAILURE_MS = 5_000;
const MAX_PLACES = 2_000;
/** A run that is due does not wait longer for the weather, in milliseconds. */
const ADVICE_LIMIT_MS = 3_000;

export interface ForecastsDependencies extends Pick<Dependencies, "clock" | "log" | "fetch"> {
  readonly settings: Pick<Settings, "weather">;
}

interface Fetched extends Conditions {
  readonly at: Date;
}

/** The weather at sites, of the provider that the settings name. */
export class Forecasts implements Service {
  readonly #deps: ForecastsDependencies;
  readonly #openMeteo: OpenMeteo | null;
  readonly #cache: AnswerCache<Fetched>;
  readonly #log: ThrottledLog;
  #ended = new AbortController();

  constructor(deps: ForecastsDependencies) {
    const { clock, settings } = deps;
    this.#deps = deps;
    this.#log = new ThrottledLog(deps.log, clock);
    this.#openMeteo =
      settings.weather.provider === "open-meteo"
        ? new OpenMeteo({ ...settings.weather, clock, fetch: deps.fetch ?? fetch })
        : null;
    this.#cache = new AnswerCache({ clock, freshMs: FRESH_MS, failureMs: FAILURE_MS, maxEntries: MAX_PLACES });
  }

  async start(): Promise<void> {
    this.#ended = new AbortController();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#log.stop();
  }

  /** The weather at the place. Throws 503 where it cannot be had; then the log has the reason. */
  async at(place: WeatherPlace): Promise<Weather> {
    const { clock, settings } = this.#deps;
    if (settings.weather.provider === "sample") {
      await wait(clock, settings.weather.delayMs);
      return weatherOf(this.#sample(place), "sample");
    }
    try {
      return weatherOf(await this.#fetched(place), "open-meteo");
    } catch {
      throw new HttpError(503, "The weather cannot be had at the moment. Please try again.");
    }
  }

  /**
   * What the weather at the site says about cleaning today (§4), for a run that is due: null where it cannot be had
   * within 3 s. Never throws, and does not wait for a sample.
   */
  async adviceFor(site: WeatherSite): Promise<WeatherAdvice | null> {
    if (this.#openMeteo === null) return weatherAdvice(this.#sample(site).forecast);
    const advice = this.#fetched(site).then(
      ({ forecast }) => weatherAdvice(forecast),
      () => null,
    );
    return withTimeout(this.#deps.clock, advice, ADVICE_LIMIT_MS);
  }

  #sample(place: WeatherPlace): Fetched {
    const at = this.#deps.clock.now();
    return { ...sampleForecast(siteDayOf(at, place.timezone)), at };
  }

  /** Kept for a while by rounded place and by the site's day, so that no forecast outlives the day it begins with. */
  #fetched(place: WeatherPlace): Promise<Fetched> {
    const today = siteDayOf(this.#deps.clock.now(), place.timezone);
    const { latitude, longitude } = placeAsAsked(place);
    return this.#cache.get(`${latitude} ${longitude} ${place.timezone} ${today}`, () => this.#ask(place, today));
  }

  async #ask(place: WeatherPlace, today: string): Promise<Fetched> {
    const { clock } = this.#deps;
    try {
      if (this.#openMeteo === null) throw new ProviderFailure("no provider");
      return { ...(await this.#openMeteo.read(place, today, this.#ended.signal)), at: clock.now() };
    } catch (error) {
      const reason = error instanceof ProviderFailure ? error.message : "unexpected";
      if (!this.#ended.signal.aborted) {
        this.#log.warn({ provider: "open-meteo", reason }, "the weather could not be had", reason);
      }
      throw error;
    }
  }
}

function weatherOf({ at, current, forecast }: Fetched, source: Weather["source"]): Weather {
  return { current, forecast, advice: weatherAdvice(forecast), source, fetched_at: at.toISOString() };
}

function wait(clock: Dependencies["clock"], ms: number): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => void clock.after(ms, resolve));
}
