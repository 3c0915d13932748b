import { describe, expect, test } from "vitest";
import { bridgeTimes, overlapMs } from "./bridge-times.ts";

const killed = (killedAtMs: number, storedMs: number | null) => ({
  killed: "server-1-1",
  killedAtMs,
  shares: new Set([0]),
  lockedMs: null,
  storedMs,
});

describe("protocol rule 11: when a bridge stored", () => {
  test("protocol rule 11: from the first moment to a kill, and from the next one's first state on", () => {
    expect(bridgeTimes([killed(1_000, 600), killed(9_000, 400)], [], 0, 20_000)).toEqual([
      { fromMs: 0, untilMs: 1_000 },
      { fromMs: 1_600, untilMs: 9_000 },
      { fromMs: 9_400, untilMs: 20_000 },
    ]);
  });

  test("protocol rule 11: a bridge that came too late, or was killed before it stored, counts as promised", () => {
    expect(bridgeTimes([killed(1_000, 9_000)], [], 0, 20_000)[1]).toEqual({ fromMs: 6_000, untilMs: 20_000 });
    expect(bridgeTimes([killed(1_000, null), killed(3_000, 500)], [], 0, 20_000)).toEqual([
      { fromMs: 0, untilMs: 1_000 },
      { fromMs: 3_500, untilMs: 20_000 },
    ]);
  });

  test("protocol rule 11: where no server was left the promise holds from when one was there again", () => {
    const gaps = [{ fromMs: 1_000, untilMs: 5_000 }];
    expect(bridgeTimes([killed(1_000, 4_900)], gaps, 0, 20_000)[1]?.fromMs).toBe(5_900);
    expect(bridgeTimes([killed(1_000, 15_000)], gaps, 0, 20_000)[1]?.fromMs).toBe(10_000);
    // The others were killed before one of them could take over.
    expect(bridgeTimes([killed(500, 15_000)], gaps, 0, 20_000)[1]?.fromMs).toBe(10_000);
  });

  test("protocol rule 11: what lies apart overlaps by nothing", () => {
    expect(overlapMs({ fromMs: 0, untilMs: 5 }, { fromMs: 3, untilMs: 9 })).toBe(2);
    expect(overlapMs({ fromMs: 0, untilMs: 5 }, { fromMs: 6, untilMs: 9 })).toBe(0);
  });
});
