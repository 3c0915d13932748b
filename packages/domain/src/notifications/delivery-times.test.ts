import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { deliveryRetryTime } from "./delivery-times.ts";

const createdAt = new Date("2026-11-27T00:00:00Z");
const later = (ms: number) => new Date(createdAt.getTime() + ms);
const HOUR_MS = 3_600_000;

/** Seconds from creation to each attempt, if every one fails at once. */
function attempts(afterMs?: number): number[] {
  const seconds: number[] = [];
  let now: Date | null = createdAt;
  while (now !== null) {
    seconds.push((now.getTime() - createdAt.getTime()) / 1_000);
    now = deliveryRetryTime({ failedAttempts: seconds.length, createdAt, now, afterMs });
  }
  return seconds;
}

test("deliveries: pauses grow to two hours, and a day after it was created one is given up", () => {
  const tried = attempts();
  const pauses = tried.slice(1).map((at, nth) => at - (tried[nth] ?? 0));
  expect(pauses.slice(0, 9)).toEqual([30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 7_200]);
  expect(pauses.slice(9).every((pause) => pause === 7_200)).toBe(true);
  expect(tried.at(-1)).toBeLessThanOrEqual(86_400);
  expect(tried.at(-1)).toBeGreaterThan(86_400 - 7_200);
});

test.each([
  ["waits as long as its service asks", 1, 45 * 60_000, later(45 * 60_000)],
  ["waits no shorter than without", 4, 1_000, later(300_000)],
  ["is tried exactly a day after it was created", 1, 24 * HOUR_MS, later(24 * HOUR_MS)],
  ["is given up if its service asks for more than a day", 1, 24 * HOUR_MS + 1, null],
])("deliveries: one %s", (_, failedAttempts, afterMs, expected) => {
  expect(deliveryRetryTime({ failedAttempts, createdAt, now: createdAt, afterMs })).toEqual(expected);
});

test("deliveries: the day of one that was held for a quiet weekend begins when it was due", () => {
  const heldUntil = later(60 * HOUR_MS);
  const failed = { failedAttempts: 1, createdAt, now: heldUntil };
  expect(deliveryRetryTime(failed)).toBeNull();
  expect(deliveryRetryTime({ ...failed, heldUntil })).toEqual(later(60 * HOUR_MS + 30_000));
});

test("deliveries: the next attempt is after now and as asked, and the day is never exceeded", () => {
  const anyFailure = fc.record({
    failedAttempts: fc.integer({ min: 1, max: 100 }),
    waited: fc.integer({ min: 0, max: 30 * HOUR_MS }),
    afterMs: fc.option(fc.integer({ min: 0, max: 30 * HOUR_MS }), { nil: undefined }),
  });
  fc.assert(
    fc.property(anyFailure, ({ failedAttempts, waited, afterMs }) => {
      const at = deliveryRetryTime({ failedAttempts, createdAt, now: later(waited), afterMs });
      const soonest = waited + Math.max(30_000, afterMs ?? 0);
      const latest = waited + Math.max(2 * HOUR_MS, afterMs ?? 0);
      // Between both limits it depends on how often it was tried.
      const tried = at === null ? Infinity : at.getTime() - createdAt.getTime();
      expect(tried).toBeGreaterThanOrEqual(soonest);
      expect(tried <= latest && tried <= 24 * HOUR_MS).toBe(at !== null);
      expect(at !== null || latest > 24 * HOUR_MS).toBe(true);
    }),
    { numRuns: 500 * inject("soak").factor },
  );
});
