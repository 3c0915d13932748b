import { Aedes, type Client } from "aedes";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { ThrottledLog } from "../throttle.ts";
import { listenNear } from "../network.ts";

/** Who may sign in to the broker beside the server, and what each may do there (protocol rule 9). */
interface BrokerAccess {
  /** Whether this is an account's right password. */
  signIn(username: string, password: string): Promise<boolean>;
  mayPublish(username: string, topic: string): boolean;
  maySubscribe(username: string, filter: string): boolean;
}

interface EmbeddedBrokerOptions {
  /** The port to listen on, at 127.0.0.1 only. */
  port: number;
  /** Whether the next free port will do as well. */
  orNext: boolean;
  access: BrokerAccess;
  /** A larger packet ends its connection. */
  maxPacketBytes: number;
  clock: Clock;
  log: Logger;
}

export interface EmbeddedBroker {
  port: number;
  /** Address without credentials. */
  url: string;
  /** The server's own account, new at every start. */
  serverAccount: { username: string; password: string };
  /**
   * Ends the account's connections within half a second, and at once one whose sign-in is being checked: what it was
   * checked against is over.
   */
  disconnect(username: string): void;
  stop(): Promise<void>;
}

const SERVER_ACCOUNT = "suncrew-server";
/**
 * A connection that is to end has this long to take what was published to it before: the broker acknowledges a message
 * before it hands it on, and a connection that is cut takes along what was not read. A last Stop must arrive.
 */
const LAST_WORDS_MS = 500;

/** Starts an MQTT 3.1.1 broker inside this process. Throws a StartError where the port is taken. */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const { access, log } = options;
  const refusals = new ThrottledLog(log, options.clock);
  const password = randomBytes(24).toString("base64url");
  const accounts = new WeakMap<Client, string>();
  const connections = new AccountConnections();
  const isServer = (account: string): boolean => account === SERVER_ACCOUNT;
  const signIn = async (username: string, given: Buffer, clientId: string): Promise<boolean> => {
    if (isServer(username)) return sameBytes(given, Buffer.from(password));
    return clientId === username && (await access.signIn(username, given.toString("utf8")));
  };
  const admit = async (client: Client, username: string, given: Buffer): Promise<boolean> => {
    connections.add(username, client);
    try {
      const right = (await signIn(username, given, client.id)) && connections.has(username, client);
      if (right) accounts.set(client, username);
      else refusals.warn({ client: client.id }, "the broker refused a sign-in", client.id);
      return right;
    } catch (error) {
      refusals.error({ error: String(error) }, "a sign-in at the broker could not be checked");
      return false;
    }
  };

  const broker = await Aedes.createBroker({
    connectTimeout: 10_000,
    // No queue: one of thousands of goodbyes that nobody hears any more is worked off by recursion, which overflows.
    concurrency: 0,
    authenticate(client, username = "", given = Buffer.alloc(0), done) {
      const answer = async (): Promise<void> => done(null, await admit(client, username, given));
      void answer();
    },
    // Asked for a last will too, when it is sent.
    authorizePublish(client, packet, done) {
      const account = client === null ? undefined : accounts.get(client);
      const allowed = account !== undefined && (isServer(account) || access.mayPublish(account, packet.topic));
      if (!allowed) {
        refusals.warn({ account, topic: packet.topic.slice(0, 100) }, "the broker refused a message", account);
      }
      done(allowed ? null : new Error("not authorized"));
    },
    authorizeSubscribe(client, subscription, done) {
      const account = accounts.get(client);
      const allowed = account !== undefined && (isServer(account) || access.maySubscribe(account, subscription.topic));
      if (!allowed) {
        const filter = subscription.topic.slice(0, 100);
        refusals.warn({ account, filter }, "the broker refused a subscription", account);
      }
      done(null, allowed ? subscription : null);
    },
    authorizeForward(client, packet) {
      const account = accounts.get(client);
      const allowed = account !== undefined && (isServer(account) || access.maySubscribe(account, packet.topic));
      return allowed ? packet : null;
    },
  });
  lookUpRetained(broker);
  broker.on("clientError", (client, error) => log.debug({ client: client.id, error: error.message }, "broker client"));
  broker.on("connectionError", (_client, error) => log.debug({ error: error.message }, "broker connection"));

  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    // Nagle's algorithm would hold every small message back for some 40 ms.
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    limitPacketSize(socket, options.maxPacketBytes, () =>
      refusals.warn({}, "the broker cut a connection with an oversized packet"),
    );
    broker.handle(socket);
  });
  const port = await listenNear(server, options.port, "127.0.0.1", options.orNext, "MQTT_PORT");

  return {
    port,
    url: `mqtt://127.0.0.1:${port}`,
    serverAccount: { username: SERVER_ACCOUNT, password },
    disconnect(username) {
      for (const client of connections.end(username, (one) => accounts.has(one))) {
        const late = setTimeout(() => client.close(), LAST_WORDS_MS);
        client.conn.once("close", () => clearTimeout(late));
      }
    },
    async stop() {
      const closed = once(server, "close");
      server.close();
      await new Promise<void>((resolve) => broker.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      await refusals.stop();
    },
  };
}

