import type { robotStatus } from "@suncrew/contract/commands/commands.ts";
import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { RobotLive, RobotStatus, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { OFFLINE_AFTER_MS } from "@suncrew/domain/devices/protocol-times.ts";
import {
  DEFAULT_MOTION_LIMITS,
  type KnownMotion,
  knownMotionOf,
  type LostWhileMoving,
  lostWhileMovingOf,
  wasSeenMoving,
} from "@suncrew/domain/robots/lost-while-moving.ts";
import type { ControllableRobot } from "@suncrew/domain/robots/robot-can.ts";
import type { RunInProgress } from "@suncrew/domain/runs/run-progress.ts";
import { mapDeviceStatus } from "@suncrew/domain/robots/status-mapping.ts";
import type { MockReading, RobotAnswer, RobotEntry } from "../../platform/live/live-store.ts";

/** What the stream never changes. */
export type RobotFixed = Pick<RobotWithSettings, "robot_name" | "motor_type" | "control_type" | "installation_date">;

export type RobotAlert = Pick<DeviceAlert, "text" | "severity">;

/** §3 Robot, client shape, as a card shows it. */
export interface RobotView {
  readonly id: number;
  readonly siteId: number;
  /** Its group: if it has one, its badge reads AUTO, otherwise MANUAL (§2). */
  readonly groupId: number | null;
  readonly name: string;
  readonly serialNumber: string;
  readonly motorType: string | null;
  readonly controlType: string | null;
  readonly firmware: string;
  readonly installationDate: string;
  readonly status: RobotStatus;
  /** Neither a live snapshot nor a status response has arrived yet: the badge reads CHECKING... */
  readonly isChecking: boolean;
  /** Reachable, whatever the status says: shown beside a maintenance lock. */
  readonly isConnected: boolean;
  readonly mode: OperatingMode;
  readonly motion: KnownMotion | null;
  /** It lost contact while moving (protocol rule 13); null if it reports, or was last seen stopped. */
  readonly lost: LostWhileMoving | null;
  /** The IANA zone of its site; this browser's until the site is known. */
  readonly timezone: string;
  readonly isCharging: boolean;
  /** Null if the robot never reported it; simulated if `mock` is set. */
  readonly batteryPercent: number | null;
  /** As the robot last reported it, never simulated. */
  readonly reportedBatteryPercent: number | null;
  readonly cleaningDirection: RobotLive["cleaning_direction"];
  readonly mainMotorSpeed: number;
  readonly brushMotorSpeed: number;
  /** Worst first. */
  readonly alerts: readonly RobotAlert[];
  /** When the readings were last confirmed; null before the first report. */
  readonly lastUpdatedAt: Date | null;
  readonly lastCleanedAt: Date | null;
  /** The last run in which it moved; null before the first. */
  readonly lastRun: RobotLive["last_run"];
  readonly runNotBegun: RobotLive["run_not_begun"];
  /** Why no robot of its site starts, by the wind and rain guard; null where the weather is within the limits. */
  readonly badWeather: string | null;
  /** Who locked it, why and since when; null if nobody did. */
  readonly maintenance: RobotLive["maintenance"];
  /** The readings are old: shown greyed, with their age. */
  readonly isStale: boolean;
  /** The demo's simulated values; null if the reading is real. */
  readonly mock: MockReading | null;
  readonly run: RunInProgress | null;
  readonly openCommand: RobotLive["open_command"];
  /** Firmware it was offered and does not run yet. */
  readonly firmwareUpdate: RobotLive["firmware_update"];
  /** This browser's own START or STOP that has no response yet. */
  readonly sending: "START" | "STOP" | null;
  /** This browser's status call that has no response yet. */
  readonly refresh: RobotEntry["refresh"];
}

export interface RobotSources {
  readonly row: RobotWithSettings;
  readonly entry: RobotEntry;
  /** The zone of its site, if known. */
  readonly timezone?: string | undefined;
  /** Why no robot of its site starts, by the wind and rain guard. */
  readonly badWeather?: string | null | undefined;
  /** This browser has lost its stream: the last known values stay, marked as old. */
  readonly isCut?: boolean;
}

function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/**
 * §4 Robot live status: one robot from its row, the stream and this browser's own calls. A robot of the list is offline
 * until a snapshot or a status response says otherwise.
 */
export function robotViewOf(
  { row, entry, timezone, badWeather = null, isCut = false }: RobotSources,
  now: Date,
): RobotView {
  const { streamed, answers, unreachable } = entry;
  const isAnswered = answers.length > 0;
  const current = entry.robot ?? answers.reduce<RobotLive>((robot, { show }) => show(robot), row);
  const isUnknown = streamed === null && !isAnswered && unreachable === null;
  const mock = unreachable?.mock ?? null;
  const isOffline = isUnknown || unreachable !== null || current.operating_mode === "maintenance";
  const status = isOffline ? "offline" : current.status;
  const lost = lostOf(current, unreachable !== null);
  // Until its first report the row holds defaults, which are no readings.
  const reportedBatteryPercent = current.last_updated_at === null ? null : current.battery_level;
  const lastUpdatedAt = instantOf(current.last_updated_at);
  return {
    id: row.robot_id,
    siteId: current.site_id,
    groupId: current.group_id,
    name: row.robot_name,
    serialNumber: current.serial_number,
    motorType: row.motor_type,
    controlType: row.control_type,
    firmware: current.firmware_version,
    installationDate: row.installation_date,
    status,
    isChecking: isUnknown,
    isConnected: current.online && !isUnknown && unreachable === null,
    mode: current.operating_mode,
    motion: knownMotionOf(current.motion, lost),
    lost,
    timezone: timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    isCharging: current.charging && status !== "offline",
    batteryPercent: mock?.batteryPercent ?? reportedBatteryPercent,
    reportedBatteryPercent,
    cleaningDirection: current.cleaning_direction,
    mainMotorSpeed: mock?.mainMotorSpeed ?? current.main_motor_speed,
    brushMotorSpeed: mock?.brushMotorSpeed ?? current.brush_motor_speed,
    alerts: current.alerts.map((text, nth) => ({ text, severity: current.alert_severities[nth] ?? "WARNING" })),
    lastUpdatedAt,
    lastCleanedAt: instantOf(current.last_cleaned_at),
    lastRun: current.last_run,
    runNotBegun: current.run_not_begun,
    badWeather,
    maintenance: current.maintenance,
    isStale: mock !== null || (isCut && !isAnswered) || isOld(status, current.operating_mode, lastUpdatedAt, now),
    mock,
    run: runOf(current, status),
    openCommand: current.open_command,
    firmwareUpdate: current.firmware_update,
    sending: entry.sending,
    refresh: entry.refresh,
  };
}

/**
 * As the server reports it; `isUnreachable` if the server considers the robot online but this browser's own call
 * failed. Only the server decides that it must have stopped: a browser's clock may be wrong.
 */
function lostOf(current: RobotLive, isUnreachable: boolean): LostWhileMoving | null {
  const { lost_while_moving: lost, motion, last_updated_at, current_run: run } = current;
  if (lost !== null) return { state: lost.state, lostAt: new Date(lost.lost_at), stopsBy: new Date(lost.stops_by) };
  const lastReportAt = instantOf(last_updated_at);
  if (!isUnreachable || motion !== "MOVING" || lastReportAt === null) return null;
  const runEndsAt = instantOf(run?.planned_end_at ?? null);
  return {
    ...lostWhileMovingOf(
      { runEndsAt, lastHeardAt: lastReportAt, connectionLostAt: null },
      DEFAULT_MOTION_LIMITS,
      lastReportAt,
    ),
    state: "MAY_BE_MOVING",
  };
}

/** Protocol rule 7: a reading is old after 90 s, or while the robot is offline; in maintenance only its age counts. */
function isOld(status: RobotStatus, mode: OperatingMode, at: Date | null, now: Date): boolean {
  if (at === null) return true;
  if (status === "offline" && mode !== "maintenance") return true;
  return now.getTime() - at.getTime() > OFFLINE_AFTER_MS;
}

function runOf(current: RobotLive, status: RobotStatus): RobotView["run"] {
  if (current.current_run === null || status === "offline") return null;
  const { began_at, planned_end_at, planned = false, started_by = null } = current.current_run;
  return {
    beganAt: new Date(began_at),
    endsAt: instantOf(planned_end_at),
    isPlanned: planned,
    startedBy: started_by,
  };
}

/** Input of the §4 Button enabling rules; a STOP is accepted over anything but a STOP already on its way. */
export function controllableOf(robot: RobotView): ControllableRobot {
  const openVerb = robot.openCommand?.verb ?? null;
  const isStopOpen = openVerb === "STOP" && robot.openCommand?.pending === false;
  const isStopping = robot.sending === "STOP" || (robot.sending === null && isStopOpen);
  const isStarting = robot.sending === "START" || openVerb === "START";
  return {
    status: robot.status,
    operatingMode: robot.mode,
    motion: robot.motion,
    installing: robot.firmwareUpdate !== null,
    inBadWeather: robot.badWeather !== null,
    commandInProgress: robot.sending !== null || openVerb !== null,
    stopTakesOver: !isStopping && (isStarting || wasSeenMoving(robot.motion)),
    isMock: robot.mock !== null,
  };
}

/** The severity of a robot's problem, by its motion, alerts and status; null if it has none. */
export function alarmOf({ status, motion, alerts }: RobotView): "critical" | "warning" | null {
  const isCritical = status === "critical" || alerts.some(({ severity }) => severity === "CRITICAL");
  if (isCritical || motion === "MAY_BE_MOVING") return "critical";
  return status === "warning" || motion === "MUST_HAVE_STOPPED" ? "warning" : null;
}

/** §4 Commands: Start success sets status normal, Stop success idle. */
const stateAfterCommand = {
  START: { status: "normal", motion: "MOVING" },
  STOP: { status: "idle", motion: "STOPPED", current_run: null },
} as const satisfies Record<"START" | "STOP", Partial<RobotLive>>;

/** A START or STOP that the robot has confirmed to the server, until the stream shows it. */
export function confirmedCommand(verb: "START" | "STOP", position: string | null, at: Date): RobotAnswer {
  const isConfirmed = (open: RobotLive["open_command"]) => open !== null && open.verb === verb && !open.pending;
  return {
    kind: "command",
    position,
    show: (robot) => ({
      ...robot,
      ...stateAfterCommand[verb],
      online: true,
      lost_while_moving: null,
      last_updated_at: at.toISOString(),
      open_command: isConfirmed(robot.open_command) ? null : robot.open_command,
    }),
  };
}

/** A robot's answer about its status (§7 getRobotStatus), until the stream shows it. */
export function statusReading({ data, live_position }: ResponseOf<typeof robotStatus>): RobotAnswer {
  return {
    kind: "status",
    position: live_position ?? null,
    show: (robot) => ({
      ...robot,
      status: mapDeviceStatus(data.status),
      motion: data.motion,
      online: true,
      lost_while_moving: null,
      last_updated_at: data.timestamp,
      battery_level: data.battery,
      cleaning_direction: directionOf(data),
    }),
  };
}

export function directionOf({ direction }: ResponseOf<typeof robotStatus>["data"]): RobotLive["cleaning_direction"] {
  return direction === "REV" ? "REVERSE" : "FORWARD";
}

/** Settings that the robot has confirmed to the server, until the stream shows them. */
export function confirmedSettings(settings: Partial<RobotLive>, position: string | null): RobotAnswer {
  return { kind: "settings", position, show: (robot) => ({ ...robot, ...settings }) };
}

/** §9 Simulated fallback status values, both ends included. */
const BATTERY_RANGE = [40, 99] as const;
const MAIN_SPEED_RANGE = [40, 79] as const;
const BRUSH_SPEED_RANGE = [30, 59] as const;

/** `random` returns a number from 0 up to, not including, 1. */
export function mockReading(random: () => number): MockReading {
  const within = ([low, high]: readonly [number, number]) => low + Math.floor(random() * (high - low + 1));
  return {
    batteryPercent: within(BATTERY_RANGE),
    mainMotorSpeed: within(MAIN_SPEED_RANGE),
    brushMotorSpeed: within(BRUSH_SPEED_RANGE),
    timestamp: "Mock",
  };
}
