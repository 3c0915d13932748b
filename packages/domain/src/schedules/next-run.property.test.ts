import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, inject, it } from "vitest";
import { dueDates, nextRunAfter, nextRunsAfter, runsBetween } from "./next-run.ts";
import type { ScheduleTimes } from "./calendar-date.ts";

/** Unusual ones come as often as all the others together. */
const oddZones = [
  "America/Havana",
  "America/Nuuk",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Africa/Casablanca",
  "Antarctica/Troll",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Pacific/Apia",
  "Pacific/Chatham",
];
const allZones = Intl.supportedValuesOf("timeZone").filter((zone) => DateTime.utc().setZone(zone).isValid);
const anyZone = fc.oneof(fc.constantFrom(...oddZones), fc.constantFrom(...allZones));
const FORMAT = "yyyy-MM-dd HH:mm:ss";
const DAY_MS = 86_400_000;
const RUNS = { numRuns: 200 * inject("soak").factor };

/** 2010 to 2040; ends of months, leap days and the hours in which clocks change come often. */
const anyStart = fc
  .record({
    year: fc.integer({ min: 2010, max: 2040 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 28, max: 31 })),
    hour: fc.oneof(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 2, 3, 23)),
    minute: fc.oneof(fc.integer({ min: 0, max: 59 }), fc.constantFrom(0, 15, 30)),
    second: fc.constantFrom(0, 0, 59),
  })
  .map((parts) => DateTime.fromObject(parts, { zone: "utc" }))
  .filter((start) => start.isValid);

const anySchedule = fc.record({
  start: anyStart,
  frequency: fc.constantFrom<Recurring[]>("DAILY", "WEEKLY", "MONTHLY", "WHEN_WORTH_IT"),
  zone: anyZone,
  /** From before the start to some years after it. */
  afterDays: fc.double({ min: -40, max: 1_500, noNaN: true }),
});
type Recurring = Exclude<Frequency, "ONCE">;

function parts({ start, frequency, afterDays }: { start: DateTime; frequency: Recurring; afterDays: number }) {
  const schedule: ScheduleTimes = { startTime: start.toFormat(FORMAT), frequency };
  return { schedule, after: new Date(start.toMillis() + Math.round(afterDays * DAY_MS)) };
}

/**
 * Another library's answer for one day: the time itself, its first occurrence if it occurs twice, else the end of the
 * gap.
 */
function instantByLuxon(wall: DateTime, zone: string): number {
  const shown = wall.setZone(zone, { keepLocalTime: true });
  const wanted = wall.toFormat(FORMAT);
  if (shown.toFormat(FORMAT) === wanted) {
    return Math.min(...shown.getPossibleOffsets().map((one) => one.toMillis()));
  }
  // In a gap, of a day at most: the last offset before it leads past the gap by less than the gap's length.
  let minute = shown.minus({ hours: 26 }).startOf("minute");
  while (minute.toFormat(FORMAT) < wanted) minute = minute.plus({ minutes: 1 });
  return minute.toMillis();
}

function isDay(day: DateTime, start: DateTime, frequency: Recurring): boolean {
  switch (frequency) {
    case "DAILY":
    case "WHEN_WORTH_IT":
      return true;
    case "WEEKLY":
      return day.weekday === start.weekday;
    case "MONTHLY":
      return day.day === Math.min(start.day, day.daysInMonth ?? 0);
  }
}

/** The next runs found by trying every day in turn, from some days before on. */
function runsDayByDay(start: DateTime, frequency: Recurring, zone: string, after: Date, count: number): number[] {
  const runs = new Set<number>();
  const from = DateTime.fromJSDate(after, { zone: "utc" }).minus({ days: 3 });
  const skipped = Math.max(0, Math.floor(from.diff(start, "days").days));
  for (let day = start.plus({ days: skipped }); runs.size < count; day = day.plus({ days: 1 })) {
    if (!isDay(day, start, frequency)) continue;
    const run = instantByLuxon(day, zone);
    if (run > after.getTime()) runs.add(run);
  }
  return [...runs];
}

it("Time: the next five runs are those that another library finds by trying every day, in every existing zone", () => {
  fc.assert(
    fc.property(anySchedule, (any) => {
      const { schedule, after } = parts(any);
      const runs = nextRunsAfter(schedule, any.zone, after, 5).map((run) => run.getTime());
      expect(runs).toEqual(runsDayByDay(any.start, any.frequency, any.zone, after, 5));
    }),
    RUNS,
  );
});

