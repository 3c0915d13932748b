import { siteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Person } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp, TEST_NOW } from "../../../test/test-app.ts";

let server: TestApp;
let siteId: number;
beforeEach(async () => {
  server = await createTestApp();
  siteId = server.fixtures.ownSiteId;
});
afterEach(() => server.close());

const facts = {
  dc_capacity_kwp: 1000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 80,
  tariff_per_kwh: 3,
  currency: "INR",
  cleaning_price: 500,
  cleaning_price_per: "run",
} as const;
const setFacts = (changed: Partial<Omit<typeof facts, "tariff_per_kwh">> & { readonly tariff_per_kwh?: number }) =>
  server.db
    .updateTable("sites")
    .set((eb) => ({ ...changed, version: eb("version", "+", 1) }))
    .where("id", "=", siteId)
    .execute();

/** Dust and sun of the last 90 days. */
async function store(): Promise<void> {
  const { latitude, longitude } = await server.db
    .selectFrom("sites")
    .select(["latitude", "longitude"])
    .where("id", "=", siteId)
    .executeTakeFirstOrThrow();
  const place = `${latitude.toFixed(2)} ${longitude.toFixed(2)}`;
  const stamps = { received_at: TEST_NOW, confirmed_at: TEST_NOW, source: "open-meteo" } as const;
  const each = (value: (hour: number) => number) => Array.from({ length: 24 }, (_, hour) => value(hour));
  for (let ago = 0; ago < 90; ago += 1) {
    const key = { site_id: siteId, day: addDays("2026-06-15", -ago), place, ...stamps };
    const air = { pm2_5: each(() => 60), pm10: each(() => 150) };
    await server.db
      .insertInto("site_air_days")
      .values({ ...key, ...air })
      .execute();
    const weather = { rain_mm: each(() => 0), gust_kmh: each(() => 10), temperature_c: each(() => 30) };
    const irradiance_w_m2 = each((hour) => (hour >= 2 && hour <= 12 ? 600 : 0));
    await server.db
      .insertInto("site_weather_days")
      .values({ ...key, ...weather, irradiance_w_m2, archived: false, surface: "20 180" })
      .execute();
  }
}

const compare = async (person: Person = "owner") =>
  (await server.as(person)).call(siteStrategies, { params: { siteId } });

describe("§11 Cleaning by need: a year of it against fixed intervals", () => {
  test("is compared over the stored days, says how many these are, and is kept until they change", async () => {
    await setFacts(facts);
    await store();
    const { body: first } = await compare();
    expect(first).toMatchObject({
      basis: "modelled",
      missing: [],
      source: "open-meteo",
      from: "2025-06-15",
      to: "2026-06-14",
      days: 365,
      known_days: 88,
      least_days: 1,
      most_days: 14,
      local_time: "20:00",
      currency: "INR",
      strategies: [{ kind: "BY_NEED" }, { kind: "DAILY", cleanings: 365 }, { kind: "WEEKLY" }, { kind: "NEVER" }],
    });
    // In place, as nobody else does: only a new computation would see it.
    const pm10 = Array.from({ length: 24 }, () => 300);
    await server.db.updateTable("site_air_days").set({ pm10 }).execute();
    expect((await compare()).body).toEqual(first);
    await setFacts({ tariff_per_kwh: 4 });
    expect((await compare()).body).not.toEqual(first);
  });

  test("without facts it says what is missing; other partners do not know the site", async () => {
    expect((await compare()).body).toMatchObject({
      missing: expect.arrayContaining(["tariff_per_kwh", "cleaning_price", "particles", "rain"]),
      known_days: 0,
      strategies: [],
    });
    expect((await compare("stranger")).status).toBe(404);
  });
});
