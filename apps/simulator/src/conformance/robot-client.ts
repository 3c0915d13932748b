import { randomUUID } from "node:crypto";
import { type AckMessage, type CommandMessage, type StateMessage } from "@suncrew/contract/devices/messages.ts";
import { type DeviceLeaf, leaves, parseTopic, robotLeaves, topicOf } from "@suncrew/contract/devices/topics.ts";
import mqtt, { type MqttClient } from "mqtt";
import type { FleetClock } from "../fleet/clock.ts";

type MessageOf<L extends DeviceLeaf> = ReturnType<(typeof leaves)[L]["schema"]["parse"]>;

/** A message from the robot, live or retained by the broker. */
export type Received = { readonly retained: boolean; readonly atMs: number } & {
  readonly [L in DeviceLeaf]: { readonly leaf: L; readonly message: MessageOf<L> };
}[DeviceLeaf];
type ReceivedOf<L extends DeviceLeaf> = Extract<Received, { leaf: L }>;

/** A numbered command, which the robot answers with an ack. */
export type Order = Extract<CommandMessage, { seq: number }>;
/** Fields of a command that differ from the defaults. */
export type Overrides<C extends CommandMessage> = Partial<Omit<C, "verb" | "v">>;

export interface Access {
  readonly brokerUrl: string;
  readonly serial: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Certificate of the authority that signed the broker's. */
  readonly ca?: Buffer | undefined;
}

/** A connection to the broker that hears one device, and commands it if it is a robot, as a server would. */
export class RobotClient {
  /** Everything received, in order. */
  readonly received: Received[] = [];
  /** Why messages from the robot could not be parsed. */
  readonly unreadable: string[] = [];
  readonly clock: FleetClock;
  readonly #client: MqttClient;
  readonly #serial: string;
  readonly #of: readonly DeviceLeaf[];
  readonly #listeners = new Set<(received: Received) => void>();
  #seq = 0;
  #onlyStop = false;

  private constructor(client: MqttClient, serial: string, clock: FleetClock, of: readonly DeviceLeaf[]) {
    this.#of = of;
    this.#client = client;
    this.#serial = serial;
    this.clock = clock;
    client.on("message", (topic, payload, { retain }) => this.#onMessage(topic, payload, retain));
  }

  /** Connects and subscribes. Rejects if the broker is unreachable or refuses. */
  static async open(
    { brokerUrl, serial, ca, ...account }: Access,
    clock: FleetClock,
    of: readonly DeviceLeaf[] = robotLeaves,
  ): Promise<RobotClient> {
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
    const robot = new RobotClient(client, serial, clock, of);
    await client.subscribeAsync(
      of.map((leaf) => topicOf(serial, leaf)),
      { qos: 1 },
    );
    return robot;
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }

  /** The newest live state; null before the first. */
  get state(): StateMessage | null {
    return (
      this.received.findLast((one): one is ReceivedOf<"state"> => one.leaf === "state" && !one.retained)?.message ??
      null
    );
  }

  /** A command for the robot's current session, with defaults for all fields that `overrides` leaves out. */
  command<V extends CommandMessage["verb"]>(
    verb: V,
    overrides: Overrides<Extract<CommandMessage, { verb: V }>>,
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
    const command = leaves.command.schema.parse({ ...envelope, seq: this.#seq, ...overrides, verb });
    return command as Extract<CommandMessage, { verb: V }>;
  }

  /** From now on, nothing but a STOP is sent. */
  onlyStop(): void {
    this.#onlyStop = true;
  }

  /** Resolves when the broker has acknowledged it. */
  async send(command: CommandMessage, retain = false): Promise<void> {
    if (this.#onlyStop && command.verb !== "STOP") throw new Error("Ended before everything was checked.");
    await this.sendText(JSON.stringify(command), retain);
  }

  async sendText(text: string | Buffer, retain = false): Promise<void> {
    await this.#client.publishAsync(topicOf(this.#serial, "command"), text, { qos: 1, retain });
  }

  /** Sends an order and resolves with its ack; null if none arrives in time. */
  async order(command: Order, limitMs: number): Promise<AckMessage | null> {
    const from = this.received.length;
    await this.send(command);
    const ack = await this.next("ack", ({ id }) => id === command.id, limitMs, from);
    return ack?.message ?? null;
  }

  /** Requests a state and resolves with it, when all earlier messages have been handled; null if none arrives in time. */
  async requestState(limitMs: number): Promise<StateMessage | null> {
    const request = this.command("STATUS", {});
    const from = this.received.length;
    await this.send(request);
    return this.waitForState(({ lastCommandId }) => lastCommandId === request.id, limitMs, from);
  }

  /** The first matching live state from index `from`; null if none arrives in time. */
  async waitForState(
    matches: (state: StateMessage) => boolean,
    limitMs: number,
    from: number,
  ): Promise<StateMessage | null> {
    return (
      (await this.next("state", (state, { retained }) => !retained && matches(state), limitMs, from))?.message ?? null
    );
  }

  /** The first matching message on a leaf from index `from`; null if none arrives in time. */
  next<L extends DeviceLeaf>(
    leaf: L,
    matches: (message: MessageOf<L>, received: Received) => boolean,
    limitMs: number,
    from = this.received.length,
  ): Promise<ReceivedOf<L> | null> {
    const isMatch = (one: Received): one is ReceivedOf<L> =>
      one.leaf === leaf && matches(one.message as MessageOf<L>, one);
    const earlier = this.received.slice(from).find(isMatch);
    if (earlier !== undefined) return Promise.resolve(earlier);
    return new Promise((resolve) => {
      const end = (found: ReceivedOf<L> | null): void => {
        cancel();
        this.#listeners.delete(listener);
        resolve(found);
      };
      const listener = (one: Received): void => {
        if (isMatch(one)) end(one);
      };
      const cancel = this.clock.after(limitMs, () => end(null));
      this.#listeners.add(listener);
    });
  }

  #onMessage(topic: string, payload: Buffer, retained: boolean): void {
    const leaf = this.#of.find((one) => one === parseTopic(topic)?.leaf);
    if (leaf === undefined) return;
    const message = this.#parse(leaf, payload);
    if (message === null) return;
    const one = { ...message, retained, atMs: this.clock.now().getTime() } as Received;
    this.received.push(one);
    for (const listener of this.#listeners) listener(one);
  }

  #parse(leaf: DeviceLeaf, payload: Buffer): { leaf: DeviceLeaf; message: unknown } | null {
    try {
      const parsed = leaves[leaf].schema.safeParse(JSON.parse(payload.toString()));
      if (parsed.success) return { leaf, message: parsed.data };
      const [issue] = parsed.error.issues;
      this.unreadable.push(`${leaf}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
    } catch {
      this.unreadable.push(`${leaf}: not JSON`);
    }
    return null;
  }
}
