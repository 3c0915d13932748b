import { shareOf } from "../src/features/devices/shares.ts";
import type { ManualClock } from "../src/platform/clock.ts";
import type { OpenDatabase } from "../src/platform/database/database.ts";
import { type BridgeHarness, createBridge } from "./bridge-harness.ts";
import { RealBroker, type WatchedBroker } from "./real-broker.ts";
import { StubClockCheck } from "./stub-clock-check.ts";
import { createTestDatabase } from "./test-database.ts";

export interface BridgeServer extends BridgeHarness {
  readonly watched: WatchedBroker;
}

/** What a server's locks depend on, if a test controls it. */
export interface LockSettings {
  readonly connection?: OpenDatabase["connection"];
  readonly realTime?: ManualClock;
}

/** Several servers on one database and one real broker, each with a clock of its own that the test advances. */
export class BridgeServers {
  readonly database: OpenDatabase;
  readonly broker: RealBroker;
  readonly all: BridgeServer[] = [];

  private constructor(database: OpenDatabase, broker: RealBroker) {
    this.database = database;
    this.broker = broker;
  }

  static async create(): Promise<BridgeServers> {
    return new BridgeServers(await createTestDatabase(), await RealBroker.start());
  }

  async start(clocks = new StubClockCheck(), lock: LockSettings = {}): Promise<BridgeServer> {
    const watched = await this.broker.server(`server-${this.all.length + 1}`);
    const { connection = this.database.connection, realTime } = lock;
    const database = { ...this.database, connection };
    const options = { database, broker: watched, clocks, ...(realTime && { realTime }) };
    const server = { ...(await createBridge(options)), watched };
    this.all.push(server);
    await server.bridge.start();
    await server.bridge.idle();
    return server;
  }

  /** How many shares each of these has. */
  shares(...servers: readonly BridgeServer[]): number[] {
    return servers.map(({ bridge }) => bridge.shares.size);
  }

  /** Lets time pass for these servers, a second at a time, until they have so many shares. */
  async untilShares(servers: readonly BridgeServer[], wanted: readonly number[]): Promise<void> {
    const isReached = () => servers.every(({ bridge }, index) => bridge.shares.size === wanted[index]);
    for (let second = 0; second < 10 && !isReached(); second += 1) {
      for (const server of servers) await server.pass(1_000);
    }
    if (!isReached()) throw new Error(`They have ${this.shares(...servers).join(", ")} shares.`);
  }

  async close(): Promise<void> {
    for (const server of this.all) await server.close();
    await this.broker.stop();
    await this.database.close();
  }
}

/** The first of these serial numbers whose robot is in one of the shares. */
export function serialInShares(prefix: string, shares: ReadonlySet<number>): string {
  for (let index = 1; ; index += 1) if (shares.has(shareOf(`${prefix}-${index}`))) return `${prefix}-${index}`;
}
