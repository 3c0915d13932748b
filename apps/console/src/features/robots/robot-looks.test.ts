import type { RobotLive, RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { expect, test, vi } from "vitest";
import type { RobotEntry } from "../../platform/live/live-store.ts";
import { matchesFilter, robotActivityOf, type RobotFilter, robotFilterOf } from "./robot-looks.ts";
import { alarmOf, mockReading, robotViewOf } from "./robot-view.ts";
import { NOON, robotEntry, robotLive, robotRow } from "./test/robot-rows.ts";

// The session looks for a stored token when it is loaded; in Node there is none.
vi.hoisted(() => vi.stubGlobal("localStorage", { getItem: () => null }));

const id = "0198a8b2-0000-7000-8000-000000000000";
const run = (beganAt: string, plannedEndAt: string | null, change: Partial<RobotLive["current_run"]> = {}) => ({
  status: "normal" as const,
  motion: "MOVING" as const,
  current_run: { run_id: id, began_at: beganAt, planned_end_at: plannedEndAt, planned: true, ...change },
});
const open = (verb: "START" | "STOP" | "MAINTENANCE_ON", pending: boolean) => ({
  open_command: { id, verb, issued_at: "2026-03-01T12:00:00.000Z", pending },
});

interface Other extends Pick<Partial<RobotEntry>, "sending" | "unreachable"> {
  readonly timezone?: string;
}

function viewOf(change: Parameters<typeof robotLive>[0], { timezone, ...calls }: Other = {}) {
  return robotViewOf({ row: robotRow(), entry: robotEntry(robotLive(change), calls), timezone }, NOON);
}

const textOf = (change: Parameters<typeof viewOf>[0], other?: Other): string =>
  robotActivityOf(viewOf(change, { timezone: "UTC", ...other }), NOON).text;

test.each([
  ["Cleaning, 18 of 30 min, ends 12:12", run("2026-03-01T11:42:00.000Z", "2026-03-01T12:12:00.000Z")],
  ["Cleaning, 10 min over its 30 min", run("2026-03-01T11:20:00.000Z", "2026-03-01T11:50:00.000Z")],
  ["Cleaning, 0 of 30 min, ends 12:31", run("2026-03-01T12:01:00.000Z", "2026-03-01T12:31:00.000Z")],
  [
    "Cleaning for 18 min, started by Asha Rathore",
    run("2026-03-01T11:42:00.000Z", "2026-03-01T19:42:00.000Z", { planned: false, started_by: "Asha Rathore" }),
  ],
  // As servers of older versions name it: whether there is a plan is not known.
  ["Cleaning for 18 min", run("2026-03-01T11:42:00.000Z", "2026-03-01T12:12:00.000Z", { planned: undefined })],
  ["Starting... waiting for the robot", open("START", false)],
  ["Stopping... waiting for the robot", open("STOP", false)],
  ["STOP pending: sent again until the robot confirms it", open("STOP", true)],
  ["In maintenance, connected", { operating_mode: "maintenance" as const }],
  ["In maintenance, not connected", { operating_mode: "maintenance" as const, online: false }],
  [
    "Maintenance lock not confirmed by the robot, not connected",
    { ...open("MAINTENANCE_ON", true), operating_mode: "maintenance" as const, online: false },
  ],
  ["Not connected", { status: "offline" as const, online: false }],
  ["Waiting for the first connection", { status: "offline" as const, online: false, last_updated_at: null }],
  ["Brush jammed", { status: "critical" as const, alerts: ["Brush jammed", "Low battery"], charging: true }],
  ["Cleaning", { status: "warning" as const, motion: "MOVING" as const, alerts: ["Low battery"] }],
  ["Charging", { charging: true, alerts: ["Clock differs"], alert_severities: ["WARNING" as const] }],
  // Whatever the status says.
  ["Robot tilted", { alerts: ["Robot tilted"], alert_severities: ["CRITICAL" as const] }],
  ["Standing still", {}],
])("§2 Individual Robots tab: the card says '%s'", (text, change) => {
  expect(textOf(change)).toBe(text);
});

test.each([
  ["alarm", "critical", { status: "warning" as const, alerts: ["Tilted"], alert_severities: ["CRITICAL" as const] }],
  ["alarm", "critical", { status: "critical" as const, alerts: ["Jammed"], alert_severities: ["WARNING" as const] }],
  ["warning", "warning", { status: "warning" as const, alerts: ["Low"], alert_severities: ["WARNING" as const] }],
  ["plain", null, { alerts: ["Clock differs"], alert_severities: ["WARNING" as const] }],
])("§2 Individual Robots tab: what a robot itself reports is %s, its card %s, with %o", (kind, alarm, change) => {
  const robot = viewOf(change);
  expect([robotActivityOf(robot, NOON).kind, alarmOf(robot)]).toEqual([kind, alarm]);
});

test("protocol rule 13: where a robot was lost while moving, in its site's time, with the pending Stop", () => {
  const lost = (state: "MAY_BE_MOVING" | "MUST_HAVE_STOPPED", lost_at = "2026-03-01T11:42:10.000Z") => ({
    status: "offline" as const,
    online: false,
    motion: "MOVING" as const,
    lost_while_moving: { state, lost_at, stops_by: "2026-03-01T11:47:10.000Z" },
  });
  const timezone = "Asia/Kolkata";
  const words = "Lost contact while cleaning at 17:12; may be moving; stops by itself by 17:18";
  expect(textOf(lost("MAY_BE_MOVING"), { timezone })).toBe(words);
  expect(textOf({ ...lost("MAY_BE_MOVING"), ...open("STOP", true) }, { timezone })).toBe(
    `${words}. STOP pending: sent again until the robot confirms it`,
  );
  expect(textOf({ ...lost("MAY_BE_MOVING"), operating_mode: "maintenance" }, { timezone })).toBe(words);
  expect(textOf(lost("MUST_HAVE_STOPPED", "2026-02-28T11:42:10.000Z"), { timezone })).toBe(
    "Lost contact while cleaning at Sat 28 Feb, 17:12; must have stopped by itself by 17:18; not seen since",
  );
});

test("protocol rule 13: one that the server still considers connected may be moving if this browser could not reach it", () => {
  const unreachable = { byStatusCall: true, mock: mockReading(() => 0), lastReportAt: null } as const;
  const cleaning = run("2026-03-01T11:42:00.000Z", "2026-03-01T12:12:00.000Z");
  const unheard = { ...cleaning, last_updated_at: "2026-03-01T11:59:00.000Z" };
  expect(textOf({ ...unheard, online: false }, { unreachable, timezone: "UTC" })).toBe(
    "Lost contact while cleaning at 11:59; may be moving; stops by itself by 12:12",
  );
});

test("§4 Commands: a press is shown before the server knows of it", () => {
  expect(textOf({}, { sending: "START" })).toBe("Starting... waiting for the robot");
});

test("§9 Simulated fallback: the card says that its values are simulated", () => {
  const unreachable = { byStatusCall: true, mock: mockReading(() => 0), lastReportAt: null } as const;
  expect(textOf({ online: false }, { unreachable })).toBe("Did not answer, values are simulated");
});

const statuses: readonly RobotStatus[] = ["normal", "idle", "warning", "offline", "standby", "critical"];

test.each<[RobotFilter, readonly RobotStatus[]]>([
  ["all", statuses],
  ["normal", ["normal"]],
  ["warning", ["warning"]],
  ["fault", ["critical"]],
  ["offline", ["offline"]],
])("§2 Robots tab: the status filter %s shows %j", (filter, shown) => {
  expect(statuses.filter((status) => matchesFilter(filter, status))).toEqual(shown);
});

test.each([
  [null, "all"],
  ["fault", "fault"],
  ["critical", "all"],
  ["nonsense", "all"],
])("the URL's %j means %s", (text, filter) => {
  expect(robotFilterOf(text)).toBe(filter);
});
