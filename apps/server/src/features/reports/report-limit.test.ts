import { expect, test } from "vitest";
import { ManualClock } from "../../platform/clock.ts";
import { REPORT_MOST_MS, withinLimit } from "./report-limit.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("§7 reportpdf: a report that takes more than two minutes is given up with 503, and one whose reader leaves at once", async () => {
  const clock = new ManualClock(new Date("2026-06-15T12:00:00Z"));
  const gone = new AbortController();
  const slow = withinLimit(clock, gone.signal, untilAborted);
  const told = slow.catch((error: unknown) => error);
  expect(await withinLimit(clock, gone.signal, async () => "made")).toBe("made");
  clock.advance(REPORT_MOST_MS);
  expect(await told).toMatchObject({ status: 503, message: expect.stringContaining("shorter range") });
  const later = withinLimit(clock, gone.signal, untilAborted);
  gone.abort(new Error("left"));
  await expect(later).rejects.toThrow("left");
});
