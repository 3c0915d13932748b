import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { localTimeOf } from "../schedules/site-time.ts";
import { isQuiet, type QuietHours, quietUntil } from "./quiet-hours.ts";

/** With and without clock changes, of an hour and of half an hour, at midnight and backwards in winter. */
const zones = [
  "UTC",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Europe/Berlin",
  "America/St_Johns",
  "America/Havana",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Antarctica/Troll",
];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const RUNS = { numRuns: 200 * inject("soak").factor };

const anyTime = fc
  .record({
    hour: fc.oneof(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 3 })),
    quarter: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ hour, quarter }) => `${String(hour).padStart(2, "0")}:${String(quarter * 15).padStart(2, "0")}`);
const anyNight = fc.oneof(
  { weight: 4, arbitrary: fc.record({ quiet_from: anyTime, quiet_to: anyTime }) },
  { weight: 1, arbitrary: fc.constant({ quiet_from: null, quiet_to: null }) },
);
const anyQuiet = fc
  .record({
    timezone: fc.constantFrom(...zones),
    night: anyNight,
    days_off: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 6 }),
  })
  .map(({ timezone, night, days_off }): QuietHours => ({ timezone, ...night, days_off }));

/** A whole second of 2020 to 2040, often in the weekends in which clocks change. */
const anyInstant = fc
  .oneof(
    fc.integer({ min: Date.UTC(2020, 0, 1) / 1_000, max: Date.UTC(2040, 0, 1) / 1_000 }),
    fc
      .record({
        year: fc.integer({ min: 2020, max: 2039 }),
        month: fc.constantFrom(2, 3, 8, 9, 10),
        second: fc.integer({ min: -2 * 86_400, max: 33 * 86_400 }),
      })
      .map(({ year, month, second }) => Date.UTC(year, month, 1) / 1_000 + second),
  )
  .map((seconds) => new Date(seconds * 1_000));

/** Minutes of a day on which messages may come. */
function openMinutes({ quiet_from: from, quiet_to: to }: QuietHours): number {
  if (from === null || to === null) return 1_440;
  const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  return 1_440 - ((minutes(to) - minutes(from) + 1_440) % 1_440);
}

test("quiet times: it is quiet until their end, not at it, and they end within eight days", () => {
  fc.assert(
    fc.property(anyQuiet, anyInstant, fc.double({ min: 0, max: 1, noNaN: true }), (quiet, at, share) => {
      const until = quietUntil(quiet, at);
      if (until === null) return;
      expect(isQuiet(quiet, until)).toBe(false);
      expect(isQuiet(quiet, new Date(until.getTime() - 1))).toBe(true);
      const between = new Date(at.getTime() + Math.floor((until.getTime() - 1 - at.getTime()) * share));
      expect(quietUntil(quiet, between)).toEqual(until);
      // A clock change of two hours can skip all that is open of the only day that is not off.
      const days = openMinutes(quiet) > 180 ? 8 : 15;
      expect(until.getTime() - at.getTime()).toBeLessThan(days * DAY_MS);
    }),
    RUNS,
  );
});

test("quiet times: of two instants the later one is never quiet until an earlier time", () => {
  fc.assert(
    fc.property(anyQuiet, anyInstant, fc.integer({ min: 0, max: 3 * 86_400 }), (quiet, at, seconds) => {
      const later = new Date(at.getTime() + seconds * 1_000);
      const first = quietUntil(quiet, at) ?? at;
      const second = quietUntil(quiet, later) ?? later;
      expect(second.getTime()).toBeGreaterThanOrEqual(first.getTime());
    }),
    RUNS,
  );
});

/** The same offset from two days before to two days after. */
function clocksStay(at: Date, timezone: string): boolean {
  const offsets = [-2, -1, 0, 1, 2].map((days) => {
    const instant = at.getTime() + days * DAY_MS;
    const { date, time } = localTimeOf(new Date(instant), timezone);
    return Date.parse(`${date}T${time}Z`) - Math.floor(instant / 1_000) * 1_000;
  });
  return new Set(offsets).size === 1;
}

test("quiet times: where no clocks change, what the clock and the calendar show decides", () => {
  let [tried, quietOnes] = [0, 0];
  fc.assert(
    fc.property(anyQuiet, anyInstant, (quiet, at) => {
      if (!clocksStay(at, quiet.timezone)) return;
      const { date, time } = localTimeOf(at, quiet.timezone);
      const { quiet_from: from, quiet_to: to } = quiet;
      const isOff = quiet.days_off.includes(new Date(`${date}T00:00:00Z`).getUTCDay() || 7);
      const isNight =
        from !== null &&
        to !== null &&
        (from <= to
          ? from <= time.slice(0, 5) && time.slice(0, 5) < to
          : time.slice(0, 5) >= from || time.slice(0, 5) < to);
      expect(isQuiet(quiet, at)).toBe(isOff || isNight);
      tried += 1;
      if (isOff || isNight) quietOnes += 1;
    }),
    RUNS,
  );
  // Both answers occurred, each far more often than this.
  expect(quietOnes).toBeGreaterThan(20);
  expect(tried - quietOnes).toBeGreaterThan(20);
});

test("quiet times: around clock changes a night lasts what the clocks change more or less", () => {
  fc.assert(
    fc.property(anyQuiet, anyInstant, (quiet, at) => {
      const { quiet_from: from, quiet_to: to } = quiet;
      // Where the clocks skip all the time between them, two nights are one.
      fc.pre(from !== null && to !== null && from !== to && openMinutes(quiet) > 180 && isQuiet(quiet, at));
      const nightOnly = { ...quiet, days_off: [] };
      const until = quietUntil(nightOnly, at);
      if (until === null) return;
      const longest = (1_440 - openMinutes(quiet) + 120) * MINUTE_MS;
      expect(until.getTime() - at.getTime()).toBeLessThanOrEqual(longest);
      // It ends when the clocks show it, except where they may skip it.
      const shown = localTimeOf(until, quiet.timezone).time;
      expect(!clocksStay(until, quiet.timezone) || shown === `${to}:00`).toBe(true);
    }),
    RUNS,
  );
});
