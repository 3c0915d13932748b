import type { RejectCode } from "@suncrew/contract/devices/messages.ts";
import type { ErrorCode } from "@suncrew/contract/http/error-codes.ts";
import type { SettingsRefusal, StartRefusal } from "@suncrew/domain/commands/command-refusals.ts";
import type { ReleaseRefusal } from "@suncrew/domain/maintenance/release-refusal.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { type Command, type PendingVerb, staysPending } from "./commands.repository.ts";
import type { GuardRefusal } from "./accept-orders.ts";

type Verb = Command["verb"];

/** §8: the robot does not exist or is already starting; the message does not say which. */
export const MISSING_OR_PROCESSING = "Robot not found or already processing";

export const BROKER_AWAY =
  "The robots' broker cannot be reached, so the robot did not get the command. Please try again.";

/** `installing` is the firmware that the robot was offered. */
type RefusalSentence = (serial: string, installing?: string | null) => string;

export const RESULT_UNKNOWN = "The result of the command is not known yet.";

/** Neither the database nor the broker works, so the robot cannot be reached. */
export const NOTHING_REACHABLE =
  "Neither the database nor the robots' broker can be reached, so the robot did not get the Stop. Please try again.";

/** A STOP that was sent to its robot, whatever happens to the database. */
export const SENT_UNRECORDED = "Sent to the robot; will be recorded.";

/** The same, if the broker has not confirmed receiving it. */
export const queuedUnrecorded = (serial: string): string =>
  `The Stop for Robot ${serial} is stored and sent as soon as the broker accepts it; it will be recorded.`;

/** Why a START or SET is refused. */
export const refusalMessages: Record<StartRefusal | SettingsRefusal | GuardRefusal, RefusalSentence> = {
  retired: (serial) => `The device ${serial} was retired, so the robot can no longer be commanded.`,
  maintenance: (serial) => `Robot ${serial} is in maintenance. Exit maintenance first.`,
  installing: (serial, version) => `Robot ${serial} is installing firmware${version ? ` ${version}` : ""}.`,
  away: (serial) => `Robot ${serial} is offline: it has no connection at the moment.`,
  stale: (serial) => `Robot ${serial} has not reported for 45 seconds. Refresh its status, then try again.`,
  moving: (serial) => `Robot ${serial} is already cleaning.`,
  "start-open": () => MISSING_OR_PROCESSING,
  "stop-unsettled": (serial) => `Robot ${serial} has not confirmed its last Stop yet. Start is possible once it has.`,
  clock: (serial) => `The clock of Robot ${serial} differs by more than 30 seconds, so it cannot be started safely.`,
  "stopped-since": () => "Stop was pressed in the meantime.",
  "locked-since": (serial) => `Robot ${serial} has been put in maintenance in the meantime.`,
  "too-late": () => "it took too long.",
  "without-time": () =>
    "The clocks of this server and of the database do not agree, so no robot is started. Robots can still be stopped.",
};

/** The same, for programs. */
const refusalCodes: Record<StartRefusal | SettingsRefusal | GuardRefusal | ReleaseRefusal, ErrorCode> = {
  retired: "ROBOT_DEVICE_RETIRED",
  maintenance: "ROBOT_IN_MAINTENANCE",
  installing: "ROBOT_INSTALLING",
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
};

/** A robot whose rows were locked by another transaction for too long. */
export const busyMessages: Record<"START" | "STOP", (serial: string) => string> = {
  START: (serial) => `Robot ${serial} is busy, so it was not started. Please try again.`,
  STOP: (serial) => `Robot ${serial} could not be reached in the database in time; press Stop again.`,
};

const rejectMessages: Record<RejectCode, string> = {
  BUSY: "it is already cleaning",
  MAINTENANCE: "it is in maintenance",
  OLD_SESSION: "it has reconnected in the meantime; try again",
  OLD_SEQ: "it has accepted a newer command in the meantime",
  EXPIRED: "the command reached it too late, or its clock is wrong",
  CLOCK_NOT_SET: "its clock is not set",
  FAULT: "it has a fault",
  BATTERY_LOW: "its battery is too low",
  INVALID: "it did not understand the command",
  REFUSED: "it gave no reason",
};

/** Why the robot did not accept a command. An unknown code is shown as is. */
export function rejectedMessage(serial: string, code: string | null): string {
  const known: Readonly<Record<string, string>> = rejectMessages;
  return `Robot ${serial} refused: ${known[code ?? "REFUSED"] ?? `code ${code}`}.`;
}

export const settled = {
  startConfirmed: "The robot showed that it is cleaning.",
  stopConfirmed: "The robot showed that it has stopped.",
  notKnownYet: (serial: string) =>
    `It is not known yet whether Robot ${serial} accepted the command. Refresh its status.`,
  sentUnrecorded: (at: Date) => `Sent immediately; recorded at ${at.toISOString()}, once the database was available.`,
  sentBeforeStart: (at: Date) =>
    `Sent immediately; recorded at ${at.toISOString()}, after a newer Start, so its effect was not seen.`,
  stopDelivered: (at: Date) => `Was pending; the robot showed at ${at.toISOString()} that it has stopped.`,
} as const;
/** §8 Robot Control and Settings Updated: the answer to a confirmed command. */
const successMessages: Record<Verb, (serial: string) => string> = {
  START: (serial) => `START command sent to Robot ${serial}`,
  STOP: (serial) => `STOP command sent to Robot ${serial}`,
  SET: (serial) => `Settings for Robot ${serial} have been updated.`,
  MAINTENANCE_ON: (serial) => `Robot ${serial} switched to maintenance mode`,
  MAINTENANCE_OFF: (serial) => `Robot ${serial} confirmed that it is released from maintenance.`,
};

