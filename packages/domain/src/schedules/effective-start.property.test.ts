import fc from "fast-check";
import { DateTime, Duration } from "luxon";
import { expect, inject, it } from "vitest";
import { effectiveStart, nextRunAfter } from "./next-run.ts";

const zones = ["UTC", "Asia/Kolkata", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"];
const RUNS = { numRuns: 500 * inject("soak").factor };

const anyMoment = fc.record({
  zone: fc.constantFrom(...zones),
  now: fc.date({ min: new Date("2010-01-01T00:00:00Z"), max: new Date("2041-01-01T00:00:00Z"), noInvalidDate: true }),
  time: fc
    .integer({ min: 0, max: 86_399 })
    .map((second) => DateTime.utc(2026).plus({ seconds: second }).toFormat("HH:mm:ss")),
  frequency: fc.constantFrom("ONCE", "DAILY", "WEEKLY", "MONTHLY", "WHEN_WORTH_IT"),
});

it("Time: chosen for today, the first run is today's, or the next one if today's has passed", () => {
  const steps = {
    ONCE: { days: 1 },
    DAILY: { days: 1 },
    WEEKLY: { weeks: 1 },
    MONTHLY: { months: 1 },
    WHEN_WORTH_IT: { days: 1 },
  };
  fc.assert(
    fc.property(anyMoment, ({ zone, now, time, frequency }) => {
      const here = DateTime.fromJSDate(now, { zone });
      const startTime = `${here.toFormat("yyyy-MM-dd")} ${time}`;
      const start = effectiveStart({ startTime, frequency }, zone, now);
      if (start.kind !== "start") throw new Error(`Today was refused: ${start.kind}`);

      const todays = nextRunAfter({ startTime, frequency: "ONCE" }, zone, new Date(0))?.getTime() ?? Number.NaN;
      const isPast = todays <= now.getTime();
      expect(start.moved).toBe(isPast);

      // The one after next for clocks that go back across midnight: tomorrow's time may have passed today already.
      const calendarDay = DateTime.fromISO(here.toFormat("yyyy-MM-dd"), { zone: "utc" });
      const nexts = [0, 1, 2].map((count) => {
        const days = Duration.fromObject(steps[frequency]).mapUnits((one) => one * count);
        const text = `${calendarDay.plus(days).toFormat("yyyy-MM-dd")} ${time}`;
        return { text, run: nextRunAfter({ startTime: text, frequency: "ONCE" }, zone, now) };
      });
      const first = nexts.find(({ run }) => run !== null);
      expect(start.firstRun).toEqual(first?.run);
      expect(start.startTime).toBe(frequency === "ONCE" ? first?.text : startTime);
    }),
    RUNS,
  );
});

it("Time: for any date, the first run is the next one of what is stored, and storing it again changes nothing", () => {
  fc.assert(
    fc.property(anyMoment, fc.integer({ min: -800, max: 800 }), ({ zone, now, time, frequency }, days) => {
      const today = DateTime.fromJSDate(now, { zone }).toFormat("yyyy-MM-dd");
      const date = DateTime.fromISO(today, { zone: "utc" }).plus({ days }).toFormat("yyyy-MM-dd");
      const start = effectiveStart({ startTime: `${date} ${time}`, frequency }, zone, now);
      expect(start.kind).toBe(frequency === "ONCE" && days < 0 ? "before-today" : "start");
      fc.pre(start.kind === "start");

      expect(start.firstRun.getTime()).toBeGreaterThan(now.getTime());
      expect(nextRunAfter({ startTime: start.startTime, frequency }, zone, now)).toEqual(start.firstRun);
      const again = effectiveStart({ startTime: start.startTime, frequency }, zone, now);
      expect(again).toEqual({ ...start, moved: frequency === "ONCE" ? false : start.moved });
    }),
    RUNS,
  );
});
