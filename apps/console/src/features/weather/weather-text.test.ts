import { expect, test } from "vitest";
import { celsius, hectopascals, monthOf, sentenceOf, shortDayOf } from "./weather-text.ts";

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
