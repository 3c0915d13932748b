import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BudgetUsage,
  budgetKinds,
  remainingOf,
  noUsage,
  robotLimits,
  usageAfter,
  usageAt,
} from "./robot-budget.ts";

const HOUR_MS = 3_600_000;
const fresh: BudgetUsage = { atMs: 0, used: noUsage };
const one = (kind: keyof typeof noUsage) => ({ ...noUsage, [kind]: 1 });

/** How many of a robot's messages at these times, in milliseconds, are accepted. */
function takenOf(kind: keyof typeof noUsage, times: readonly number[]): number {
  let use = fresh;
  let taken = 0;
  for (const atMs of times) {
    use = usageAt(use, atMs);
    if (remainingOf(use)[kind] < 1) continue;
    use = usageAfter(use, one(kind));
    taken += 1;
  }
  return taken;
}

describe("protocol rule 10: budgets of a robot", () => {
  test.each(budgetKinds)("protocol rule 10: a flood of %s gets its burst and what an hour gives, no more", (kind) => {
    const { burst, perHour } = robotLimits[kind];
    const flood = Array.from({ length: 40_000 }, (_, index) => (index * HOUR_MS) / 39_999);
    expect(takenOf(kind, flood)).toBeGreaterThanOrEqual(burst + perHour - 1);
    expect(takenOf(kind, flood)).toBeLessThanOrEqual(burst + perHour);
  });

  test("protocol rule 10: whatever a robot sends and when, it never exceeds the burst and hourly limits", () => {
    const pauses = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -1_000, max: HOUR_MS })), { maxLength: 300 });
    fc.assert(
      fc.property(fc.constantFrom(...budgetKinds), pauses, (kind, waits) => {
        let atMs = 0;
        const times = waits.map((waitMs) => (atMs += waitMs));
        const { burst, perHour } = robotLimits[kind];
        const forwardMs = waits.reduce((sum, waitMs) => sum + Math.max(0, waitMs), 0);
        expect(takenOf(kind, times)).toBeLessThanOrEqual(burst + (forwardMs / HOUR_MS) * perHour);
      }),
    );
  });

  test("protocol rule 10: a robot at work reaches no limit: two states a second all day, 200 events after a day offline", () => {
    const halfSeconds = Array.from({ length: 2 * 86_400 }, (_, index) => index * 500);
    expect(takenOf("readings", halfSeconds)).toBe(halfSeconds.length);
    expect(takenOf("messages", halfSeconds)).toBe(halfSeconds.length);
    expect(takenOf("events", Array<number>(200).fill(86_400_000))).toBe(200);
    const quarters = Array.from({ length: 96 }, (_, index) => index * 900_000);
    expect(takenOf("runs", quarters)).toBe(96);
    // Twenty at once, as many as a state can list, and a sensor that toggles twice a minute.
    expect(takenOf("alerts", [...Array<number>(20).fill(0), ...halfSeconds.filter((ms) => ms % 30_000 === 0)])).toBe(
      20 + 2_880,
    );
  });
});
