import { expect, test } from "vitest";
import { suggestedStart } from "./suggested-start.ts";

test.each([
  ["the site's usual time", "2026-06-16", "18:30", "09:00", { date: "2026-06-16", time: "18:30" }],
  ["the evening if it has none", "2026-06-15", null, "09:00", { date: "2026-06-15", time: "19:00" }],
  ["the morning after for a usual morning", "2026-06-15", "05:30", "09:00", { date: "2026-06-16", time: "05:30" }],
  ["the next full hour if that is past", "2026-06-15", "18:30", "20:10", { date: "2026-06-15", time: "21:00" }],
  ["midnight late in the evening", "2026-06-15", "18:30", "23:10", { date: "2026-06-16", time: "00:00" }],
])("fleet calendar: a run is suggested for %s", (_, evening, usual, time, expected) => {
  expect(suggestedStart(evening, usual, { date: "2026-06-15", time })).toEqual(expected);
});
