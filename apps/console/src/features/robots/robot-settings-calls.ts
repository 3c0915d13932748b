import { updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import type { CleaningDirection, RobotLive } from "@suncrew/contract/robots/robots.ts";
import { directionWord } from "@suncrew/domain/activity/activity-words.ts";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call, type Sent } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { NotSentError, serverReason } from "../../platform/api/errors.ts";
import { liveUpdate } from "../../platform/live/live-store.ts";
import { liveStore } from "../../platform/live/live.ts";
import type { RobotView } from "./robot-view.ts";

/**
 * The server answers success once the robot confirmed, so the values are true from now on; the stream may tell them
 * a moment later, or not at all while it is lost.
 */
function noteConfirmed(robotId: number, change: Partial<RobotLive>): void {
  const told = liveStore.robot(robotId);
  if (told === undefined) return;
  liveStore.apply([liveUpdate({ at: new Date().toISOString(), robots: [{ ...told, ...change }] })]);
}

/** Settings wait for the robot's confirmation, so they take a slot and leave the way free for a Stop. */
async function sendSettings(robot: RobotView, body: Sent<typeof updateRobotSettings>["body"]): Promise<void> {
  await callSlots.run({
    kind: "set",
    robotIds: [robot.id],
    send: (signal) => call(updateRobotSettings, { params: { robotId: robot.id }, body }, { signal }),
  });
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof NotSentError ? error.message : serverReason(error);
}

/** Turns the cleaning direction (§7 updateRobotSettings, the direction alone); true where the robot confirmed. */
export async function changeDirection(robot: RobotView, direction: CleaningDirection): Promise<boolean> {
  const outcome = await change({
    send: () => sendSettings(robot, { cleaning_direction: direction }),
    onDone: () => noteConfirmed(robot.id, { cleaning_direction: direction }),
    success: { title: "Direction Updated", message: `Robot direction changed to ${directionWord[direction]}.` },
    failure: {
      title: "Direction Update Failed",
      message: "Failed to update robot direction. Please try again.",
    },
    reasonOf,
  });
  return outcome.kind === "done";
}

/** Both speeds in percent, 0 to 100. */
export interface MotorSpeeds {
  readonly main: number;
  readonly brush: number;
}

/** Changes both motor speeds; true where the robot confirmed them. The call takes them as text (§7). */
export async function changeSpeeds(robot: RobotView, { main, brush }: MotorSpeeds): Promise<boolean> {
  const outcome = await change({
    send: () => sendSettings(robot, { main_motor_speed: String(main), brush_motor_speed: String(brush) }),
    onDone: () => noteConfirmed(robot.id, { main_motor_speed: main, brush_motor_speed: brush }),
    success: { title: "Settings Updated", message: `Settings for Robot ${robot.serialNumber} have been updated.` },
    failure: {
      title: "Settings Update Failed",
      message: "Failed to update robot settings. Please try again.",
    },
    reasonOf,
  });
  return outcome.kind === "done";
}
