import { describe, expect, it, test } from "vitest";
import { type MaybeMoving, mayStillMove, type StillMoving } from "./may-still-move.ts";

const now = new Date("2026-03-01T06:00:00Z");
const ago = (ms: number) => new Date(now.getTime() - ms);
const standing: MaybeMoving = {
  online: true,
  motion: "STOPPED",
  hasOpenRun: false,
  hasOpenStart: false,
  lastHeardAt: ago(5_000),
};

describe("§7 Robots: one that may move is not deleted", () => {
  it("is deleted while it stands, also where it never spoke", () => {
    expect(mayStillMove(standing, now)).toBeNull();
    expect(mayStillMove({ ...standing, online: false, motion: null, lastHeardAt: null }, now)).toBeNull();
  });

  test.each<[string, Partial<MaybeMoving>, StillMoving]>([
    ["shows that it moves", { motion: "MOVING" }, "cleaning"],
    ["has a run that has not ended", { hasOpenRun: true }, "cleaning"],
    ["has a START under way", { hasOpenStart: true }, "starting"],
    ["has a START under way and went away", { hasOpenStart: true, online: false }, "starting"],
    ["was cleaning as it went away", { online: false, motion: "MOVING" }, "away-cleaning"],
    ["was cleaning as it went away, by its run", { online: false, hasOpenRun: true }, "away-cleaning"],
  ])("is kept where it %s", (_words, change, reason) => {
    expect(mayStillMove({ ...standing, ...change }, now)).toBe(reason);
  });
});

describe("protocol rule 4: a robot stands 300 s after it lost its broker", () => {
  const away: MaybeMoving = { ...standing, online: false, motion: "MOVING", hasOpenRun: true };
  test.each([
    [0, "away-cleaning"],
    [300_000, "away-cleaning"],
    [359_999, "away-cleaning"],
    [360_000, null],
    [86_400_000, null],
  ])("heard %d ms ago: %s, for what it noticed later than the server", (ms, reason) => {
    expect(mayStillMove({ ...away, lastHeardAt: ago(ms) }, now)).toBe(reason);
  });
});
