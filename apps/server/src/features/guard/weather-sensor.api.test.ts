import { siteGuard, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import { placeText } from "../weather/conditions.ts";
import { storeWeatherDays } from "../weather/site-hours.repository.ts";

let harness: CommandHarness;
beforeAll(async () => {
  harness = await CommandHarness.open({ clock: new FastClock(10), sensor: true });
  await harness.live();
  await forecastCalm();
});
afterAll(() => harness.close());

/** The forecast of today and tomorrow, received just now. */
async function forecastCalm(): Promise<void> {
  const { ownSiteId: siteId } = harness.fixtures;
  const at = harness.clock.now();
  const site = await harness.db.selectFrom("sites").selectAll().where("id", "=", siteId).executeTakeFirstOrThrow();
  const hours = (value: number) => Array.from({ length: 24 }, () => value);
  const days = [0, 1].map((day) => ({
    day: new Date(at.getTime() + day * 86_400_000).toISOString().slice(0, 10),
    rain_mm: hours(0),
    gust_kmh: hours(20),
    temperature_c: hours(30),
    irradiance_w_m2: hours(0),
  }));
  const received = { siteId, source: "sample", place: placeText(site), surface: null, archived: false, at } as const;
  await harness.db.transaction().execute((tx) => storeWeatherDays(tx, received, days));
}

const verdict = (wanted: string) =>
  harness.until(async () => {
    const guard = await harness.db.selectFrom("site_guards").selectAll().executeTakeFirst();
    return guard?.verdict === wanted;
  });

test("Wind and rain guard: through a real broker, gusts at a site's sensor stop its robot and refuse the next Start", async () => {
  const { ownSiteId: siteId } = harness.fixtures;
  const [sensor] = harness.fleet.sensors;
  const admin = await harness.server.as("admin");
  const others = { max_rain_mm: null, min_temperature_c: null, max_temperature_c: null };
  const body = { max_gust_kmh: 45, ...others, without_sensor: "STOP" as const };
  await admin.call(updateSiteGuard, { params: { siteId }, body });
  await verdict("CLEAR");
  expect((await harness.press("START")).status).toBe(200);
  sensor?.inject({ kind: "gusts", kmh: 62 });
  await harness.robot().until(({ motion }) => motion === "STOPPED");
  await harness.until(async () => (await harness.commands()).every(({ settled_at }) => settled_at !== null));
  expect(await harness.commands()).toMatchObject([
    { verb: "START", outcome: "CONFIRMED" },
    {
      verb: "STOP",
      requested_by: "Wind and rain guard",
      because: "gusts of 62 km/h (limit 45 km/h) are measured",
      outcome: "CONFIRMED",
    },
  ]);
  expect(await harness.press("START")).toMatchObject({ status: 409, body: { code: "WEATHER_LIMIT" } });
  expect(await admin.ask(siteGuard, { params: { siteId } })).toMatchObject({
    state: { verdict: "PASSED", text: expect.stringContaining("gusts of 62 km/h (limit 45 km/h) are measured") },
    sensor: { serial: "WX-1", gust_kmh: 62, fresh: true },
  });
});
