import pino from "pino";
import { z } from "zod";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Answering, FakeOpenMeteo, sendJson } from "../../../test/fake-open-meteo.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { StubClockCheck, TROUBLE } from "../../../test/stub-clock-check.ts";
import { readSiteHours } from "./site-hours.repository.ts";
import { SiteInputs } from "./site-inputs.ts";
import { askInputsAnew, type InputKind } from "./site-inputs.repository.ts";

const KEY = "k3y-that-nobody-else-may-see";
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let service: FakeOpenMeteo;
let server: TestApp;
let inputs: SiteInputs;
let log: string[];
beforeAll(async () => {
  service = await FakeOpenMeteo.open();
});
afterAll(() => service.close());
beforeEach(async () => {
  service.reset();
  server = await createTestApp();
  log = [];
  await onlyOwnSite();
  inputs = inputsOf();
});
afterEach(async () => {
  await inputs.stop();
  await server.close();
});

async function onlyOwnSite(): Promise<void> {
  const others = server.db.updateTable("sites").set({ deleted_at: new Date("2026-01-01T00:00:00Z") });
  await others.where("id", "!=", server.fixtures.ownSiteId).execute();
}

function inputsOf(weather: object = {}): SiteInputs {
  const { origin } = new URL(service.url);
  const settings = {
    weather: {
      provider: "open-meteo" as const,
      url: `${origin}/v1/forecast`,
      airQualityUrl: `${origin}/v1/air-quality`,
      archiveUrl: `${origin}/v1/archive`,
      apiKey: KEY,
      ...weather,
    },
  };
  const lines = pino({ level: "info" }, { write: (line) => void log.push(line) });
  return new SiteInputs({ ...server.deps, log: lines, settings });
}

/** A round, and as many as follow until nothing is due any more. */
async function rounds(): Promise<void> {
  for (let asked = -1; asked !== service.requests.length;) {
    asked = service.requests.length;
    await inputs.runOnce();
    server.clock.advance(10_000);
  }
}
const hours = (from: string, to: string) =>
  readSiteHours(server.db, server.fixtures.ownSiteId, new Date(from), new Date(to));
const ofKind = (kind: InputKind) =>
  server.db.selectFrom("site_inputs").selectAll().where("kind", "=", kind).executeTakeFirstOrThrow();
const asked = () =>
  service.requests.map(({ pathname, searchParams }) =>
    [pathname.slice(4), searchParams.get("start_date"), searchParams.get("end_date")].join(" "),
  );
const updateSite = (changes: object) =>
  server.db.updateTable("sites").set(changes).where("id", "=", server.fixtures.ownSiteId).execute();

type Hourly = Readonly<Record<string, readonly unknown[]>>;
type Units = Readonly<Record<string, string>>;
/** The valid answer, changed. */
const changed =
  (change: (answer: { readonly hourly: Hourly; readonly hourly_units: Units }) => object): Answering =>
  (request, response) => {
    const answer = service.validAnswer(new URL(request.url ?? "", service.url));
    const hourly = z.record(z.string(), z.array(z.unknown())).parse(answer["hourly"]);
    const hourly_units = z.record(z.string(), z.string()).parse(answer["hourly_units"]);
    sendJson(response, 200, { ...answer, ...change({ hourly, hourly_units }) });
  };
/** Only the forecast answers like that, all else as it should. */
function forecastAnswers(answering: Answering): void {
  service.answering = (request, response) => {
    const isForecast = request.url?.startsWith("/v1/forecast") === true;
    return isForecast ? answering(request, response) : service.answerValid(request, response);
  };
}
const each = (hourly: Hourly, change: (name: string, values: readonly unknown[]) => readonly unknown[]) => ({
  hourly: Object.fromEntries(Object.entries(hourly).map(([name, values]) => [name, change(name, values)])),
});

