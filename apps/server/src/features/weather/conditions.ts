import type { Weather, WeatherIcon } from "@suncrew/contract/weather/weather.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

export interface WeatherPlace extends Place {
  /** IANA zone of the site. */
  readonly timezone: string;
}

/** Where a site is, and how its panels lie. */
export interface Located extends Place {
  /** Null where it is not known. */
  readonly tilt_degrees: number | null;
  /** By the compass: 180 is south. */
  readonly azimuth_degrees: number | null;
}

export interface WeatherSite extends WeatherPlace {
  readonly siteId: number;
}

export type Conditions = Pick<Weather, "current" | "forecast">;

/** Why a provider gave no usable answer. The message is for the log: our own text, nothing that the provider sent. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
}

/** About 1 km: neighbouring sites share an answer, and their exact place is not disclosed. */
const DECIMALS = 2;

/** The rounded place as it is requested: equal texts get equal answers. */
export function roundedPlace({ latitude, longitude }: Place): { latitude: string; longitude: string } {
  return { latitude: latitude.toFixed(DECIMALS), longitude: longitude.toFixed(DECIMALS) };
}

export function placeText(site: Place): string {
  return Object.values(roundedPlace(site)).join(" ");
}

/** Null where tilt or azimuth is not known. */
export function surfaceText({ tilt_degrees: tilt, azimuth_degrees: azimuth }: Located): string | null {
  return tilt === null || azimuth === null ? null : `${tilt} ${azimuth}`;
}

interface CodeMeaning {
  readonly description: string;
  readonly icon: WeatherIcon;
  /** Only if the icon differs at night. */
  readonly nightIcon?: WeatherIcon;
}

/** Descriptions of the WMO weather codes (table 4677) that forecasts use. */
const meanings: ReadonlyMap<number, CodeMeaning> = new Map<number, CodeMeaning>([
  [0, { description: "Clear sky", icon: "clear", nightIcon: "clear-night" }],
  [1, { description: "Mainly clear", icon: "clear", nightIcon: "clear-night" }],
  [2, { description: "Partly cloudy", icon: "partly-cloudy", nightIcon: "partly-cloudy-night" }],
  [3, { description: "Overcast", icon: "cloudy" }],
  [45, { description: "Fog", icon: "fog" }],
  [48, { description: "Freezing fog", icon: "fog" }],
  [51, { description: "Light drizzle", icon: "drizzle" }],
  [53, { description: "Drizzle", icon: "drizzle" }],
  [55, { description: "Heavy drizzle", icon: "drizzle" }],
  [56, { description: "Light freezing drizzle", icon: "drizzle" }],
  [57, { description: "Freezing drizzle", icon: "drizzle" }],
  [61, { description: "Light rain", icon: "rain" }],
  [63, { description: "Rain", icon: "rain" }],
  [65, { description: "Heavy rain", icon: "rain" }],
  [66, { description: "Light freezing rain", icon: "rain" }],
  [67, { description: "Freezing rain", icon: "rain" }],
  [71, { description: "Light snow", icon: "snow" }],
  [73, { description: "Snow", icon: "snow" }],
  [75, { description: "Heavy snow", icon: "snow" }],
  [77, { description: "Snow grains", icon: "snow" }],
  [80, { description: "Light showers", icon: "rain" }],
  [81, { description: "Showers", icon: "rain" }],
  [82, { description: "Violent showers", icon: "rain" }],
  [85, { description: "Light snow showers", icon: "snow" }],
  [86, { description: "Snow showers", icon: "snow" }],
  [95, { description: "Thunderstorm", icon: "thunderstorm" }],
  [96, { description: "Thunderstorm with hail", icon: "thunderstorm" }],
  [99, { description: "Thunderstorm with heavy hail", icon: "thunderstorm" }],
]);

const unknown: CodeMeaning = { description: "No description", icon: "unknown" };

export function meaningOfCode(
  code: number,
  isDay = true,
): { readonly description: string; readonly icon: WeatherIcon } {
  const { description, icon, nightIcon } = meanings.get(code) ?? unknown;
  return { description, icon: isDay ? icon : (nightIcon ?? icon) };
}

/** Days in UTC or of a site's calendar, both included. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
}

export function daysOf({ first, last }: DayRange): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** `count` days, beginning with that one. */
export function daysFrom(day: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(day, index));
}
