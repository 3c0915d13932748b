import { type CommandMessage, commandMessageSchema, PROTOCOL_VERSION } from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { COMMAND_EXPIRES_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { v7 as uuidv7 } from "uuid";
import { BatchLoader } from "../../platform/batch-loader.ts";
import type { Broker } from "../../platform/broker.ts";
import { withTimeout } from "../../platform/clock.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import {
  claimAll,
  type ClaimedCommand,
  claimPending,
  type Command,
  markPublished,
  type Resend,
  staysPending,
} from "./commands.repository.ts";
import type { LastStop } from "./robot-removal.repository.ts";

/**
 * Whether a command has left this server. Only "never" is certain, all else may have reached the robot; `claimed` if it
 * was claimed and then held back.
 */
type Dispatched = Sent | Unsent;

interface Sent {
  readonly sent: "maybe";
  /** As it was claimed; null if this server could not claim it. */
  readonly command: Command | null;
}

export interface Unsent {
  readonly sent: "never";
  readonly why: "broker-away" | "too-old";
  readonly claimed: boolean;
}

/** Publishes stored commands (protocol rule 5: rows first, then messages). */
export class Dispatcher {
  readonly #deps: Dependencies;
  readonly #holdsBack: (start: Command) => boolean;
  /** Claims many robots' commands, and marks them as sent, with one query. */
  readonly #claims: BatchLoader<string, ClaimedCommand>;
  readonly #marks: BatchLoader<string, never>;
  readonly #marking = new Set<Promise<unknown>>();
  #ended = false;

  /** `holdsBack` says which STARTs must not be sent at this moment. */
  constructor(deps: Dependencies, holdsBack: (start: Command) => boolean = () => false) {
    this.#deps = deps;
    this.#holdsBack = holdsBack;
    const { db, clock, serverId } = deps;
    this.#claims = new BatchLoader(async (ids) => {
      const claimed = await claimAll(db, ids, serverId, clock.now());
      return new Map(claimed.map((command) => [command.id, command]));
    });
    this.#marks = new BatchLoader((ids) => markPublished(db, ids, clock.now()));
  }

  /** Sends a command that this server has just stored. Does not wait for the broker to accept it. */
  async send(commandId: string): Promise<Dispatched> {
    const { broker, clock } = this.#deps;
    if (!broker.connected) return { sent: "never", why: "broker-away", claimed: false };
    const claimed = await this.#claims.load(commandId);
    if (claimed === null) return { sent: "maybe", command: null };
    // Claiming took time: nothing is sent if the broker has been lost or the command has become too old since.
    if (!broker.connected) return { sent: "never", why: "broker-away", claimed: true };
    const isHeldBack = claimed.verb === "START" && this.#holdsBack(claimed);
    if (!staysPending(claimed.verb) && (isHeldBack || claimed.expires_at <= clock.now())) {
      return { sent: "never", why: "too-old", claimed: true };
    }
    this.#publish(claimed);
    return { sent: "maybe", command: claimed };
  }

  /**
   * Sends pending STOPs and MAINTENANCE_ONs (again), with the same id and seq (protocol rule 3). Returns what was sent, by
   * robot, the newest of each.
   */
  async resend(which: Resend): Promise<ReadonlyMap<number, ClaimedCommand>> {
    const { db, broker, clock, serverId } = this.#deps;
    const sent = new Map<number, ClaimedCommand>();
    // Left unclaimed, so that a server connected to the broker can take them.
    if (!broker.connected) return sent;
    for (const claimed of await claimPending(db, which, serverId, clock.now())) {
      const sentBefore = claimed.published_at !== null;
      // Afterwards nothing shows any more whether the robot took the START that this STOP follows.
      if (claimed.follows_id !== null) this.#requestStatus(claimed);
      this.#publish(claimed);
      sent.set(claimed.robot_id, claimed);
      if (sentBefore) this.#requestStatus(claimed);
    }
    return sent;
  }

  /** Stops marking commands as sent, and waits for marks in progress; an unreachable broker is not waited for. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#marking);
  }

  #publish(claimed: ClaimedCommand): void {
    const { broker, log } = this.#deps;
    publishCommandMessage(broker, claimed.serial_number, messageOf(claimed, claimed.current_session)).then(
      () => this.#markPublished(claimed.id),
      (error: unknown) => {
        log.warn(
          { reason: error, command: claimed.id, verb: claimed.verb },
          "it is unknown whether a command was sent",
        );
      },
    );
  }

  /** A robot that has already acted only acknowledges the repetition: the state that confirms it must be requested. */
  #requestStatus(claimed: ClaimedCommand): void {
    const { broker, clock } = this.#deps;
    const envelope = questionEnvelope(clock.now(), claimed.current_session, "Suncrew");
    publishCommandMessage(broker, claimed.serial_number, { ...envelope, verb: "STATUS" }).catch(() => {
      // It is queried again with the next repetition.
    });
  }

  /** Only for the record: a claimed command counts as sent whether marked or not. */
  #markPublished(commandId: string): void {
    if (this.#ended) return;
    const marking: Promise<unknown> = this.#marks
      .load(commandId)
      .catch((error: unknown) =>
        this.#deps.log.warn({ error, command: commandId }, "failed to record that a command was sent"),
      )
      .finally(() => this.#marking.delete(marking));
    this.#marking.add(marking);
  }
}

/** Sends one message to a robot. Rejects if the broker did not accept it, or may not have. */
export async function publishCommandMessage(broker: Broker, serial: string, message: CommandMessage): Promise<void> {
  await broker.publish(topicOf(serial, "command"), JSON.stringify(message));
}

/** The parts of a command that its robot receives. */
type SentCommand = Pick<
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
 * A command's message. `session` is the robot's current one as far as known: a STOP or lock that is repeated carries
 * the new session, all other verbs the one they were decided for, so that an old order stays old (protocol rule 1).
 */
export function messageOf(command: SentCommand, currentSession: number): CommandMessage {
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

/** What STATUS and RECEIVED carry besides their verb: they order nothing, so they have neither row nor seq. */
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

/** How long the broker has to accept it, because the device is cut off right after. */
const BROKER_TIMEOUT_MS = 1_000;

/** Sends it after the commit. Resolves when the broker has accepted it, cannot, or has taken too long. */
export async function sendLastStop(
  { broker, clock, log }: Pick<Dependencies, "broker" | "clock" | "log">,
  { command, session }: LastStop,
): Promise<void> {
  try {
    await withTimeout(
      clock,
      publishCommandMessage(broker, command.serial_number, messageOf(command, session)),
      BROKER_TIMEOUT_MS,
    );
  } catch (error) {
    log.warn({ reason: error, command: command.id }, "a retired device may not have received its last Stop");
  }
}
