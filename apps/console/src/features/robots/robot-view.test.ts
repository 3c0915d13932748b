import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { LiveStore, type Unreachable } from "../../platform/live/live-store.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { controllableOf, mockReading, type RobotSources, robotViewOf, statusReading } from "./robot-view.ts";
import { NOON, robotEntry, robotLive, robotRow } from "./test/robot-rows.ts";

const ROBOT = 7;
let store: LiveStore;

beforeEach(() => {
  store = new LiveStore();
  store.setStatus("live");
});

const viewOf = (entry: RobotSources["entry"], now = NOON) => robotViewOf({ row: robotRow(), entry }, now);
/** What a card shows now. */
const view = (now = NOON) => {
  return robotViewOf({ row: robotRow(), entry: store.entry(ROBOT), isCut: store.status() === "lost" }, now);
};
const stream = (live: ReturnType<typeof robotLive>) => {
  store.apply([liveUpdate({ at: NOON.toISOString(), robots: [live] })]);
};

const unreachable = (change: Partial<Unreachable> = {}): Unreachable => ({
  byStatusCall: true,
  mock: null,
  lastReportAt: "2026-03-01T12:00:00.000Z",
  ...change,
});

/** Of an older server, which does not name its position in the stream. */
const answered = statusReading({
  success: true,
  data: {
    status: "start",
    robot_status: "normal",
    motion: "MOVING",
    battery: 61,
    direction: "REV",
    timestamp: NOON.toISOString(),
  },
});

test("Wind and rain guard: Start says which limit the weather passes, and Stop is as ever", () => {
  const badWeather = "Wind and rain guard: gusts of 62 km/h (limit 45 km/h) are forecast.";
  const robot = robotViewOf({ row: robotRow(), entry: robotEntry(robotLive()), badWeather }, NOON);
  expect(robotCan.start(controllableOf(robot))).toBe("weather");
  expect(robot.badWeather).toBe(badWeather);
  const moving = robotEntry(robotLive({ status: "normal", motion: "MOVING" }));
  expect(robotCan.stop(controllableOf(robotViewOf({ row: robotRow(), entry: moving, badWeather }, NOON)))).toBe(null);
});

describe("§4 Robot live status: what a card shows", () => {
  test("§4 Robot live status: a robot from the list is offline and CHECKING... until its first update", () => {
    expect(view()).toMatchObject({ status: "offline", isChecking: true, isStale: true });
    stream(robotLive());
    expect(view()).toMatchObject({ status: "idle", isChecking: false, isStale: false });
  });

  test("§4 Robot live status: a status answer stands in for the stream until the stream says otherwise", () => {
    store.answer(ROBOT, answered);
    expect(view()).toMatchObject({
      status: "normal",
      isChecking: false,
      batteryPercent: 61,
      cleaningDirection: "REVERSE",
      isStale: false,
    });
    stream(robotLive());
    expect(view().status).toBe("idle");
    store.answer(ROBOT, answered);
    expect(view().status).toBe("normal");
    stream(robotLive());
    expect(view().status).toBe("idle");
  });

  test("§4 Robot live status: a failed call keeps it offline until a newer live report comes", () => {
    stream(robotLive());
    store.update(ROBOT, { unreachable: unreachable() });
    expect(view()).toMatchObject({ status: "offline", isStale: true });
    stream(robotLive({ alerts: ["Low battery"] }));
    expect(view().status).toBe("offline");
    stream(robotLive({ online: false, status: "offline", last_updated_at: "2026-03-01T12:00:02.000Z" }));
    expect(view().status).toBe("offline");
    stream(robotLive({ last_updated_at: "2026-03-01T12:00:02.000Z" }));
    expect(view()).toMatchObject({ status: "idle", isStale: false });
  });

  test("§4 Commands: a failed call replaces an earlier answer, and an answer replaces a failure", () => {
    stream(robotLive());
    store.answer(ROBOT, answered);
    store.update(ROBOT, { unreachable: unreachable() });
    expect(view()).toMatchObject({ status: "offline", motion: "STOPPED", batteryPercent: 72 });
    store.answer(ROBOT, answered);
    expect(view()).toMatchObject({ status: "normal", motion: "MOVING", batteryPercent: 61 });
  });

  test("§4 Robot live status: a stream that this browser has lost makes readings old immediately, and no robot offline", () => {
    stream(robotLive({ status: "normal", motion: "MOVING" }));
    expect(view()).toMatchObject({ status: "normal", isStale: false });
    store.setStatus("lost");
    expect(view()).toMatchObject({ status: "normal", motion: "MOVING", isStale: true });
    // Polled since: fresh again as long as any reading is.
    store.answer(ROBOT, answered);
    expect(view()).toMatchObject({ status: "normal", isStale: false });
    expect(view(new Date(NOON.getTime() + 91_000)).isStale).toBe(true);
  });

  test("§9 Simulated fallback: mock values are shown with status offline and end with the next live report", () => {
    stream(robotLive());
    store.update(ROBOT, { unreachable: unreachable({ mock: mockReading(() => 0) }) });
    expect(view()).toMatchObject({
      status: "offline",
      batteryPercent: 40,
      mainMotorSpeed: 40,
      brushMotorSpeed: 30,
      mock: { timestamp: "Mock" },
    });
    stream(robotLive({ last_updated_at: "2026-03-01T12:00:02.000Z" }));
    expect(view()).toMatchObject({ mock: null, batteryPercent: 72 });
  });

  test("§4 Robot live status: a battery level that the robot never reported is not shown as reported", () => {
    const mock = mockReading(() => 0);
    stream(robotLive({ online: false, status: "offline", last_updated_at: null }));
    expect(view()).toMatchObject({ batteryPercent: null, reportedBatteryPercent: null });
    store.update(ROBOT, { unreachable: unreachable({ mock, lastReportAt: null }) });
    expect(view()).toMatchObject({ batteryPercent: 40, reportedBatteryPercent: null });
    const away = viewOf(robotEntry(robotLive(), { unreachable: unreachable({ mock }) }));
    expect(away).toMatchObject({ batteryPercent: 40, reportedBatteryPercent: 72 });
  });

  test("§4 Commands: a robot in maintenance is offline whatever it answers, and its connection is shown", () => {
    stream(robotLive({ operating_mode: "maintenance", status: "normal" }));
    expect(view()).toMatchObject({ status: "offline", isConnected: true, mode: "maintenance" });
    store.answer(ROBOT, answered);
    expect(view().status).toBe("offline");
  });

  test("protocol rule 7: a reading older than 90 s is shown as old", () => {
    stream(robotLive());
    expect(view(new Date("2026-03-01T12:01:29Z")).isStale).toBe(false);
    expect(view(new Date("2026-03-01T12:01:31Z")).isStale).toBe(true);
    stream(robotLive({ last_updated_at: null }));
    expect(view().isStale).toBe(true);
  });
});

