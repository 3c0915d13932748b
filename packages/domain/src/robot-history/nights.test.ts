import { runOutcomeSchema } from "@suncrew/contract/robots/run-outcome.ts";
import { expect, test } from "vitest";
import { BEST_FIRST, isNotDone, nightName } from "./night-states.ts";
import { nightOf, nightsUntil } from "./nights.ts";

const iso = ({ date, fromMs, toMs }: ReturnType<typeof nightsUntil>[number]) => [
  date,
  new Date(fromMs).toISOString(),
  new Date(toMs).toISOString(),
];

test.each([
  ["in the morning it is the night that began yesterday", "2026-06-15T03:30:00Z", "2026-06-14"],
  ["a second before noon, too", "2026-06-15T06:29:59Z", "2026-06-14"],
  ["at noon the next begins", "2026-06-15T06:30:00Z", "2026-06-15"],
])("robot page: nights go from noon to noon of the site's time: %s", (_, now, date) => {
  const nights = nightsUntil(new Date(now), "Asia/Kolkata", 3);
  expect(nights).toHaveLength(3);
  expect(nights.at(-1)?.date).toBe(date);
});

test("robot page: nights follow each other without a gap, also when clocks change", () => {
  const nights = nightsUntil(new Date("2026-03-30T10:00:00Z"), "Europe/Berlin", 3);
  expect(nights.map(iso)).toEqual([
    ["2026-03-28", "2026-03-28T11:00:00.000Z", "2026-03-29T10:00:00.000Z"],
    ["2026-03-29", "2026-03-29T10:00:00.000Z", "2026-03-30T10:00:00.000Z"],
    ["2026-03-30", "2026-03-30T10:00:00.000Z", "2026-03-31T10:00:00.000Z"],
  ]);
});

test("robot page: a night knows every outcome of a run, the best first, and says why it is not done", () => {
  expect(BEST_FIRST.toSorted()).toEqual([...runOutcomeSchema.options, "RUNNING"].toSorted());
  expect(BEST_FIRST.filter((state) => !isNotDone(state))).toEqual(["COMPLETED", "RUNNING"]);
  expect(isNotDone("NONE")).toBe(false);
});

test.each([
  ["Tonight", "15T18", "15T19"],
  ["Tonight", "15T23", "16T02"],
  ["Tonight", "16T05", "16T05"],
  ["Last night", "15T18", "16T06"],
  ["Last night", "16T05", "16T09"],
  ["Last night", "15T18", "16T15"],
  ["Last night", "15T18", "16T20"],
  ["Last night", "14T23", "16T02"],
  ["The night before last", "14T18", "16T09"],
  ["Today", "16T09", "16T11"],
  ["Today", "16T14", "16T22"],
  ["Yesterday", "15T14", "16T09"],
  ["Yesterday", "15T08", "16T02"],
  ["Two days ago", "14T13", "16T10"],
])("robot page: a run is '%s' that was due at %s, seen at %s", (name, run, now) => {
  const hourOf = (text: string) => ({ date: `2026-06-${text.slice(0, 2)}`, hour: Number(text.slice(3)) });
  expect(nightName(hourOf(run), hourOf(now))).toBe(name);
});

test.each([
  ["2026-06-15", "11:59:59", "2026-06-14"],
  ["2026-06-15", "12:00:00", "2026-06-15"],
  ["2026-03-01", "05:30:00", "2026-02-28"],
])("fleet calendar: what is due on %s at %s belongs to the night of %s", (date, time, night) => {
  expect(nightOf({ date, time })).toBe(night);
});
