import { protocolDirections } from "@suncrew/domain/commands/stored-params.ts";
import type { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { PRESS_HEADER } from "@suncrew/contract/commands/press.ts";
import type { CommandVerb } from "@suncrew/contract/devices/messages.ts";
import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import type { CleaningDirection, RobotLive } from "@suncrew/contract/robots/robots.ts";
import { ApiError, isLostConnection, messageOf, NotSentError } from "../../platform/api/errors.ts";

export type StartOrStop = Extract<CommandVerb, "START" | "STOP">;

/** What a command needs to know about a robot. */
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
      direction: protocolDirections[robot.cleaningDirection],
      "main-speed": robot.mainMotorSpeed,
      "brush-speed": robot.brushMotorSpeed,
    },
  };
}

/** §8: the message for a command that is already processing or whose robot is missing. */
const ALREADY_PROCESSING = "Robot not found or already processing";

/** The second line of the failure's toast: the server's message, otherwise one by its status code. */
export function reasonOf(error: unknown): string | undefined {
  const message = messageOf(error);
  if (message !== undefined) return message;
  if (error instanceof ApiError) return error.status === 404 || error.status === 409 ? ALREADY_PROCESSING : undefined;
  return undefined;
}

/**
 * §4 Commands: a failed command sets the robot offline; a refusal by the server (4xx) or by the robot (502)
 * leaves its status as it was, and so does a command that was never sent. Offline is what the server knows: if this
 * browser has lost its own connection the robot keeps its last known status.
 */
export function leavesRobotOffline(error: unknown): boolean {
  if (error instanceof NotSentError || isLostConnection(error)) return false;
  if (!(error instanceof ApiError)) return true;
  return error.status >= 500 && error.status !== 502;
}

/**
 * A robot that has confirmed a command, and from where on the live stream shows it; null if the answer does not say.
 */
export interface ConfirmedRobot {
  readonly robotId: number;
  readonly position: string | null;
}

/** The robots that have confirmed; a command sent while the database was down is still pending. */
export function confirmedRobots(results: readonly RobotResult[]): ConfirmedRobot[] {
  return results.flatMap(({ robotObjectId, outcome, pending, live_position }) =>
    outcome === "SUCCESS" && !pending ? [{ robotId: robotObjectId, position: live_position ?? null }] : [],
  );
}

/** A pending Stop that the stream has since shown to be confirmed counts as done: nobody has to walk there. */
export function currentResult(
  result: RobotResult,
  live: Pick<RobotLive, "online" | "motion" | "open_command"> | undefined,
): Pick<RobotResult, "outcome" | "pending" | "message"> {
  const isStopped = live?.online === true && live.motion === "STOPPED" && live.open_command === null;
  if (!result.pending || !isStopped) return result;
  return { ...result, outcome: "SUCCESS", pending: false };
}

let lastAtMs = 0;

/**
 * A button that moves or stops robots was pressed. Returns what builds the header for the moment the
 * command is sent, so that the server never runs a Start after a Stop that was pressed later.
 */
export function newPress(): () => Record<typeof PRESS_HEADER, string> {
  const atMs = Math.max(lastAtMs + 1, Date.now());
  lastAtMs = atMs;
  const since = performance.now();
  return () => ({ [PRESS_HEADER]: `${atMs} ${Math.round(performance.now() - since)}` });
}

/**
 * Makes the headers of one press: its key stays the same however often it is sent. A press that needs several calls
 * gives itself to each, which then has a key of its own.
 */
export function newPressHeaders(press = newPress()): () => Readonly<Record<string, string>> {
  const key = newIdempotencyKey();
  return () => ({ "Idempotency-Key": key, ...press() });
}

/**
 * A new version 4 UUID for one press of a button; also works if the page is served without TLS, unlike `randomUUID`.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
