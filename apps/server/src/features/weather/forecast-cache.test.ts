import { expect, test } from "vitest";
import { ManualClock } from "../../platform/clock.ts";
import { ForecastCache } from "./weather.service.ts";

test("memory is bounded: the oldest answer is dropped", async () => {
  const clock = new ManualClock(new Date("2026-06-15T06:30:00Z"));
  const cache = new ForecastCache<string>({ clock, freshMs: 60_000, failureMs: 1_000, maxEntries: 3 });
  const loads: string[] = [];
  const get = (key: string) =>
    cache.get(key, async () => {
      loads.push(key);
      return key;
    });
  for (const key of ["a", "b", "c", "d"]) expect(await get(key)).toBe(key);
  expect(cache.size).toBe(3);
  await get("b");
  expect(loads).toEqual(["a", "b", "c", "d"]);
  await get("a");
  expect(loads).toEqual(["a", "b", "c", "d", "a"]);
  expect(cache.size).toBe(3);
});
