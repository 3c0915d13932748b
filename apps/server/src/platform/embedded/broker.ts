import { Aedes, type Client } from "aedes";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { isSameSecret } from "../secrets.ts";
import { ThrottledLog } from "../throttle.ts";
import { listenNear } from "../network.ts";

/** Who may sign in to the broker besides the server, and what each may do there (protocol rule 9). */
interface BrokerAccess {
  signIn(username: string, password: string): Promise<boolean>;
  mayPublish(username: string, topic: string): boolean;
  maySubscribe(username: string, filter: string): boolean;
}

interface EmbeddedBrokerOptions {
  /** The port to listen on, at 127.0.0.1 only. */
  port: number;
  /** Whether to use the next free port if this one is taken. */
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
   * Closes the account's connections within half a second, and refuses a sign-in that is still being checked, because it
   * is being checked against an old secret.
   */
  disconnect(username: string): void;
  stop(): Promise<void>;
}

const SERVER_ACCOUNT = "suncrew-server";
/**
 * A connection that is to close has this long to receive what was already published to it: the broker acknowledges a
 * message before it forwards it, and closing a connection loses what was not read. A last Stop must arrive.
 */
const DRAIN_MS = 500;

/** Starts an MQTT 3.1.1 broker inside this process. Throws a StartError where the port is taken. */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const { access, log } = options;
  const refusals = new ThrottledLog(log, options.clock);
  const password = randomBytes(24).toString("base64url");
  const accounts = new WeakMap<Client, string>();
  const connections = new AccountConnections();
  const mayPublish = (account: string | undefined, topic: string): boolean =>
    account !== undefined && (account === SERVER_ACCOUNT || access.mayPublish(account, topic));
  const maySubscribe = (account: string | undefined, filter: string): boolean =>
    account !== undefined && (account === SERVER_ACCOUNT || access.maySubscribe(account, filter));
  const signIn = async (username: string, secret: Buffer, clientId: string): Promise<boolean> => {
    if (username === SERVER_ACCOUNT) return isSameSecret(secret.toString("utf8"), password);
    return clientId === username && (await access.signIn(username, secret.toString("utf8")));
  };
  const admit = async (client: Client, username: string, secret: Buffer): Promise<boolean> => {
    connections.add(username, client);
    try {
      const isAdmitted = (await signIn(username, secret, client.id)) && connections.has(username, client);
      if (isAdmitted) accounts.set(client, username);
      else refusals.warn({ client: client.id }, "the broker refused a sign-in", client.id);
      return isAdmitted;
    } catch (error) {
      refusals.error({ error: String(error) }, "a sign-in at the broker could not be checked");
      return false;
    }
  };

  const broker = await Aedes.createBroker({
    connectTimeout: 10_000,
    // No queue: one of thousands of last wills without a subscriber is processed by recursion, which overflows the stack.
    concurrency: 0,
    authenticate(client, username = "", secret = Buffer.alloc(0), done) {
      const answer = async (): Promise<void> => done(null, await admit(client, username, secret));
      void answer();
    },
    // Also called for a last will, when it is sent.
    authorizePublish(client, packet, done) {
      const account = client === null ? undefined : accounts.get(client);
      if (mayPublish(account, packet.topic)) return done(null);
      refusals.warn({ account, topic: packet.topic.slice(0, 100) }, "the broker refused a message", account);
      done(new Error("not authorized"));
    },
    authorizeSubscribe(client, subscription, done) {
      const account = accounts.get(client);
      if (maySubscribe(account, subscription.topic)) return done(null, subscription);
      const filter = subscription.topic.slice(0, 100);
      refusals.warn({ account, filter }, "the broker refused a subscription", account);
      done(null, null);
    },
    authorizeForward: (client, packet) => (maySubscribe(accounts.get(client), packet.topic) ? packet : null),
  });
  indexRetained(broker);
  broker.on("clientError", (client, error) => log.debug({ client: client.id, error: error.message }, "broker client"));
  broker.on("connectionError", (_client, error) => log.debug({ error: error.message }, "broker connection"));

  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    // Nagle's algorithm would delay every small message by some 40 ms.
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
        const late = setTimeout(() => client.close(), DRAIN_MS);
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

/** Connections by the account that they claim, from the moment they claim it. */
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

  /** False once it was closed by `end`. */
  has(account: string, client: Client): boolean {
    return this.#open.get(account)?.has(client) === true;
  }

  /** Returns those that are signed in, for the caller to close; a sign-in in progress is refused when it calls `has`. */
  end(account: string, isSignedIn: (client: Client) => boolean): Client[] {
    const clients = [...(this.#open.get(account) ?? [])];
    this.#open.delete(account);
    return clients.filter(isSignedIn);
  }
}

/**
 * Closes a connection as soon as it announces an MQTT packet of more than `maxBytes`, before the packet is buffered
 * (protocol rule 10). The broker's own parser would accept 256 MB from anyone, signed in or not.
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

/** Follows the packet boundaries of a stream: one byte of type, one to four of length, then the rest. */
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

/** The part of aedes' persistence that stores retained messages; its types do not name it. */
interface Persistence {
  storeRetained(packet: RetainedPacket): Promise<void>;
  createRetainedStreamCombi(filters: string[]): Readable;
}

/**
 * Finds the retained message of a subscription to one topic by its key, where aedes matches the filter against all of
 * them. With 20,000 robots that each subscribe to their own topic, matching 40,000 messages each takes minutes of CPU.
 */
export function indexRetained(broker: Aedes): Persistence {
  const persistence: unknown = Reflect.get(broker, "persistence");
  if (!isPersistence(persistence))
    throw new Error("The embedded broker stores its retained messages in an unknown way.");
  const retained = new Map<string, RetainedPacket>();
  const store = persistence.storeRetained.bind(persistence);
  const find = persistence.createRetainedStreamCombi.bind(persistence);
  return Object.assign(persistence, {
    storeRetained(packet: RetainedPacket) {
      if (packet.payload.length === 0) retained.delete(packet.topic);
      else retained.set(packet.topic, { ...packet });
      return store(packet);
    },
    createRetainedStreamCombi(filters: string[]) {
      if (filters.some((filter) => /[+#]/.test(filter))) return find(filters);
      return Readable.from(filters.flatMap((topic) => retained.get(topic) ?? []));
    },
  });
}

function isPersistence(value: unknown): value is Persistence {
  return (
    typeof value === "object" &&
    value !== null &&
    "storeRetained" in value &&
    typeof value.storeRetained === "function" &&
    "createRetainedStreamCombi" in value &&
    typeof value.createRetainedStreamCombi === "function"
  );
}
