import type { CommandVerb } from "@suncrew/contract/devices/messages.ts";
import type { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import type { CleaningDirection } from "@suncrew/contract/robots/robots.ts";
import { ApiError, isLostConnection, NotSentError, messageOf } from "../../platform/api/errors.ts";

export type StartOrStop = Extract<CommandVerb, "START" | "STOP">;

/** What of a robot a command names. */
export interface CommandTarget {
  readonly id: number;
  readonly siteId: number;
  readonly serialNumber: string;
  readonly cleaningDirection: CleaningDirection;
  /** 0 to 100 percent. */
  readonly mainMotorSpeed: number;
  readonly brushMotorSpeed: number;
}

/** §7 send_command: the body, with the direction as FWD or REV. */
export function commandBodyOf(robot: CommandTarget, command: StartOrStop): SentBodyOf<typeof sendCommand> {
  return {
    robotId: robot.serialNumber,
    robotObjectId: robot.id,
    siteId: robot.siteId,
    command,
    mode: "AUTO",
    params: {
      status: command === "START" ? "start" : "stop",
      direction: robot.cleaningDirection === "REVERSE" ? "REV" : "FWD",
      "main-speed": robot.mainMotorSpeed,
      "brush-speed": robot.brushMotorSpeed,
    },
  };
}

/** §8: the sentence for a command that is already processing or whose robot is missing. */
export const ALREADY_PROCESSING = "Robot not found or already processing";

/** The second line of the failure's toast: the server's own words, else what its status says. */
export function reasonOf(error: unknown): string | undefined {
  const told = messageOf(error);
  if (told !== undefined) return told;
  if (error instanceof ApiError) return error.status === 404 || error.status === 409 ? ALREADY_PROCESSING : undefined;
  return undefined;
}

/**
 * §4 Commands: a failed command sets the robot offline; a refusal by the server (4xx) or by the robot (502)
 * leaves its status as it was, and so does what was never sent. Offline is what the server knows: where this browser has
 * lost its own connection the robot keeps its last known status.
 */
export function leavesRobotOffline(error: unknown): boolean {
  if (error instanceof NotSentError || isLostConnection(error)) return false;
  if (!(error instanceof ApiError)) return true;
  return error.status >= 500 && error.status !== 502;
}
