import { FORECAST_DAYS } from "@suncrew/contract/weather/weather.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Conditions, ProviderFailure, type WeatherPlace } from "./conditions.ts";
import { conditionsOf, CURRENT_FIELDS, DAILY_FIELDS } from "./open-meteo-answer.ts";
import { daysFrom } from "./site-days.ts";

/** Until the last byte, in milliseconds: well under the 10 s after which the console gives up (§9). */
const LIMIT_MS = 5_000;
/** An answer has some 2 kB. */
const MAX_BYTES = 65_536;
/** Some 1 km: sites beside each other share an answer, and no more is told of where they are. */
const DECIMALS = 2;

export interface OpenMeteoOptions {
  /** Address of the forecast call. */
  readonly url: string;
  /** Of the paid service; null without one. Goes out in the request and nowhere else. */
  readonly apiKey: string | null;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

/** The rounded place as it is asked for: equal texts get equal answers. */
export function placeAsAsked(place: WeatherPlace): { latitude: string; longitude: string } {
  return { latitude: place.latitude.toFixed(DECIMALS), longitude: place.longitude.toFixed(DECIMALS) };
}

/** Asks Open-Meteo, or a service that answers like it, for one place. */
export class OpenMeteo {
  readonly #options: OpenMeteoOptions;

  constructor(options: OpenMeteoOptions) {
    this.#options = options;
  }

  /**
   * Conditions from the site's `today` on. `ended` gives up at once, as the server's end does.
   * @throws ProviderFailure for any answer but a right one within the limits of time and size.
   */
  async read(place: WeatherPlace, today: string, ended: AbortSignal): Promise<Conditions> {
    const { clock } = this.#options;
    const days = daysFrom(today, FORECAST_DAYS);
    const late = new AbortController();
    const cancel = clock.after(LIMIT_MS, () => late.abort());
    try {
      const text = await this.#ask(this.#urlFor(place, days), AbortSignal.any([ended, late.signal]));
      return conditionsOf(parseJson(text), days);
    } catch (error) {
      if (late.signal.aborted) throw new ProviderFailure(`no whole answer within ${LIMIT_MS / 1000} s`);
      throw error instanceof ProviderFailure ? error : new ProviderFailure(`not reached${codeOf(error)}`);
    } finally {
      cancel();
    }
  }

  #urlFor(place: WeatherPlace, days: readonly string[]): URL {
    const url = new URL(this.#options.url);
    const { latitude, longitude } = placeAsAsked(place);
    const asked: Readonly<Record<string, string>> = {
      latitude,
      longitude,
      current: CURRENT_FIELDS.join(),
      daily: DAILY_FIELDS.join(),
      timezone: place.timezone,
      start_date: days.at(0) ?? "",
      end_date: days.at(-1) ?? "",
      // The service's own defaults, said anyway: the wire promises these units.
      temperature_unit: "celsius",
      wind_speed_unit: "kmh",
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    if (this.#options.apiKey !== null) url.searchParams.set("apikey", this.#options.apiKey);
    return url;
  }

  async #ask(url: URL, signal: AbortSignal): Promise<string> {
    // A redirect is not followed: it would take the key to another place.
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

/** The system's word for why there is no connection, such as ECONNREFUSED; other messages could hold the address. */
function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : "";
}
