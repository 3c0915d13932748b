import { type CommandVerb, type RejectCode, rejectCodeSchema } from "@suncrew/contract/devices/messages.ts";
import type {
  AdvisingText,
  CodedText,
  NestedText,
  ParamsOf,
  TextCatalog,
  TextParams,
} from "@suncrew/contract/http/coded-text.ts";

import { type PassedLimit, passedPhrase } from "./passed-limit.ts";

interface OfRobot extends TextParams {
  readonly serial: string;
}
interface ByPerson extends TextParams {
  readonly name: string;
}
interface AtTime extends TextParams {
  /** ISO 8601. */
  readonly at: string;
}
interface WithReason extends TextParams {
  readonly reason: NestedText;
}

const advising = (sentence: string, advice: string): AdvisingText => {
  return { text: `${sentence} ${advice}`, withoutAdvice: sentence };
};
const AGAIN = "Please try again.";

const rejections: Record<RejectCode, string> = {
  BUSY: "it is already cleaning",
  MAINTENANCE: "it is in maintenance",
  OLD_SESSION: "it has reconnected in the meantime",
  OLD_SEQ: "it has accepted a newer command in the meantime",
  EXPIRED: "the command reached it too late, or its clock is wrong",
  CLOCK_NOT_SET: "its clock is not set",
  FAULT: "it has a fault",
  BATTERY_LOW: "its battery is too low",
  INVALID: "it did not understand the command",
  REFUSED: "it gave no reason",
};

/** Why the robot did not accept a command. An unknown code is shown as is. */
function rejection({ serial, code }: OfRobot & { readonly code: string | null }): string | AdvisingText {
  const known = rejectCodeSchema.safeParse(code ?? "REFUSED").data;
  const why = `Robot ${serial} refused: ${known === undefined ? `code ${code}` : rejections[known]}`;
  return known === "OLD_SESSION" ? { text: `${why}; try again.`, withoutAdvice: `${why}.` } : `${why}.`;
}

/**
 * The outcomes of commands and runs, as stored in the activity log and with the runs, and returned to whoever gave the
 * command. A code keeps its meaning and its parameters for good, because stored rows have them.
 */
