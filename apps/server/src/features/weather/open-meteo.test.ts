import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Answering, FakeOpenMeteo, sendJson } from "../../../test/fake-open-meteo.ts";
import { ManualClock } from "../../platform/clock.ts";
import { Forecasts } from "./weather.service.ts";

const KEY = "k3y-that-nobody-else-may-see";
const bhadla = { siteId: 1, latitude: 27.5393, longitude: 71.9121, timezone: "Asia/Kolkata" };
const pavagada = { siteId: 2, latitude: 14.1034, longitude: 77.2801, timezone: "Asia/Kolkata" };

let service: FakeOpenMeteo;
let clock: ManualClock;
let forecasts: Forecasts;
let log: string[];

beforeAll(async () => {
  service = await FakeOpenMeteo.open();
});
afterAll(() => service.close());
beforeEach(() => {
  service.reset();
  log = [];
  clock = new ManualClock(new Date("2026-06-15T06:30:00.000Z"));
  forecasts = forecastsAt(service.url);
});
afterEach(() => forecasts.stop());

function forecastsAt(url: string, apiKey: string | null = KEY, ask = fetch): Forecasts {
  const lines = pino({ level: "info" }, { write: (line) => void log.push(line) });
  const weather = { provider: "open-meteo", url, apiKey } as const;
  return new Forecasts({ clock, log: lines, settings: { weather }, fetch: ask });
}

const unavailable = { status: 503, message: "The weather is not available at the moment. Please try again." };

describe("§3 Weather: Open-Meteo", () => {
  test("the request has the rounded coordinates, the site's days and the units of the wire, with the key", async () => {
    await forecasts.at(bhadla);
    expect(Object.fromEntries(service.requests[0]?.searchParams ?? [])).toEqual({
      latitude: "27.54",
      longitude: "71.91",
      current: "temperature_2m,relative_humidity_2m,is_day,weather_code,pressure_msl,wind_speed_10m",
      daily: "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max,wind_speed_10m_max",
      timezone: "Asia/Kolkata",
      start_date: "2026-06-15",
      end_date: "2026-06-21",
      temperature_unit: "celsius",
      wind_speed_unit: "kmh",
      apikey: KEY,
    });
  });

  test("without a key none is sent", async () => {
    await forecastsAt(service.url, null).at(bhadla);
    expect(service.requests[0]?.searchParams.has("apikey")).toBe(false);
  });

  test("its answer becomes current weather and seven days, weather codes as text", async () => {
    const weather = await forecasts.at(bhadla);
    expect(weather).toMatchObject({
      source: "open-meteo",
      fetched_at: "2026-06-15T06:30:00.000Z",
      advice: "caution",
      current: {
        temperature: 38.4,
        description: "Partly cloudy",
        icon: "partly-cloudy",
        humidity: 31,
        wind_speed: 17.6,
        pressure: 1001.3,
      },
    });
    expect(weather.forecast).toHaveLength(7);
    expect(weather.forecast[2]).toEqual({
      date: "2026-06-17",
      min_temperature: 28.1,
      max_temperature: 37.1,
      description: "Light rain",
      icon: "rain",
      precipitation_percent: 62,
      wind_speed: 31,
    });
  });

  test("at night a clear sky has its own icon, and an unknown code says so", async () => {
    service.answering = (_, response) => {
      const answer = service.validAnswer(service.requests[0] ?? new URL(service.url));
      const changed = { current: { ...part(answer, "current"), is_day: 0, weather_code: 1 } };
      const daily = { ...part(answer, "daily"), weather_code: [42, 0, 0, 0, 0, 0, 0] };
      sendJson(response, 200, { ...answer, ...changed, daily });
    };
    const { current, forecast } = await forecasts.at(bhadla);
    expect(current).toMatchObject({ description: "Mainly clear", icon: "clear-night" });
    expect(forecast[0]).toMatchObject({ description: "No description", icon: "unknown" });
  });

  test.each([
    ["Asia/Kolkata", "2026-06-15T18:29:59Z", "2026-06-15"],
    ["Asia/Kolkata", "2026-06-15T18:30:00Z", "2026-06-16"],
    ["America/Los_Angeles", "2026-06-15T06:30:00Z", "2026-06-14"],
    ["Pacific/Kiritimati", "2026-12-31T11:00:00Z", "2027-01-01"],
  ])("days are those of %s: at %s today is %s", async (timezone, instant, today) => {
    clock = new ManualClock(new Date(instant));
    const { forecast } = await forecastsAt(service.url).at({ ...bhadla, timezone });
    expect(forecast[0]?.date).toBe(today);
  });
});

