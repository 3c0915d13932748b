import { siteWeather } from "@suncrew/contract/weather/weather.ts";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeOpenMeteo, sendJson } from "../../../test/fake-open-meteo.ts";
import { createTestApp, type TestApp, TEST_NOW } from "../../../test/test-app.ts";
import { ManualClock } from "../../platform/clock.ts";
import { Forecasts, SAMPLE_DELAY_MS } from "./weather.service.ts";

describe("§3 Weather: the sample", () => {
  test("is a fixed forecast starting today at the site, says that it is a sample, and recommends cleaning", async () => {
    const server = await createTestApp();
    const owner = await server.as("owner");
    const answer = await owner.ask(siteWeather, { params: { siteId: server.fixtures.ownSiteId } });
    const other = await owner.ask(siteWeather, { params: { siteId: server.fixtures.secondSiteId } });
    await server.close();
    expect(answer).toMatchObject({ source: "sample", advice: "recommended", fetched_at: TEST_NOW.toISOString() });
    expect(answer.current).toEqual({
      temperature: 34,
      description: "Clear sky",
      icon: "clear",
      humidity: 28,
      wind_speed: 12,
      pressure: 1006,
    });
    expect(answer.forecast.map(({ date }) => date)).toEqual(
      ["15", "16", "17", "18", "19", "20", "21"].map((day) => `2026-06-${day}`),
    );
    expect(other).toEqual(answer);
  });

  test("§9 Weather: takes 500 ms, but does not delay a due run", async () => {
    const clock = new ManualClock(TEST_NOW);
    const weather = { provider: "sample", delayMs: SAMPLE_DELAY_MS } as const;
    const forecasts = new Forecasts({ clock, log: pino({ level: "silent" }), settings: { weather } });
    const place = { siteId: 1, latitude: 27.5, longitude: 71.9, timezone: "Asia/Kolkata" };
    let answered = false;
    const answer = forecasts.at(place).then(() => (answered = true));
    clock.advance(499);
    expect(await forecasts.adviceFor(place)).toBe("recommended");
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
