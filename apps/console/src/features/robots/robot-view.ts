import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import type { OperatingMode, RobotLive, RobotStatus, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { OFFLINE_AFTER_MS } from "@suncrew/domain/commands/limits.ts";
import {
  DEFAULT_MOTION_LIMITS,
  type KnownMotion,
  knownMotionOf,
  type LostWhileMoving,
  lostWhileMovingOf,
  wasSeenMoving,
} from "@suncrew/domain/robots/lost-while-moving.ts";
import type { ControllableRobot } from "@suncrew/domain/robots/robot-can.ts";
import {
  type PendingCalls,
  stateAfterCommand,
  type CommandOverride,
  type MockReading,
  overrideApplies,
  type StatusOverride,
} from "./robot-local-state.ts";

/** What the stream never changes. */
export type RobotFixed = Pick<RobotWithSettings, "robot_name" | "motor_type" | "control_type" | "installation_date">;

export type RobotAlert = Pick<DeviceAlert, "text" | "severity">;

/** §3 Robot, client shape, as a card shows it. */
export interface RobotView {
  readonly id: number;
  readonly siteId: number;
  /** The group it belongs to: then its badge reads AUTO, else MANUAL (§2). */
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
  /** It lost contact while moving (protocol rule 13); null where it reports, or was last seen stopped. */
  readonly lost: LostWhileMoving | null;
  /** IANA zone of its site; this browser's until the site is known. */
  readonly timezone: string;
  readonly isCharging: boolean;
  /** Null where the robot never reported it; simulated where `mock` is set. */
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
  /** Who locked it, why and since when; null where nobody did. */
  readonly maintenance: RobotLive["maintenance"];
  /** The readings are old: shown greyed, with their age. */
  readonly isStale: boolean;
  /** The demo's simulated values; null where the reading is real. */
  readonly mock: MockReading | null;
  readonly run: { readonly beganAt: Date; readonly plannedEndAt: Date | null } | null;
  readonly openCommand: RobotLive["open_command"];
  /** Firmware it was offered and does not run yet. */
  readonly firmwareUpdate: RobotLive["firmware_update"];
  /** This browser's own START or STOP that has no response yet. */
  readonly sending: "START" | "STOP" | null;
  /** This browser's status call that has no response yet. */
  readonly refresh: PendingCalls["refresh"];
}

export interface RobotSources {
  readonly row: RobotWithSettings;
  /** The robot in the stream; null before the first snapshot. */
  readonly live: RobotLive | null;
  readonly override: StatusOverride | null;
  readonly calls: PendingCalls;
  /** Of its site, if known. */
  readonly timezone?: string | undefined;
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
  { row, live, override: localOverride, calls, timezone, isCut = false }: RobotSources,
  now: Date,
): RobotView {
  const current = live ?? row;
  const override = localOverride !== null && overrideApplies(localOverride, live, now) ? localOverride : null;
  const response = override?.kind === "status" ? override : null;
  const command = override?.kind === "command" ? override : null;
  const latest = command === null ? response : stateAfterCommand[command.verb];
  const unreachable = override?.kind === "unreachable" ? override : null;
  const isUnknown = live === null && override === null;
  const mock = unreachable?.mock ?? null;
  const isOffline = isUnknown || unreachable !== null || current.operating_mode === "maintenance";
  const status = isOffline ? "offline" : (latest?.status ?? current.status);
  const lost = latest === null ? lostOf(current, unreachable !== null) : null;
  // Until its first report the row holds defaults, which are no readings.
  const lastBattery = current.last_updated_at === null ? null : current.battery_level;
  const reportedBatteryPercent = response?.batteryPercent ?? lastBattery;
  const lastUpdatedAt = (command ?? response)?.at ?? instantOf(current.last_updated_at);
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
    isConnected: latest !== null || (live?.online === true && unreachable === null),
    mode: current.operating_mode,
    motion: latest === null ? knownMotionOf(current.motion, lost) : latest.motion,
    lost,
    timezone: timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    isCharging: current.charging && status !== "offline",
    batteryPercent: mock?.batteryPercent ?? reportedBatteryPercent,
    reportedBatteryPercent,
    cleaningDirection: response?.direction ?? current.cleaning_direction,
    mainMotorSpeed: mock?.mainMotorSpeed ?? current.main_motor_speed,
    brushMotorSpeed: mock?.brushMotorSpeed ?? current.brush_motor_speed,
    alerts: current.alerts.map((text, nth) => ({ text, severity: current.alert_severities[nth] ?? "WARNING" })),
    lastUpdatedAt,
    lastCleanedAt: instantOf(current.last_cleaned_at),
    lastRun: current.last_run,
    runNotBegun: current.run_not_begun,
    maintenance: current.maintenance,
    isStale: mock !== null || (isCut && latest === null) || isOld(status, current.operating_mode, lastUpdatedAt, now),
    mock,
    run: command?.verb === "STOP" ? null : runOf(current, status),
    openCommand: isConfirmed(current.open_command, command) ? null : current.open_command,
    firmwareUpdate: current.firmware_update,
    sending: calls.sending,
    refresh: calls.refresh,
  };
}

/**
 * As the server reports it; `isUnreachable` where the server holds the robot to be online but this browser's own call
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

/** The stream still shows a command as open that the robot has already confirmed. */
function isConfirmed(open: RobotLive["open_command"], command: CommandOverride | null): boolean {
  return open !== null && command !== null && open.verb === command.verb && !open.pending;
}

function runOf(current: RobotLive, status: RobotStatus): RobotView["run"] {
  if (current.current_run === null || status === "offline") return null;
  return {
    beganAt: new Date(current.current_run.began_at),
    plannedEndAt: instantOf(current.current_run.planned_end_at),
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
    commandInProgress: robot.sending !== null || openVerb !== null,
    stopTakesOver: !isStopping && (isStarting || wasSeenMoving(robot.motion)),
    isMock: robot.mock !== null,
  };
}

/** The severity of what is wrong with a robot, by its motion, alerts and status; null where nothing is. */
export function alarmOf({ status, motion, alerts }: RobotView): "critical" | "warning" | null {
  const isCritical = status === "critical" || alerts.some(({ severity }) => severity === "CRITICAL");
  if (isCritical || motion === "MAY_BE_MOVING") return "critical";
  return status === "warning" || motion === "MUST_HAVE_STOPPED" ? "warning" : null;
}
