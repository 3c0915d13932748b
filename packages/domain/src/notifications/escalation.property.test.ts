import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { nextTelling, noticeAfter, type NoticeState, type Telling, type TellingTimes } from "./escalation.ts";

const MINUTE_MS = 60_000;
const raisedAt = new Date("2026-11-27T00:00:00Z");
const raised: NoticeState = { raisedAt, firstToldAt: null, lastToldAt: null, step: null };
const after = (minutes: number) => new Date(raisedAt.getTime() + minutes * MINUTE_MS);
const steps = (...minutes: number[]) => minutes.map((after_minutes) => ({ after_minutes }));

test.each([
  ["first its first step, after its wait", raised, { step: 0, at: after(0.5), reason: "RAISED" }],
  [
    "then the next, from the first telling on",
    { ...raised, firstToldAt: after(1), lastToldAt: after(1), step: 0 },
    { step: 1, at: after(11), reason: "ESCALATED" },
  ],
  [
    "after a step that was late the next no sooner than the rule has between the two",
    { ...raised, firstToldAt: after(1), lastToldAt: after(400), step: 1 },
    { step: 2, at: after(420), reason: "ESCALATED" },
  ],
  [
    "after the last step all of them again",
    { ...raised, firstToldAt: after(1), lastToldAt: after(31), step: 2 },
    { step: "all", at: after(91), reason: "REPEATED" },
  ],
  [
    "at once the first step again if it got worse",
    { ...raised, raisedAt: after(50), lastToldAt: after(31) },
    { step: 0, at: after(50), reason: "RAISED" },
  ],
  [
    "all of them again if the rule has lost steps meanwhile",
    { ...raised, firstToldAt: after(1), lastToldAt: after(31), step: 4 },
    { step: "all", at: after(91), reason: "REPEATED" },
  ],
] satisfies [string, NoticeState, Telling][])("a rule tells: %s", (_, notice, expected) => {
  expect(nextTelling({ wait_seconds: 30, repeat_minutes: 60, steps: steps(0, 10, 30) }, notice)).toEqual(expected);
});

test("a rule without repeats tells nobody after its last step", () => {
  const told = { ...raised, firstToldAt: after(1), lastToldAt: after(1), step: 0 };
  expect(nextTelling({ wait_seconds: 0, repeat_minutes: null, steps: steps(0) }, told)).toBeNull();
});

const anyRule: fc.Arbitrary<TellingTimes> = fc.record({
  wait_seconds: fc.integer({ min: 0, max: 3_600 }),
  repeat_minutes: fc.option(fc.integer({ min: 5, max: 1_440 })),
  steps: fc
    .uniqueArray(fc.integer({ min: 1, max: 1_440 }), { maxLength: 4 })
    .map((minutes) => steps(0, ...minutes.toSorted((one, other) => one - other))),
});
/** How late a server is with each telling, in seconds: usually not at all. */
const anyDelays = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })), {
  minLength: 12,
  maxLength: 12,
});

const minutesOf = ({ steps }: TellingTimes, step: number | "all") =>
  step === "all" ? 0 : (steps[step]?.after_minutes ?? 0);

test("a rule tells each step once and in order, never before its time, and then repeats no sooner than it says", () => {
  fc.assert(
    fc.property(anyRule, anyDelays, (rule, delays) => {
      let notice = raised;
      const told: (number | "all")[] = [];
      let now = raisedAt;
      for (const delay of delays) {
        const next = nextTelling(rule, notice);
        if (next === null) break;
        const before = notice.lastToldAt ?? raisedAt;
        expect(next.at.getTime()).toBeGreaterThanOrEqual(before.getTime());
        const start = notice.firstToldAt ?? new Date(raisedAt.getTime() + rule.wait_seconds * 1_000);
        const earliest =
          next.step === "all"
            ? before.getTime() + (rule.repeat_minutes ?? Infinity) * MINUTE_MS
            : start.getTime() + (rule.steps[next.step]?.after_minutes ?? Infinity) * MINUTE_MS;
        // Late tellings move the next ones no further than the time between the two.
        const between = minutesOf(rule, next.step) - minutesOf(rule, notice.step ?? 0);
        expect(next.at.getTime()).toBe(Math.max(earliest, before.getTime() + between * MINUTE_MS));
        now = new Date(Math.max(now.getTime(), next.at.getTime()) + delay * 1_000);
        notice = noticeAfter(notice, next, now);
        told.push(next.step);
      }
      const once = told.filter((step) => step !== "all");
      expect(once).toEqual([...rule.steps.keys()]);
      expect(told.slice(0, once.length)).toEqual(once);
      expect(told.length > once.length).toBe(rule.repeat_minutes !== null);
    }),
    { numRuns: 300 * inject("soak").factor },
  );
});
