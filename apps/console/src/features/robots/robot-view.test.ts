import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { describe, expect, test } from "vitest";
import { mockReading, NO_PENDING_CALLS, type StatusOverride } from "./robot-local-state.ts";
import { controllableOf, robotViewOf } from "./robot-view.ts";
import type { RobotSources } from "./robot-view.ts";
import { NOON, robotLive, robotRow } from "./test/robot-rows.ts";

const view = (sources: Partial<RobotSources>, now = NOON) =>
  robotViewOf({ row: robotRow(), live: null, override: null, calls: NO_PENDING_CALLS, ...sources }, now);

const unreachable = (change: Partial<Extract<StatusOverride, { kind: "unreachable" }>> = {}): StatusOverride => ({
  kind: "unreachable",
  byStatusCall: true,
  mock: null,
  lastReportAt: "2026-03-01T12:00:00.000Z",
  ...change,
});

const answered = (change: Partial<Extract<StatusOverride, { kind: "status" }>> = {}): StatusOverride => ({
  kind: "status",
  status: "normal",
  motion: "MOVING",
  batteryPercent: 61,
  direction: "REVERSE",
  at: NOON,
  liveAtRequest: null,
  ...change,
});

describe("§4 Robot live status: what a card shows", () => {
  test("§4 Robot live status: a robot of the list is offline and CHECKING... until the first word", () => {
    expect(view({})).toMatchObject({ status: "offline", isChecking: true, isStale: true });
    expect(view({ live: robotLive() })).toMatchObject({ status: "idle", isChecking: false, isStale: false });
  });

  test("§4 Robot live status: a status answer stands in for the stream until the stream says otherwise", () => {
    expect(view({ override: answered() })).toMatchObject({
      status: "normal",
      isChecking: false,
      batteryPercent: 61,
      cleaningDirection: "REVERSE",
      isStale: false,
    });
    const seen = robotLive();
    expect(view({ live: seen, override: answered({ liveAtRequest: seen }) }).status).toBe("normal");
    expect(view({ live: robotLive(), override: answered({ liveAtRequest: seen }) }).status).toBe("idle");
  });

  test("§4 Robot live status: a failed call keeps it offline until a newer live report comes", () => {
    const override = unreachable();
    expect(view({ live: robotLive(), override })).toMatchObject({ status: "offline", isStale: true });
    const other = robotLive({ alerts: ["Low battery"] });
    expect(view({ live: other, override }).status).toBe("offline");
    const away = robotLive({ online: false, status: "offline", last_updated_at: "2026-03-01T12:00:02.000Z" });
    expect(view({ live: away, override }).status).toBe("offline");
    const back = robotLive({ last_updated_at: "2026-03-01T12:00:02.000Z" });
    expect(view({ live: back, override })).toMatchObject({ status: "idle", isStale: false });
  });

  test("§4 Robot live status: a stream that this browser has lost makes readings old at once, and no robot offline", () => {
    const live = robotLive({ status: "normal", motion: "MOVING" });
    expect(view({ live })).toMatchObject({ status: "normal", isStale: false });
    expect(view({ live, isCut: true })).toMatchObject({ status: "normal", motion: "MOVING", isStale: true });
    // Polled since: true again for as long as any reading is.
    const override = answered({ liveAtRequest: live });
    expect(view({ live, override, isCut: true })).toMatchObject({ status: "normal", isStale: false });
    expect(view({ live, override, isCut: true }, new Date(NOON.getTime() + 91_000)).isStale).toBe(true);
  });

  test("§9 Simulated fallback: mock values are shown with status offline and end with the next live report", () => {
    const override = unreachable({ mock: mockReading(() => 0) });
    expect(view({ live: robotLive(), override })).toMatchObject({
      status: "offline",
      batteryPercent: 40,
      mainMotorSpeed: 40,
      brushMotorSpeed: 30,
      mock: { timestamp: "Mock" },
    });
    const back = robotLive({ last_updated_at: "2026-03-01T12:00:02.000Z" });
    expect(view({ live: back, override })).toMatchObject({ mock: null, batteryPercent: 72 });
  });

  test("§4 Robot live status: no battery is shown as told that the robot never told", () => {
    const mock = mockReading(() => 0);
    const silent = robotLive({ online: false, status: "offline", last_updated_at: null });
    expect(view({ live: silent })).toMatchObject({ batteryPercent: null, reportedBatteryPercent: null });
    const never = view({ live: silent, override: unreachable({ mock, lastReportAt: null }) });
    expect(never).toMatchObject({ batteryPercent: 40, reportedBatteryPercent: null });
    const away = view({ live: robotLive(), override: unreachable({ mock }) });
    expect(away).toMatchObject({ batteryPercent: 40, reportedBatteryPercent: 72 });
  });

  test("§4 Commands: a robot in maintenance is offline whatever it answers, its connection is told", () => {
    const live = robotLive({ operating_mode: "maintenance", status: "normal" });
    expect(view({ live })).toMatchObject({ status: "offline", isConnected: true, mode: "maintenance" });
    expect(view({ live, override: answered({ liveAtRequest: live }) }).status).toBe("offline");
  });

  test("protocol rule 7: a reading older than 90 s is shown as old", () => {
    expect(view({ live: robotLive() }, new Date("2026-03-01T12:01:29Z")).isStale).toBe(false);
    expect(view({ live: robotLive() }, new Date("2026-03-01T12:01:31Z")).isStale).toBe(true);
    expect(view({ live: robotLive({ last_updated_at: null }) }).isStale).toBe(true);
  });
});

