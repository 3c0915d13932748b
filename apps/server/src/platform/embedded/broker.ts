import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { Aedes, type Client } from "aedes";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { ThrottledLog } from "../throttle.ts";
import { AccountConnections } from "./account-connections.ts";
import { limitPacketSize } from "./packet-size.ts";
import { listenNear } from "./ports.ts";
import { lookUpRetained } from "./retained-messages.ts";

/** Who may sign in to the broker beside the server, and what each may do there (protocol rule 9). */
export interface BrokerAccess {
  /** Whether this is an account's right password. */
  signIn(username: string, password: string): Promise<boolean>;
  mayPublish(username: string, topic: string): boolean;
  maySubscribe(username: string, filter: string): boolean;
}

export interface EmbeddedBrokerOptions {
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
