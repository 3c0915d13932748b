import { expect, test } from "vitest";
import { MAX_ATTEMPTS, retryTime } from "./report-retries.ts";

test("monthly reports: pauses between attempts grow, and then attempts end", () => {
  const now = new Date("2026-10-31T18:30:00Z");
  const pauses = Array.from(
    { length: MAX_ATTEMPTS - 1 },
    (_, nth) => (retryTime(nth + 1, now)?.getTime() ?? 0) - now.getTime(),
  );
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  expect([pauses[0], retryTime(MAX_ATTEMPTS, now)]).toEqual([60_000, null]);
});
