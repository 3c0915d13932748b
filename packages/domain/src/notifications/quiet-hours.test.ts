import { expect, test } from "vitest";
import { isQuiet, type QuietHours, quietUntil } from "./quiet-hours.ts";

const nights = (timezone: string, quiet_from = "22:00", quiet_to = "07:00"): QuietHours => ({
  timezone,
  quiet_from,
  quiet_to,
  days_off: [],
});

test.each([
  ["a night in India", nights("Asia/Kolkata"), "2026-11-26T17:00:00Z", "2026-11-27T01:30:00.000Z"],
  ["a night after midnight", nights("Asia/Kolkata"), "2026-11-26T20:00:00Z", "2026-11-27T01:30:00.000Z"],
  ["a night from its first instant", nights("Asia/Kolkata"), "2026-11-26T16:30:00Z", "2026-11-27T01:30:00.000Z"],
  ["not before that night", nights("Asia/Kolkata"), "2026-11-26T16:29:59.999Z", null],
  ["not from the end of that night on", nights("Asia/Kolkata"), "2026-11-27T01:30:00Z", null],
  ["a zone with a quarter", nights("Asia/Kathmandu"), "2026-11-26T17:00:00Z", "2026-11-27T01:15:00.000Z"],
  ["a rest at noon", nights("Asia/Kolkata", "12:00", "14:00"), "2026-11-27T07:00:00Z", "2026-11-27T08:30:00.000Z"],
  ["not after a rest at noon", nights("Asia/Kolkata", "12:00", "14:00"), "2026-11-27T09:00:00Z", null],
  [
    "a night that a clock change makes shorter",
    nights("Europe/Berlin"),
    "2026-03-28T21:00:00Z",
    "2026-03-29T05:00:00.000Z",
  ],
  [
    "a night that a clock change makes longer",
    nights("Europe/Berlin"),
    "2026-10-24T20:00:00Z",
    "2026-10-25T06:00:00.000Z",
  ],
  [
    "an end that the clocks skip",
    nights("Europe/Berlin", "22:00", "02:30"),
    "2026-03-29T00:30:00Z",
    "2026-03-29T01:00:00.000Z",
  ],
  [
    "an end that they show twice",
    nights("Europe/Berlin", "22:00", "02:30"),
    "2026-10-25T00:15:00Z",
    "2026-10-25T00:30:00.000Z",
  ],
  [
    "not again when they show that end the second time",
    nights("Europe/Berlin", "22:00", "02:30"),
    "2026-10-25T01:15:00Z",
    null,
  ],
  [
    "a start that they show twice",
    nights("Europe/Berlin", "02:30", "06:00"),
    "2026-10-25T01:15:00Z",
    "2026-10-25T05:00:00.000Z",
  ],
  [
    "half an hour that is skipped",
    nights("Australia/Lord_Howe", "23:00", "02:15"),
    "2026-10-03T15:00:00Z",
    "2026-10-03T15:30:00.000Z",
  ],
  ["a start and an end that are both skipped", nights("Europe/Berlin", "02:10", "02:50"), "2026-03-29T01:00:00Z", null],
  ["no span of the same time", nights("Asia/Kolkata", "07:00", "07:00"), "2026-11-27T01:30:00Z", null],
  [
    "a weekend between two nights",
    { ...nights("Asia/Kolkata"), days_off: [6, 7] },
    "2026-11-27T17:00:00Z",
    "2026-11-30T01:30:00.000Z",
  ],
  [
    "days off alone, to the end of the last",
    { timezone: "Africa/Casablanca", quiet_from: null, quiet_to: null, days_off: [5, 6] },
    "2025-11-28T09:00:00Z",
    "2025-11-29T23:00:00.000Z",
  ],
  [
    "all of a day off, with a rest at noon",
    { ...nights("Asia/Kolkata", "12:00", "14:00"), days_off: [5] },
    "2026-11-27T03:00:00Z",
    "2026-11-27T18:30:00.000Z",
  ],
  [
    "a midnight that the clocks skip",
    { timezone: "Africa/Cairo", quiet_from: null, quiet_to: null, days_off: [4] },
    "2026-04-23T12:00:00Z",
    "2026-04-23T22:00:00.000Z",
  ],
  ["never without quiet times", { ...nights("UTC"), quiet_from: null, quiet_to: null }, "2026-11-26T23:00:00Z", null],
] satisfies [string, QuietHours, string, string | null][])("quiet times: %s", (_, quiet, at, until) => {
  expect(quietUntil(quiet, new Date(at))?.toISOString() ?? null).toBe(until);
  expect(isQuiet(quiet, new Date(at))).toBe(until !== null);
});

test("quiet times: six days off leave one day, and an unknown zone is an error", () => {
  const worker: QuietHours = {
    timezone: "Asia/Kolkata",
    quiet_from: "12:00",
    quiet_to: "10:00",
    days_off: [1, 2, 3, 4, 5, 6],
  };
  expect(quietUntil(worker, new Date("2026-11-22T07:00:00Z"))).toEqual(new Date("2026-11-29T04:30:00Z"));
  expect(() => isQuiet(nights("Nowhere/Land"), new Date())).toThrow(RangeError);
});