const outcomeTexts = {
  // Why a START or SET is refused; the codes are those of the error answers.
  ROBOT_DEVICE_RETIRED: ({ serial }: OfRobot) =>
    `The device ${serial} was retired, so the robot can no longer be commanded.`,
  ROBOT_IN_MAINTENANCE: ({ serial }: OfRobot) => `Robot ${serial} is in maintenance. Exit maintenance first.`,
  ROBOT_INSTALLING: ({ serial, version }: OfRobot & { readonly version: string | null }) =>
    `Robot ${serial} is installing firmware${version === null ? "" : ` ${version}`}.`,
  ROBOT_AWAY: ({ serial }: OfRobot) => `Robot ${serial} is offline: it has no connection at the moment.`,
  ROBOT_SILENT: ({ serial }: OfRobot) =>
    advising(`Robot ${serial} has not reported for 45 seconds.`, "Refresh its status, then try again."),
  ROBOT_MOVING: ({ serial }: OfRobot) => `Robot ${serial} is already cleaning.`,
  /** §8: the robot does not exist or is already starting; the message does not say which. */
  ROBOT_MISSING_OR_BUSY: () => "Robot not found or already processing",
  STOP_UNCONFIRMED: ({ serial }: OfRobot) =>
    `Robot ${serial} has not confirmed its last Stop yet. Start is possible once it has.`,
  ROBOT_CLOCK_WRONG: ({ serial }: OfRobot) =>
    `The clock of Robot ${serial} differs by more than 30 seconds, so it cannot be started safely.`,
  WEATHER_LIMIT: (passed: PassedLimit) =>
    advising(
      `Wind and rain guard: ${passedPhrase(passed)}.`,
      "Start is possible once the weather has been within the limits for 10 minutes.",
    ),
  WEATHER_UNKNOWN: () =>
    advising(
      "Wind and rain guard: the weather at the site is not known at the moment, so no robot is started.",
      "Robots can still be stopped.",
    ),
  STOPPED_SINCE: () => "Stop was pressed in the meantime.",
  LOCKED_SINCE: ({ serial }: OfRobot) => `Robot ${serial} has been put in maintenance in the meantime.`,
  START_TOO_LATE: () => "it took too long.",
  SERVER_CLOCK_WRONG: () =>
    "The clocks of this server and of the database do not agree, so no robot is started. Robots can still be stopped.",
  RELEASED_NOT_STARTED: ({ reason }: WithReason) => `Released, but not started: ${outcomeSentence(reason)}`,
  // A robot whose rows were locked by another transaction for too long
  START_ROBOT_LOCKED: ({ serial }: OfRobot) => advising(`Robot ${serial} is busy, so it was not started.`, AGAIN),
  STOP_ROBOT_LOCKED: ({ serial }: OfRobot) =>
    `Robot ${serial} could not be reached in the database in time; press Stop again.`,

  // The outcome of a command
  START_CONFIRMED: () => "The robot showed that it is cleaning.",
  STOP_CONFIRMED: () => "The robot showed that it has stopped.",
  STOP_CONFIRMED_BECAUSE: ({ because }: { readonly because: string }) =>
    `The robot showed that it has stopped: ${because}.`,
  STOP_DELIVERED: ({ at }: AtTime) => `Was pending; the robot showed at ${at} that it has stopped.`,
  STOP_RECORDED_LATE: ({ at }: AtTime) => `Sent immediately; recorded at ${at}, once the database was available.`,
  STOP_BEFORE_START: ({ at }: AtTime) =>
    `Sent immediately; recorded at ${at}, after a newer Start, so its effect was not seen.`,
  ROBOT_REFUSED: rejection,
  BROKER_UNREACHABLE: () =>
    advising("The robots' broker cannot be reached, so the robot did not get the command.", AGAIN),
  START_UNCONFIRMED: ({ serial }: OfRobot) =>
    `Robot ${serial} did not confirm the start within 8 seconds. A Stop was sent to it and is repeated until the robot confirms it.`,
  START_SUPERSEDED: ({ serial }: OfRobot) =>
    `A Stop or a maintenance lock came before Robot ${serial} confirmed the start, so the start does not count.`,
  START_NOT_SENT: ({ serial }: OfRobot) => advising(`The start was not sent to Robot ${serial} in time.`, AGAIN),
  SET_UNCONFIRMED: ({ serial }: OfRobot) =>
    `Robot ${serial} did not confirm the settings within 8 seconds. Nothing was stored.`,
  SET_SUPERSEDED: ({ serial }: OfRobot) =>
    `Newer settings were sent to Robot ${serial} before it confirmed these. They were not stored.`,
  SET_NOT_SENT: ({ serial }: OfRobot) => `The settings were not sent to Robot ${serial} in time. Nothing was stored.`,
  MAINTENANCE_OFF_UNCONFIRMED: ({ serial }: OfRobot) =>
    `Robot ${serial} did not confirm the release within 8 seconds. It stays in maintenance.`,
  MAINTENANCE_OFF_SUPERSEDED: ({ serial }: OfRobot) =>
    `Robot ${serial} was locked again before it confirmed the release. It stays in maintenance.`,
  MAINTENANCE_OFF_NOT_SENT: ({ serial }: OfRobot) =>
    `The release was not sent to Robot ${serial} in time. It stays in maintenance.`,
  // A pending STOP or lock
  STOP_PENDING_AWAY: ({ serial }: OfRobot) =>
    `Robot ${serial} is offline. The Stop is stored and delivered when the robot returns.`,
  STOP_PENDING_UNCONFIRMED: ({ serial }: OfRobot) =>
    `Robot ${serial} has not confirmed the Stop yet. It is repeated until the robot shows that it has stopped.`,
  STOP_PENDING_BROKER: ({ serial }: OfRobot) =>
    `The robots' broker cannot be reached. The Stop for Robot ${serial} is stored and sent as soon as the broker is back.`,
  MAINTENANCE_ON_PENDING_AWAY: ({ serial }: OfRobot) =>
    `Robot ${serial} is locked, not confirmed by the robot: it is offline. The lock is delivered when it returns.`,
  MAINTENANCE_ON_PENDING_UNCONFIRMED: ({ serial }: OfRobot) =>
    `Robot ${serial} is locked, not confirmed by the robot yet. The lock is repeated until the robot confirms it.`,
  MAINTENANCE_ON_PENDING_BROKER: ({ serial }: OfRobot) =>
    `Robot ${serial} is locked, not confirmed by the robot: the broker cannot be reached. The lock is sent as soon as it is back.`,

  // Robots that are deleted, replaced, moved or cut off
  ROBOT_DELETED: ({ name }: ByPerson) => `The robot was deleted by ${name}.`,
  ROBOT_REPLACED: ({ serial, by }: OfRobot & { readonly by: string }) => `Robot ${serial} was replaced by ${by}.`,
  ROBOT_TO_OTHER_SITE: ({ serial }: OfRobot) => `Robot ${serial} was moved to another site.`,
  ROBOT_STATE_FORGOTTEN: ({ serial }: OfRobot) => `The state of robot ${serial} was forgotten.`,
  DEVICE_RETIRED: ({ serial }: OfRobot) => `The device ${serial} was retired.`,

  // Why a planned run did not start
  RUN_TOO_LATE: () => "Suncrew could not start it within 10 minutes of its time.",
  RUN_END_PAST: () => "Its planned end had passed before Suncrew could start it.",
  RUN_BEFORE_RESTORE: () => "Suncrew was restored from a backup after its time, so it is not known whether it ran.",
  RUN_HELD_FOR_RAIN: () =>
    "Held: the weather recommendation for the day is Not Recommended, and the schedule skips rain.",
  RUN_START_OPEN: ({ serial }: OfRobot) => `Robot ${serial} was being started by someone else at that moment.`,
  RUN_AFTER_STOP: ({ name }: ByPerson) => `Stopped by ${name} after this run was due.`,
  RUN_AFTER_MAINTENANCE_ON: ({ name }: ByPerson) => `Locked for maintenance by ${name} after this run was due.`,
  RUN_AFTER_MAINTENANCE_OFF: ({ name }: ByPerson) => `Released from maintenance by ${name} after this run was due.`,
  RUN_AFTER_GOODBYE: ({ serial }: OfRobot) =>
    `Robot ${serial} was switched off, replaced or reset after this run was due.`,
  RUN_AFTER_GROUP_CHANGE: () => "The group was changed after this run was due.",
  RUN_SWITCHED_OFF: ({ name }: ByPerson) => `Switched off by ${name} before it could start.`,
  RUN_SCHEDULE_CHANGED: ({ name }: ByPerson) => `The schedule was changed by ${name} before this run could start.`,
  RUN_TIMEZONE_CHANGED: ({ name }: ByPerson) =>
    `The time zone of the site was changed by ${name} before this run could start.`,
  RUN_NEVER_BEGAN: () => "The robot never began to move.",

  // How a run ended
  RUN_ENDED_AS_PLANNED: ({ how }: { readonly how: "STOP" | "MAX_DURATION" }) =>
    how === "STOP" ? "Stopped at its planned end." : "Reached its planned end.",
  RUN_STOPPED: ({ name }: { readonly name: string | null }) =>
    name === null ? "Stopped by a command." : `Stopped by ${name}.`,
  RUN_MAX_DURATION: () => "Reached the maximum duration of a run.",
  RUN_FINISHED: () => "The robot finished by itself.",
  RUN_FAULT: () => "The robot had a fault.",
  RUN_BATTERY: () => "The robot's battery was too low.",
  RUN_LINK_LOST: () => "The robot lost its connection.",
  RUN_MAINTENANCE: ({ name }: { readonly name: string | null }) =>
    name === null ? "The robot was put in maintenance." : `The robot was put in maintenance by ${name}.`,
} as const satisfies TextCatalog;

