import { describe, expect, test } from "vitest";
import { passedPhrase } from "../texts/passed-limit.ts";
import {
  type ForecastHour,
  guardStateOf,
  hasLimits,
  type GuardRules,
  judgeWeather as judgeAll,
  type SensorReading,
  type StoredJudgement,
  type WeatherLimits,
} from "./weather-guard.ts";

const now = new Date("2026-06-15T14:20:00Z");
const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const judgeWeather = (by: WeatherLimits, hours: readonly ForecastHour[], before: StoredJudgement, at: Date) =>
  judgeAll({ ...by, without_sensor: "FORECAST" }, { hours, sensor: null }, before, at);
const none: WeatherLimits = { max_gust_kmh: null, max_rain_mm: null, min_temperature_c: null, max_temperature_c: null };
const limits: WeatherLimits = { max_gust_kmh: 45, max_rain_mm: 0.5, min_temperature_c: 2, max_temperature_c: 48 };
const unjudged: StoredJudgement = { verdict: null, passed: null, within_since: null };

/** The forecast from 14:00 to 17:00 UTC: the present hour, the next, and one that does not count yet. */
function forecast(change: Partial<ForecastHour> = {}, hour = 0): ForecastHour[] {
  const calm = { gust_kmh: 20, rain_mm: 0, temperature_c: 30, weather_received_at: after(-60) };
  return ["15:00", "16:00", "17:00"].map((time, nth) => {
    return { at: new Date(`2026-06-15T${time}:00Z`), ...calm, ...(nth === hour && change) };
  });
}

const judge = (change: Partial<ForecastHour>, hour = 0, by = limits) =>
  judgeWeather(by, forecast(change, hour), unjudged, now);

describe("Wind and rain guard: what counts as passed", () => {
  test.each([
    ["gusts", { gust_kmh: 45.1 }, { what: "GUST", value: 45.1, limit: 45 }],
    ["rain", { rain_mm: 0.6 }, { what: "RAIN", value: 0.6, limit: 0.5 }],
    ["cold", { temperature_c: 1.9 }, { what: "COLD", value: 1.9, limit: 2 }],
    ["heat", { temperature_c: 48.1 }, { what: "HEAT", value: 48.1, limit: 48 }],
  ] as const)(
    "Wind and rain guard: %s beyond the limit in this hour or the next, but not later",
    (_, change, passed) => {
      for (const hour of [0, 1]) {
        expect(judge(change, hour)).toMatchObject({ verdict: "PASSED", passed: { ...passed, source: "FORECAST" } });
      }
      expect(judge(change, 2)).toMatchObject({ verdict: "CLEAR", passed: null });
    },
  );

  test("Wind and rain guard: what is exactly at its limit is within it", () => {
    expect(judge({ gust_kmh: 45, rain_mm: 0.5, temperature_c: 2 }).verdict).toBe("CLEAR");
    expect(judge({ temperature_c: 48 }).verdict).toBe("CLEAR");
  });

  test("Wind and rain guard: the worse of two hours is named", () => {
    const hours = [...forecast({ gust_kmh: 50 }).slice(0, 1), ...forecast({ gust_kmh: 70 }, 1).slice(1)];
    expect(judgeWeather(limits, hours, unjudged, now).passed).toMatchObject({ value: 70 });
  });

  test("Wind and rain guard: only quantities with a limit count, and only they must be known", () => {
    expect(hasLimits(none)).toBe(false);
    expect(hasLimits({ ...none, max_rain_mm: 0 })).toBe(true);
    const onlyRain = { ...none, max_rain_mm: 0 };
    expect(judge({ gust_kmh: 150, temperature_c: null }, 0, onlyRain).verdict).toBe("CLEAR");
    expect(judge({ rain_mm: 0.1 }, 0, onlyRain).verdict).toBe("PASSED");
  });
});