describe("§4 Button enabling: what the card gives to the rule", () => {
  const open = (verb: "START" | "STOP" | "SET", pending = false) => ({
    id: "0198a8b2-0000-7000-8000-000000000000",
    verb,
    issued_at: "2026-03-01T12:00:00.000Z",
    pending,
  });

  test.each([
    ["nothing under way", {}, NO_PENDING_CALLS, null, "idle"],
    ["START sent here", {}, { ...NO_PENDING_CALLS, sending: "START" as const }, "in-progress", null],
    ["STOP sent here", {}, { ...NO_PENDING_CALLS, sending: "STOP" as const }, "in-progress", "in-progress"],
    ["START open", { open_command: open("START") }, NO_PENDING_CALLS, "in-progress", null],
    ["SET open, standing", { open_command: open("SET") }, NO_PENDING_CALLS, "in-progress", "in-progress"],
    ["SET open, moving", { open_command: open("SET"), motion: "MOVING" }, NO_PENDING_CALLS, "in-progress", null],
    [
      "STOP pending, moving",
      { open_command: open("STOP", true), motion: "MOVING" },
      NO_PENDING_CALLS,
      "in-progress",
      null,
    ],
    ["STOP open", { open_command: open("STOP") }, NO_PENDING_CALLS, "in-progress", "in-progress"],
    ["cleaning", { status: "normal", motion: "MOVING" }, NO_PENDING_CALLS, "running", null],
    ["offline", { status: "offline", online: false }, NO_PENDING_CALLS, "offline", "offline"],
    ["maintenance", { operating_mode: "maintenance" }, NO_PENDING_CALLS, "maintenance", "maintenance"],
    ["warning, standing", { status: "warning" }, NO_PENDING_CALLS, null, null],
  ] as const)("§4 Button enabling: %s", (_, change, calls, start, stop) => {
    const robot = controllableOf(view({ live: robotLive(change), calls }));
    expect(robotCan.start(robot)).toBe(start);
    expect(robotCan.stop(robot)).toBe(stop);
  });

  test("§4 Button enabling: mock data disables both, with its own reason", () => {
    const robot = controllableOf(view({ override: unreachable({ mock: mockReading(() => 0) }) }));
    expect([robotCan.start(robot), robotCan.stop(robot)]).toEqual(["mock", "mock"]);
  });
});