test("§9 Simulated fallback status values: battery 40 to 99, main 40 to 79, brush 30 to 59, timestamp Mock", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value) => {
      const reading = mockReading(() => value);
      expect(reading.timestamp).toBe("Mock");
      for (const [figure, low, high] of [
        [reading.batteryPercent, 40, 99],
        [reading.mainMotorSpeed, 40, 79],
        [reading.brushMotorSpeed, 30, 59],
      ] as const) {
        expect(Number.isInteger(figure)).toBe(true);
        expect(figure).toBeGreaterThanOrEqual(low);
        expect(figure).toBeLessThanOrEqual(high);
      }
    }),
  );
});

test("§9 Simulated fallback status values: both ends are reached", () => {
  expect(mockReading(() => 0)).toMatchObject({ batteryPercent: 40, mainMotorSpeed: 40, brushMotorSpeed: 30 });
  expect(mockReading(() => 0.999_999)).toMatchObject({ batteryPercent: 99, mainMotorSpeed: 79, brushMotorSpeed: 59 });
});

describe("§4 Button enabling: what the card passes to the rule", () => {
  const open = (verb: "START" | "STOP" | "SET", pending = false) => ({
    id: "0198a8b2-0000-7000-8000-000000000000",
    verb,
    issued_at: "2026-03-01T12:00:00.000Z",
    pending,
  });

  const NONE = {};

  test.each([
    ["nothing under way", {}, NONE, null, "idle"],
    ["START sent here", {}, { sending: "START" as const }, "in-progress", null],
    ["STOP sent here", {}, { sending: "STOP" as const }, "in-progress", "in-progress"],
    ["START open", { open_command: open("START") }, NONE, "in-progress", null],
    ["SET open, standing", { open_command: open("SET") }, NONE, "in-progress", "in-progress"],
    ["SET open, moving", { open_command: open("SET"), motion: "MOVING" }, NONE, "in-progress", null],
    ["STOP pending, moving", { open_command: open("STOP", true), motion: "MOVING" }, NONE, "in-progress", null],
    ["STOP open", { open_command: open("STOP") }, NONE, "in-progress", "in-progress"],
    ["cleaning", { status: "normal", motion: "MOVING" }, NONE, "running", null],
    ["offline", { status: "offline", online: false }, NONE, "offline", "offline"],
    ["maintenance", { operating_mode: "maintenance" }, NONE, "maintenance", "maintenance"],
    ["warning, standing", { status: "warning" }, NONE, null, null],
  ] as const)("§4 Button enabling: %s", (_, change, calls, start, stop) => {
    const robot = controllableOf(viewOf(robotEntry(robotLive(change), calls)));
    expect(robotCan.start(robot)).toBe(start);
    expect(robotCan.stop(robot)).toBe(stop);
  });

  test("§4 Button enabling: mock data disables both, with its own reason", () => {
    const robot = controllableOf(
      viewOf(robotEntry(null, { unreachable: unreachable({ mock: mockReading(() => 0) }) })),
    );
    expect([robotCan.start(robot), robotCan.stop(robot)]).toEqual(["mock", "mock"]);
  });
});
