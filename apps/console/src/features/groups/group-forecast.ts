import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { controllableOf, obstacleWords } from "../robots/public.ts";
import type { RobotView } from "../robots/public.ts";

/** What Start All would do now: which robots will move, and which will be skipped and why. */
export interface StartForecast {
  readonly moving: readonly RobotView[];
  readonly skipped: readonly { readonly robot: RobotView; readonly reason: string }[];
}

/** §4 Button enabling: a robot that could not be started by itself is skipped when its group is. */
export function startForecastOf(robots: readonly RobotView[]): StartForecast {
  const moving: RobotView[] = [];
  const skipped: { robot: RobotView; reason: string }[] = [];
  for (const robot of robots) {
    const obstacle = robotCan.start(controllableOf(robot));
    if (obstacle === null) moving.push(robot);
    else skipped.push({ robot, reason: obstacleWords(robot, obstacle) });
  }
  return { moving, skipped };
}
