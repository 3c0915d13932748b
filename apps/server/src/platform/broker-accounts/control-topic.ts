import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { z } from "zod";
import type { Broker, ReceivedMessage } from "../broker.ts";
import type { Clock } from "../clock.ts";
import { BrokerNotTold } from "./broker-accounts.ts";

const TOPIC = "$CONTROL/dynamic-security/v1";
/** Mosquitto answers one message with one; on a busy machine with thousands of accounts each command takes its time. */
const ANSWER_MS = 5_000;

const responsesSchema = z.object({
  responses: z.array(
    z.object({
      command: z.string(),
      correlationData: z.string().optional(),
      error: z.string().optional(),
      data: z.unknown().optional(),
    }),
  ),
});
export type ControlResponse = z.output<typeof responsesSchema>["responses"][number];
export type ControlCommand = { readonly command: string } & Readonly<Record<string, unknown>>;

/** Questions and answers of Mosquitto's dynamic-security plugin. Neither is ever logged: they carry secrets. */
export class ControlTopic {
  readonly #broker: Broker;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #waiting = new Map<string, (responses: ControlResponse[]) => void>();
  #subscribed: Promise<void> | null = null;

  constructor(broker: Broker, clock: Clock, log: Logger) {
    this.#broker = broker;
    this.#clock = clock;
    this.#log = log;
  }

  /** The answers in the order of the commands, which are sent in one message. Rejects with BrokerNotTold. */
  async ask(commands: readonly ControlCommand[]): Promise<ControlResponse[]> {
    if (!this.#broker.connected) throw new BrokerNotTold("The robots' broker cannot be reached.", "away", false);
    const { promise, resolve } = Promise.withResolvers<ControlResponse[] | null>();
    const id = randomUUID();
    const cancel = this.#clock.after(ANSWER_MS, () => resolve(null));
    // Its connection takes the question with it, and nobody sends it again.
    const stopListening = this.#broker.onConnectionChange((connected) => !connected && resolve(null));
    this.#waiting.set(id, resolve);
    try {
      const asked = this.#send(commands, id);
      asked.catch(() => resolve(null));
      const responses = await promise;
      if (responses === null) {
        this.#log.warn({ commands: commands.length }, "the broker did not answer about its accounts");
        const mayHaveChanged = commands.some(({ command }) => !command.startsWith("get"));
        const why = this.#broker.connected ? "silent" : "away";
        throw new BrokerNotTold("The robots' broker did not answer in time.", why, mayHaveChanged);
      }
      return responses;
    } finally {
      cancel();
      stopListening();
      this.#waiting.delete(id);
    }
  }

  async #send(commands: readonly ControlCommand[], id: string): Promise<void> {
    this.#subscribed ??= this.#subscribe();
    await this.#subscribed;
    const marked = commands.map((command) => ({ ...command, correlationData: id }));
    await this.#broker.publish(TOPIC, JSON.stringify({ commands: marked }));
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#broker.subscribe([`${TOPIC}/response`], (message) => this.#onMessage(message));
    } catch (error) {
      this.#subscribed = null;
      throw error;
    }
  }

  #onMessage({ payload }: ReceivedMessage): void {
    const responses = parsed(payload);
    this.#waiting.get(responses[0]?.correlationData ?? "")?.(responses);
  }
}

function parsed(payload: Buffer): ControlResponse[] {
  try {
    return responsesSchema.parse(JSON.parse(payload.toString("utf8"))).responses;
  } catch {
    return [];
  }
}
