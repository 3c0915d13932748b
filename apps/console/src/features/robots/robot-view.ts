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
  type CallState,
  commandedLook,
  type CommandedOverlay,
  type MockReading,
  overlayHolds,
  type RobotOverlay,
} from "./robot-local-state.ts";

/** The parts of a robot that stay while the stream changes the rest. */
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
  /** Neither a live snapshot nor a status answer has come yet: the badge reads CHECKING... */
  readonly isChecking: boolean;
  /** Reachable, whatever the status says: shown beside a maintenance lock. */
  readonly isConnected: boolean;
  readonly mode: OperatingMode;
  readonly motion: KnownMotion | null;
  /** It was last seen moving and is not heard any more (protocol rule 13); null where it is heard or was seen to stand. */
  readonly lost: LostWhileMoving | null;
  /** By whose clocks times are told; this browser's own until its site is known. */
  readonly timezone: string;
  readonly isCharging: boolean;
  /** Null where the robot never told it; simulated where `mock` is. */
  readonly batteryPercent: number | null;
  /** What the robot itself told last, whatever is simulated. */
  readonly toldBatteryPercent: number | null;
  readonly cleaningDirection: RobotLive["cleaning_direction"];
  readonly mainMotorSpeed: number;
  readonly brushMotorSpeed: number;
  /** The worst first. */
  readonly alerts: readonly RobotAlert[];
  /** When the readings were last true; null before the first report. */
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
  /** New firmware that it was offered and does not run yet. */
  readonly firmwareUpdate: RobotLive["firmware_update"];
  /** This browser's own START or STOP that has no answer yet. */
  readonly sending: "START" | "STOP" | null;
  /** This browser waits for the answer of a status call. */
  readonly refresh: CallState["refresh"];
}

export interface RobotSources {
  readonly row: RobotWithSettings;
  /** The robot as the stream last told it; null before the first snapshot. */
  readonly live: RobotLive | null;
  readonly overlay: RobotOverlay | null;
  readonly calls: CallState;
  /** Of its site, where that is known. */
  readonly timezone?: string | undefined;
  /** This browser has lost its stream: what it told last stays, but is old. */
  readonly isCut?: boolean;
}

function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/**
 * §4 Robot live status: one robot out of its row, the stream and this browser's own answers. A robot of the list
 * is offline until a snapshot or an answer tells otherwise.
 */
export function robotViewOf(
  { row, live, overlay: noted, calls, timezone, isCut = false }: RobotSources,
  now: Date,
): RobotView {
  const told = live ?? row;
  const overlay = noted !== null && overlayHolds(noted, live, now) ? noted : null;
  const answer = overlay?.kind === "answered" ? overlay : null;
  const commanded = overlay?.kind === "commanded" ? overlay : null;
  const shown = commanded === null ? answer : commandedLook[commanded.verb];
  const unreached = overlay?.kind === "unreached" ? overlay : null;
  const isUnknown = live === null && overlay === null;
  const mock = unreached?.mock ?? null;
  const isAway = isUnknown || unreached !== null || told.operating_mode === "maintenance";
  const status = isAway ? "offline" : (shown?.status ?? told.status);
  const lost = shown === null ? lostOf(told, unreached !== null) : null;
  // Until its first report the row holds what a robot begins with, which nobody has read.
  const lastBattery = told.last_updated_at === null ? null : told.battery_level;
  const toldBatteryPercent = answer?.batteryPercent ?? lastBattery;
  const lastUpdatedAt = (commanded ?? answer)?.at ?? instantOf(told.last_updated_at);
  return {
    id: row.robot_id,
    siteId: told.site_id,
    groupId: told.group_id,
    name: row.robot_name,
    serialNumber: told.serial_number,
    motorType: row.motor_type,
    controlType: row.control_type,
    firmware: told.firmware_version,
    installationDate: row.installation_date,
    status,
    isChecking: isUnknown,
    isConnected: shown !== null || (live?.online === true && unreached === null),
    mode: told.operating_mode,
    motion: shown === null ? knownMotionOf(told.motion, lost) : shown.motion,
    lost,
    timezone: timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    isCharging: told.charging && status !== "offline",
    batteryPercent: mock?.batteryPercent ?? toldBatteryPercent,
    toldBatteryPercent,
    cleaningDirection: answer?.direction ?? told.cleaning_direction,
    mainMotorSpeed: mock?.mainMotorSpeed ?? told.main_motor_speed,
    brushMotorSpeed: mock?.brushMotorSpeed ?? told.brush_motor_speed,
    alerts: told.alerts.map((text, nth) => ({ text, severity: told.alert_severities[nth] ?? "WARNING" })),
    lastUpdatedAt,
    lastCleanedAt: instantOf(told.last_cleaned_at),
    lastRun: told.last_run,
    runNotBegun: told.run_not_begun,
    maintenance: told.maintenance,
    isStale: mock !== null || (isCut && shown === null) || isOld(status, told.operating_mode, lastUpdatedAt, now),
    mock,
    run: commanded?.verb === "STOP" ? null : runOf(told, status),
    openCommand: isAnswered(told.open_command, commanded) ? null : told.open_command,
    firmwareUpdate: told.firmware_update,
    sending: calls.sending,
    refresh: calls.refresh,
  };
}

