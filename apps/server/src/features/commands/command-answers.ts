import type { ErrorCode } from "@suncrew/contract/http/error-codes.ts";
import type { SettingsRefusal, StartRefusal } from "@suncrew/domain/commands/command-refusals.ts";
import { failureText, outcomeText, type OutcomeText, pendingText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { PassedLimit } from "@suncrew/domain/texts/passed-limit.ts";
import type { ReleaseRefusal } from "@suncrew/domain/maintenance/release-refusal.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { type Command, staysPending } from "./commands.repository.ts";
import type { GuardRefusal } from "./accept-orders.ts";

type Verb = Command["verb"];

/** §8: the robot does not exist or is already starting; the message does not say which. */
export const MISSING_OR_PROCESSING = outcomeText("ROBOT_MISSING_OR_BUSY", {}).text;

export const BROKER_AWAY = outcomeText("BROKER_UNREACHABLE", {});

export const RESULT_UNKNOWN = "The result of the command is not known yet.";

/** Neither the database nor the broker works, so the robot cannot be reached. */
export const NOTHING_REACHABLE =
  "Neither the database nor the robots' broker can be reached, so the robot did not get the Stop. Please try again.";

/** A STOP that was sent to its robot, whatever happens to the database. */
export const SENT_UNRECORDED = "Sent to the robot; will be recorded.";

/** The same, if the broker has not confirmed receiving it. */
export const queuedUnrecorded = (serial: string): string =>
  `The Stop for Robot ${serial} is stored and sent as soon as the broker accepts it; it will be recorded.`;

type CommandRefusal = StartRefusal | SettingsRefusal | GuardRefusal;

/** The code of the answer to a refused command or release. */
const refusalCodes = {
  retired: "ROBOT_DEVICE_RETIRED",
  maintenance: "ROBOT_IN_MAINTENANCE",
  installing: "ROBOT_INSTALLING",
  "weather-limit": "WEATHER_LIMIT",
  "weather-unknown": "WEATHER_UNKNOWN",
  away: "ROBOT_AWAY",
  stale: "ROBOT_SILENT",
  moving: "ROBOT_MOVING",
  "start-open": "ROBOT_MISSING_OR_BUSY",
  "stop-unsettled": "STOP_UNCONFIRMED",
  clock: "ROBOT_CLOCK_WRONG",
  "stopped-since": "STOPPED_SINCE",
  "locked-since": "LOCKED_SINCE",
  "too-late": "START_TOO_LATE",
  "without-time": "SERVER_CLOCK_WRONG",
  "not-locked": "ROBOT_NOT_IN_MAINTENANCE",
  "lock-unconfirmed": "LOCK_UNCONFIRMED",
  "release-open": "RELEASE_PENDING",
} as const satisfies Record<CommandRefusal | ReleaseRefusal, ErrorCode>;

/** What a refusal names besides the robot. */
interface RefusedFor {
  /** The firmware that the robot was offered. */
  readonly installing: string | null;
  /** The limit of its site that the weather passed. */
  readonly passed: PassedLimit | null;
}

/** Why a START or SET is refused. */
export function refusalText(
  refusal: CommandRefusal,
  serial: string,
  { installing, passed }: RefusedFor = { installing: null, passed: null },
): OutcomeText {
  const code = refusalCodes[refusal];
  switch (code) {
    case "ROBOT_INSTALLING":
      return outcomeText(code, { serial, version: installing });
    case "WEATHER_LIMIT":
      return passed === null ? outcomeText("WEATHER_UNKNOWN", {}) : outcomeText(code, passed);
    default:
      return outcomeText(code, { serial });
  }
}

/** The robot may have accepted a command that it has not confirmed. */
export const notKnownYet = (serial: string): string =>
  `It is not known yet whether Robot ${serial} accepted the command. Refresh its status.`;

/** §8 Robot Control and Settings Updated: the answer to a confirmed command. */
const successMessages: Record<Verb, (serial: string) => string> = {
  START: (serial) => `START command sent to Robot ${serial}`,
  STOP: (serial) => `STOP command sent to Robot ${serial}`,
  SET: (serial) => `Settings for Robot ${serial} have been updated.`,
  MAINTENANCE_ON: (serial) => `Robot ${serial} switched to maintenance mode`,
  MAINTENANCE_OFF: (serial) => `Robot ${serial} confirmed that it is released from maintenance.`,
};

export interface SuccessAnswer {
  readonly success: true;
  readonly message: string;
  readonly command_id: string;
  /** True for a STOP that was sent, but is not recorded or not confirmed yet. */
  readonly pending?: boolean;
  /** The position from which the live stream shows the result; absent if nothing was recorded. */
  readonly live_position?: string;
}

/** What is known besides the row when the caller is answered. */
interface AnswerContext {
  readonly robotAway: boolean;
  readonly brokerAway: boolean;
}

/** Derives the same from the row, for repeated requests; both are answered before an unconfirmed command's deadline. */
export function contextOf(command: Command): AnswerContext {
  const { issued_at, answered_at, expires_at, claimed_by } = command;
  const robotAway = answered_at !== null && answered_at.getTime() === issued_at.getTime();
  return {
    robotAway,
    brokerAway: !robotAway && claimed_by === null && answered_at !== null && answered_at < expires_at,
  };
}

/**
 * The answer to a person whose command is settled, or a STOP or lock that is pending. Throws anything that is not a
 * success.
 */
export function answerTo(command: Command, context: AnswerContext): SuccessAnswer {
  const { id, verb, serial_number: serial, outcome, settled_change: position } = command;
  switch (outcome) {
    case "CONFIRMED":
      return {
        success: true,
        message: successMessages[verb](serial),
        command_id: id,
        ...(position !== null && { live_position: position }),
      };
    case "REJECTED":
      throw failure(502, "ROBOT_REFUSED", outcomeText("ROBOT_REFUSED", { serial, code: command.ack_code }).text);
    case "NEVER_SENT":
      if (context.brokerAway) throw failure(503, "BROKER_UNREACHABLE", BROKER_AWAY.text);
      throw staysPending(verb)
        ? failure(503, "RESULT_UNKNOWN", notKnownYet(serial))
        : failure(503, "COMMAND_NOT_SENT", failureText(verb, "NOT_SENT", serial).text);
    case "UNCONFIRMED":
      throw unconfirmed(command);
    case null:
      if (!staysPending(verb)) throw pending(504, "RESULT_UNKNOWN", notKnownYet(serial));
      if (context.brokerAway) throw pending(503, "COMMAND_PENDING", pendingText(verb, "BROKER", serial).text);
      throw pending(504, "COMMAND_PENDING", pendingText(verb, context.robotAway ? "AWAY" : "UNCONFIRMED", serial).text);
  }
}

/** A command closed before its deadline was superseded by a newer one: a conflict, not an offline robot. */
function unconfirmed({ verb, serial_number: serial, settled_at, settle_by }: Command): HttpError {
  const superseded = settled_at !== null && settled_at < settle_by;
  if (staysPending(verb)) return failure(504, "RESULT_UNKNOWN", notKnownYet(serial));
  const { text } = failureText(verb, superseded ? "SUPERSEDED" : "UNCONFIRMED", serial);
  return superseded ? failure(409, "COMMAND_SUPERSEDED", text) : failure(504, "COMMAND_UNCONFIRMED", text);
}

/**
 * A refusal as an HTTP error: 504 if the robot cannot be reached, 503 without a reliable clock, otherwise a conflict.
 */
export function refusedBy(refusal: CommandRefusal | ReleaseRefusal, message: string): HttpError {
  const status = refusal === "without-time" ? 503 : refusal === "away" || refusal === "stale" ? 504 : 409;
  return failure(status, refusalCodes[refusal], message);
}

export function failure(status: number, code: ErrorCode, message: string): HttpError {
  return new HttpError(status, code, message, { success: false });
}

function pending(status: number, code: ErrorCode, message: string): HttpError {
  return new HttpError(status, code, message, { success: false, pending: true });
}
