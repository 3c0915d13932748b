import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type VerdictFacts, verdictOf } from "./report-verdict.ts";

const present = { robots: 10, critical: 0, offline: 0, outOfAction: 0, siteCritical: 0, overdue: 0 };
const good: VerdictFacts = { days: 31, daysWithData: 31, runs: 100, runsDone: 97, uptimePercent: 98, present };

describe("decisions, verdict of a report: the light and its reasons", () => {
  test.each([
    ["all is well", good, "GREEN", []],
    [
      "no run was planned and nothing is known of uptime",
      { ...good, runs: 0, runsDone: 0, uptimePercent: null },
      "GREEN",
      [],
    ],
    ["95 % done is green still", { ...good, runsDone: 95 }, "GREEN", []],
    ["94 % is not", { ...good, runsDone: 94 }, "AMBER", ["RUNS_NOT_DONE"]],
    ["as printed: 94.96 % is 95.0 %", { ...good, runs: 10_000, runsDone: 9_496 }, "GREEN", []],
    ["less than 80 % done", { ...good, runsDone: 79 }, "RED", ["RUNS_NOT_DONE"]],
    ["reachable 90 % of the time", { ...good, uptimePercent: 90 }, "AMBER", ["UNREACHABLE"]],
    ["reachable half of the time", { ...good, uptimePercent: 50 }, "RED", ["UNREACHABLE"]],
    [
      "one robot of ten is offline",
      { ...good, present: { ...present, offline: 1, outOfAction: 1 } },
      "AMBER",
      ["OUT_OF_ACTION"],
    ],
    [
      "two of ten have a fault",
      { ...good, present: { ...present, critical: 2, outOfAction: 2 } },
      "RED",
      ["OUT_OF_ACTION"],
    ],
    [
      "the only robot is offline",
      { ...good, present: { ...present, robots: 1, offline: 1, outOfAction: 1 } },
      "RED",
      ["OUT_OF_ACTION"],
    ],
    [
      "a critical alert of the whole site",
      { ...good, present: { ...present, siteCritical: 1 } },
      "RED",
      ["SITE_CRITICAL"],
    ],
    ["overdue maintenance", { ...good, present: { ...present, overdue: 3 } }, "AMBER", ["OVERDUE"]],
    ["data on 9 of 31 days", { ...good, daysWithData: 9 }, "AMBER", ["FEW_DAYS"]],
    [
      "no data at all, whatever is open",
      { ...good, daysWithData: 0, present: { ...present, siteCritical: 1 } },
      "UNKNOWN",
      ["NO_DATA"],
    ],
    ["a range of long ago: the present does not count", { ...good, present: null }, "GREEN", []],
    [
      "the worst reason comes first",
      { ...good, runsDone: 90, uptimePercent: 70, present: { ...present, overdue: 1 } },
      "RED",
      ["UNREACHABLE", "RUNS_NOT_DONE", "OVERDUE"],
    ],
  ] as const)("%s", (_what, facts, light, kinds) => {
    const verdict = verdictOf(facts);
    expect(verdict.light).toBe(light);
    expect(verdict.reasons.map(({ kind }) => kind)).toEqual(kinds);
  });

  test("another run done, or a robot less out of action, never makes it worse", () => {
    const rank = { GREEN: 0, AMBER: 1, RED: 2, UNKNOWN: 3 };
    const factsArbitrary = fc.record({
      runs: fc.integer({ min: 1, max: 200 }),
      done: fc.nat(199),
      uptimePercent: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
      robots: fc.integer({ min: 1, max: 50 }),
      out: fc.integer({ min: 1, max: 50 }),
      overdue: fc.nat(2),
    });
    fc.assert(
      fc.property(factsArbitrary, ({ runs, done, uptimePercent, robots, out, overdue }) => {
        const outOfAction = Math.min(out, robots);
        const facts = {
          ...good,
          runs,
          runsDone: Math.min(done, runs - 1),
          uptimePercent,
          present: { ...present, robots, offline: outOfAction, outOfAction, overdue },
        };
        const light = rank[verdictOf(facts).light];
        expect(rank[verdictOf({ ...facts, runsDone: facts.runsDone + 1 }).light]).toBeLessThanOrEqual(light);
        const better = { ...facts.present, outOfAction: outOfAction - 1 };
        expect(rank[verdictOf({ ...facts, present: better }).light]).toBeLessThanOrEqual(light);
      }),
    );
  });
});
