import { lostText } from "@suncrew/domain/robots/lost-while-moving.ts";
import { siteShortText } from "../../ui/site-time-text.ts";
import { wordsOfOpenCommand } from "../commands/public.ts";
import { alarmOf, type RobotView } from "./robot-view.ts";

const MINUTE_MS = 60_000;

/** What a robot is doing, in one line of a card. */
export interface RobotActivity {
  readonly text: string;
  /** `waiting` while the robot has yet to show a command, `warning` where somebody may have to act, `alarm` at once. */
  readonly kind: "plain" | "waiting" | "warning" | "alarm";
}

const plain = (text: string): RobotActivity => ({ text, kind: "plain" });

/** The line that tells what a robot does: what was asked of it first, then what it showed. */
export function robotActivityOf(robot: RobotView, now: Date): RobotActivity {
  if (robot.sending !== null) {
    return { text: wordsOfOpenCommand({ verb: robot.sending, pending: false }), kind: "waiting" };
  }
  if (robot.lost !== null && robot.openCommand?.pending !== false) return lostActivity(robot, robot.lost, now);
  if (robot.openCommand !== null) {
    const { pending } = robot.openCommand;
    // A locked robot's badge says offline in every case (§4): its true connection stands here.
    const connection = robot.mode === "maintenance" && pending ? `, ${connectionWords(robot)}` : "";
    return { text: wordsOfOpenCommand(robot.openCommand) + connection, kind: pending ? "warning" : "waiting" };
  }
  if (robot.firmwareUpdate !== null) return plain(firmwareWords(robot.firmwareUpdate));
  if (robot.mode === "maintenance") {
    return plain(`In maintenance, ${connectionWords(robot)}`);
  }
  if (robot.isChecking) return plain("Asking the robot");
  if (robot.mock !== null) return plain("Did not answer, values are simulated");
  if (robot.status === "offline") return plain("Not connected");
  if (robot.run !== null) return plain(cleaningProgress(robot.run, now));
  if (robot.motion === "MOVING") return plain("Cleaning");
  // What is wrong is said at once; the rest of the alerts is behind their count.
  const [worst] = robot.alerts;
  const alarm = alarmOf(robot);
  if (alarm !== null && worst !== undefined) {
    return { text: worst.text, kind: alarm === "critical" ? "alarm" : "warning" };
  }
  if (robot.isCharging) return plain("Charging");
  return plain("Standing still");
}

/** Protocol rule 13: where it was lost, what it may be doing, and the Stop or lock that is kept for its return. */
function lostActivity(robot: RobotView, lost: NonNullable<RobotView["lost"]>, now: Date): RobotActivity {
  const words = lostText(lost, (at) => siteShortText(at, robot.timezone, now));
  const text = robot.openCommand === null ? words : `${words}. ${wordsOfOpenCommand(robot.openCommand)}`;
  return { text, kind: lost.state === "MAY_BE_MOVING" ? "alarm" : "warning" };
}

/** "Installing firmware 2.5.0, 45 %": the percent is that of the download. */
export function firmwareWords({ version, state, percent }: NonNullable<RobotView["firmwareUpdate"]>): string {
  if (state === "OFFERED") return `Offered firmware ${version}`;
  const isDownloading = state === "DOWNLOADING" && percent !== null;
  return `Installing firmware ${version}${isDownloading ? `, ${Math.round(percent)} %` : ""}`;
}

function connectionWords(robot: RobotView): string {
  if (robot.isChecking) return "connection not known yet";
  return robot.isConnected ? "connected" : "not connected";
}

/** "Cleaning, 18 of 30 min": whole minutes since the run began, of those planned. */
function cleaningProgress(run: NonNullable<RobotView["run"]>, now: Date): string {
  const sinceMs = Math.max(0, now.getTime() - run.beganAt.getTime());
  const sinceMinutes = Math.floor(sinceMs / MINUTE_MS);
  if (run.plannedEndAt === null) return `Cleaning for ${sinceMinutes} min`;
  const plannedMinutes = Math.round((run.plannedEndAt.getTime() - run.beganAt.getTime()) / MINUTE_MS);
  return `Cleaning, ${Math.min(sinceMinutes, plannedMinutes)} of ${plannedMinutes} min`;
}
