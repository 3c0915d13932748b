import { type CommandMessage, commandMessageSchema, type StateMessage } from "@suncrew/contract/devices/messages.ts";
import { leaves, parseTopic, topicOf } from "@suncrew/contract/devices/topics.ts";
import { connectAsync, type MqttClient } from "mqtt";
import { restingState } from "./reporting-fleet.ts";

/** A robot's last order, when it received it, and when it had answered. */
interface Handled {
  readonly verb: CommandMessage["verb"];
  readonly seq: number;
  readonly atMs: number;
  readonly answeredMs: number;
}

/** A robot reports its state at least this often (device protocol, `state`). */
const REPORT_EVERY_MS = 30_000;

/** Robots that do as they are told at once. */
export class ObedientRobots {
  readonly #clients: MqttClient[] = [];
  readonly #reports: NodeJS.Timeout[] = [];
  readonly #seqs = new Map<string, number>();
  /** What each last reported. */
  readonly #shown = new Map<string, Partial<StateMessage>>();
  /** Orders received, with repetitions. */
  received = 0;
  readonly handled = new Map<string, Handled>();

  /** Connects one client for these robots, which then show themselves at rest. */
  async connect(robotUrl: string, clientId: string, serials: readonly string[]): Promise<void> {
    const client = await connectAsync(robotUrl, { clientId, protocolVersion: 4 });
    this.#clients.push(client);
    client.on("message", (topic, payload) => {
      this.#obey(client, parseTopic(topic)?.serial ?? "", payload.toString("utf8"));
    });
    await client.subscribeAsync(
      serials.map((serial) => topicOf(serial, "command")),
      { qos: leaves.command.qos },
    );
    for (const serial of serials) this.#show(client, serial, {});
    const reportAll = () => {
      for (const serial of serials) this.#show(client, serial, this.#shown.get(serial) ?? {});
    };
    this.#reports.push(setInterval(reportAll, REPORT_EVERY_MS));
  }

  async end(): Promise<void> {
    for (const timer of this.#reports) clearInterval(timer);
    await Promise.all(this.#clients.map((client) => client.endAsync()));
  }

  #obey(client: MqttClient, serial: string, text: string): void {
    const atMs = performance.now();
    const command = commandMessageSchema.parse(JSON.parse(text));
    if (command.verb !== "START" && command.verb !== "STOP") return;
    this.received += 1;
    const { id, seq, verb } = command;
    const isStart = verb === "START";
    const ack = { id, status: isStart ? "ACCEPTED" : "DONE", code: null, ts: new Date().toISOString() };
    client.publish(topicOf(serial, "ack"), JSON.stringify(ack), { qos: 1 });
    // A repetition is acknowledged only.
    if (seq <= (this.handled.get(serial)?.seq ?? 0)) return;
    const moving = isStart && ({ motion: "MOVING", status: "start", runId: command.runId, charging: false } as const);
    this.#show(client, serial, { lastSeq: seq, lastCommandId: id, ...moving });
    this.handled.set(serial, { verb, seq, atMs, answeredMs: performance.now() });
  }

  #show(client: MqttClient, serial: string, shown: Partial<StateMessage>): void {
    const seq = (this.#seqs.get(serial) ?? 0) + 1;
    this.#seqs.set(serial, seq);
    this.#shown.set(serial, shown);
    const state = JSON.stringify({ ...restingState(seq, 90), ...shown });
    client.publish(topicOf(serial, "state"), state, { qos: 1 });
  }
}