describe("Wind and rain guard: what nobody knows", () => {
  test.each([
    ["there is no forecast", []],
    ["an hour is missing", forecast().slice(1)],
    ["a value is missing", forecast({ gust_kmh: null })],
    ["the forecast was never received", forecast({ weather_received_at: null })],
    ["the forecast is older than six hours", forecast({ weather_received_at: after(-361) })],
  ])("Wind and rain guard: is unknown if %s", (_, hours) => {
    expect(judgeWeather(limits, hours, unjudged, now)).toMatchObject({ verdict: "UNKNOWN", passed: null });
  });

  test("Wind and rain guard: a limit that is known to be passed counts, whatever else is unknown", () => {
    expect(judge({ gust_kmh: null, rain_mm: 3 }).verdict).toBe("PASSED");
  });

  test("Wind and rain guard: an old verdict counts for nothing", () => {
    const judged = { verdict: "CLEAR", passed: null, judgedAt: now } as const;
    expect(guardStateOf(judged, after(20 / 60))).toEqual({ verdict: "CLEAR", text: null });
    expect(guardStateOf(judged, after(21 / 60))).toMatchObject({ verdict: "UNKNOWN" });
  });
});

describe("Wind and rain guard: the end of bad weather", () => {
  const passed = { what: "GUST", value: 60, limit: 45, source: "FORECAST" } as const;
  const before: StoredJudgement = { verdict: "PASSED", passed, within_since: null };

  test("Wind and rain guard: robots may start once it has been within the limits for ten minutes", () => {
    const calm = judgeWeather(limits, forecast(), before, now);
    expect(calm).toEqual({ verdict: "PASSED", passed, within_since: now });
    expect(judgeWeather(limits, forecast(), calm, after(9.99)).verdict).toBe("PASSED");
    expect(judgeWeather(limits, forecast(), calm, after(10))).toEqual({
      verdict: "CLEAR",
      passed: null,
      within_since: null,
    });
  });

  test("Wind and rain guard: another gust, or weather that nobody knows, begins the ten minutes again", () => {
    const calm: StoredJudgement = { ...before, within_since: after(-9) };
    expect(judgeWeather(limits, forecast({ gust_kmh: 46 }), calm, now).within_since).toBe(null);
    expect(judgeWeather(limits, [], calm, now)).toEqual({ verdict: "PASSED", passed, within_since: null });
  });

  test("Wind and rain guard: what is told stays the worst while the same limit is passed", () => {
    expect(judgeWeather(limits, forecast({ gust_kmh: 50 }), before, now).passed).toEqual(passed);
    expect(judgeWeather(limits, forecast({ gust_kmh: 70 }), before, now).passed).toMatchObject({ value: 70 });
    expect(judgeWeather(limits, forecast({ rain_mm: 2 }), before, now).passed).toMatchObject({ what: "RAIN" });
  });
});

test("Wind and rain guard: the reason names value, limit and source", () => {
  const state = guardStateOf(
    { verdict: "PASSED", passed: { what: "GUST", value: 62, limit: 45, source: "FORECAST" }, judgedAt: now },
    now,
  );
  expect(state.text).toContain("gusts of 62 km/h (limit 45 km/h) are forecast");
});

