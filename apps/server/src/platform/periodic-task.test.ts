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

/** How often the snapshot was read after this many seconds, if each read takes as long as `tookMs` says. */
async function readsAfter(seconds: number, tookMs: (nth: number) => number): Promise<number> {
  let reads = 0;
  const clock = new ManualClock(new Date(0));
  const snapshot = new CachedSnapshot({ clock, log: pino({ level: "silent" }) }, async () => {
    reads += 1;
    nowMs += tookMs(reads);
    return reads;
  });
  await snapshot.start();
  for (let passed = 0; passed < seconds; passed += 5) {
    nowMs += 5_000;
    clock.advance(5_000);
    await new Promise(setImmediate);
  }
  await snapshot.stop();
  return reads;
}

test("protocol rule 3: the snapshot for Stops is read every 5 s, even after one slow read", async () => {
  expect(await readsAfter(60, (nth) => (nth === 1 ? 2_000 : 10))).toBe(13);
});

test("protocol rule 3: if every read is slow, reading takes at most a hundredth of the time", async () => {
  expect(await readsAfter(600, () => 1_000)).toBeLessThan(10);
});
