import { describe, expect, it, test } from "vitest";
import { mayStillMove, type MotionEvidence, type MovingReason } from "./removal-refusal.ts";

const now = new Date("2026-03-01T06:00:00Z");
const ago = (ms: number) => new Date(now.getTime() - ms);
const ahead = (ms: number) => ago(-ms);
const minutes = (count: number) => count * 60_000;
const stopped: MotionEvidence = {
  deviceRetired: false,
  online: true,
  motion: "STOPPED",
  openRun: null,
  hasOpenStart: false,
  hasPendingStop: false,
  hasPendingLock: false,
  installing: false,
  lostStartEndsAt: null,
  lastHeardAt: ago(5_000),
  connectionLostAt: null,
};
const running = { openRun: { endsAt: ahead(minutes(20)) } };

/** Everything that by itself means that a robot may move. */
const reasons: [string, Partial<MotionEvidence>, MovingReason][] = [
  ["shows that it moves", { motion: "MOVING" }, "cleaning"],
  ["has a run that has not ended", running, "cleaning"],
  ["has a Stop that it has not confirmed", { hasPendingStop: true }, "stop-unconfirmed"],
  ["has a lock that it has not confirmed", { hasPendingLock: true }, "lock-unconfirmed"],
  ["may have accepted a START that failed", { lostStartEndsAt: ahead(minutes(20)) }, "start-unconfirmed"],
  ["is cleaning with a Stop in progress", { ...running, motion: "MOVING", hasPendingStop: true }, "stop-unconfirmed"],
  ["accepted a Stop and then a lock", { hasPendingStop: true, hasPendingLock: true }, "stop-unconfirmed"],
  ["is cleaning on a START that failed", { motion: "MOVING", lostStartEndsAt: ahead(minutes(20)) }, "cleaning"],
];

describe("§7 Robots: one that may move is not deleted", () => {
  it("can be deleted while it is stopped, online or offline", () => {
    expect(mayStillMove(stopped, now)).toBeNull();
    expect(mayStillMove({ ...stopped, online: false }, now)).toBeNull();
    expect(mayStillMove({ ...stopped, online: false, connectionLostAt: ago(1) }, now)).toBeNull();
  });

  test.each(reasons)("is kept where it %s", (_words, change, why) => {
    expect(mayStillMove({ ...stopped, ...change }, now)).toEqual({ why, where: "there", surelyStoppedAt: null });
  });

  it("cannot be deleted while it is installing firmware, online or offline", () => {
    const still = { why: "installing", where: "there", surelyStoppedAt: null };
    expect(mayStillMove({ ...stopped, installing: true }, now)).toEqual(still);
    expect(mayStillMove({ ...stopped, installing: true, online: false }, now)).toEqual(still);
    expect(mayStillMove({ ...stopped, installing: true, deviceRetired: true }, now)).toBeNull();
  });

  test.each(reasons)("is let go where it %s and never spoke: no START ever reached it", (_words, change) => {
    expect(mayStillMove({ ...stopped, online: false, lastHeardAt: null, ...change }, now)).toBeNull();
  });

  test.each(reasons)("is let go where it %s and its device is retired: nothing reaches it", (_words, change) => {
    expect(mayStillMove({ ...stopped, deviceRetired: true, ...change }, now)).toBeNull();
  });

  test.each<[string, Partial<MotionEvidence>]>([
    ["is there", {}],
    ["went away", { online: false, connectionLostAt: ago(minutes(60)) }],
    ["cleans", { ...running, motion: "MOVING" }],
    ["never spoke", { online: false, lastHeardAt: null }],
  ])("is kept where a START is under way and it %s, which is settled within seconds", (_words, change) => {
    const still = mayStillMove({ ...stopped, hasOpenStart: true, ...change }, now);
    expect(still).toEqual({ why: "starting", where: "there", surelyStoppedAt: null });
  });

  test.each([
    [0, "start-unconfirmed"],
    [59_999, "start-unconfirmed"],
    [60_000, null],
  ])("protocol rule 4: a START that failed and ran out %d ms ago: %s", (ms, why) => {
    expect(mayStillMove({ ...stopped, lostStartEndsAt: ago(ms) }, now)?.why ?? null).toBe(why);
  });
});

describe("protocol rule 4: a robot stops 300 s after losing its broker", () => {
  describe.each(reasons)("one that %s", (_words, change, why) => {
    test.each([
      [0, true],
      [300_000, true],
      [359_999, true],
      [360_000, false],
      [86_400_000, false],
    ])("and lost it %d ms ago is kept: %s, for what it noticed later than the server", (ms, kept) => {
      const connectionLostAt = ago(ms);
      // Its last message says nothing about whether it was still connected after that.
      const robot = { ...stopped, online: false, connectionLostAt, lastHeardAt: ago(ms + minutes(7)), ...change };
      const surelyStoppedAt = new Date(connectionLostAt.getTime() + 360_000);
      expect(mayStillMove(robot, now)).toEqual(kept ? { why, where: "lost", surelyStoppedAt } : null);
    });
  });
});

describe("protocol rule 4: a robot that is silent may still be connected", () => {
  const silent: MotionEvidence = { ...stopped, online: false, lastHeardAt: ago(minutes(7)) };
  const longest = new Date(ago(minutes(7)).getTime() + minutes(481));

  test.each<[string, Partial<MotionEvidence>, Date]>([
    ["the end of its run", { motion: "MOVING", openRun: { endsAt: ahead(minutes(3)) } }, ahead(minutes(4))],
    ["the longest run, if its end is not known", { motion: "MOVING", openRun: { endsAt: null } }, longest],
    ["the longest run, if it moves without one", { motion: "MOVING" }, longest],
    ["the longest run, if only a Stop is pending", { hasPendingStop: true }, longest],
    ["the longest run, if only a lock is pending", { hasPendingLock: true }, longest],
    ["the end of its run, if a Stop is pending too", { ...running, hasPendingStop: true }, ahead(minutes(21))],
    ["the end of a START that failed", { hasPendingStop: true, lostStartEndsAt: ahead(0) }, ahead(minutes(1))],
    ["the later end of both", { ...running, lostStartEndsAt: ahead(minutes(30)) }, ahead(minutes(31))],
    [
      "the longest run, if it moves in no known run, whatever START failed",
      { motion: "MOVING", lostStartEndsAt: ahead(minutes(1)) },
      longest,
    ],
  ])("is kept until %s", (_words, change, surelyStoppedAt) => {
    const robot = { ...silent, ...change };
    const still = mayStillMove(robot, now);
    expect(still).toMatchObject({ where: "unheard", surelyStoppedAt });
    expect(mayStillMove(robot, new Date(surelyStoppedAt.getTime() - 1))).toEqual(still);
    expect(mayStillMove(robot, surelyStoppedAt)).toBeNull();
  });
});
