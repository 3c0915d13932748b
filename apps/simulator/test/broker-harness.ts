import { createServer, type Server, type Socket } from "node:net";
import {
  type DeviceLeaf,
  deviceLeaves,
  parseTopic,
  type ServerLeaf,
  topicOf,
} from "@suncrew/contract/devices/topics.ts";
import type { CommandMessage, FirmwareOfferMessage } from "@suncrew/contract/devices/messages.ts";
import { Aedes } from "aedes";

export interface Received {
  readonly serial: string;
  readonly leaf: DeviceLeaf;
  readonly retained: boolean;
  readonly text: string;
}

interface Listener {
  readonly matches: (received: Received) => boolean;
  readonly found: (received: Received) => void;
}

/** A real broker on a free port that records everything robots publish. */
export class BrokerHarness {
  readonly received: Received[] = [];
  /** Client id, user name, password and will of each CONNECT. */
  readonly connects: { id: string; username: string; password: string; will: string; willRetained: boolean }[] = [];
  readonly url: string;
  readonly #broker: Aedes;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  #listeners: Listener[] = [];

  private constructor(broker: Aedes, server: Server, sockets: Set<Socket>) {
    this.#broker = broker;
    this.#server = server;
    this.#sockets = sockets;
    const address = server.address();
    this.url = `mqtt://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
    broker.preConnect = (_client, packet, done) => {
      const { clientId, username, password, will } = packet;
      this.connects.push({
        id: clientId,
        username: username ?? "",
        password: password?.toString() ?? "",
        will: will?.payload.toString() ?? "",
        willRetained: will?.retain ?? false,
      });
      this.onConnect();
      done(null, true);
    };
    broker.on("publish", (packet) => {
      const topic = parseTopic(packet.topic);
      const leaf = deviceLeaves.find((each) => each === topic?.leaf);
      if (topic === null || leaf === undefined) return;
      this.#record({
        serial: topic.serial,
        leaf,
        retained: packet.retain,
        text: packet.payload.toString(),
      });
    });
  }

  /** Called for each CONNECT before it is answered. */
  onConnect: () => void = () => {};

  static async open(): Promise<BrokerHarness> {
    const broker = await Aedes.createBroker();
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.setNoDelay(true));
      socket.on("close", () => sockets.delete(socket));
      broker.handle(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new BrokerHarness(broker, server, sockets);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#broker.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** The first matching message from now on. */
  next(matches: (received: Received) => boolean): Promise<Received> {
    return new Promise((found) => this.#listeners.push({ matches, found }));
  }

  /** The first matching message, past or future. */
  async first(matches: (received: Received) => boolean): Promise<Received> {
    return this.received.find(matches) ?? this.next(matches);
  }

  send(serial: string, command: CommandMessage, retained = false): Promise<void> {
    return this.#publish(serial, "command", command, retained);
  }

  offer(serial: string, offer: FirmwareOfferMessage): Promise<void> {
    return this.#publish(serial, "firmware", offer, false);
  }

  #publish(serial: string, leaf: ServerLeaf, message: object, retained: boolean): Promise<void> {
    const packet = {
      cmd: "publish",
      topic: topicOf(serial, leaf),
      payload: Buffer.from(JSON.stringify(message)),
      qos: 1,
      retain: retained,
      dup: false,
    } as const;
    return new Promise((resolve, reject) =>
      this.#broker.publish(packet, (error) => (error ? reject(error) : resolve())),
    );
  }

  #record(received: Received): void {
    this.received.push(received);
    this.#listeners = this.#listeners.filter((listener) => {
      if (!listener.matches(received)) return true;
      listener.found(received);
      return false;
    });
  }
}
