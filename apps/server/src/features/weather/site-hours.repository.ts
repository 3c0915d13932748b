import type { WeatherSource } from "@suncrew/contract/weather/weather.ts";
import { type RawBuilder, sql } from "kysely";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";
import { type Located, placeText, surfaceText } from "./conditions.ts";

/** Air and weather at a site in the hour that ends at `at`. Null is what the provider does not know. */
export interface SiteHour {
  readonly at: Date;
  /** Particles in micrograms per cubic metre. */
  readonly pm2_5: number | null;
  readonly pm10: number | null;
  readonly rain_mm: number | null;
  readonly gust_kmh: number | null;
  readonly temperature_c: number | null;
  /** Mean of the hour on a surface tilted as the site's panels are; null where tilt or azimuth is not known. */
  readonly irradiance_w_m2: number | null;
  /** When the provider last said so; null without an answer. */
  readonly air_received_at: Date | null;
  readonly weather_received_at: Date | null;
  /** `sample` if any of it is made up. */
  readonly source: WeatherSource;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The known hours of a site that end after `from` and by `to`, in order. */
export async function readSiteHours(db: Executor, siteId: number, from: Date, to: Date): Promise<SiteHour[]> {
  return (await readHoursOfSites(db, [siteId], from, to)).get(siteId) ?? [];
}

/**
 * The same of several sites, as they were received last. What was received for another place or tilt than the site has
 * now is left out.
 */
export async function readHoursOfSites(
  db: Executor,
  siteIds: readonly number[],
  from: Date,
  to: Date,
): Promise<Map<number, SiteHour[]>> {
  const [firstDay, lastDay] = [dayOf(from), dayOf(to)];
  const sites = await db
    .selectFrom("sites")
    .select(["id", "latitude", "longitude", "tilt_degrees", "azimuth_degrees"])
    .where("id", "=", anyInt(siteIds))
    .execute();
  const airs = await db
    .selectFrom("site_air_days")
    .select(["site_id", "day", "place", "source", "confirmed_at", "pm2_5", "pm10"])
    .where("site_id", "=", anyInt(siteIds))
    .where("day", ">=", firstDay)
    .where("day", "<=", lastDay)
    .where("superseded_at", "is", null)
    .execute();
  const weathers = await db
    .selectFrom("site_weather_days")
    .select(["site_id", "day", "place", "surface", "source", "confirmed_at"])
    .select(["rain_mm", "gust_kmh", "temperature_c", "irradiance_w_m2"])
    .where("site_id", "=", anyInt(siteIds))
    .where("day", ">=", firstDay)
    .where("day", "<=", lastDay)
    .where("superseded_at", "is", null)
    .execute();
  const airOf = new Map(airs.map((air) => [`${air.site_id} ${air.day}`, air]));
  const weatherOf = new Map(weathers.map((weather) => [`${weather.site_id} ${weather.day}`, weather]));
  return new Map(sites.map((site) => [site.id, hoursOf(site)]));

  function hoursOf(site: Located & { readonly id: number }): SiteHour[] {
    const [place, surface] = [placeText(site), surfaceText(site)];
    const hours: SiteHour[] = [];
    for (let day = Date.parse(firstDay); day <= Date.parse(lastDay); day += DAY_MS) {
      const key = `${site.id} ${dayOf(new Date(day))}`;
      const air = ofPlace(airOf.get(key), place);
      const weather = ofPlace(weatherOf.get(key), place);
      if (air === null && weather === null) continue;
      const source = air?.source === "sample" || weather?.source === "sample" ? "sample" : "open-meteo";
      for (let hour = 0; hour < 24; hour += 1) {
        const at = new Date(day + hour * HOUR_MS);
        if (at <= from || at > to) continue;
        hours.push({
          at,
          pm2_5: air?.pm2_5[hour] ?? null,
          pm10: air?.pm10[hour] ?? null,
          rain_mm: weather?.rain_mm[hour] ?? null,
          gust_kmh: weather?.gust_kmh[hour] ?? null,
          temperature_c: weather?.temperature_c[hour] ?? null,
          irradiance_w_m2: weather?.surface === surface ? (weather?.irradiance_w_m2[hour] ?? null) : null,
          air_received_at: air?.confirmed_at ?? null,
          weather_received_at: weather?.confirmed_at ?? null,
          source,
        });
      }
    }
    return hours;
  }
}

function ofPlace<T extends { readonly place: string }>(row: T | undefined, place: string): T | null {
  return row?.place === place ? row : null;
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** 24 values of a day in UTC; that of hour h belongs to the hour that ends at h:00. */
export type DayHours = readonly (number | null)[];

export interface AirDay {
  readonly day: string;
  readonly pm2_5: DayHours;
  readonly pm10: DayHours;
}

export interface WeatherDay {
  readonly day: string;
  readonly rain_mm: DayHours;
  readonly gust_kmh: DayHours;
  readonly temperature_c: DayHours;
  readonly irradiance_w_m2: DayHours;
}

/** Whose answer it is, and for where. */
interface Received {
  readonly siteId: number;
  readonly source: WeatherSource;
  readonly place: string;
  readonly at: Date;
}

/** Stores days as received. Returns how many are new or other than before. */
export async function storeAirDays(tx: Tx, { siteId, source, place, at }: Received, days: readonly AirDay[]) {
  const columns = { source: "text", place: "text", pm2_5: "real[]", pm10: "real[]" };
  return storeDays(
    tx,
    "site_air_days",
    columns,
    { siteId, at },
    days.map((day) => ({ source, place, ...day })),
  );
}

export async function storeWeatherDays(
  tx: Tx,
  received: Received & { readonly surface: string | null; readonly archived: boolean },
  days: readonly WeatherDay[],
) {
  const { siteId, source, place, surface, archived, at } = received;
  const columns = {
    source: "text",
    place: "text",
    surface: "text",
    archived: "boolean",
    rain_mm: "real[]",
    gust_kmh: "real[]",
    temperature_c: "real[]",
    irradiance_w_m2: "real[]",
  };
  const rows = days.map((day) => ({ source, place, surface, archived, ...day }));
  return storeDays(tx, "site_weather_days", columns, { siteId, at }, rows);
}

/** What is the same as before is confirmed; what differs supersedes it. */
async function storeDays(
  tx: Tx,
  tableName: "site_air_days" | "site_weather_days",
  columns: Readonly<Record<string, string>>,
  { siteId, at }: { readonly siteId: number; readonly at: Date },
  rows: readonly object[],
): Promise<number> {
  const table = sql.table(tableName);
  const names = Object.keys(columns);
  const typed = Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
  const given = sql`json_to_recordset(${JSON.stringify(rows)}::json) as g (day date, ${sql.join(typed)})`;
  const of = (alias: string): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(`${alias}.${name}`)));
  const isSame = sql`(${of("d")}) is not distinct from (${of("g")})`;
  await sql`
    update ${table} d set confirmed_at = case when ${isSame} then ${at}::timestamptz else d.confirmed_at end,
      superseded_at = case when not (${isSame}) then ${at}::timestamptz end
    from ${given} where d.site_id = ${siteId} and d.day = g.day and d.superseded_at is null`.execute(tx);
  // A day that another server stores at this moment is left to it.
  const { numAffectedRows } = await sql`
    insert into ${table} (site_id, day, received_at, confirmed_at, ${sql.join(names.map((name) => sql.ref(name)))})
    select ${siteId}, g.day, ${at}, ${at}, ${of("g")} from ${given}
    where not exists (select from ${table} d where d.site_id = ${siteId} and d.day = g.day and d.superseded_at is null)
    on conflict do nothing`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
