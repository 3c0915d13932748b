import type { CommandMessage } from "@suncrew/contract/devices/messages.ts";
import { commandMessageSchema, PROTOCOL_VERSION } from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { COMMAND_EXPIRES_MS } from "@suncrew/domain/commands/limits.ts";
import { v7 as uuidv7 } from "uuid";
import type { Broker } from "../../platform/broker.ts";
import type { Command } from "./command-rows.repository.ts";
import { staysPending } from "./pending-verbs.ts";

/** Sends one message to a robot. Rejects where the broker did not take it, or it is unknown whether it did. */
export async function publishCommandMessage(broker: Broker, serial: string, message: CommandMessage): Promise<void> {
  await broker.publish(topicOf(serial, "command"), JSON.stringify(message));
}

/** What of a command its robot is told. */
type ToldCommand = Pick<
  Command,
  | "id"
  | "seq"
  | "session"
  | "verb"
  | "issued_at"
  | "expires_at"
  | "requested_by"
  | "run_id"
  | "max_duration_s"
  | "params"
>;

/**
 * The message of a command. `session` is the one the robot is known to have now: a STOP or lock that is sent
 * again bears the new one, every other verb the one it was decided for, so that an old order stays old (protocol rule 1).
 */
export function messageOf(command: ToldCommand, currentSession: number): CommandMessage {
  const unfenced = staysPending(command.verb);
  return commandMessageSchema.parse({
    v: PROTOCOL_VERSION,
    id: command.id,
    seq: command.seq,
    session: unfenced ? currentSession : command.session,
    verb: command.verb,
    issuedAt: command.issued_at.toISOString(),
    expiresAt: command.expires_at.toISOString(),
    by: command.requested_by.slice(0, 200),
    ...(command.verb === "START" && { runId: command.run_id, maxDurationS: command.max_duration_s }),
    ...((command.verb === "START" || command.verb === "SET") && { params: command.params }),
  });
}

/** What a STATUS and a RECEIVED have besides their verb: they order nothing, so they have neither row nor seq. */
export function questionEnvelope(now: Date, session: number, by: string) {
  return {
    v: PROTOCOL_VERSION,
    id: uuidv7(),
    session,
    issuedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + COMMAND_EXPIRES_MS).toISOString(),
    by: by.slice(0, 200),
  } as const;
}