export interface FailureMessages {
  readonly unconfirmed: (serial: string) => string;
  readonly superseded: (serial: string) => string;
  readonly neverSent: (serial: string) => string;
}

/** Why a command that does not stay pending has failed. */
export const failureMessages: Record<Exclude<Verb, PendingVerb>, FailureMessages> = {
  START: {
    unconfirmed: (serial) =>
      `Robot ${serial} did not confirm the start within 8 seconds. A Stop was sent to it and is repeated until the robot confirms it.`,
    superseded: (serial) =>
      `A Stop or a maintenance lock came before Robot ${serial} confirmed the start, so the start does not count.`,
    neverSent: (serial) => `The start was not sent to Robot ${serial} in time. Please try again.`,
  },
  SET: {
    unconfirmed: (serial) => `Robot ${serial} did not confirm the settings within 8 seconds. Nothing was stored.`,
    superseded: (serial) =>
      `Newer settings were sent to Robot ${serial} before it confirmed these. They were not stored.`,
    neverSent: (serial) => `The settings were not sent to Robot ${serial} in time. Nothing was stored.`,
  },
  MAINTENANCE_OFF: {
    unconfirmed: (serial) => `Robot ${serial} did not confirm the release within 8 seconds. It stays in maintenance.`,
    superseded: (serial) =>
      `Robot ${serial} was locked again before it confirmed the release. It stays in maintenance.`,
    neverSent: (serial) => `The release was not sent to Robot ${serial} in time. It stays in maintenance.`,
  },
};

interface PendingMessages {
  readonly away: (serial: string) => string;
  readonly unconfirmed: (serial: string) => string;
  readonly withoutBroker: (serial: string) => string;
}

/** The answer to a STOP or MAINTENANCE_ON that is still pending. */
export const pendingMessages: Record<PendingVerb, PendingMessages> = {
  STOP: {
    away: (serial) => `Robot ${serial} is offline. The Stop is stored and delivered when the robot returns.`,
    unconfirmed: (serial) =>
      `Robot ${serial} has not confirmed the Stop yet. It is repeated until the robot shows that it has stopped.`,
    withoutBroker: (serial) =>
      `The robots' broker cannot be reached. The Stop for Robot ${serial} is stored and sent as soon as the broker is back.`,
  },
  MAINTENANCE_ON: {
    away: (serial) =>
      `Robot ${serial} is locked, not confirmed by the robot: it is offline. The lock is delivered when it returns.`,
    unconfirmed: (serial) =>
      `Robot ${serial} is locked, not confirmed by the robot yet. The lock is repeated until the robot confirms it.`,
    withoutBroker: (serial) =>
      `Robot ${serial} is locked, not confirmed by the robot: the broker cannot be reached. The lock is sent as soon as it is back.`,
  },
};

export interface SuccessAnswer {
  readonly success: true;
  readonly message: string;
  readonly command_id: string;
  /** True for a STOP that was sent, but is not recorded or not confirmed yet. */
  readonly pending?: boolean;
  /** From where on the live stream shows the result; missing where nothing is on record. */
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
      throw failure(502, "ROBOT_REFUSED", rejectedMessage(serial, command.ack_code));
    case "NEVER_SENT":
      if (context.brokerAway) throw failure(503, "BROKER_UNREACHABLE", BROKER_AWAY);
      throw staysPending(verb)
        ? failure(503, "RESULT_UNKNOWN", settled.notKnownYet(serial))
        : failure(503, "COMMAND_NOT_SENT", failureMessages[verb].neverSent(serial));
    case "UNCONFIRMED":
      throw unconfirmed(command);
    case null:
      if (!staysPending(verb)) throw pending(504, "RESULT_UNKNOWN", settled.notKnownYet(serial));
      if (context.brokerAway) throw pending(503, "COMMAND_PENDING", pendingMessages[verb].withoutBroker(serial));
      throw pending(504, "COMMAND_PENDING", pendingMessages[verb][context.robotAway ? "away" : "unconfirmed"](serial));
  }
}

/** A command closed before its deadline was superseded by a newer one: a conflict, not an offline robot. */
function unconfirmed({ verb, serial_number: serial, settled_at, settle_by }: Command): HttpError {
  const superseded = settled_at !== null && settled_at < settle_by;
  if (staysPending(verb)) return failure(504, "RESULT_UNKNOWN", settled.notKnownYet(serial));
  const words = failureMessages[verb];
  return superseded
    ? failure(409, "COMMAND_SUPERSEDED", words.superseded(serial))
    : failure(504, "COMMAND_UNCONFIRMED", words.unconfirmed(serial));
}

/**
 * A refusal as an HTTP error: 504 if the robot cannot be reached, 503 without a reliable clock, otherwise a conflict.
 */
export function refusedBy(
  refusal: StartRefusal | SettingsRefusal | GuardRefusal | ReleaseRefusal,
  message: string,
): HttpError {
  const status = refusal === "without-time" ? 503 : refusal === "away" || refusal === "stale" ? 504 : 409;
  return failure(status, refusalCodes[refusal], message);
}

export function failure(status: number, code: ErrorCode, message: string): HttpError {
  return new HttpError(status, code, message, { success: false });
}

function pending(status: number, code: ErrorCode, message: string): HttpError {
  return new HttpError(status, code, message, { success: false, pending: true });
}