describe("air and weather at sites: what is asked for", () => {
  test("the last 92 days and the forecast, then the rest of the past year, of the rounded place", async () => {
    await rounds();
    expect(asked().toSorted()).toEqual([
      "air-quality 2025-06-15 2025-09-11",
      "air-quality 2025-09-12 2025-12-12",
      "air-quality 2025-12-13 2026-03-14",
      "air-quality 2026-03-15 2026-06-20",
      "archive 2025-06-15 2025-09-11",
      "archive 2025-09-12 2025-12-12",
      "archive 2025-12-13 2026-03-14",
      "forecast 2026-03-15 2026-06-20",
    ]);
    const forecast = service.requests.find(({ pathname }) => pathname === "/v1/forecast");
    expect(Object.fromEntries(forecast?.searchParams ?? [])).toEqual({
      latitude: "27.53",
      longitude: expect.stringMatching(/^\d+\.\d\d$/),
      hourly: "precipitation,wind_gusts_10m,temperature_2m",
      start_date: "2026-03-15",
      end_date: "2026-06-20",
      timezone: "UTC",
      wind_speed_unit: "kmh",
      temperature_unit: "celsius",
      precipitation_unit: "mm",
      apikey: KEY,
    });
    const known = await hours("2025-06-14T23:00:00Z", "2026-06-20T23:00:00Z");
    expect(known).toHaveLength(371 * 24);
    expect(known.at(5)).toMatchObject({ pm2_5: 45, pm10: 125, rain_mm: 1.4, gust_kmh: 25, source: "open-meteo" });
    expect(known.at(3)).toMatchObject({ pm10: null, irradiance_w_m2: null });
  });

  test("after that every three hours the last three days and the forecast, and nothing that is known", async () => {
    await rounds();
    service.requests.length = 0;
    server.clock.advance(3 * HOUR_MS - MINUTE_MS * 5);
    await inputs.runOnce();
    expect(asked()).toEqual([]);
    server.clock.advance(5 * MINUTE_MS);
    await rounds();
    expect(asked().toSorted()).toEqual(["air-quality 2026-06-12 2026-06-20", "forecast 2026-06-12 2026-06-20"]);
  });

  test("what was missed while no server was up is asked for", async () => {
    await rounds();
    service.requests.length = 0;
    server.clock.advance(10 * 24 * HOUR_MS);
    await rounds();
    expect(asked().toSorted()).toEqual(["air-quality 2026-06-13 2026-06-30", "forecast 2026-06-13 2026-06-30"]);
  });

  test("irradiance only where tilt and azimuth are known, in the service's azimuth; negatives are nothing", async () => {
    await updateSite({ tilt_degrees: 25, azimuth_degrees: 90 });
    await rounds();
    const asks = service.requests.filter(({ pathname }) => !pathname.includes("air"));
    for (const { searchParams } of asks) {
      expect([searchParams.get("tilt"), searchParams.get("azimuth")]).toEqual(["25", "-90"]);
      expect(searchParams.get("hourly")).toContain("global_tilted_irradiance");
    }
    const known = await hours("2026-06-15T00:00:00Z", "2026-06-15T02:00:00Z");
    expect(known.map(({ irradiance_w_m2 }) => irradiance_w_m2)).toEqual([0, 40]);
  });

  test("another place or tilt is asked for anew, from the beginning", async () => {
    await rounds();
    for (const change of [{ latitude: 12.34 }, { tilt_degrees: 20, azimuth_degrees: 180 }]) {
      service.requests.length = 0;
      await updateSite(change);
      await rounds();
      expect(asked()).toContain("forecast 2026-03-15 2026-06-20");
      expect(asked()).toContain("archive 2025-06-15 2025-09-11");
    }
    expect(service.requests[0]?.searchParams.get("latitude")).toBe("12.34");
    expect(await hours("2026-06-15T00:00:00Z", "2026-06-15T05:00:00Z")).toMatchObject([
      {},
      {},
      {},
      {},
      { irradiance_w_m2: 100 },
    ]);
  });

  test("an answer for a place that the site has left meanwhile is not stored", async () => {
    service.answering = (request, response) =>
      void updateSite({ latitude: 12.34 })
        .then(() => new SiteInputs({ ...server.deps }).runOnce())
        .then(() => service.answerValid(request, response));
    await inputs.runOnce();
    const rows = await server.db.selectFrom("site_weather_days").select("place").distinct().execute();
    expect(rows.every(({ place }) => place.startsWith("12.34"))).toBe(true);
  });

  test("the archive fills days of which the forecast knows nothing", async () => {
    const without = (name: string, values: readonly unknown[]) =>
      name === "time" ? values : values.map((value, nth) => (nth < 10 * 24 ? null : value));
    forecastAnswers(changed(({ hourly }) => each(hourly, without)));
    await rounds();
    expect(asked()).toContainEqual(expect.stringMatching(/^archive .* 2026-03-24$/));
    expect(await hours("2026-03-15T04:00:00Z", "2026-03-15T05:00:00Z")).toMatchObject([{ rain_mm: 1.4 }]);
  });

  test("deleted sites are not asked for, and a server of one's own only for what it is named for", async () => {
    await updateSite({ deleted_at: server.clock.now() });
    await rounds();
    expect(asked()).toEqual([]);
    await updateSite({ deleted_at: null });
    inputs = inputsOf({ airQualityUrl: null, archiveUrl: null });
    await rounds();
    expect(asked()).toEqual(["forecast 2026-03-15 2026-06-20"]);
  });

  test("of two servers one asks", async () => {
    const other = inputsOf();
    await Promise.all([inputs.runOnce(), other.runOnce()]);
    expect(new Set(asked()).size).toBe(service.requests.length);
    await other.stop();
  });

  test("by a clock that is wrong nobody is asked", async () => {
    const clocks = new StubClockCheck();
    clocks.trouble = TROUBLE;
    const wrong = new SiteInputs({ ...server.deps, clocks });
    await wrong.runOnce();
    expect(await server.db.selectFrom("site_inputs").select("id").execute()).toEqual([]);
  });

  test("a restored backup asks anew for what it lacks", async () => {
    await rounds();
    service.requests.length = 0;
    await server.db.transaction().execute((tx) => askInputsAnew(tx, server.clock.now()));
    await rounds();
    expect(asked().toSorted()).toEqual(["air-quality 2026-06-12 2026-06-20", "forecast 2026-06-12 2026-06-20"]);
  });
});

