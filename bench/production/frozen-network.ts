import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * The connection from robots to their broker, which can be frozen: nothing arrives any more in either direction, not
 * even that somebody has closed a connection. What was sent in the meantime arrives once it is thawed.
 */
export class FrozenNetwork {
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  /** What happens at the thaw, in order; null while nothing is frozen. */
  #kept: (() => void)[] | null = null;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((robot) => this.#take(robot));
  }

  /** A connection to the address of a broker. */
  static async to(target: string): Promise<FrozenNetwork> {
    const network = new FrozenNetwork(target);
    network.#server.listen(0, "127.0.0.1");
    await once(network.#server, "listening");
    return network;
  }

  /** The address for robots. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `mqtt://127.0.0.1:${port}`;
  }

  freeze(): void {
    this.#kept ??= [];
  }

  thaw(): void {
    const kept = this.#kept ?? [];
    this.#kept = null;
    for (const arrive of kept) arrive();
  }

  async stop(): Promise<void> {
    this.thaw();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #take(robot: Socket): void {
    const broker = connect(Number(this.#target.port), this.#target.hostname);
    for (const [from, to] of [
      [robot, broker],
      [broker, robot],
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
