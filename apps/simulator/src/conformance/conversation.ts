import { randomUUID } from "node:crypto";
import { type AckMessage, type CommandMessage, type StateMessage } from "@suncrew/contract/devices/messages.ts";
import { leaves, parseTopic, type RobotLeaf, robotLeaves, topicOf } from "@suncrew/contract/devices/topics.ts";
import mqtt, { type MqttClient } from "mqtt";
import type { FleetClock } from "../fleet/clock.ts";

type MessageOf<L extends RobotLeaf> = ReturnType<(typeof leaves)[L]["schema"]["parse"]>;

/** What the robot said, or the broker kept of it. */
export type Heard = { readonly retained: boolean; readonly atMs: number } & {
  readonly [L in RobotLeaf]: { readonly leaf: L; readonly message: MessageOf<L> };
}[RobotLeaf];
type HeardOf<L extends RobotLeaf> = Extract<Heard, { leaf: L }>;

/** A command that is numbered, so one that is answered by an ack. */
export type Order = Extract<CommandMessage, { seq: number }>;
/** What a command says beyond, or instead of, what is usual. */
export type Saying<C extends CommandMessage> = Partial<Omit<C, "verb" | "v">>;

export interface Access {
  readonly brokerUrl: string;
  readonly serial: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Certificate of the authority that signed the broker's. */
  readonly ca?: Buffer | undefined;
}

/** One robot and somebody who commands it as a server would, over its broker. */
export class Conversation {
  /** All that was heard, in order. */
  readonly heard: Heard[] = [];
  /** Why messages of the robot could not be read. */
  readonly unreadable: string[] = [];
  readonly clock: FleetClock;
  readonly #client: MqttClient;
  readonly #serial: string;
  readonly #listeners = new Set<(heard: Heard) => void>();
  #seq = 0;
  #onlyStop = false;

  private constructor(client: MqttClient, serial: string, clock: FleetClock) {
    this.#client = client;
    this.#serial = serial;
    this.clock = clock;
    client.on("message", (topic, payload, { retain }) => this.#hear(topic, payload, retain));
  }

  /** Connects and subscribes. Rejects where the broker is away or refuses. */
  static async open({ brokerUrl, serial, ca, ...account }: Access, clock: FleetClock): Promise<Conversation> {
    const { username, password } = account;
    const client = await mqtt.connectAsync(
      brokerUrl,
      {
        clientId: `conformance-${randomUUID().slice(0, 8)}`,
        clean: true,
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password }),
        ...(ca !== undefined && { ca }),
      },
      false,
    );
    const conversation = new Conversation(client, serial, clock);
    await client.subscribeAsync(
      robotLeaves.map((leaf) => topicOf(serial, leaf)),
      { qos: 1 },
    );
    return conversation;
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }

  /** The newest live state; null before the first. */
  get state(): StateMessage | null {
    return (
      this.heard.findLast((one): one is HeardOf<"state"> => one.leaf === "state" && !one.retained)?.message ?? null
    );
  }

  /** A command to the robot's present session; what `saying` says goes over what would be usual. */
  command<V extends CommandMessage["verb"]>(
    verb: V,
    saying: Saying<Extract<CommandMessage, { verb: V }>>,
  ): Extract<CommandMessage, { verb: V }> {
    const nowMs = this.clock.now().getTime();
    this.#seq = Math.max(this.#seq + 1, (this.state?.lastSeq ?? 0) + 1, nowMs);
    const envelope = {
      v: 1,
      id: randomUUID(),
      session: this.state?.session ?? 0,
      issuedAt: new Date(nowMs).toISOString(),
      expiresAt: new Date(nowMs + 60_000).toISOString(),
      by: "Conformance",
    } as const;
    const command = leaves.command.schema.parse({ ...envelope, seq: this.#seq, ...saying, verb });
    return command as Extract<CommandMessage, { verb: V }>;
  }

  /** From now on nothing but a STOP goes out. */
  onlyStop(): void {
    this.#onlyStop = true;
  }

  /** Resolves when the broker has taken it. */
  async send(command: CommandMessage, retain = false): Promise<void> {
    if (this.#onlyStop && command.verb !== "STOP") throw new Error("Ended before all was tried.");
    await this.sendText(JSON.stringify(command), retain);
  }

  async sendText(text: string | Buffer, retain = false): Promise<void> {
    await this.#client.publishAsync(topicOf(this.#serial, "command"), text, { qos: 1, retain });
  }

  /** Sends an order and answers its ack; null where none comes in time. */
  async order(command: Order, limitMs: number): Promise<AckMessage | null> {
    const from = this.heard.length;
    await this.send(command);
    const ack = await this.next("ack", ({ id }) => id === command.id, limitMs, from);
    return ack?.message ?? null;
  }

  /** Asks for a state and answers it. All that was sent before has then been handled. Null where none comes in time. */
  async ask(limitMs: number): Promise<StateMessage | null> {
    const question = this.command("STATUS", {});
    const from = this.heard.length;
    await this.send(question);
    const state = await this.shows(({ lastCommandId }) => lastCommandId === question.id, limitMs, from);
    return state;
  }

  /** The first live state from `from` on that matches; null where none comes in time. */
  async shows(matches: (state: StateMessage) => boolean, limitMs: number, from: number): Promise<StateMessage | null> {
    return (
      (await this.next("state", (state, { retained }) => !retained && matches(state), limitMs, from))?.message ?? null
    );
  }

  /** The first message of a leaf, heard from place `from` on, that matches; null where none comes in time. */
  next<L extends RobotLeaf>(
    leaf: L,
    matches: (message: MessageOf<L>, heard: Heard) => boolean,
    limitMs: number,
    from = this.heard.length,
  ): Promise<HeardOf<L> | null> {
    const isIt = (one: Heard): one is HeardOf<L> => one.leaf === leaf && matches(one.message as MessageOf<L>, one);
    const already = this.heard.slice(from).find(isIt);
    if (already !== undefined) return Promise.resolve(already);
    return new Promise((resolve) => {
      const end = (found: HeardOf<L> | null): void => {
        cancel();
        this.#listeners.delete(listener);
        resolve(found);
      };
      const listener = (one: Heard): void => {
        if (isIt(one)) end(one);
      };
      const cancel = this.clock.after(limitMs, () => end(null));
      this.#listeners.add(listener);
    });
  }

  #hear(topic: string, payload: Buffer, retained: boolean): void {
    const leaf = robotLeaves.find((one) => one === parseTopic(topic)?.leaf);
    if (leaf === undefined) return;
    const heard = this.#read(leaf, payload);
    if (heard === null) return;
    const one = { ...heard, retained, atMs: this.clock.now().getTime() } as Heard;
    this.heard.push(one);
    for (const listener of this.#listeners) listener(one);
  }

  #read(leaf: RobotLeaf, payload: Buffer): { leaf: RobotLeaf; message: unknown } | null {
    try {
      const parsed = leaves[leaf].schema.safeParse(JSON.parse(payload.toString()));
      if (parsed.success) return { leaf, message: parsed.data };
      const [issue] = parsed.error.issues;
      this.unreadable.push(`${leaf}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
    } catch {
      this.unreadable.push(`${leaf}: no JSON`);
    }
    return null;
  }
}
