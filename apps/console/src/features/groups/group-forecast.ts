import { LOW_BATTERY_PERCENT } from "@suncrew/domain/alerts/server-alerts.ts";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { controllableOf, obstacleWords } from "../robots/public.ts";
import type { RobotView } from "../robots/public.ts";

/** What Start All would do now: which robots will move, which may refuse, and which will be skipped, and why. */
export interface StartForecast {
  readonly moving: readonly RobotView[];
  /** They are started too; what they show is a reason for robots to refuse. */
  readonly doubtful: readonly { readonly robot: RobotView; readonly reason: string }[];
  readonly skipped: readonly { readonly robot: RobotView; readonly reason: string }[];
}

/** §4 Button enabling: a robot that could not be started by itself is skipped when its group is. */
export function startForecastOf(robots: readonly RobotView[]): StartForecast {
  const moving: RobotView[] = [];
  const doubtful: { robot: RobotView; reason: string }[] = [];
  const skipped: { robot: RobotView; reason: string }[] = [];
  for (const robot of robots) {
    const obstacle = robotCan.start(controllableOf(robot));
    const doubt = doubtOf(robot);
    if (obstacle !== null) skipped.push({ robot, reason: obstacleWords(robot, obstacle) });
    else if (doubt !== null) doubtful.push({ robot, reason: doubt });
    else moving.push(robot);
  }
  return { moving, doubtful, skipped };
}

function doubtOf({ status, batteryPercent }: RobotView): string | null {
  if (status === "critical") return "It reports a fault.";
  if (batteryPercent === null || batteryPercent >= LOW_BATTERY_PERCENT) return null;
  return `Its battery is at ${Math.round(batteryPercent)} %.`;
}
