import { describe, expect, it, test } from "vitest";
import { dueDecision, type DueRobot, runWait, type RunWait } from "./due-decision.ts";

const dueAt = new Date("2026-03-01T06:00:00Z");
const after = (ms: number) => new Date(dueAt.getTime() + ms);

test.each([
  ["in time", 30, 0, "start"],
  ["a second later", 30, 1_000, "start"],
  ["9:59.999 late", 30, 599_999, "start"],
  ["10 minutes late", 30, 600_000, "too-late"],
  ["a day late", 480, 86_400_000, "too-late"],
  ["4:59.999 late, for 5 minutes", 5, 299_999, "start"],
  ["5 minutes late, for 5 minutes", 5, 300_000, "end-past"],
  ["9:59 late, for 1 minute", 1, 599_000, "end-past"],
  ["10 minutes late, for 10 minutes", 10, 600_000, "too-late"],
] as const)("Time: a run met %s (%d min) counts as %4$s", (_words, minutes, lateMs, expected) => {
  const decision = dueDecision(dueAt, minutes, after(lateMs));
  expect(decision.kind === "start" ? "start" : decision.reason).toBe(expected);
});

it("Time: a run that starts late still ends on time", () => {
  expect(dueDecision(dueAt, 30, after(420_000))).toEqual({
    kind: "start",
    stopDueAt: new Date("2026-03-01T06:30:00Z"),
  });
});

it("throws for a run that is not due", () => {
  expect(() => dueDecision(dueAt, 30, after(-1))).toThrow(RangeError);
  expect(() => dueDecision(dueAt, 30, new Date(Number.NaN))).toThrow(RangeError);
});

const DUE_MS = Date.parse("2026-06-15T00:30:00Z");
const at = (seconds: number) => new Date(DUE_MS + seconds * 1_000);

/** Last message ten seconds ago, and ready to start; Suncrew has been receiving for an hour. */
const ready: DueRobot = {
  refusal: null,
  connection: "ONLINE",
  connectionAt: at(-3_600),
  liveStateAt: at(-10),
  clockSkewMs: 0,
  lastSeq: DUE_MS - 60_000,
  recordedSeq: DUE_MS - 60_000,
  isStopUnrecorded: false,
};
const wait = (robot: Partial<DueRobot>, { listeningSince = at(-3_600), now = at(0) } = {}) =>
  runWait({ ...ready, ...robot }, { dueAt: at(0), listeningSince, now });

describe("decision 45: what a due run waits for", () => {
  test("protocol rule 2: one that has sent something since Suncrew started receiving, and can start, does not wait", () => {
    expect(wait({})).toBe(null);
    expect(wait({ liveStateAt: at(-10) }, { listeningSince: at(-10) })).toBe(null);
  });

  test("protocol rule 3: a Stop that some server sent without a record is waited for, whatever else the robot shows", () => {
    expect(wait({ isStopUnrecorded: true })).toBe("unrecorded");
    expect(wait({ isStopUnrecorded: true, refusal: "maintenance" })).toBe(null);
  });

  test("protocol rule 2: what a robot showed before a return does not prove that it is there, however fresh", () => {
    expect(wait({ liveStateAt: at(-2) }, { listeningSince: at(-1) })).toBe("unheard");
    expect(wait({ liveStateAt: at(-2) }, { listeningSince: at(-1), now: at(40) })).toBe("unheard");
    expect(wait({ liveStateAt: null, connectionAt: at(-2) }, { listeningSince: at(-1), now: at(40) })).toBe("unheard");
  });

  test("Wind and rain guard: weather that nobody knows is waited for, a passed limit is not", () => {
    expect(wait({ refusal: "weather-unknown" })).toBe("weather");
    expect(wait({ refusal: "weather-limit" })).toBe(null);
  });

  test("protocol rule 2: for half a minute after a return no reason against a start is final, except a lock", () => {
    const soon = { listeningSince: at(-29) };
    for (const refusal of ["away", "stale", "moving", "start-open", "clock", "installing"] as const) {
      expect(wait({ refusal }, soon)).toBe("unheard");
    }
    expect(wait({ refusal: "maintenance" }, soon)).toBe(null);
    expect(wait({ refusal: "weather-limit" }, soon)).toBe(null);
    expect(wait({ refusal: "retired" }, soon)).toBe(null);
  });

  test.each<[string, Partial<DueRobot>, RunWait | null]>([
    ["fell silent", { refusal: "stale", liveStateAt: at(-50) }, "silent"],
    ["was cut off", { refusal: "away", connection: "CONNECTION_BROKEN", connectionAt: at(-5) }, "silent"],
    ["was cut off 10 minutes before", { refusal: "away", connectionAt: at(-600), liveStateAt: at(-650) }, null],
    ["said goodbye", { refusal: "away", connection: "OFFLINE", connectionAt: at(-5) }, null],
    ["has not confirmed Suncrew's own Stop", { refusal: "stop-unsettled" }, "stopping"],
    ["shows a reason that has existed for long", { refusal: "clock", clockSkewMs: -40_000 }, "late-state"],
    ["has a clock that is ahead", { refusal: "clock", clockSkewMs: 40_000 }, null],
    ["cleans already", { refusal: "moving" }, null],
    ["is being started by a person", { refusal: "start-open" }, null],
  ])("protocol rule 2: one that %s", (_title, robot, expected) => {
    expect(wait(robot)).toBe(expected);
  });

  test("protocol rule 3: one that shows an unrecorded command since the due time waits for that Stop's row", () => {
    expect(wait({ lastSeq: DUE_MS + 5 })).toBe("unrecorded");
    expect(wait({ lastSeq: DUE_MS + 5, recordedSeq: DUE_MS + 5 })).toBe(null);
    // As after a database was restored: none of it is about this run.
    expect(wait({ lastSeq: DUE_MS - 1 })).toBe(null);
  });

  test("protocol rule 2: one that fell silent is waited for as long as its run may begin late", () => {
    expect(wait({ refusal: "stale", liveStateAt: at(-50) }, { now: at(599) })).toBe("silent");
  });
});
