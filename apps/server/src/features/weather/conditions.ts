import type { Weather } from "@suncrew/contract/weather/weather.ts";

/** Where and in which time the weather is asked for. */
export interface WeatherPlace {
  /** In decimal degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** IANA zone of the site. */
  readonly timezone: string;
}

export interface WeatherSite extends WeatherPlace {
  readonly siteId: number;
}

/** What a provider knows of a place, whoever it is. */
export type Conditions = Pick<Weather, "current" | "forecast">;

/** Why a provider gave nothing of use. The message is for the log: words of ours, nothing that the provider sent. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
}
