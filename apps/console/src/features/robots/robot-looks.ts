import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { BatteryLevel } from "@suncrew/domain/robots/battery.ts";
import { type LostState, lostText, lostTimes } from "@suncrew/domain/robots/lost-while-moving.ts";
import type { BlockedReason } from "@suncrew/domain/robots/robot-can.ts";
import {
  presentByReport,
  runLimitText,
  runProgressOf,
  runProgressText,
  shortProgressText,
} from "@suncrew/domain/runs/run-progress.ts";
import { IconTool } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import { siteClockText, siteShortText } from "../../ui/site-time-text.ts";
import { statusLooks } from "../../ui/status-looks.ts";
import { openCommandText } from "../commands/public.ts";
import { alarmOf, type RobotView } from "./robot-view.ts";

/** §3 Robot status. */
export const robotStatusLook: Record<RobotStatus, Look> = {
  normal: statusLooks.normal,
  idle: statusLooks.idle,
  warning: statusLooks.warning,
  critical: statusLooks.critical,
  standby: statusLooks.standby,
  offline: statusLooks.offline,
};

/** Of a robot that has never reported: it is offline (§4), but nothing has failed. */
export const firstConnectionLook: Look = { label: "Waiting", tone: "plain" };
export const FIRST_CONNECTION_TEXT = "Waiting for the first connection";

/** True for a robot that has been added, but whose machine was never heard. */
export function awaitsFirstConnection(
  robot: Pick<RobotView, "status" | "isChecking" | "lastUpdatedAt" | "mock" | "mode">,
): boolean {
  return (
    robot.status === "offline" &&
    !robot.isChecking &&
    robot.lastUpdatedAt === null &&
    robot.mock === null &&
    robot.mode !== "maintenance"
  );
}

/** Beside the status of a robot that was lost while moving (protocol rule 13). */
export const lostLook: Record<LostState, Look> = {
  MAY_BE_MOVING: statusLooks.mayBeMoving,
  MUST_HAVE_STOPPED: { ...statusLooks.mayBeMoving, label: "Must have stopped", tone: "fair" },
};

/** What Stop does for a robot that is not connected. */
export const PENDING_STOP_TEXT = "Not connected. A Stop is stored and sent as soon as the robot is back.";

export const maintenanceLook: Look = { label: "Maintenance", tone: "plain", icon: IconTool };

/** AUTO if the robot is in any group (§2). */
export const autoLook: Look = { label: "AUTO", tone: "plain" };
export const manualLook: Look = { label: "MANUAL", tone: "plain" };

/** The badge until the first live snapshot or status answer (§2 CHECKING...). */
export const CHECKING_LABEL = "CHECKING...";

/** §9 Battery colour: green-lime, yellow, red. */
export const batteryColour: Record<BatteryLevel, string> = {
  good: "var(--sc-battery-good)",
  fair: "var(--sc-battery-fair)",
  poor: "var(--sc-battery-poor)",
};

/** The same without colour, for a screen reader. */
export const batteryWord: Record<BatteryLevel, string> = { good: "good", fair: "getting low", poor: "low" };

type BlockedReasonText = (serialNumber: string) => string;

/** Why a button is disabled, as text (§4 Button enabling). */
const blockedReasonTexts: Record<BlockedReason, BlockedReasonText> = {
  maintenance: (serial) => `Robot ${serial} is in maintenance.`,
  installing: (serial) => `Robot ${serial} is installing firmware.`,
  weather: () => "The weather at the site passes one of its limits, or is not known.",
  "in-progress": () => "A command is in progress. Wait for the robot's answer.",
  running: (serial) => `Robot ${serial} is already running.`,
  idle: (serial) => `Robot ${serial} is already stopped.`,
  offline: (serial) => `Robot ${serial} is offline.`,
  "may-be-moving": (serial) => `Robot ${serial} is not connected and may be moving.`,
  mock: () => "These values are simulated. The robot did not answer.",
  "not-idle": () => "Settings can be changed while the robot is idle or normal.",
  role: () => "Only Super Admins can change motor speeds.",
};

/** The same for one robot: one whose status is still unknown is not called offline. */
export function blockedReasonText(
  robot: Pick<RobotView, "serialNumber" | "isChecking" | "badWeather">,
  blockedReason: BlockedReason,
): string {
  if (blockedReason === "offline" && robot.isChecking) {
    return `Robot ${robot.serialNumber} has not reported its status yet.`;
  }
  if (blockedReason === "weather" && robot.badWeather !== null) return robot.badWeather;
  return blockedReasonTexts[blockedReason](robot.serialNumber);
}

/** §2 Robots tab: the status filter, as in the URL. */
export type RobotFilter = "all" | "normal" | "warning" | "fault" | "offline";

export const ROBOT_FILTERS: readonly RobotFilter[] = ["all", "normal", "warning", "fault", "offline"];

export const robotFilterLabel: Record<RobotFilter, string> = {
  all: "All Status",
  normal: "Normal",
  warning: "Warning",
  fault: "Fault",
  offline: "Offline",
};