describe("air and weather at sites: an answer that is not valid is refused as a whole", () => {
  const of =
    (wanted: string, change: (values: readonly unknown[]) => readonly unknown[]) =>
    ({ hourly }: { readonly hourly: Hourly }) =>
      each(hourly, (name, values) => (name === wanted ? change(values) : values));
  const failures: readonly (readonly [what: string, answering: Answering, reason: string])[] = [
    ["429", (_, response) => sendJson(response, 429, { reason: `limit of ${KEY}` }), "answered 429"],
    [
      "another unit",
      changed(({ hourly_units }) => ({ hourly_units: { ...hourly_units, wind_gusts_10m: "mp/h" } })),
      "hourly_units.wind_gusts_10m is missing or wrong",
    ],
    ["no units", changed(() => ({ hourly_units: {} })), "hourly_units.precipitation is missing or wrong"],
    [
      "an hour less",
      changed(({ hourly }) => each(hourly, (_, values) => values.slice(1))),
      "the hours are others than asked for",
    ],
    [
      "a value less",
      changed(of("precipitation", (values) => values.slice(1))),
      "hourly.precipitation is missing or wrong",
    ],
    [
      "nonsense",
      changed(of("temperature_2m", (values) => values.map(() => 311))),
      "hourly.temperature_2m.0 is missing or wrong",
    ],
    [
      "a mark for what is missing",
      changed(of("precipitation", (values) => values.map(() => -9_999))),
      "hourly.precipitation.0 is missing or wrong",
    ],
  ];

  test.each(failures)("%s", async (_what, answering, reason) => {
    forecastAnswers(answering);
    await inputs.runOnce();
    const [hour] = await hours("2026-06-15T00:00:00Z", "2026-06-15T01:00:00Z");
    // What the other service said is not lost.
    expect(hour).toMatchObject({ pm10: 121, rain_mm: null, weather_received_at: null });
    expect(await ofKind("WEATHER")).toMatchObject({ failures: 1, failure: reason, received_at: null });
    expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([
      { msg: "air or weather of a site could not be received", provider: "open-meteo", asked: "WEATHER", reason },
    ]);
    expect(log.join()).not.toContain(KEY);
  });

  test("too large", async () => {
    service.answering = (_, response) => void response.writeHead(200).end(" ".repeat(1_100_000));
    await inputs.runOnce();
    expect(await ofKind("AIR")).toMatchObject({ failure: "the answer has more than 1048576 bytes" });
  });

  test("no end within 20 s", async () => {
    service.answering = (_, response) => void response.writeHead(200).write("{");
    const round = inputs.runOnce();
    await service.askedTimes(3);
    server.clock.advance(20_000);
    await service.askedTimes(4);
    server.clock.advance(20_000);
    await round;
    expect(await ofKind("AIR")).toMatchObject({ failure: "no complete answer within 20 s" });
  });

  test("it is asked again after 5 minutes, then after twice as long each time, up to 3 hours", async () => {
    service.answering = (_, response) => sendJson(response, 500, {});
    const waits: number[] = [];
    for (let failed = 0; failed < 8; failed += 1) {
      await inputs.runOnce();
      const { next_at, failed_at } = await ofKind("AIR");
      waits.push((next_at.getTime() - (failed_at?.getTime() ?? 0)) / MINUTE_MS);
      server.clock.advance(next_at.getTime() - server.clock.now().getTime());
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 180, 180]);
    service.reset();
    await inputs.runOnce();
    expect(await ofKind("AIR")).toMatchObject({
      failures: 0,
      received_at: server.clock.now(),
      failure: "answered 500",
    });
  });

  test("a stopping server leaves what it has begun to the others", async () => {
    service.answering = () => {};
    await inputs.start();
    server.clock.advance(10_000);
    await service.askedTimes(3);
    await inputs.stop();
    const left = await server.db.selectFrom("site_inputs").select(["next_at", "failures"]).execute();
    expect(left.every(({ next_at, failures: times }) => next_at <= server.clock.now() && times === 0)).toBe(true);
    expect(log).toEqual([]);
  });
});

