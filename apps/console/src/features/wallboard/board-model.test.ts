import { describe, expect, test } from "vitest";
import { nextRunsOf, shiftOf, turnOf } from "./board-model.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 5, 15) + seconds * 1_000);

describe("wallboard: turns", () => {
  test("wallboard: two sites in trouble have their turn together, one pair after another; of very many, the worst", () => {
    const turns = [0, 14, 15, 30].map((seconds) => turnOf(["a", "b", "c"], at(seconds), 15_000));
    const [both, last] = [
      { shown: ["a", "b"], from: 1 },
      { shown: ["b", "c"], from: 2 },
    ];
    expect(turns).toEqual([both, both, last, both]);
    expect(turnOf(["a"], at(15), 15_000)).toEqual({ shown: ["a"], from: 1 });
    expect(turnOf([], at(0), 15_000).shown).toEqual([]);
    const many = Array.from({ length: 1_000 }, (_, nth) => nth);
    expect(turnOf(many, at(0), 15_000).shown).toEqual([0, 1]);
    expect(turnOf(many, at(19 * 15), 15_000)).toEqual({ shown: [38, 39], from: 39 });
    expect(turnOf(many, at(20 * 15), 15_000).shown).toEqual([0, 1]);
  });

  test("wallboard: everything moves by a few pixels each minute, and comes back", () => {
    const shifts = Array.from({ length: 9 }, (_, minute) => shiftOf(at(minute * 60)));
    for (const [x, y] of shifts) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(5);
    expect(new Set(shifts.map(String)).size).toBe(8);
    expect(shifts[8]).toEqual(shifts[0]);
  });
});

test("wallboard: next runs are in the order in which they begin, whatever the clocks of their sites say", () => {
  const zones = new Map([
    [1, "Asia/Kolkata"],
    [2, "Asia/Dubai"],
    [3, "Europe/Berlin"],
  ]);
  const night = (site_id: number, first: string) => ({
    site_id,
    tonight: "2026-06-15",
    nights: [{ date: "2026-06-15", counts: { planned: 4 }, plan: { first, minutes: 30, groups: 1 } }],
  });
  // Begin at 12:45, 12:30, and after midnight there at 23:00 UTC.
  const sites = [night(3, "01:00"), night(1, "18:15"), night(2, "16:30"), night(4, "00:00")];
  const runs = nextRunsOf({ sites }, (siteId) => zones.get(siteId));
  expect(runs.map(({ siteId, startsAt }) => [siteId, startsAt.toISOString()])).toEqual([
    [2, "2026-06-15T12:30:00.000Z"],
    [1, "2026-06-15T12:45:00.000Z"],
    [3, "2026-06-15T23:00:00.000Z"],
  ]);
});