/**
 * As the server tells it; `isUnreached` where the server takes the robot to be there and this browser's own call did not
 * reach it. That it must have stopped is the server's word alone: a browser's clock may be wrong.
 */
function lostOf(told: RobotLive, isUnreached: boolean): LostWhileMoving | null {
  const { lost_while_moving: lost, motion, last_updated_at, current_run: run } = told;
  if (lost !== null) return { state: lost.state, lostAt: new Date(lost.lost_at), stopsBy: new Date(lost.stops_by) };
  const lastHeardAt = instantOf(last_updated_at);
  if (!isUnreached || motion !== "MOVING" || lastHeardAt === null) return null;
  const runEndsAt = instantOf(run?.planned_end_at ?? null);
  return {
    ...lostWhileMovingOf({ runEndsAt, lastHeardAt, connectionLostAt: null }, DEFAULT_MOTION_LIMITS, lastHeardAt),
    state: "MAY_BE_MOVING",
  };
}

/** Rule 7 of the protocol: a reading without a successor for 90 s is old; a robot in maintenance is judged by age alone. */
function isOld(status: RobotStatus, mode: OperatingMode, at: Date | null, now: Date): boolean {
  if (at === null) return true;
  if (status === "offline" && mode !== "maintenance") return true;
  return now.getTime() - at.getTime() > OFFLINE_AFTER_MS;
}

/** The stream tells of the command that has been answered as if it were still under way. */
function isAnswered(open: RobotLive["open_command"], commanded: CommandedOverlay | null): boolean {
  return open !== null && commanded !== null && open.verb === commanded.verb && !open.pending;
}

function runOf(told: RobotLive, status: RobotStatus): RobotView["run"] {
  if (told.current_run === null || status === "offline") return null;
  return {
    beganAt: new Date(told.current_run.began_at),
    plannedEndAt: instantOf(told.current_run.planned_end_at),
  };
}

/** What the buttons look at (§4 Button enabling); a STOP is taken over anything but a STOP of one's own. */
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

/** How bad what is wrong with a robot is, by what it may be doing, its alerts and its status; null where nothing is. */
export function alarmOf({ status, motion, alerts }: RobotView): "critical" | "warning" | null {
  const isCritical = status === "critical" || alerts.some(({ severity }) => severity === "CRITICAL");
  if (isCritical || motion === "MAY_BE_MOVING") return "critical";
  return status === "warning" || motion === "MUST_HAVE_STOPPED" ? "warning" : null;
}
