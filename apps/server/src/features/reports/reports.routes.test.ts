import { expect, test } from "vitest";
import { ManualClock } from "../../platform/clock.ts";
import { REPORT_TIMEOUT_MS, withTimeLimit } from "./reports.routes.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("§7 reportpdf: a report that takes more than two minutes fails with 503, and one whose caller disconnects stops immediately", async () => {
  const clock = new ManualClock(new Date("2026-06-15T12:00:00Z"));
  const disconnecting = new AbortController();
  const slow = withTimeLimit(clock, disconnecting.signal, untilAborted);
  const outcome = slow.catch((error: unknown) => error);
  expect(await withTimeLimit(clock, disconnecting.signal, async () => "made")).toBe("made");
  clock.advance(REPORT_TIMEOUT_MS);
  expect(await outcome).toMatchObject({ status: 503, message: expect.stringContaining("shorter range") });
  const later = withTimeLimit(clock, disconnecting.signal, untilAborted);
  disconnecting.abort(new Error("left"));
  await expect(later).rejects.toThrow("left");
});