/** "Fault" selects critical, which is what the device's fault is mapped to (§4). */
const statusOf: Record<Exclude<RobotFilter, "all">, RobotStatus> = {
  normal: "normal",
  warning: "warning",
  fault: "critical",
  offline: "offline",
};

/** The filter named in a URL; all if it names none. */
export function robotFilterOf(text: string | null): RobotFilter {
  return ROBOT_FILTERS.find((filter) => filter === text) ?? "all";
}

export function matchesFilter(filter: RobotFilter, status: RobotStatus): boolean {
  return filter === "all" || statusOf[filter] === status;
}

/** What a robot is doing, in one line of a card. */
interface RobotActivity {
  readonly text: string;
  /** `waiting` for the robot to confirm a command, `warning` if somebody may have to act, `alarm` at once. */
  readonly kind: "plain" | "waiting" | "warning" | "alarm";
  /** For a narrow place, if the text is long. */
  readonly short?: string;
  /** Of a planned run: how much of it is over, and the text where a bar says that the robot cleans. */
  readonly plan?: { readonly percent: number; readonly words: string };
  /** When a run without a planned end stops by itself. */
  readonly limit?: string | undefined;
}

const plain = (text: string): RobotActivity => ({ text, kind: "plain" });

/** An open command first, then what the robot reports. */
export function robotActivityOf(robot: RobotView, now: Date): RobotActivity {
  if (robot.sending !== null) {
    return { text: openCommandText({ verb: robot.sending, pending: false }), kind: "waiting" };
  }
  if (robot.lost !== null && robot.openCommand?.pending !== false) return lostActivity(robot, robot.lost, now);
  if (robot.openCommand !== null) {
    const { pending } = robot.openCommand;
    // A locked robot's badge always says offline (§4): its real connection is shown here.
    const connection = robot.mode === "maintenance" && pending ? `, ${connectionText(robot)}` : "";
    return { text: openCommandText(robot.openCommand) + connection, kind: pending ? "warning" : "waiting" };
  }
  if (robot.firmwareUpdate !== null) return plain(firmwareText(robot.firmwareUpdate));
  if (robot.mode === "maintenance") {
    return plain(`In maintenance, ${connectionText(robot)}`);
  }
  if (robot.isChecking) return plain("Requesting status");
  if (robot.mock !== null) return plain("Did not answer, values are simulated");
  if (awaitsFirstConnection(robot)) return plain(FIRST_CONNECTION_TEXT);
  if (robot.status === "offline") return plain("Not connected");
  if (robot.run !== null) return runActivity(robot, robot.run, now);
  if (robot.motion === "MOVING") return plain("Cleaning");
  // The worst alert is shown; the rest are behind their count.
  const [worst] = robot.alerts;
  const alarm = alarmOf(robot);
  if (alarm !== null && worst !== undefined) {
    return { text: worst.text, kind: alarm === "critical" ? "alarm" : "warning" };
  }
  if (robot.isCharging) return plain("Charging");
  return plain("Standing still");
}

/** Protocol rule 13: when it was lost, what it may be doing, and the Stop or lock pending for its return. */
function lostActivity(robot: RobotView, lost: NonNullable<RobotView["lost"]>, now: Date): RobotActivity {
  const lostPart = lostText(lostTimes(lost, (at) => siteShortText(at, robot.timezone, now)));
  const text = robot.openCommand === null ? lostPart : `${lostPart}. ${openCommandText(robot.openCommand)}`;
  return { text, kind: lost.state === "MAY_BE_MOVING" ? "alarm" : "warning" };
}

/** "Installing firmware 2.5.0, 45 %": the percent is that of the download. */
export function firmwareText({ version, state, percent }: NonNullable<RobotView["firmwareUpdate"]>): string {
  if (state === "OFFERED") return `Offered firmware ${version}`;
  const isDownloading = state === "DOWNLOADING" && percent !== null;
  return `Installing firmware ${version}${isDownloading ? `, ${Math.round(percent)} %` : ""}`;
}

function connectionText(robot: RobotView): string {
  if (robot.isChecking) return "connection not known yet";
  return robot.isConnected ? "connected" : "not connected";
}

/** "Cleaning, 18 of 30 min, ends 18:45"; a run beyond its planned end needs a look. */
function runActivity(robot: RobotView, run: NonNullable<RobotView["run"]>, now: Date): RobotActivity {
  const progress = runProgressOf(run, presentByReport(now, robot.lastUpdatedAt));
  const clockOf = (at: Date) => siteClockText(at, robot.timezone);
  const words = runProgressText(progress, clockOf);
  if (progress.kind === "open") {
    const short = shortProgressText(progress);
    return { text: words, short, kind: "plain", limit: runLimitText(progress, clockOf) ?? undefined };
  }
  const { lateMinutes, percent } = progress;
  return {
    text: `Cleaning, ${words}`,
    short: shortProgressText(progress),
    kind: lateMinutes > 0 ? "warning" : "plain",
    plan: { percent, words },
  };
}
