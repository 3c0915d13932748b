import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fixtures } from "../../../test/fixtures.ts";
import { createSeededDatabase } from "../../../test/test-database.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { placeText } from "./conditions.ts";
import {
  type AirDay,
  readHoursOfSites,
  readSiteHours,
  storeAirDays,
  storeWeatherDays,
  type WeatherDay,
} from "./site-hours.repository.ts";

let database: OpenDatabase;
let fixtures: Fixtures;
let site: { siteId: number; place: string };
beforeEach(async () => {
  ({ database, fixtures } = await createSeededDatabase());
  site = { siteId: fixtures.ownSiteId, place: await placeOf(fixtures.ownSiteId) };
});
afterEach(() => database.close());

async function placeOf(siteId: number): Promise<string> {
  const { latitude, longitude } = await database.db
    .selectFrom("sites")
    .select(["latitude", "longitude"])
    .where("id", "=", siteId)
    .executeTakeFirstOrThrow();
  return placeText({ latitude, longitude });
}

const at = (text: string) => new Date(`2026-06-${text}:00Z`);
const each = (value: (hour: number) => number | null) => Array.from({ length: 24 }, (_, hour) => value(hour));
const airDay = (day: string, pm10 = 120): AirDay => ({
  day: `2026-06-${day}`,
  pm2_5: each((hour) => 40.1 + hour),
  pm10: each(() => pm10),
});
const weatherDay = (day: string, changes: Partial<WeatherDay> = {}): WeatherDay => ({
  day: `2026-06-${day}`,
  rain_mm: each((hour) => (hour === 5 ? 1.2 : 0)),
  gust_kmh: each((hour) => (hour === 7 ? null : 20 + hour)),
  temperature_c: each(() => 31.4),
  irradiance_w_m2: each(() => null),
  ...changes,
});

const storeAir = (received: string, days: readonly AirDay[], of: Partial<typeof site> = {}) =>
  database.db
    .transaction()
    .execute((tx) => storeAirDays(tx, { ...site, ...of, source: "open-meteo", at: at(received) }, days));
const storeWeather = (received: string, days: readonly WeatherDay[], surface: string | null = null) =>
  database.db
    .transaction()
    .execute((tx) =>
      storeWeatherDays(tx, { ...site, source: "open-meteo", surface, archived: false, at: at(received) }, days),
    );
const hours = (from: string, to: string) => readSiteHours(database.db, site.siteId, at(from), at(to));

