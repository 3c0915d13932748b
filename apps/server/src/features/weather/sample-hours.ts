import { FORECAST_DAYS } from "@suncrew/contract/weather/weather.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { siteToday, startOfDay } from "@suncrew/domain/schedules/site-time.ts";
import { seededRandom } from "../../platform/seeded-random.ts";
import { type Conditions, daysFrom, type Located, meaningOfCode, surfaceText, type WeatherSite } from "./conditions.ts";
import type { AirDay, DayHours, WeatherDay } from "./site-hours.repository.ts";

/** A site of which a sample is made up: the same for the same site and day, whenever that is. */
interface SampleSite extends Located {
  readonly siteId: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A dusty year in India, with less dust while it rains. */
export function sampleAirDay({ siteId }: Pick<SampleSite, "siteId">, day: string): AirDay {
  const random = seededRandom(`air ${siteId} ${day}`);
  const between = (low: number, high: number) => low + (high - low) * random();
  // Most in May.
  const season = isMonsoon(day) ? 0 : 0.5 + 0.5 * cosineOfYear(day, 135);
  const pm10 = 105 + 70 * season + between(0, 20);
  const fineShare = between(0.39, 0.41);
  // In the evening the air is still; a little more of it than in the afternoon.
  const hours = eachHour((hour) => pm10 * (1 + 0.1 * Math.cos(((hour - 16) / 12) * Math.PI)));
  return { day, pm2_5: rounded(hours.map((value) => value * fineShare)), pm10: rounded(hours) };
}

/** Its weather: a monsoon from July to September, few showers otherwise. */
export function sampleWeatherDay(site: SampleSite, day: string): WeatherDay {
  const random = seededRandom(`weather ${site.siteId} ${day}`);
  const between = (low: number, high: number) => low + (high - low) * random();
  const isWet = random() < (isMonsoon(day) ? 0.4 : 0.025);
  const [rainBegins, rainHours, rain] = [Math.floor(between(6, 15)), Math.floor(between(1, 5)), between(0.8, 9)];
  const isRaining = (hour: number) => isWet && hour >= rainBegins && hour < rainBegins + rainHours;
  const clearness = isWet ? between(0.35, 0.65) : isMonsoon(day) ? between(0.6, 0.9) : between(0.88, 1);
  const gustiness = between(14, 30);
  const mean = 28 + 5.5 * cosineOfYear(day, 140) + between(-1.5, 1.5);
  // By the sun, in the middle of the hour that ends then.
  const sunHour = (hour: number) => (hour - 0.5 + site.longitude / 15 + 24) % 24;
  const warmth = (hour: number) => Math.cos(((sunHour(hour) - 14.5) / 12) * Math.PI);
  const height = (hour: number) => Math.max(0, Math.sin(((sunHour(hour) - 6) / 12) * Math.PI));
  const peak = 930 + 60 * cosineOfYear(day, 105);
  return {
    day,
    rain_mm: rounded(eachHour((hour) => (isRaining(hour) ? rain * between(0.6, 1.4) : 0))),
    gust_kmh: rounded(eachHour((hour) => gustiness * (1 + 0.25 * warmth(hour)) + (isRaining(hour) ? 7 : 0))),
    temperature_c: rounded(eachHour((hour) => Math.max(15, mean + 6 * warmth(hour) - (isRaining(hour) ? 3 : 0)))),
    irradiance_w_m2:
      surfaceText(site) === null
        ? eachHour(() => null)
        : rounded(eachHour((hour) => peak * clearness * height(hour) ** 1.15)),
  };
}

interface SampleHour {
  readonly endsAtMs: number;
  readonly rain: number;
  readonly gust: number;
  readonly temperature: number;
  /** In W/m². */
  readonly sun: number;
}

/** The wind between its gusts, as a share of them. */
const STEADY = 0.6;
/** WMO codes. */
const [CLEAR, PARTLY_CLOUDY, OVERCAST, RAIN, LIGHT_RAIN] = [0, 2, 3, 63, 61];

/** The forecast that people are shown: of the same hours, by the days of the site. */
export function sampleConditions(site: WeatherSite, now: Date): Conditions {
  const today = siteToday(site.timezone, now);
  const hours = daysFrom(addDays(today, -1), FORECAST_DAYS + 2).flatMap((day) => hoursOf(site, day));
  const forecast = daysFrom(today, FORECAST_DAYS).map((date) => {
    const from = startOfDay(date, site.timezone).getTime();
    const to = startOfDay(addDays(date, 1), site.timezone).getTime();
    const ofDay = hours.filter(({ endsAtMs }) => endsAtMs > from && endsAtMs <= to);
    const chance = seededRandom(`chance of rain ${site.siteId} ${date}`)();
    const temperatures = ofDay.map(({ temperature }) => temperature);
    return {
      date,
      ...meaningOfCode(skyOf(ofDay)),
      min_temperature: Math.min(...temperatures),
      max_temperature: Math.max(...temperatures),
      precipitation_percent: Math.round(ofDay.some(({ rain }) => rain > 0) ? 60 + 35 * chance : 30 * chance),
      wind_speed: Math.round(STEADY * Math.max(...ofDay.map(({ gust }) => gust))),
    };
  });
  const hour = hours.find(({ endsAtMs }) => endsAtMs > now.getTime());
  if (hour === undefined) throw new Error("No hour of the sample is now.");
  const { temperature, rain, gust, sun } = hour;
  const description = rain > 0 ? meaningOfCode(LIGHT_RAIN) : meaningOfCode(CLEAR, sun > 0);
  const humidity = rain > 0 ? 88 : Math.round(Math.min(80, Math.max(15, 95 - 2 * temperature)));
  const current = { temperature, ...description, humidity, wind_speed: Math.round(STEADY * gust), pressure: 1006 };
  return { current, forecast };
}

/** Of a flat surface, so that the sun is known whatever the panels are. */
function hoursOf(site: WeatherSite, day: string): SampleHour[] {
  const weather = sampleWeatherDay({ ...site, tilt_degrees: 0, azimuth_degrees: 180 }, day);
  return eachHour((hour) => ({
    endsAtMs: Date.parse(day) + hour * HOUR_MS,
    rain: weather.rain_mm[hour] ?? 0,
    gust: weather.gust_kmh[hour] ?? 0,
    temperature: weather.temperature_c[hour] ?? 0,
    sun: weather.irradiance_w_m2[hour] ?? 0,
  }));
}

/** By what falls, and by the brightest hour. */
function skyOf(hours: readonly SampleHour[]): number {
  const millimetres = hours.reduce((sum, { rain }) => sum + rain, 0);
  if (millimetres > 0) return millimetres > 10 ? RAIN : LIGHT_RAIN;
  const brightest = Math.max(...hours.map(({ sun }) => sun));
  return brightest > 760 ? CLEAR : brightest > 650 ? PARTLY_CLOUDY : OVERCAST;
}

function isMonsoon(day: string): boolean {
  return ["07", "08", "09"].includes(day.slice(5, 7));
}

/** 1 on that day of the year, -1 half a year later. */
function cosineOfYear(day: string, of: number): number {
  const dayOfYear = (Date.parse(day) - Date.parse(`${day.slice(0, 4)}-01-01`)) / DAY_MS;
  return Math.cos(((dayOfYear - of) / 365) * 2 * Math.PI);
}

function eachHour<T>(value: (hour: number) => T): T[] {
  return Array.from({ length: 24 }, (_, hour) => value(hour));
}

function rounded(values: readonly number[]): DayHours {
  return values.map((value) => Math.round(value * 10) / 10);
}
