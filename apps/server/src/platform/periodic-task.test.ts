import pino from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CachedSnapshot } from "./periodic-task.ts";
import { ManualClock } from "./clock.ts";

let nowMs = 0;
beforeEach(() => {
  nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
});
afterEach(() => vi.restoreAllMocks());

/** What was read how many times, where each read takes as long as `tookMs` says, after so many seconds. */
async function readsAfter(seconds: number, tookMs: (nth: number) => number): Promise<number> {
  let reads = 0;
  const clock = new ManualClock(new Date(0));
  const known = new CachedSnapshot({ clock, log: pino({ level: "silent" }) }, async () => {
    reads += 1;
    nowMs += tookMs(reads);
    return reads;
  });
  await known.start();
  for (let passed = 0; passed < seconds; passed += 5) {
    nowMs += 5_000;
    clock.advance(5_000);
    await new Promise(setImmediate);
  }
  await known.stop();
  return reads;
}

test("protocol rule 3: what a Stop is taken by is read every 5 s, also after a read that was slow once", async () => {
  expect(await readsAfter(60, (nth) => (nth === 1 ? 2_000 : 10))).toBe(13);
});

test("protocol rule 3: reading takes a hundredth of the time at the most where it always takes long", async () => {
  expect(await readsAfter(600, () => 1_000)).toBeLessThan(10);
});
