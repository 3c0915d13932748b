import { HttpError } from "../../platform/http/http-error.ts";
import type { Command } from "./command-rows.repository.ts";
import {
  BROKER_AWAY,
  failureSentences,
  pendingSentences,
  rejectedSentence,
  settled,
  successSentences,
} from "./command-sentences.ts";
import { staysPending } from "./pending-verbs.ts";

export interface SuccessAnswer {
  readonly success: true;
  readonly message: string;
  readonly command_id: string;
  /** True for a STOP that was sent, but neither recorded nor confirmed yet. */
  readonly pending?: boolean;
}

/** What is known beside the row when its caller is answered. */
export interface AnswerContext {
  readonly robotAway: boolean;
  readonly brokerAway: boolean;
}

/** The same, read from the row, for one who asks again: both are answered before the time of an unconfirmed command. */
export function contextOf(command: Command): AnswerContext {
  const { issued_at, answered_at, expires_at, claimed_by } = command;
  const robotAway = answered_at !== null && answered_at.getTime() === issued_at.getTime();
  return {
    robotAway,
    brokerAway: !robotAway && claimed_by === null && answered_at !== null && answered_at < expires_at,
  };
}

/** The answer to a person whose command was settled, or a STOP or lock that is pending. Throws what is not a success. */
export function answerTo(command: Command, context: AnswerContext): SuccessAnswer {
  const { id, verb, serial_number: serial, outcome } = command;
  switch (outcome) {
    case "CONFIRMED":
      return { success: true, message: successSentences[command.verb](serial), command_id: id };
    case "REJECTED":
      throw failure(502, rejectedSentence(serial, command.ack_code));
    case "NEVER_SENT":
      if (context.brokerAway) throw failure(503, BROKER_AWAY);
      throw failure(503, staysPending(verb) ? settled.notKnownYet(serial) : failureSentences[verb].neverSent(serial));
    case "UNCONFIRMED":
      throw unconfirmed(command);
    case null:
      if (!staysPending(verb)) throw pending(504, settled.notKnownYet(serial));
      if (context.brokerAway) throw pending(503, pendingSentences[verb].withoutBroker(serial));
      throw pending(504, pendingSentences[verb][context.robotAway ? "away" : "unconfirmed"](serial));
  }
}

/** What was closed before its time was overtaken by a newer command: a conflict, not a robot that is away. */
function unconfirmed({ verb, serial_number: serial, settled_at, settle_by }: Command): HttpError {
  const overtaken = settled_at !== null && settled_at < settle_by;
  if (staysPending(verb)) return failure(504, settled.notKnownYet(serial));
  const words = failureSentences[verb];
  return overtaken ? failure(409, words.overtaken(serial)) : failure(504, words.unconfirmed(serial));
}

function failure(status: number, message: string): HttpError {
  return new HttpError(status, message, { success: false });
}

function pending(status: number, message: string): HttpError {
  return new HttpError(status, message, { success: false, pending: true });
}