describe("Open-Meteo's answers are kept for 30 minutes", () => {
  test("one answer serves a location and its neighbours, another location gets its own", async () => {
    const first = await forecasts.at(bhadla);
    clock.advance(1_799_000);
    expect(await forecasts.at({ ...bhadla, latitude: 27.5401, longitude: 71.9099 })).toEqual(first);
    expect(service.requests).toHaveLength(1);
    await forecasts.at(pavagada);
    expect(service.requests).toHaveLength(2);
    clock.advance(1_000);
    expect((await forecasts.at(bhadla)).fetched_at).toBe("2026-06-15T07:00:00.000Z");
    expect(service.requests).toHaveLength(3);
  });

  test("concurrent calls share one request", async () => {
    const answers = await Promise.all([forecasts.at(bhadla), forecasts.at(bhadla), forecasts.adviceFor(bhadla)]);
    expect(service.requests).toHaveLength(1);
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[2]).toBe("caution");
  });

  test("no forecast outlives its first day", async () => {
    clock = new ManualClock(new Date("2026-06-15T18:29:00Z"));
    forecasts = forecastsAt(service.url);
    expect((await forecasts.at(bhadla)).forecast[0]?.date).toBe("2026-06-15");
    clock.advance(60_000);
    expect((await forecasts.at(bhadla)).forecast[0]?.date).toBe("2026-06-16");
  });
});

const answeringText =
  (text: string): Answering =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(text);
const answeringChanged =
  (change: (answer: Record<string, unknown>) => unknown): Answering =>
  (_, response) =>
    sendJson(response, 200, change(service.validAnswer(service.requests[0] ?? new URL(service.url))));
const withDaily = (changes: Record<string, unknown>) =>
  answeringChanged((answer) => ({ ...answer, daily: { ...part(answer, "daily"), ...changes } }));
const withCurrent = (changes: Record<string, unknown>) =>
  answeringChanged((answer) => ({ ...answer, current: { ...part(answer, "current"), ...changes } }));

function part(answer: Record<string, unknown>, name: string): object {
  const found = answer[name];
  if (typeof found !== "object" || found === null) throw new Error(`There is no ${name}.`);
  return found;
}

const failures: readonly (readonly [what: string, answering: Answering, reason: string])[] = [
  ["429", (_, response) => sendJson(response, 429, { error: true, reason: `limit of ${KEY}` }), "answered 429"],
  ["500", (_, response) => void response.writeHead(500).end("oops"), "answered 500"],
  ["an empty 204", (_, response) => void response.writeHead(204).end(), "answered 204"],
  ["a refusal without an end", (_, response) => void response.writeHead(418).write("..."), "answered 418"],
  [
    "a redirect",
    (request, response) => void response.writeHead(302, { location: `/elsewhere${request.url}` }).end(),
    "answered 302",
  ],
  ["no JSON", answeringText("<html>"), "the answer is not JSON"],
  ["nothing", answeringText(""), "the answer is not JSON"],
  ["half of it", answeringText('{"current":{'), "the answer is not JSON"],
  ["null", answeringText("null"), "the answer is missing or wrong"],
  ["a list", answeringText("[]"), "the answer is missing or wrong"],
  ["deep nesting", answeringText("[".repeat(60_000)), "the answer is not JSON"],
  ["no current weather", answeringChanged(({ daily }) => ({ daily })), "current is missing or wrong"],
  ["no forecast", answeringChanged(({ current }) => ({ current })), "daily is missing or wrong"],
  ["text for a number", withCurrent({ temperature_2m: "38.4" }), "current.temperature_2m is missing or wrong"],
  ["another unit", withCurrent({ temperature_2m: 311.5 }), "current.temperature_2m is missing or wrong"],
  [
    "an unknown chance of rain",
    withDaily({ precipitation_probability_max: [0, null, 0, 0, 0, 0, 0] }),
    "daily.precipitation_probability_max.1 is missing or wrong",
  ],
  ["six days", withDaily({ temperature_2m_min: [1, 2, 3, 4, 5, 6] }), "daily.temperature_2m_min is missing or wrong"],
  [
    "other days",
    withDaily({ time: ["14", "15", "16", "17", "18", "19", "20"].map((day) => `2026-06-${day}`) }),
    "the forecast is of other days",
  ],
  ["too much", answeringText(" ".repeat(70_000)), "the answer has more than 65536 bytes"],
  [
    "a connection cut within the answer",
    (_, response) => {
      response.writeHead(200, { "content-length": "500" });
      response.write("{", () => response.destroy());
    },
    "not reached (UND_ERR_SOCKET)",
  ],
];