describe("hours of air and weather at a site", () => {
  test("are those that end after the first instant and by the last, with what is not known as null", async () => {
    await storeAir("15T06:30", [airDay("14"), airDay("15")]);
    await storeWeather("15T07:00", [weatherDay("15")]);
    const known = await hours("14T22:00", "15T07:00");
    expect(known.map((hour) => hour.at.toISOString().slice(8, 13))).toEqual([
      "14T23",
      "15T00",
      "15T01",
      "15T02",
      "15T03",
      "15T04",
      "15T05",
      "15T06",
      "15T07",
    ]);
    expect(known[0]).toEqual({
      at: at("14T23:00"),
      pm2_5: 63.1,
      pm10: 120,
      rain_mm: null,
      gust_kmh: null,
      temperature_c: null,
      irradiance_w_m2: null,
      air_received_at: at("15T06:30"),
      weather_received_at: null,
      source: "open-meteo",
    });
    expect(known[6]).toMatchObject({ rain_mm: 1.2, gust_kmh: 25, weather_received_at: at("15T07:00") });
    expect(known[8]).toMatchObject({ rain_mm: 0, gust_kmh: null, temperature_c: 31.4 });
  });

  test("without anything received there are none, neither are those of another site", async () => {
    await storeAir("15T06:30", [airDay("15")], {
      siteId: fixtures.secondSiteId,
      place: await placeOf(fixtures.secondSiteId),
    });
    expect(await hours("14T00:00", "16T00:00")).toEqual([]);
    const both = await readHoursOfSites(
      database.db,
      [fixtures.ownSiteId, fixtures.secondSiteId],
      at("14T00:00"),
      at("16T00:00"),
    );
    expect([...both].map(([siteId, list]) => [siteId, list.length])).toEqual(
      expect.arrayContaining([
        [fixtures.ownSiteId, 0],
        [fixtures.secondSiteId, 24],
      ]),
    );
  });

  test("another answer supersedes the former, whose values stay as received", async () => {
    expect(await storeAir("15T06:30", [airDay("14", 90), airDay("15", 100)])).toBe(2);
    expect(await storeAir("15T09:30", [airDay("14", 90), airDay("15", 140)])).toBe(1);
    const [first] = await hours("15T01:00", "15T02:00");
    expect(first).toMatchObject({ pm10: 140, air_received_at: at("15T09:30") });
    const rows = await database.db
      .selectFrom("site_air_days")
      .select(["day", "received_at", "confirmed_at", "superseded_at", "pm10"])
      .orderBy("day")
      .orderBy("received_at")
      .execute();
    expect(
      rows.map(({ pm10, ...row }) => [row.day.slice(8), pm10[3], row.received_at, row.confirmed_at, row.superseded_at]),
    ).toEqual([
      ["14", 90, at("15T06:30"), at("15T09:30"), null],
      ["15", 100, at("15T06:30"), at("15T06:30"), at("15T09:30")],
      ["15", 140, at("15T09:30"), at("15T09:30"), null],
    ]);
  });

  test("the same answer adds no row, but is newer", async () => {
    await storeWeather("15T06:30", [weatherDay("15")]);
    expect(await storeWeather("15T09:30", [weatherDay("15")])).toBe(0);
    expect(await hours("15T01:00", "15T02:00")).toMatchObject([{ weather_received_at: at("15T09:30") }]);
    expect(await storeWeather("15T12:30", [weatherDay("15", { rain_mm: each(() => null) })])).toBe(1);
    expect(await hours("15T01:00", "15T02:00")).toMatchObject([{ rain_mm: null }]);
  });

  test("what was received for another place is not the site's", async () => {
    await storeAir("15T06:30", [airDay("15")]);
    await database.db.updateTable("sites").set({ latitude: 12.3 }).where("id", "=", site.siteId).execute();
    expect(await hours("14T00:00", "16T00:00")).toEqual([]);
    site.place = await placeOf(site.siteId);
    await storeAir("15T06:31", [airDay("15")]);
    expect(await hours("14T00:00", "16T00:00")).toHaveLength(24);
  });

  test("irradiance for another tilt is not the site's, the rest of that weather is", async () => {
    const tilt = (degrees: number | null) =>
      database.db
        .updateTable("sites")
        .set({ tilt_degrees: degrees, azimuth_degrees: 180 })
        .where("id", "=", site.siteId)
        .execute();
    await storeWeather("15T06:30", [weatherDay("15", { irradiance_w_m2: each(() => 700) })], "25 180");
    expect(await hours("15T04:00", "15T05:00")).toMatchObject([{ rain_mm: 1.2, irradiance_w_m2: null }]);
    await tilt(25);
    expect(await hours("15T04:00", "15T05:00")).toMatchObject([{ rain_mm: 1.2, irradiance_w_m2: 700 }]);
    await tilt(24.5);
    expect(await hours("15T04:00", "15T05:00")).toMatchObject([{ rain_mm: 1.2, irradiance_w_m2: null }]);
  });

  test("a sample is said to be one", async () => {
    await storeWeather("15T06:30", [weatherDay("15")]);
    await database.db
      .transaction()
      .execute((tx) => storeAirDays(tx, { ...site, source: "sample", at: at("15T06:30") }, [airDay("15")]));
    expect(await hours("15T04:00", "15T05:00")).toMatchObject([{ source: "sample" }]);
  });
});
