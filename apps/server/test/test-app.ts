import { randomUUID } from "node:crypto";
import { login } from "@suncrew/contract/auth/auth.ts";
import type pg from "pg";
import pino from "pino";
import { type App, buildApp } from "../src/app.ts";
import type { BrokerAccounts } from "../src/platform/broker-accounts/broker-accounts.ts";
import type { Broker } from "../src/platform/broker.ts";
import { type Clock, ManualClock } from "../src/platform/clock.ts";
import type { Db, OpenDatabase } from "../src/platform/database/database.ts";
import { logOptions } from "../src/platform/log.ts";
import type { Dependencies, Settings } from "../src/platform/dependencies.ts";
import { createSessionToken, type Fixtures, PASSWORD, type Person, usernames } from "./fixtures.ts";
import { MemoryBroker } from "./memory-broker.ts";
import { TestClient } from "./test-client.ts";
import { createSeededDatabase } from "./test-database.ts";

export interface TestAppOptions<C extends Clock, B extends Broker> {
  readonly clock?: C;
  readonly broker?: B;
  readonly settings?: Partial<Settings>;
  readonly fetch?: typeof fetch;
  readonly brokerAccounts?: BrokerAccounts;
  /** Connections reserved for commands; otherwise they share the others. */
  readonly reservedDb?: (connection: pg.ClientConfig) => Db;
  /** A database with the fixtures in it; a new one by default. */
  readonly on?: { readonly database: OpenDatabase; readonly fixtures: Fixtures };
  /** Receives each log line; otherwise nothing is logged. */
  readonly onLog?: (line: string) => void;
}

export interface TestApp<C extends Clock = ManualClock, B extends Broker = MemoryBroker> {
  readonly app: App;
  readonly deps: Dependencies;
  readonly db: Db;
  readonly clock: C;
  readonly broker: B;
  readonly fixtures: Fixtures;
  /** Makes calls as one of the fixture users, in one session; null is nobody. */
  as(person: Person | null): Promise<TestClient>;
  /** Signs in again, with the password. */
  signIn(person: Person): Promise<TestClient>;
  close(): Promise<void>;
}

/** The default time of a test's clock. */
export const TEST_NOW = new Date("2026-06-15T06:30:00.000Z");

export const testSettings: Settings = {
  mode: "production",
  secretKey: "a key that only tests have, long enough",
  publicUrl: () => "http://suncrew.example",
  tokenHours: 12,
  manualRunMaxMinutes: 480,
  mapTiles: null,
  weather: { provider: "sample", delayMs: 0 },
  // A year of samples for each site: a test that needs them runs `SiteInputs`.
  refreshesSiteHours: false,
  consoleDir: null,
};

/**
 * The whole server on its own database with the fixtures. Its services are idle until the test calls `app.start()`. By
 * default the clock is manual and the broker in memory.
 */
export async function createTestApp(): Promise<TestApp>;
export async function createTestApp<C extends Clock = ManualClock, B extends Broker = MemoryBroker>(
  options: TestAppOptions<C, B>,
): Promise<TestApp<C, B>>;
export async function createTestApp(options: TestAppOptions<Clock, Broker> = {}): Promise<TestApp<Clock, Broker>> {
  const { database, fixtures } = options.on ?? (await createSeededDatabase());
  const clock = options.clock ?? new ManualClock(TEST_NOW);
  const broker = options.broker ?? new MemoryBroker();
  const deps: Dependencies = {
    db: database.db,
    connection: database.connection,
    broker,
    clock,
    log: pino(logOptions(options.onLog ? "info" : "silent"), { write: (line) => options.onLog?.(line) }),
    settings: { ...testSettings, ...options.settings },
    serverId: randomUUID(),
    ...(options.fetch && { fetch: options.fetch }),
    ...(options.reservedDb && { reservedDb: options.reservedDb(database.connection) }),
    ...(options.brokerAccounts && { brokerAccounts: options.brokerAccounts }),
  };
  const app = await buildApp(deps);
  const nobody = new TestClient(app.http, null);
  let signIns = 0;
  const signIn = async (person: Person) => {
    // From a new address each time, so that no test hits the sign-in limit of one.
    signIns += 1;
    const door = new TestClient(app.http, null, `10.0.${signIns >> 8}.${signIns & 255}`);
    const { token } = await door.ask(login, { body: { username: usernames[person], password: PASSWORD } });
    return new TestClient(app.http, token);
  };
  const signedIn = new Map<Person, Promise<TestClient>>();
  return {
    app,
    deps,
    db: database.db,
    clock,
    broker,
    fixtures,
    signIn,
    async as(person) {
      if (person === null) return nobody;
      const client =
        signedIn.get(person) ??
        createSessionToken(app.http, database.db, person, clock.now()).then((token) => new TestClient(app.http, token));
      signedIn.set(person, client);
      return client;
    },
    async close() {
      await app.stop();
      await database.close();
    },
  };
}