describe("§8 Weather: an invalid answer is a 503 with a reason in the log", () => {
  test.each(failures)("%s", async (_what, answering, reason) => {
    service.answering = answering;
    await expect(forecasts.at(bhadla)).rejects.toMatchObject(unavailable);
    expect(service.requests).toHaveLength(1);
    expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([
      { msg: "the weather forecast could not be fetched", provider: "open-meteo", reason },
    ]);
    expect(log.join()).not.toContain(KEY);
  });

  test("connection refused", async () => {
    const closed = await FakeOpenMeteo.open();
    const { url } = closed;
    await closed.close();
    await expect(forecastsAt(url).at(bhadla)).rejects.toMatchObject(unavailable);
    expect(log.join()).toContain('"reason":"not reached (ECONNREFUSED)"');
  });

  test("no byte within 5 s", async () => {
    service.answering = () => {};
    const failed = forecasts.at(bhadla).catch((error: unknown) => error);
    await service.askedTimes(1);
    clock.advance(5_000);
    expect(await failed).toMatchObject(unavailable);
    expect(log.join()).toContain('"reason":"no complete answer within 5 s"');
  });

  test("no end within 5 s", async () => {
    service.answering = (_, response) => void response.writeHead(200).write('{"current":');
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    forecasts = forecastsAt(service.url, KEY, async (...asked) => {
      const response = await fetch(...asked);
      begin();
      return response;
    });
    const failed = forecasts.at(bhadla).catch((error: unknown) => error);
    await begun;
    clock.advance(4_999);
    expect(log).toEqual([]);
    clock.advance(1);
    expect(await failed).toMatchObject(unavailable);
    expect(log.join()).toContain('"reason":"no complete answer within 5 s"');
  });

  test("an endless answer is cut off when it is too large", async () => {
    service.answering = (_, response) => {
      response.writeHead(200);
      const more = () => void (response.destroyed || response.write(" ".repeat(16_384), more));
      more();
    };
    await expect(forecasts.at(bhadla)).rejects.toMatchObject(unavailable);
    expect(log.join()).toContain("more than 65536 bytes");
  });

  test("a failure is reused for 5 s without a request, then it is retried", async () => {
    service.answering = (_, response) => sendJson(response, 500, {});
    await expect(forecasts.at(bhadla)).rejects.toMatchObject(unavailable);
    clock.advance(4_999);
    await expect(forecasts.at(bhadla)).rejects.toMatchObject(unavailable);
    expect(service.requests).toHaveLength(1);
    service.reset();
    clock.advance(1);
    expect((await forecasts.at(bhadla)).source).toBe("open-meteo");
  });

  test("a stopping server ends a request immediately, without a log line", async () => {
    service.answering = () => {};
    const failed = forecasts.at(bhadla).catch((error: unknown) => error);
    await service.askedTimes(1);
    await forecasts.stop();
    expect(await failed).toMatchObject(unavailable);
    expect(log).toEqual([]);
  });
});

describe("§4 Weather recommendation for a run that is due", () => {
  test.each([
    [[10, 20, 30], "recommended"],
    [[10, 80, 30], "caution"],
    [[60, 10, 51], "not-recommended"],
  ])("%j is %s", async (percents, advice) => {
    service.rainPercents = [...percents, 100, 100, 100, 100];
    expect(await forecasts.adviceFor(bhadla)).toBe(advice);
  });

  test("null after 3 s; the answer that arrives later is cached", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    service.answering = (request, response) => void released.then(() => service.answerValid(request, response));
    const advice = forecasts.adviceFor(bhadla);
    await service.askedTimes(1);
    clock.advance(3_000);
    expect(await advice).toBeNull();
    const late = forecasts.at(bhadla);
    release();
    expect((await late).advice).toBe("caution");
    expect(await forecasts.adviceFor(bhadla)).toBe("caution");
    expect(service.requests).toHaveLength(1);
  });

  test("null if the service fails", async () => {
    service.answering = (_, response) => sendJson(response, 503, {});
    expect(await forecasts.adviceFor(bhadla)).toBeNull();
  });
});
