import type { ForecastDay } from "@suncrew/contract/weather/weather.ts";
import { expect, test } from "vitest";
import { weekBars } from "./week-bars.ts";

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
