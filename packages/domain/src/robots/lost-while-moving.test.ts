import { describe, expect, test } from "vitest";
import {
  DEFAULT_MOTION_LIMITS,
  knownMotionOf,
  lostWhileMovingOf,
  lostText,
  lostTimes,
  mayMove,
} from "./lost-while-moving.ts";

const minutes = (count: number) => count * 60_000;
const at = (clock: string) => new Date(`2026-03-01T${clock}Z`);
const lost = {
  runEndsAt: at("06:00:00"),
  lastHeardAt: at("05:11:50"),
  connectionLostAt: at("05:12:20"),
};

describe("protocol rules 4 and 13: a robot seen moving counts as moving until it must have stopped by itself", () => {
  test.each([
    ["5 minutes after the broker lost it", {}, at("05:17:20")],
    ["at the end of its run, if that is sooner", { runEndsAt: at("05:15:00") }, at("05:15:00")],
    ["5 minutes after the loss, if its run is not known", { runEndsAt: null }, at("05:17:20")],
    ["at the end of its run, if it is silent but may still be connected", { connectionLostAt: null }, at("06:00:00")],
    ["after the longest run, if nothing is known", { connectionLostAt: null, runEndsAt: null }, at("13:11:50")],
  ])("%s, which is believed a minute later, for what clocks differ", (_words, change, stopsBy) => {
    const motion = { ...lost, ...change };
    const lostAt = motion.connectionLostAt ?? motion.lastHeardAt;
    const surely = new Date(stopsBy.getTime() + minutes(1));
    const just = new Date(surely.getTime() - 1);
    expect(lostWhileMovingOf(motion, DEFAULT_MOTION_LIMITS, just)).toEqual({ state: "MAY_BE_MOVING", lostAt, stopsBy });
    expect(lostWhileMovingOf(motion, DEFAULT_MOTION_LIMITS, surely).state).toBe("MUST_HAVE_STOPPED");
  });

  test("both limits are the configured ones", () => {
    const limits = { longestRunMs: minutes(1_440), withoutBrokerMs: minutes(10) };
    expect(lostWhileMovingOf(lost, limits, at("05:12:20")).stopsBy).toEqual(at("05:22:20"));
    const unknown = { ...lost, connectionLostAt: null, runEndsAt: null };
    expect(lostWhileMovingOf(unknown, limits, at("05:12:20")).stopsBy).toEqual(new Date("2026-03-02T05:11:50Z"));
  });
});

test("protocol rule 13: the text gives both times in the site's time zone, the second never a minute too early", () => {
  const clockOf = (when: Date) => when.toISOString().slice(11, 16);
  const words = (now: Date) => lostText(lostTimes(lostWhileMovingOf(lost, DEFAULT_MOTION_LIMITS, now), clockOf));
  expect(words(at("05:12:20"))).toBe("Lost contact while cleaning at 05:12; may be moving; stops by itself by 05:18");
  expect(words(at("05:18:20"))).toBe(
    "Lost contact while cleaning at 05:12; must have stopped by itself by 05:18; not seen since",
  );
});

test("protocol rule 13: what a robot is doing, as far as known", () => {
  expect(knownMotionOf(null, null)).toBeNull();
  expect(knownMotionOf("MOVING", null)).toBe("MOVING");
  expect(knownMotionOf("MOVING", { state: "MAY_BE_MOVING" })).toBe("MAY_BE_MOVING");
  expect(knownMotionOf("MOVING", { state: "MUST_HAVE_STOPPED" })).toBe("MUST_HAVE_STOPPED");
  expect((["MOVING", "MAY_BE_MOVING", "MUST_HAVE_STOPPED", "STOPPED"] as const).map(mayMove)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
