import { describe, expect, test } from "vitest";
import { shiftOf, turnOf } from "./board-model.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 5, 15) + seconds * 1_000);

describe("wallboard: turns", () => {
  test("wallboard: each site in trouble has its turn, one after another", () => {
    const turns = [0, 14, 15, 30, 45].map((seconds) => turnOf(["a", "b", "c"], at(seconds), 15_000));
    expect(turns).toEqual(["a", "a", "b", "c", "a"]);
    expect(turnOf([], at(0), 15_000)).toBeNull();
  });

  test("wallboard: everything moves by a few pixels each minute, and comes back", () => {
    const shifts = Array.from({ length: 9 }, (_, minute) => shiftOf(at(minute * 60)));
    for (const [x, y] of shifts) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(5);
    expect(new Set(shifts.map(String)).size).toBe(8);
    expect(shifts[8]).toEqual(shifts[0]);
  });
});
