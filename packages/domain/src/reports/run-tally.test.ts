import { expect, test } from "vitest";
import { newRunTally, type RunOnRecord, tallyRun } from "./run-tally.ts";
import { unionMs } from "./spans.ts";

const MINUTE = 60_000;
const span = (from: number, to: number) => ({ fromMs: from * MINUTE, toMs: to * MINUTE });
const range = span(0, 1_440);

/** Minutes of one robot: planned, then cleaned as planned, outside the plan and by hand. */
function minutesOf(...runs: Pick<RunOnRecord, "planned" | "moved">[]) {
  const tally = newRunTally(range);
  for (const { planned, moved } of runs) {
    const atMs = (planned ?? moved ?? range).fromMs;
    tallyRun(tally, { robotId: 1, outcome: "COMPLETED", atMs, planned, moved });
  }
  const { plannedMs = 0, asPlannedMs = 0, outsidePlanMs = 0, byHandMs = 0 } = tally.robots.get(1) ?? {};
  return [plannedMs, asPlannedMs, outsidePlanMs, byHandMs].map((ms) => ms / MINUTE);
}

test("decisions, report figures: cleaning counts as planned only within its planned time, so never over 100 %", () => {
  expect(minutesOf({ planned: span(60, 90), moved: span(61, 120) })).toEqual([30, 29, 30, 0]);
  expect(minutesOf({ planned: span(60, 240), moved: span(60, 240) }, { planned: null, moved: span(300, 393) })).toEqual(
    [180, 180, 0, 93],
  );
  // A manual run does not make up for one that was missed.
  expect(minutesOf({ planned: span(60, 90), moved: null }, { planned: null, moved: span(100, 130) })).toEqual([
    30, 0, 0, 30,
  ]);
});

test("decisions, report figures: a planned run across midnight counts with its part on each side", () => {
  expect(minutesOf({ planned: span(-30, 30), moved: span(-29, 31) })).toEqual([30, 30, 1, 0]);
  expect(minutesOf({ planned: span(-30, 30), moved: null })).toEqual([30, 0, 0, 0]);
  expect(minutesOf({ planned: span(1_410, 1_470), moved: span(1_411, 1_470) })).toEqual([30, 29, 0, 0]);
});

test("decisions, report figures: time under several critical alerts counts once", () => {
  expect(unionMs([span(50, 60), span(0, 20), span(10, 30), span(12, 15)]) / MINUTE).toBe(40);
  expect(unionMs([])).toBe(0);
});
