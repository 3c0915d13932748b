import { siteWeather } from "@suncrew/contract/weather/weather.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { isRainDay, weatherAdvice } from "@suncrew/domain/weather/weather-advice.ts";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeOpenMeteo, sendJson } from "../../../test/fake-open-meteo.ts";
import { createTestApp, type TestApp, TEST_NOW } from "../../../test/test-app.ts";
import { ManualClock } from "../../platform/clock.ts";
import { sampleConditions, sampleWeatherDay } from "./sample-hours.ts";
import { Forecasts, SAMPLE_DELAY_MS } from "./weather.service.ts";

const NO_PANELS = { tilt_degrees: null, azimuth_degrees: null };

describe("§3 Weather: the sample", () => {
  test("begins today at the site, says that it is a sample, and is the same whenever it is asked for", async () => {
    const server = await createTestApp();
    const owner = await server.as("owner");
    const ask = () => owner.ask(siteWeather, { params: { siteId: server.fixtures.ownSiteId } });
    const answer = await ask();
    expect(await ask()).toEqual(answer);
    await server.close();
    expect(answer).toMatchObject({ source: "sample", fetched_at: TEST_NOW.toISOString() });
    expect(answer.forecast.map(({ date }) => date)).toEqual(
      ["15", "16", "17", "18", "19", "20", "21"].map((day) => `2026-06-${day}`),
    );
  });

  test("§4 Weather recommendation: is of the hours that are stored for the guard and for soiling, in a year's rain and shine", async () => {
    const place = { siteId: 7, latitude: 27.5, longitude: 71.9, timezone: "Asia/Kolkata" };
    const advice = new Set<string>();
    for (let day = "2026-01-01"; day <= "2026-12-31"; day = addDays(day, 1)) {
      // Half past five in the morning at the site.
      const begun = new Date(`${day}T00:00:00Z`);
      const { current, forecast } = sampleConditions(place, begun);
      const stored = [day, addDays(day, 1)].map((each) => sampleWeatherDay({ ...place, ...NO_PANELS }, each));
      expect(current.temperature).toBe(stored[0]?.temperature_c[1]);
      // From midnight to midnight at the site; its second day, so that all its hours are of these two.
      const tomorrow = [...(stored[0]?.rain_mm.slice(19) ?? []), ...(stored[1]?.rain_mm.slice(0, 19) ?? [])];
      expect(isRainDay(forecast[1] ?? { precipitation_percent: 0 })).toBe(tomorrow.some((rain) => Number(rain) > 0));
      advice.add(weatherAdvice(forecast));
    }
    expect([...advice].toSorted()).toEqual(["caution", "not-recommended", "recommended"]);
  });

  test("§9 Weather: takes 500 ms, but does not delay a due run", async () => {
    const clock = new ManualClock(TEST_NOW);
    const weather = { provider: "sample", delayMs: SAMPLE_DELAY_MS } as const;
    const forecasts = new Forecasts({ clock, log: pino({ level: "silent" }), settings: { weather } });
    const place = { siteId: 1, latitude: 27.5, longitude: 71.9, timezone: "Asia/Kolkata" };
    let answered = false;
    const answer = forecasts.at(place).then(() => (answered = true));
    clock.advance(499);
    expect(await forecasts.adviceFor(place)).toBe(weatherAdvice(sampleConditions(place, TEST_NOW).forecast));
    expect(answered).toBe(false);
    clock.advance(1);
    await answer;
    expect(SAMPLE_DELAY_MS).toBe(500);
  });
});

describe("§3 Weather: a service", () => {
  let service: FakeOpenMeteo;
  let server: TestApp;
  const log: string[] = [];
  beforeAll(async () => {
    service = await FakeOpenMeteo.open();
    server = await createTestApp({
      settings: { weather: { provider: "open-meteo", url: service.url, apiKey: "k3y-of-the-service" } },
      onLog: (line) => log.push(line),
    });
  });
  afterAll(async () => {
    await server.close();
    await service.close();
  });

  test("its forecast is returned, without the key and without the coordinates", async () => {
    const owner = await server.as("owner");
    const answer = await owner.call(siteWeather, { params: { siteId: server.fixtures.ownSiteId } });
    expect(answer.status).toBe(200);
    expect(siteWeather.response.parse(answer.body)).toMatchObject({ source: "open-meteo", advice: "caution" });
    expect(answer.text).not.toContain("k3y");
    expect(service.requests[0]?.searchParams.get("latitude")).toBe("27.53");
  });

  test("§6: nothing is requested for a site of another partner", async () => {
    const before = service.requests.length;
    const owner = await server.as("owner");
    const answer = await owner.call(siteWeather, { params: { siteId: server.fixtures.foreignSiteId } });
    expect([answer.status, answer.body]).toEqual([404, { message: "Site not found", code: "SITE_NOT_FOUND" }]);
    expect(service.requests).toHaveLength(before);
  });

  test("§8 Weather: 503 in plain words if it fails", async () => {
    service.answering = (_, response) => sendJson(response, 500, { error: true, reason: "k3y-of-the-service" });
    const stranger = await server.as("stranger");
    const answer = await stranger.call(siteWeather, { params: { siteId: server.fixtures.foreignSiteId } });
    expect([answer.status, answer.body]).toEqual([
      503,
      { message: "The weather is not available at the moment. Please try again.", code: "WEATHER_UNAVAILABLE" },
    ]);
    expect(log.join("\n")).toContain("answered 500");
    expect(log.join("\n")).not.toContain("k3y");
  });
});
