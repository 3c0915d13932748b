import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * The connections of robots or servers to their broker, or of servers to their database, which can be frozen: nothing
 * arrives any more in either direction, not even that somebody has closed a connection. What was sent in the meantime
 * arrives once they are thawed. They can also be cut: all of them break, and new ones are refused until they are mended.
 */
export class FrozenNetwork {
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  /** What happens at the thaw, in order; null while nothing is frozen. */
  #kept: (() => void)[] | null = null;
  #isCut = false;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((client) => this.#take(client));
  }

  /** Connections to the address of a broker or database. */
  static async to(target: string): Promise<FrozenNetwork> {
    const network = new FrozenNetwork(target);
    network.#server.listen(0, "127.0.0.1");
    await once(network.#server, "listening");
    return network;
  }

  /** The address by which the target is reached through here. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    const url = new URL(this.#target);
    url.hostname = "127.0.0.1";
    url.port = String(port);
    return url.href;
  }

  freeze(): void {
    this.#kept ??= [];
  }

  thaw(): void {
    const kept = this.#kept ?? [];
    this.#kept = null;
    for (const arrive of kept) arrive();
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async stop(): Promise<void> {
    this.thaw();
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #take(client: Socket): void {
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const target = connect(Number(this.#target.port), this.#target.hostname);
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (chunk) => this.#arrive(() => void to.write(chunk)));
      from.on("error", () => from.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        this.#arrive(() => to.destroySoon());
      });
    }
  }

  #arrive(work: () => void): void {
    if (this.#kept === null) work();
    else this.#kept.push(work);
  }
}
