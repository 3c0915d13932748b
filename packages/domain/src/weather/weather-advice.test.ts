import type { WeatherAdvice } from "@suncrew/contract/weather/weather.ts";
import { describe, expect, test } from "vitest";
import { weatherAdvice } from "./weather-advice.ts";

const forecast = (...percents: number[]) => percents.map((precipitation_percent) => ({ precipitation_percent }));

const cases: readonly (readonly [percents: readonly number[], advice: WeatherAdvice])[] = [
  [[0, 0, 0, 0, 0, 0, 0], "recommended"],
  [[50, 50, 50, 0, 0, 0, 0], "recommended"],
  [[51, 0, 0, 0, 0, 0, 0], "caution"],
  [[0, 50.1, 0, 0, 0, 0, 0], "caution"],
  [[0, 0, 100, 0, 0, 0, 0], "caution"],
  [[51, 51, 0, 0, 0, 0, 0], "not-recommended"],
  [[51, 0, 51, 0, 0, 0, 0], "not-recommended"],
  [[0, 51, 51, 0, 0, 0, 0], "not-recommended"],
  [[100, 100, 100, 0, 0, 0, 0], "not-recommended"],
];

describe("§4 Weather recommendation: two days of rain in the first three, one, or none", () => {
  test.each(cases)("%j is %s", (percents, advice) => {
    expect(weatherAdvice(forecast(...percents))).toBe(advice);
  });
});

describe("§9 Weather: rain threshold 50 percent over the first 3 days", () => {
  test("later days do not count", () => {
    expect(weatherAdvice(forecast(0, 0, 0, 100, 100, 100, 100))).toBe("recommended");
  });

  test("fewer days than three are used as they are", () => {
    expect(weatherAdvice(forecast(80))).toBe("caution");
    expect(weatherAdvice([])).toBe("recommended");
  });
});
