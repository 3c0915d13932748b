import { seededRandom } from "../../platform/seeded-random.ts";
import { type Located, surfaceText } from "./conditions.ts";
import type { AirDay, DayHours, WeatherDay } from "./site-hours.repository.ts";

/** A site of which a sample is made up: the same for the same site and day, whenever that is. */
interface SampleSite extends Located {
  readonly siteId: number;
}

const DAY_MS = 86_400_000;

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
