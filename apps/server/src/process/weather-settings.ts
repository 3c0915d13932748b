import { SAMPLE_DELAY_MS } from "../features/weather/public.ts";
import type { WeatherSettings } from "../platform/dependencies.ts";
import { isLoopback } from "../platform/network.ts";

const OPEN_METEO = "https://api.open-meteo.com/v1/forecast";
/** Where Open-Meteo takes a key. */
const OPEN_METEO_PAID = "https://customer-api.open-meteo.com/v1/forecast";

export interface WeatherChoice {
  readonly provider: WeatherSettings["provider"];
  /** Null where they were not set. */
  readonly url: string | null;
  readonly apiKey: string | null;
}

export function weatherSettings({ provider, url, apiKey }: WeatherChoice): WeatherSettings {
  if (provider === "sample") return { provider, delayMs: SAMPLE_DELAY_MS };
  return { provider, url: url ?? (apiKey === null ? OPEN_METEO : OPEN_METEO_PAID), apiKey };
}

/** True for an address to which question and key can be added: what stands in it already could end in a log. */
export function isBareAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === "");
}

/** True where the key would travel unencrypted beyond this machine. */
export function givesKeyAway(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !isLoopback(hostname);
}