describe("Wind and rain guard: a site's weather sensor", () => {
  const calm: SensorReading = { received_at: now, sensor_ts: now, gust_kmh: 20, rain_mm_h: 0, temperature_c: 30 };
  const aged = (seconds: number): SensorReading => ({
    ...calm,
    received_at: after(-seconds / 60),
    sensor_ts: after(-seconds / 60),
  });
  const gusts = { ...calm, gust_kmh: 62 };
  const rules = (without_sensor: GuardRules["without_sensor"]): GuardRules => ({ ...limits, without_sensor });
  const by = (
    sensor: SensorReading | null,
    without: GuardRules["without_sensor"] = "FORECAST",
    hours = forecast(),
    at = now,
  ) => judgeAll(rules(without), { hours, sensor }, unjudged, at);

  test.each([
    ["gusts", gusts, { what: "GUST", value: 62, limit: 45 }],
    ["rain", { ...calm, rain_mm_h: 0.6 }, { what: "RAIN", value: 0.6, limit: 0.5 }],
    ["cold", { ...calm, temperature_c: 1 }, { what: "COLD", value: 1, limit: 2 }],
    ["heat", { ...calm, temperature_c: 49 }, { what: "HEAT", value: 49, limit: 48 }],
  ])(
    "Wind and rain guard: %s that it measures beyond the limit count, whatever the forecast says",
    (_, sensor, passed) => {
      expect(by(sensor)).toMatchObject({ verdict: "PASSED", passed: { ...passed, source: "SENSOR" } });
    },
  );

  test("Wind and rain guard: the worse of sensor and forecast is named", () => {
    expect(by(gusts, "FORECAST", forecast({ gust_kmh: 70 })).passed).toMatchObject({ value: 70, source: "FORECAST" });
    expect(by(gusts, "FORECAST", forecast({ gust_kmh: 50 })).passed).toMatchObject({ value: 62, source: "SENSOR" });
    expect(by(calm, "FORECAST", forecast({ gust_kmh: 50 })).passed).toMatchObject({ value: 50, source: "FORECAST" });
  });

  test("Wind and rain guard: calm air at the sensor makes no forecast known", () => {
    expect(by(calm, "FORECAST", []).verdict).toBe("UNKNOWN");
    expect(by(calm, "STOP", []).verdict).toBe("UNKNOWN");
  });

  test.each([
    ["missing", null],
    ["silent since it was assigned", { ...calm, received_at: null, sensor_ts: null }],
    ["silent for more than 90 s", aged(90.1)],
    ["late with its readings, or wrong about the time", { ...calm, sensor_ts: after(-31 / 60) }],
  ])("Wind and rain guard: a sensor that is %s is as bad as a passed limit where the site says so", (_, sensor) => {
    expect(by(sensor, "STOP")).toMatchObject({ verdict: "PASSED", passed: { what: "NO_SENSOR", limit: 90 } });
    expect(by(sensor, "FORECAST").verdict).toBe("CLEAR");
    expect(by(sensor, "STOP", forecast({ gust_kmh: 70 })).passed).toMatchObject({ what: "GUST", source: "FORECAST" });
  });

  test("Wind and rain guard: a sensor without an instrument for a limit is as bad, and told apart from a silent one", () => {
    const without = by({ ...calm, rain_mm_h: null }, "STOP");
    expect(without).toMatchObject({ verdict: "PASSED", passed: { what: "NO_INSTRUMENT" } });
    expect(without.passed && passedPhrase(without.passed)).toBe(
      "the site's weather sensor does not measure all that has a limit",
    );
  });

  test("Wind and rain guard: a forecast of the future, received before the clock was set back, says nothing", () => {
    const hours = forecast().map((hour) => ({ ...hour, weather_received_at: after(7 * 60) }));
    expect(by(calm, "FORECAST", hours).verdict).toBe("UNKNOWN");
  });

  test("Wind and rain guard: gusts by a clock that is wrong count, and nothing that was measured 90 s ago does", () => {
    expect(by({ ...gusts, sensor_ts: after(-31 / 60) }).verdict).toBe("PASSED");
    expect(by({ ...aged(90.1), gust_kmh: 62 }).verdict).toBe("CLEAR");
    expect(by(aged(90), "STOP").verdict).toBe("CLEAR");
  });

  test("Wind and rain guard: instruments for limits that the site has not are not missed", () => {
    const onlyGust: GuardRules = { ...none, max_gust_kmh: 45, without_sensor: "STOP" };
    const anemometer = { ...calm, rain_mm_h: null, temperature_c: null };
    expect(judgeAll(onlyGust, { hours: forecast(), sensor: anemometer }, unjudged, now).verdict).toBe("CLEAR");
  });

  test("Wind and rain guard: a sensor that is back must be within the limits for ten minutes", () => {
    const silent = by(aged(91), "STOP");
    const back = judgeAll(rules("STOP"), { hours: forecast(), sensor: calm }, silent, now);
    expect(back).toMatchObject({ verdict: "PASSED", within_since: now });
    const later = { ...calm, received_at: after(10), sensor_ts: after(10) };
    expect(judgeAll(rules("STOP"), { hours: forecast(), sensor: later }, back, after(10)).verdict).toBe("CLEAR");
  });
});