export type OutcomeCode = keyof typeof outcomeTexts;
/** The stored outcome of a command or run. */
export type OutcomeText = CodedText<OutcomeCode>;

/** The text that is stored and returned with this code. */
export function outcomeText<Code extends OutcomeCode>(
  code: Code,
  params: ParamsOf<(typeof outcomeTexts)[Code]>,
): OutcomeText {
  return { code, params, text: written(code, params).text };
}

/** The same without advice for whoever pressed a button: nobody did for a planned run. */
export function withoutAdvice({ code, params }: OutcomeText): OutcomeText {
  return { code, params, text: written(code, params).withoutAdvice };
}

/** The text without the person whom it names, for whoever is not to know. */
export function withoutPerson({
  params,
  text,
}: {
  readonly params: Readonly<Record<string, unknown>>;
  readonly text: string;
}): string {
  const { name } = params;
  return typeof name === "string" ? text.replace(` by ${name}`, "") : text;
}

/** The sentence of a stored code with its parameters; empty for a code of another version. */
export function outcomeSentence({ code, params }: NestedText): string {
  return isOutcomeCode(code) ? written(code, params).text : "";
}

/** The same without advice. */
export function bareOutcomeSentence({ code, params }: NestedText): string {
  return isOutcomeCode(code) ? written(code, params).withoutAdvice : "";
}

const isOutcomeCode = (code: string): code is OutcomeCode => Object.hasOwn(outcomeTexts, code);

function written(code: OutcomeCode, params: TextParams): AdvisingText {
  // A row has the parameters of its code: it was written from them.
  const sentence = outcomeTexts[code] as (params: TextParams) => string | AdvisingText;
  const text = sentence(params);
  return typeof text === "string" ? { text, withoutAdvice: text } : text;
}

type FailingVerb = Extract<CommandVerb, "START" | "SET" | "MAINTENANCE_OFF">;
export type FailureKind = "UNCONFIRMED" | "SUPERSEDED" | "NOT_SENT";

/** Why a command that does not stay pending has failed. */
export function failureText(verb: FailingVerb, why: FailureKind, serial: string): OutcomeText {
  return outcomeText(`${verb}_${why}`, { serial });
}

export type PendingKind = "AWAY" | "UNCONFIRMED" | "BROKER";

/** The answer to the caller of a STOP or MAINTENANCE_ON while it is pending. */
export function pendingText(verb: "STOP" | "MAINTENANCE_ON", why: PendingKind, serial: string): OutcomeText {
  return outcomeText(`${verb}_PENDING_${why}`, { serial });
}