describe("air and weather at sites: the sample", () => {
  beforeEach(() => {
    inputs = new SiteInputs(server.deps);
  });

  test("is a year and the next days, marked, the same for every server, and plausible", async () => {
    await updateSite({ tilt_degrees: 25, azimuth_degrees: 180 });
    await inputs.runOnce();
    const known = await hours("2025-06-15T00:00:00Z", "2026-06-20T23:00:00Z");
    expect(known).toHaveLength(371 * 24 - 1);
    expect(known.every(({ source }) => source === "sample")).toBe(true);
    const limits = {
      pm10: [90, 220],
      pm2_5: [35, 90],
      gust_kmh: [10, 45],
      temperature_c: [15, 42],
      irradiance_w_m2: [0, 1_050],
      rain_mm: [0, 15],
    } as const;
    const values = known.flatMap((hour) =>
      Object.entries(limits).map(([name, [low, high]]) => {
        const value = Object.entries(hour).find(([known]) => known === name)?.[1];
        return { name, value, isPlausible: typeof value === "number" && value >= low && value <= high };
      }),
    );
    expect(values.filter(({ isPlausible }) => !isPlausible)).toEqual([]);
    const rainIn = (months: readonly number[]) =>
      known.filter(({ at, rain_mm }) => months.includes(at.getUTCMonth() + 1) && (rain_mm ?? 0) >= 1).length;
    expect(rainIn([7, 8, 9])).toBeGreaterThan(20);
    expect(rainIn([1, 2, 3, 4, 5])).toBeLessThan(rainIn([7, 8, 9]) / 2);
    await server.db.deleteFrom("site_weather_days").execute();
    await server.db.deleteFrom("site_air_days").execute();
    await server.db.deleteFrom("site_inputs").execute();
    await new SiteInputs(server.deps).runOnce();
    expect(await hours("2025-06-15T00:00:00Z", "2026-06-20T23:00:00Z")).toEqual(known);
  });

  test("is not used any more once a service is asked", async () => {
    await inputs.runOnce();
    inputs = inputsOf();
    await rounds();
    const known = await hours("2025-06-14T23:00:00Z", "2026-06-20T23:00:00Z");
    expect(new Set(known.map(({ source }) => source))).toEqual(new Set(["open-meteo"]));
  });
});
