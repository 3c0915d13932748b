import { expect, test } from "vitest";
import {
  connectedShares,
  HISTORY_SPANS,
  historySpanOf,
  type PartReadings,
  partValues,
  READING_HOLDS_MS,
  speedsAt,
} from "./history-parts.ts";

const PART_MS = 300_000;
const span = { fromMs: 0, toMs: 6 * PART_MS, partMs: PART_MS };

/** One reading, in the middle of its part unless it says otherwise. */
function reading(part: number, change: Partial<PartReadings> = {}): PartReadings {
  return {
    part,
    least: 50,
    most: 60,
    mean: 55,
    moving: 0.5,
    lastAtMs: (part + 0.5) * PART_MS,
    lastBattery: 51,
    lastMoving: true,
    sample: false,
    ...change,
  };
}

const means = (readings: readonly PartReadings[]) => partValues(readings, span).map((value) => value?.mean ?? null);

test("robot page: a part without a report is a gap, not a line", () => {
  expect(means([reading(1), reading(4)])).toEqual([null, 55, null, null, 55, null]);
  expect(means([])).toEqual([null, null, null, null, null, null]);
});

test("robot page: a report holds into the next part only as long as the robot counts as reachable", () => {
  const late = (leftMs: number) => means([reading(1, { lastAtMs: 2 * PART_MS - leftMs })]);
  expect(late(READING_HOLDS_MS - 1)).toEqual([null, 55, 51, null, null, null]);
  expect(late(READING_HOLDS_MS)).toEqual([null, 55, null, null, null, null]);
});

test("robot page: a report before the span reaches into it, and sample data holds for an hour", () => {
  const before = reading(-1, { lastAtMs: -1 });
  expect(means([before])).toEqual([51, null, null, null, null, null]);
  expect(means([{ ...before, sample: true }])).toEqual([51, 51, 51, 51, 51, 51]);
  expect(partValues([before], span)[0]).toEqual({ least: 51, most: 51, mean: 51, moving: 1 });
});

test.each(Object.keys(HISTORY_SPANS) as (keyof typeof HISTORY_SPANS)[])(
  "robot page: %s are some hundred whole parts, with the moment in the middle or now at the end",
  (name) => {
    const now = new Date("2026-06-15T06:31:07Z");
    const { spanMs, partMs } = HISTORY_SPANS[name];
    const latest = historySpanOf(name, now, null);
    expect(latest.toMs - latest.fromMs).toBe(spanMs);
    expect(spanMs / partMs).toBeGreaterThanOrEqual(280);
    expect(spanMs / partMs).toBeLessThanOrEqual(600);
    expect(latest.toMs % partMs).toBe(0);
    expect(latest.toMs - now.getTime()).toBeLessThan(partMs);
    expect(historySpanOf(name, now, now)).toEqual(latest);
    const moment = new Date(now.getTime() - 2 * spanMs);
    const past = historySpanOf(name, now, moment);
    expect(Math.abs((past.fromMs + past.toMs) / 2 - moment.getTime())).toBeLessThan(partMs);
  },
);

test("robot page: the connection counts only while it is known", () => {
  const online = [
    { fromMs: 0.5 * PART_MS, toMs: 2.25 * PART_MS },
    { fromMs: 2.75 * PART_MS, toMs: 3.5 * PART_MS },
  ];
  const known = { fromMs: 0.5 * PART_MS, toMs: 4.5 * PART_MS };
  expect(connectedShares(online, known, span)).toEqual([1, 1, 0.5, 0.5, 0, null]);
});

test("robot page: speeds are those that were set at the time", () => {
  const [first, second, third] = [10, 20, 30].map((main) => ({ main, brush: 2 * main }));
  if (first === undefined || second === undefined || third === undefined) throw new Error("three");
  const changes = [
    { atMs: 100, before: first, after: second },
    { atMs: 200, before: second, after: third },
  ];
  expect([50, 100, 150, 200, 900].map((atMs) => speedsAt(changes, third, atMs).main)).toEqual([10, 20, 20, 30, 30]);
  expect(speedsAt([], second, 50)).toEqual(second);
});
