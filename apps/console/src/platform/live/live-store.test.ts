import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { expect, test, vi } from "vitest";
import { LiveStore, liveUpdate } from "./live-store.ts";

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

test("the last word on a robot counts, and its watchers hear once for all events of a flush", () => {
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

test("a new snapshot forgets what it does not name", () => {
  const store = new LiveStore();
  store.apply([snapshot(robot(1), robot(2))]);
  const gone = vi.fn<() => void>();
  store.subscribe("robot:2", gone);
  store.apply([snapshot(robot(1))]);
  expect([...store.robots()].map(({ robot_id }) => robot_id)).toEqual([1]);
  expect(gone).toHaveBeenCalledTimes(1);
});

test("who no longer watches hears nothing", () => {
  const store = new LiveStore();
  const listener = vi.fn<() => void>();
  store.subscribe("robot:1", listener)();
  store.apply([update(robot(1))]);
  store.clear();
  expect(listener).not.toHaveBeenCalled();
  expect(store.robot(1)).toBeUndefined();
});
