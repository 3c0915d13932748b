import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import pg from "pg";
import { type OpenDatabase, openDatabase } from "../src/platform/database/database.ts";
import { prepareFullDisk } from "./full-disk.ts";

/** What is wrong with a database: it was killed, it is suspended, or its disk is full. */
export type DatabaseFault = "killed" | "paused" | "full";

/** The servers' connection to their database, which a test can interrupt. */
export class InterruptibleDatabase {
  readonly database: OpenDatabase;
  readonly #direct: pg.Client;
  readonly #proxy: Server;
  readonly #setFull: (isFull: boolean) => Promise<void>;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #fault: DatabaseFault | null = null;

  private constructor(direct: pg.Client, proxy: Server, setFull: (isFull: boolean) => Promise<void>) {
    this.#direct = direct;
    this.#proxy = proxy;
    this.#setFull = setFull;
    const { database, user, password } = direct;
    const { port } = proxy.address() as AddressInfo;
    const connection = { host: "127.0.0.1", port, ...(database && { database }), user, password: password ?? "" };
    // Shorter than a server's, so that tests need not wait as long for a timeout.
    this.database = openDatabase(connection, { poolSize: 5, queryLimitMs: 4_000 });
  }

  static async open(connection: pg.ClientConfig): Promise<InterruptibleDatabase> {
    const direct = new pg.Client(connection);
    await direct.connect();
    const { host, port } = direct;
    const proxy = createServer((near) => interruptible.#join(near, host, port));
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const setFull = await prepareFullDisk((statement) => direct.query(statement));
    const interruptible: InterruptibleDatabase = new InterruptibleDatabase(direct, proxy, setFull);
    return interruptible;
  }

  /** Causes this fault, or ends it with null. */
  async setFault(fault: DatabaseFault | null): Promise<void> {
    if (this.#fault === "full") await this.#setFull(false);
    this.#fault = fault;
    if (fault === "full") await this.#setFull(true);
    for (const pair of this.#pairs) {
      for (const socket of pair) {
        if (fault === "killed") socket.destroy();
        else if (fault === "paused") socket.pause();
        else socket.resume();
      }
    }
  }

  async close(): Promise<void> {
    await this.setFault(null);
    await this.database.close();
    for (const [near] of this.#pairs) near.destroy();
    this.#proxy.close();
    await this.#direct.end();
  }

  #join(near: Socket, host: string, port: number): void {
    if (this.#fault === "killed") return void near.destroy();
    const far = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on("data", (data) => void to.write(data));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
    }
    if (this.#fault === "paused") for (const socket of pair) socket.pause();
  }
}