function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Connections by the account they gave, from the moment they gave it. */
class AccountConnections {
  readonly #open = new Map<string, Set<Client>>();

  add(account: string, client: Client): void {
    const clients = this.#open.get(account) ?? new Set();
    clients.add(client);
    this.#open.set(account, clients);
    client.conn.once("close", () => {
      clients.delete(client);
      if (clients.size === 0 && this.#open.get(account) === clients) this.#open.delete(account);
    });
  }

  /** False once it was ended. */
  has(account: string, client: Client): boolean {
    return this.#open.get(account)?.has(client) === true;
  }

  /** Answers those that are signed in, to be closed; a sign-in that is being checked is refused once it asks `has`. */
  end(account: string, isSignedIn: (client: Client) => boolean): Client[] {
    const clients = [...(this.#open.get(account) ?? [])];
    this.#open.delete(account);
    return clients.filter(isSignedIn);
  }
}

/**
 * Cuts a connection as soon as it announces an MQTT packet of more than `maxBytes`, before the packet is gathered in
 * memory (protocol rule 10). The broker's own parser would take 256 MB from anybody, signed in or not.
 */
function limitPacketSize(socket: Socket, maxBytes: number, onOversized: () => void): void {
  const tooLarge = packetMeter(maxBytes);
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!(chunk instanceof Buffer) || !tooLarge(chunk)) return chunk;
    onOversized();
    socket.destroy();
    return null;
  };
}

/** Follows the borders of packets in a stream: one byte of kind, one to four of length, then the rest. */
export function packetMeter(maxBytes: number): (chunk: Buffer) => boolean {
  let rest = 0;
  let lengthBytes = -1;
  let length = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (rest > 0) {
        const taken = Math.min(rest, chunk.length - at);
        rest -= taken;
        at += taken;
      } else if (lengthBytes < 0) {
        lengthBytes = 0;
        length = 0;
        at += 1;
      } else {
        const byte = chunk[at] ?? 0;
        length += (byte & 0x7f) * 128 ** lengthBytes;
        lengthBytes += 1;
        at += 1;
        if (length > maxBytes || lengthBytes > 4) return true;
        if ((byte & 0x80) === 0) {
          rest = length;
          lengthBytes = -1;
        }
      }
    }
    return false;
  };
}

interface RetainedPacket {
  readonly topic: string;
  readonly payload: Buffer | string;
}

/** The part of aedes' memory that keeps retained messages; its types do not name it. */
interface Memory {
  storeRetained(packet: RetainedPacket): Promise<void>;
  createRetainedStreamCombi(filters: string[]): Readable;
}

/**
 * Lets a subscription to one topic look its retained message up, where aedes tries the filter on every one it keeps. Of
 * 20,000 robots each subscribes to a topic of its own: trying 40,000 messages for each takes minutes of a processor.
 */
export function lookUpRetained(broker: Aedes): Memory {
  const memory: unknown = Reflect.get(broker, "persistence");
  if (!isMemory(memory)) throw new Error("The embedded broker keeps its retained messages in another way than known.");
  const retained = new Map<string, RetainedPacket>();
  const store = memory.storeRetained.bind(memory);
  const find = memory.createRetainedStreamCombi.bind(memory);
  return Object.assign(memory, {
    storeRetained(packet: RetainedPacket) {
      if (packet.payload.length === 0) retained.delete(packet.topic);
      else retained.set(packet.topic, { ...packet });
      return store(packet);
    },
    createRetainedStreamCombi(filters: string[]) {
      if (filters.some(isPattern)) return find(filters);
      return Readable.from(filters.flatMap((topic) => retained.get(topic) ?? []));
    },
  });
}

function isMemory(value: unknown): value is Memory {
  return (
    typeof value === "object" &&
    value !== null &&
    "storeRetained" in value &&
    typeof value.storeRetained === "function" &&
    "createRetainedStreamCombi" in value &&
    typeof value.createRetainedStreamCombi === "function"
  );
}

function isPattern(filter: string): boolean {
  return filter.includes("+") || filter.includes("#");
}
