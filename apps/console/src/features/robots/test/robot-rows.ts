import type { RobotLive, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { type RobotEntry, UNKNOWN_ROBOT } from "../../../platform/live/live-store.ts";

/** A robot of the list for tests: idle, reported at noon. */
export function robotRow(change: Partial<RobotWithSettings> = {}): RobotWithSettings {
  return {
    ...robotLive(),
    robot_name: "SCR-1001",
    motor_type: "BLDC",
    control_type: "MQTT",
    installation_date: "2024-03-12",
    ...change,
  };
}

/** The same robot as in the stream. */
export function robotLive(change: Partial<RobotLive> = {}): RobotLive {
  return {
    robot_id: 7,
    site_id: 1,
    serial_number: "SCR-1001",
    status: "idle",
    online: true,
    motion: "STOPPED",
    lost_while_moving: null,
    charging: false,
    battery_level: 72,
    operating_mode: "auto",
    cleaning_direction: "FORWARD",
    main_motor_speed: 75,
    brush_motor_speed: 80,
    firmware_version: "1.0.0",
    alerts: [],
    alert_severities: [],
    last_updated_at: "2026-03-01T12:00:00.000Z",
    last_cleaned_at: null,
    current_run: null,
    open_command: null,
    last_run: null,
    run_not_begun: null,
    maintenance: null,
    firmware_update: null,
    group_id: null,
    version: 1,
    ...change,
  };
}

/** Three seconds after the rows' last report. */
export const NOON = new Date("2026-03-01T12:00:03.000Z");

/** All that a browser knows about a robot that the stream shows like this; null if it has not named it. */
export function robotEntry(streamed: RobotLive | null, change: Partial<RobotEntry> = {}): RobotEntry {
  const { answers = [] } = change;
  const robot = streamed && answers.reduce((shown, { show }) => show(shown), streamed);
  return { ...UNKNOWN_ROBOT, ...change, streamed, robot };
}
