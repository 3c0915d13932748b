import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type CommandOverride,
  mockReading,
  NO_PENDING_CALLS,
  NO_LOCAL_STATE,
  RobotLocalStore,
} from "./robot-local-state.ts";
import { controllableOf, robotViewOf } from "./robot-view.ts";
import { NOON, robotLive, robotRow } from "./test/robot-rows.ts";

const open = (verb: "START" | "STOP", pending = false) => ({
  id: "0198a8b2-0000-7000-8000-000000000000",
  verb,
  issued_at: "2026-03-01T12:00:00.000Z",
  pending,
});
const run = { run_id: "0198a8b2-0000-7000-8000-000000000001", began_at: NOON.toISOString(), planned_end_at: null };
const ended = {
  ...run,
  ended_at: NOON.toISOString(),
  outcome: "STOPPED" as const,
  started_by: "Anita Rao",
  reason: null,
};

const standing = robotLive();
const cleaning = robotLive({ status: "normal", motion: "MOVING", current_run: run });

const afterStart = (liveAtResponse: RobotLive | null): CommandOverride => ({
  kind: "command",
  verb: "START",
  at: NOON,
  liveAtPress: standing,
  liveAtResponse,
});
const afterStop = (liveAtResponse: RobotLive | null): CommandOverride => ({
  kind: "command",
  verb: "STOP",
  at: NOON,
  liveAtPress: cleaning,
  liveAtResponse,
});

const view = (live: RobotLive | null, override: CommandOverride, laterMs = 100) =>
  robotViewOf({ row: robotRow(), live, override, calls: NO_PENDING_CALLS }, new Date(NOON.getTime() + laterMs));
const canStop = (live: RobotLive | null, override: CommandOverride) =>
  robotCan.stop(controllableOf(view(live, override)));

describe("§4 Commands: an answered Start or Stop until the stream tells of it", () => {
  test.each([
    ["what was before the press", standing],
    ["that the START is under way", robotLive({ open_command: open("START") })],
    ["another battery level", robotLive({ battery_level: 71 })],
    ["nothing yet", null],
  ])("§4 Button enabling: Stop is possible after an answered Start while the stream tells %s", (_, live) => {
    const override = afterStart(standing);
    expect(view(live, override)).toMatchObject({ status: "normal", motion: "MOVING", openCommand: null });
    expect(canStop(live, override)).toBeNull();
  });

  test("§4 Commands: the stream's own word counts once it shows the robot clean, with all that it says", () => {
    const live = robotLive({ status: "warning", motion: "MOVING", current_run: run });
    expect(view(live, afterStart(standing))).toMatchObject({ status: "warning", motion: "MOVING" });
    expect(view(live, afterStart(live))).toMatchObject({ status: "warning", run: { plannedEndAt: null } });
  });

  test.each([
    ["a fault", { status: "critical" as const }],
    ["a run that has ended already", { last_run: ended }],
    ["that it is away", { status: "offline" as const, online: false }],
    ["maintenance", { operating_mode: "maintenance" as const }],
  ])("§4 Commands: a Start's answer yields to %s, though the stream never showed it clean", (_, change) => {
    expect(view(robotLive(change), afterStart(standing)).motion).toBe("STOPPED");
  });

  test("§4 Commands: a run that ended before the Start was answered is seen as well", () => {
    const live = robotLive({ last_run: ended });
    expect(view(live, afterStart(live)).motion).toBe("STOPPED");
  });

  test("§4 Commands: five seconds after the answer any later word of the stream counts", () => {
    const later = robotLive({ battery_level: 71 });
    expect(view(later, afterStart(standing), 4_999).motion).toBe("MOVING");
    expect(view(later, afterStart(standing), 5_000).motion).toBe("STOPPED");
    expect(view(standing, afterStart(standing), 60_000).motion).toBe("MOVING");
  });

  test("§4 Commands: after an answered Stop it stands, whatever the stream still tells of the run", () => {
    const stopping = robotLive({ ...cleaning, open_command: open("STOP") });
    for (const live of [cleaning, stopping]) {
      const robot = view(live, afterStop(cleaning));
      expect(robot).toMatchObject({ status: "idle", motion: "STOPPED", openCommand: null, run: null });
      expect(robotCan.start(controllableOf(robot))).toBeNull();
    }
    expect(view(robotLive({ status: "warning" }), afterStop(cleaning)).status).toBe("warning");
  });

  test("§4 Commands: another command than the answered one stays shown, and so does a Stop that is kept", () => {
    const stop = robotLive({ open_command: open("STOP") });
    expect(view(stop, afterStart(standing)).openCommand?.verb).toBe("STOP");
    const kept = robotLive({ ...cleaning, open_command: open("STOP", true) });
    expect(view(kept, afterStop(cleaning)).openCommand?.pending).toBe(true);
  });
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("§4 Robot live status: a card hears of its own robot at once, the figures of all in one round", () => {
  const store = new RobotLocalStore();
  const card = vi.fn<() => void>();
  const other = vi.fn<() => void>();
  const figures = vi.fn<() => void>();
  store.subscribe(1, card);
  const leave = store.subscribe(2, other);
  store.subscribe(null, figures);
  for (let times = 0; times < 5; times += 1) store.updateCalls(1, { refresh: times % 2 === 0 ? "polled" : null });
  expect(card).toHaveBeenCalledTimes(5);
  expect(other).not.toHaveBeenCalled();
  expect(figures).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(figures).toHaveBeenCalledTimes(1);
  expect(store.version()).toBe(1);
  leave();
  store.updateCalls(2, { sending: "STOP" });
  expect(other).not.toHaveBeenCalled();
  expect(store.get(2).calls).toEqual({ sending: "STOP", refresh: null });
});

test("§4 Button enabling: what a command came to is told to the figures of all at once, and not again", () => {
  const store = new RobotLocalStore();
  const figures = vi.fn<() => void>();
  store.subscribe(null, figures);
  store.updateCalls(1, { sending: "START" });
  store.flush();
  expect(figures).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(figures).toHaveBeenCalledTimes(1);
});

test("§4 Session: after sign-out nothing of it is left for the next user", () => {
  const store = new RobotLocalStore();
  store.updateCalls(1, { sending: "START" });
  store.clear();
  expect(store.get(1)).toEqual(NO_LOCAL_STATE);
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
