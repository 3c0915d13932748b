import type { ForecastDay } from "@suncrew/contract/weather/weather.ts";
import { expect, test } from "vitest";
import { celsius, hectopascals, monthOf, sentenceOf, shortDayOf, weekBars } from "./weather-text.ts";

test("numbers are whole, with their unit, and zero has no sign", () => {
  expect(celsius(33.6)).toBe("34\u00a0°C");
  expect(celsius(-0.4)).toBe("0\u00a0°C");
  expect(celsius(-3.5)).toBe("-4\u00a0°C");
  expect(hectopascals(1006.4)).toBe("1006\u00a0hPa");
});

test("a date from the wire stays on its day", () => {
  expect([shortDayOf("2026-06-15"), monthOf("2026-06-15")]).toEqual(["Mon 15", "Jun"]);
});

test("a day of the forecast is described in words", () => {
  const day = {
    date: "2026-06-15",
    min_temperature: 24.2,
    max_temperature: 36,
    description: "Light rain",
    icon: "rain",
    precipitation_percent: 62,
    wind_speed: 14,
  } as const;
  expect(sentenceOf(day)).toBe("Mon 15 Jun: Light rain, 24 to 36\u00a0°C, precipitation 62\u00a0%.");
});

const day = (date: string, min: number, max: number, rain: number): ForecastDay => ({
  date,
  min_temperature: min,
  max_temperature: max,
  description: "Clear sky",
  icon: "clear",
  precipitation_percent: rain,
  wind_speed: 10,
});

test("the week's temperatures share one scale, rain has its own from 0 to 100", () => {
  expect(weekBars([day("2026-06-15", 20, 30, 0), day("2026-06-16", 25, 40, 70)])).toEqual([
    { date: "2026-06-15", coldFrom: 0, warmth: 50, rain: 0 },
    { date: "2026-06-16", coldFrom: 25, warmth: 75, rain: 70 },
  ]);
});

test("a week of one temperature still has bars, inside the graphic", () => {
  for (const { coldFrom, warmth } of weekBars([day("2026-06-15", 0, 0, 0), day("2026-06-16", 0, 0, 100)])) {
    expect(warmth).toBeGreaterThan(0);
    expect(coldFrom + warmth).toBeLessThanOrEqual(100);
  }
});
