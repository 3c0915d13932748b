import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import pino from "pino";
import { connectAsync, type MqttClient } from "mqtt";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { type Broker, openBroker, type ReceivedMessage } from "../src/platform/broker.ts";
import { SystemClock } from "../src/platform/clock.ts";
import { type EmbeddedBroker, startEmbeddedBroker } from "../src/platform/embedded/broker.ts";
import { connectionMessage } from "./robot-messages.ts";

const silent = pino({ level: "silent" });

/** A real MQTT broker that accepts every robot, and real connections to it. */
export class RealBroker {
  readonly #embedded: EmbeddedBroker;
  readonly #open: (() => Promise<unknown>)[] = [];

  private constructor(embedded: EmbeddedBroker) {
    this.#embedded = embedded;
  }

  static async start(): Promise<RealBroker> {
    const access = { signIn: async () => true, mayPublish: () => true, maySubscribe: () => true };
    const settings = {
      port: 0,
      orNext: true,
      access,
      maxPacketBytes: 1_000_000,
      clock: new SystemClock(),
      log: silent,
    };
    return new RealBroker(await startEmbeddedBroker(settings));
  }

  /** For a server in a process of its own. */
  get serverUrl(): string {
    const { username, password } = this.#embedded.serverAccount;
    return `mqtt://${username}:${password}@127.0.0.1:${this.#embedded.port}`;
  }

  /** A server's connection that lets a test wait for the messages handed to it. */
  async server(name: string): Promise<WatchedBroker> {
    const line = await InterruptibleLine.to(this.#embedded.port);
    const url = `mqtt://127.0.0.1:${line.port}`;
    const connection = openBroker({ url, clientId: name, ...this.#embedded.serverAccount, log: silent });
    const broker = new WatchedBroker(connection, line);
    this.#open.push(async () => {
      await broker.close();
      await line.close();
    });
    await broker.untilConnected();
    return broker;
  }

  /** A robot's connection, with its last will; it has reported ONLINE. */
  async robot(serial: string, session: number, at: Date): Promise<MqttClient> {
    const lost = connectionMessage(at, session, "CONNECTION_BROKEN");
    const client = await connectAsync(this.#embedded.url, {
      clientId: serial,
      username: serial,
      password: "any",
      reconnectPeriod: 0,
      will: { topic: topicOf(serial, "connection"), payload: Buffer.from(JSON.stringify(lost)), qos: 1, retain: true },
    });
    this.#open.push(async () => void client.end(true));
    await client.publishAsync(topicOf(serial, "connection"), JSON.stringify(connectionMessage(at, session)), {
      qos: 1,
      retain: true,
    });
    return client;
  }

  async stop(): Promise<void> {
    for (const close of this.#open) await close();
    await this.#embedded.stop();
  }
}

/** A proxy between a server and the broker that can be cut. */
class InterruptibleLine {
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
  }

  static async to(port: number): Promise<InterruptibleLine> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          sockets.delete(socket);
          other.destroy();
        });
      }
      near.pipe(far).pipe(near);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new InterruptibleLine(server, sockets);
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.cut();
    await closed;
  }
}

interface Watch {
  readonly wanted: (message: ReceivedMessage) => boolean;
  readonly resolve: () => void;
}

/** Passes everything on, and notifies the test once a message has been handled. */
export class WatchedBroker implements Broker {
  readonly #inner: Broker;
  readonly #line: InterruptibleLine;
  readonly #watches = new Set<Watch>();
  /** The server takes itself to be cut off, whatever the connection is. */
  isCut = false;
  /** Topics of the messages handed on, in order. */
  readonly handled: string[] = [];

  constructor(inner: Broker, line: InterruptibleLine) {
    this.#inner = inner;
    this.#line = line;
  }

  /** Resolves at the next connection, or immediately if there is one. */
  async untilConnected(): Promise<void> {
    if (!this.connected) await this.#nextChange(true);
  }

  /** Cuts the connection, and resolves when this side has noticed. It reconnects a second later. */
  async cut(): Promise<void> {
    const noticed = this.#nextChange(false);
    this.#line.cut();
    await noticed;
  }

  #nextChange(to: boolean): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.onConnectionChange((connected) => {
        if (connected !== to) return;
        stop();
        resolve();
      });
    });
  }

  get connected(): boolean {
    return !this.isCut && this.#inner.connected;
  }

  /** Resolves once a message like this is handed on from now on. */
  untilHandled(wanted: (message: ReceivedMessage) => boolean): Promise<void> {
    return new Promise((resolve) => void this.#watches.add({ wanted, resolve }));
  }

  publish(topic: string, payload: string): Promise<void> {
    return this.#inner.publish(topic, payload);
  }

  subscribe(topics: readonly string[], onMessage: (message: ReceivedMessage) => void): Promise<() => Promise<void>> {
    return this.#inner.subscribe(topics, (message) => {
      onMessage(message);
      this.handled.push(message.topic);
      for (const watch of this.#watches) {
        if (!watch.wanted(message)) continue;
        this.#watches.delete(watch);
        watch.resolve();
      }
    });
  }

  onConnectionChange(listener: (connected: boolean) => void): () => void {
    return this.#inner.onConnectionChange(listener);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
