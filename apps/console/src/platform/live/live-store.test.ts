import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LiveStore, UNKNOWN_ROBOT } from "./live-store.ts";
import { liveUpdate } from "./test/live-update.ts";

const AT = "2026-03-01T10:00:00.000Z";

function robot(id: number, battery = 80): RobotLive {
  return {
    robot_id: id,
    site_id: 1,
    serial_number: `SCR-${1000 + id}`,
    status: "idle",
    online: true,
    motion: "STOPPED",
    lost_while_moving: null,
    charging: false,
    battery_level: battery,
    operating_mode: "auto",
    cleaning_direction: "FORWARD",
    main_motor_speed: 75,
    brush_motor_speed: 80,
    firmware_version: "1.0.0",
    alerts: [],
    alert_severities: [],
    last_updated_at: AT,
    last_cleaned_at: null,
    current_run: null,
    open_command: null,
    last_run: null,
    run_not_begun: null,
    maintenance: null,
    firmware_update: null,
    group_id: null,
    version: 1,
  };
}

const snapshot = (...robots: RobotLive[]): LiveEvent => ({ type: "snapshot", at: AT, robots, sites: [] });
const update = (...robots: RobotLive[]) => liveUpdate({ at: AT, robots });

test("the latest update of a robot counts, and its subscribers are notified once for all events of a flush", () => {
  const store = new LiveStore();
  const one = vi.fn<() => void>();
  const two = vi.fn<() => void>();
  store.subscribe("robot:1", one);
  store.subscribe("robot:2", two);
  store.apply([snapshot(robot(1, 80)), update(robot(1, 79)), update(robot(1, 78))]);
  expect(store.robot(1)?.battery_level).toBe(78);
  expect(one).toHaveBeenCalledTimes(1);
  expect(two).not.toHaveBeenCalled();
});

test("a new snapshot removes what it does not contain", () => {
  const store = new LiveStore();
  store.apply([snapshot(robot(1), robot(2))]);
  const gone = vi.fn<() => void>();
  store.subscribe("robot:2", gone);
  store.apply([snapshot(robot(1))]);
  expect([...store.robots()].map(({ robot_id }) => robot_id)).toEqual([1]);
  expect(gone).toHaveBeenCalledTimes(1);
});

test("an unsubscribed listener is not notified", () => {
  const store = new LiveStore();
  const listener = vi.fn<() => void>();
  store.subscribe("robot:1", listener)();
  store.apply([update(robot(1))]);
  store.clear();
  expect(listener).not.toHaveBeenCalled();
  expect(store.robot(1)).toBeUndefined();
});

describe("what this browser's own calls do to a robot", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test("§4 Robot live status: a card is notified of its own robot at once, the fleet's figures in one round", () => {
    const store = new LiveStore();
    const card = vi.fn<() => void>();
    const other = vi.fn<() => void>();
    const figures = vi.fn<() => void>();
    store.subscribe("robot:1", card);
    const leave = store.subscribe("robot:2", other);
    store.subscribe("any", figures);
    for (let times = 0; times < 5; times += 1) store.update(1, { refresh: times % 2 === 0 ? "polled" : null });
    expect(card).toHaveBeenCalledTimes(5);
    expect(other).not.toHaveBeenCalled();
    expect(figures).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(figures).toHaveBeenCalledTimes(1);
    expect(store.version()).toBe(1);
    leave();
    store.update(2, { sending: "STOP" });
    expect(other).not.toHaveBeenCalled();
    expect(store.entry(2)).toMatchObject({ sending: "STOP", refresh: null });
  });

  test("§4 Button enabling: a command's outcome is reported to the fleet's figures at once, and not again", () => {
    const store = new LiveStore();
    const figures = vi.fn<() => void>();
    store.subscribe("any", figures);
    store.update(1, { sending: "START" });
    store.flush();
    expect(figures).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(100);
    expect(figures).toHaveBeenCalledTimes(1);
  });

  test("§4 Session: after sign-out nothing of it remains for the next user", () => {
    const store = new LiveStore();
    store.update(1, { sending: "START" });
    store.forgetCalls();
    expect(store.entry(1)).toEqual(UNKNOWN_ROBOT);
    store.apply([snapshot(robot(1))]);
    store.update(1, { refresh: "pressed" });
    store.clear();
    expect(store.entry(1)).toEqual(UNKNOWN_ROBOT);
    expect(store.hasSnapshot()).toBe(false);
  });

  test("§4 Commands: a command in progress survives a new snapshot, and does not count as a robot", () => {
    const store = new LiveStore();
    store.update(1, { sending: "STOP" });
    expect([...store.robots()]).toEqual([]);
    store.apply([snapshot(robot(1))]);
    expect(store.entry(1)).toMatchObject({ sending: "STOP", robot: { battery_level: 80 } });
  });
});