it("Time: runs come in order, without gaps, from any instant in between", () => {
  fc.assert(
    fc.property(anySchedule, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (any, share) => {
      const { schedule, after } = parts(any);
      const [first, second] = nextRunsAfter(schedule, any.zone, after, 2).map((run) => run.getTime());
      if (first === undefined || second === undefined) throw new Error("A recurring schedule has ended.");
      expect(after.getTime()).toBeLessThan(first);
      expect(first).toBeLessThan(second);
      const between = new Date(first + Math.floor((second - first) * share));
      expect(nextRunAfter(schedule, any.zone, between)?.getTime()).toBe(second);
      expect(nextRunAfter(schedule, any.zone, new Date(first - 1))?.getTime()).toBe(first);
      expect(runsBetween(schedule, any.zone, new Date(first), new Date(second + 1)).map(Number)).toEqual([
        first,
        second,
      ]);
    }),
    RUNS,
  );
});

it("§9 Schedule: one run for each day, week or month, at the chosen time unless the clocks skip it", () => {
  const units = { DAILY: "days", WHEN_WORTH_IT: "days", WEEKLY: "weeks", MONTHLY: "months" } as const;
  fc.assert(
    fc.property(anySchedule, (any) => {
      const { schedule, after } = parts(any);
      const chosen = any.start.toFormat("HH:mm:ss");
      const runs = nextRunsAfter(schedule, any.zone, after, 14).map((run) => {
        const shown = DateTime.fromJSDate(run, { zone: any.zone });
        const before = shown.minus({ seconds: 1 });
        // A gap may end after midnight: the run belongs to the day whose time was skipped.
        const isOfYesterday = shown.toFormat("HH:mm:ss") < chosen;
        const day = shown
          .setZone("utc", { keepLocalTime: true })
          .startOf("day")
          .minus({ days: isOfYesterday ? 1 : 0 });
        const wanted = `${day.toFormat("yyyy-MM-dd")} ${chosen}`;
        const isInGap = before.toFormat(FORMAT) < wanted && wanted < shown.toFormat(FORMAT);
        // A day lost to the date line ends as the next one begins: a run at midnight is the same for both.
        const followsLostDay = shown.day !== before.day && shown.day !== before.plus({ days: 1 }).day;
        return { shown: shown.toFormat(FORMAT), day, wanted, isInGap, followsLostDay };
      });
      expect(runs.filter((run) => run.shown !== run.wanted && !run.isInGap)).toEqual([]);
      expect(runs.filter((run) => !isDay(run.day, any.start, any.frequency))).toEqual([]);
      expect(runs.filter((run) => run.wanted < schedule.startTime)).toEqual([]);

      const periods = runs.map(({ day }) => (any.frequency === "MONTHLY" ? day.startOf("month") : day));
      const steps = periods.slice(1).map((period, i) => period.diff(periods[i] ?? period, units[any.frequency]));
      const expected = runs
        .slice(1)
        .map(({ followsLostDay }) => (followsLostDay && units[any.frequency] === "days" ? [1, 2] : [1]));
      expect(steps.every((step, i) => expected[i]?.includes(step.as(units[any.frequency])))).toBe(true);
    }),
    RUNS,
  );
});

it("§9 Schedule: ONCE runs at most once, and not before it is due", () => {
  fc.assert(
    fc.property(anySchedule, ({ start, zone, afterDays }) => {
      const { after } = parts({ start, frequency: "DAILY", afterDays: afterDays / 100 });
      const schedule: ScheduleTimes = { startTime: start.toFormat(FORMAT), frequency: "ONCE" };
      const due = instantByLuxon(start, zone);
      expect(nextRunsAfter(schedule, zone, after, 5).map(Number)).toEqual(due > after.getTime() ? [due] : []);
      expect(nextRunAfter(schedule, zone, new Date(due))).toBeNull();
    }),
    RUNS,
  );
});

it("fleet calendar: the dates on which a schedule is due are those of its runs", () => {
  const anyFrequency = fc.constantFrom<Frequency[]>("ONCE", "DAILY", "WEEKLY", "MONTHLY");
  fc.assert(
    fc.property(anySchedule, anyFrequency, fc.integer({ min: 0, max: 62 }), (any, frequency, days) => {
      const schedule: ScheduleTimes = { ...parts(any).schedule, frequency };
      const first = DateTime.fromJSDate(parts(any).after, { zone: "utc" }).startOf("day");
      const last = first.plus({ days });
      const runs = runsBetween(schedule, "UTC", first.toJSDate(), last.plus({ days: 1 }).toJSDate());
      expect(dueDates(schedule, first.toFormat("yyyy-MM-dd"), last.toFormat("yyyy-MM-dd"))).toEqual(
        runs.map((run) => run.toISOString().slice(0, 10)),
      );
    }),
    RUNS,
  );
});
