import type { CommandMode } from "@suncrew/contract/robots/robot-mode.ts";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { createFleet, type Fleet, type InitialState } from "@suncrew/simulator/fleet/fleet.ts";
import type { SimulatedRobot } from "@suncrew/simulator/fleet/simulated-robot.ts";
import { sql } from "kysely";
import pg from "pg";
import pino from "pino";
import { type App, buildApp } from "../src/app.ts";
import { deviceAccess } from "../src/features/devices/public.ts";
import { authCallbackAccounts, type BrokerAccounts } from "../src/platform/broker-accounts/broker-accounts.ts";
import { type Broker, openBroker } from "../src/platform/broker.ts";
import type { ClockCheck } from "../src/platform/clock-watch.ts";
import { type Clock, SystemClock } from "../src/platform/clock.ts";
import { type Db, databaseNow, type OpenDatabase } from "../src/platform/database/database.ts";
import { type EmbeddedBroker, startEmbeddedBroker } from "../src/platform/embedded/broker.ts";
import type { Settings } from "../src/platform/dependencies.ts";
import { storeSensor } from "../src/features/guard/public.ts";
import {
  activityRows,
  addDevice,
  addRobot,
  createSessionToken,
  type Fixtures,
  type Person,
  type TestRobot,
} from "./fixtures.ts";
import { FastClock } from "./fast-clock.ts";
import { InterruptibleDatabase } from "./interruptible-database.ts";
import { testSettings } from "./test-app.ts";
import { type Answer, TestClient } from "./test-client.ts";
import { createSeededDatabase } from "./test-database.ts";

/** One of several servers on the harness's database and broker. */
export interface HarnessServer {
  readonly app: App;
  readonly broker: Broker;
  as(person: Person): Promise<TestClient>;
  stop(): Promise<void>;
}

export interface HarnessOptions {
  readonly clock?: Clock;
  /** Whether the servers' clock can be relied on; it can by default. */
  readonly clocks?: ClockCheck;
  readonly initial?: Readonly<Record<string, InitialState>>;
  /** How many servers; 1 by default. */
  readonly servers?: number;
  /** Robots at `ownSite` besides those of the fixtures, in `moreRobots`; none by default. */
  readonly more?: number;
  readonly settings?: Partial<Settings>;
  /** `ownSite` has a weather sensor, the first of the fleet's; none by default. */
  readonly sensor?: boolean;
  /** How devices' accounts are managed; as with the embedded broker by default. */
  readonly brokerAccounts?: BrokerAccounts;
  /** Puts a proxy between the servers and the database; the test's own connection is not affected. */
  readonly interruptible?: boolean;
  /** Connections for calls that are not commands; by default everything shares the harness's connections. */
  readonly general?: (connection: OpenDatabase["connection"]) => Db;
  /** Wraps each server's broker connection. */
  readonly wrapBroker?: (broker: Broker) => Broker;
}

async function addSensor(db: Db, siteId: number, now: Date): Promise<{ serial: string; secret: string }> {
  const serial = "WX-1";
  const secret = await addDevice(db, serial);
  await db.transaction().execute((tx) => storeSensor(tx, siteId, serial, now));
  return { serial, secret };
}

/** Servers, a real broker, a real database and simulated robots, one for each robot of the fixtures. */
export class CommandHarness {
  readonly db: Db;
  readonly fixtures: Fixtures;
  readonly moreRobots: readonly TestRobot[];
  readonly fleet: Fleet;
  readonly mqtt: EmbeddedBroker;
  readonly clock: Clock;
  readonly servers: HarnessServer[] = [];
  readonly #interruptible: InterruptibleDatabase | null;
  /** A connection with the server's account that is not a server's: to send what a server would not. */
  readonly observer: Broker;
  readonly #options: HarnessOptions;
  readonly #database: OpenDatabase;
  readonly #listener: pg.Client;
  /** Each resolves once its server listens to robots. */
  readonly #listening: Promise<void>[] = [];

  private constructor(
    parts: Pick<CommandHarness, "fixtures" | "moreRobots" | "fleet" | "mqtt" | "clock" | "observer">,
    database: OpenDatabase,
    listener: pg.Client,
    options: HarnessOptions,
    interruptible: InterruptibleDatabase | null,
  ) {
    this.#interruptible = interruptible;
    this.db = database.db;
    this.fixtures = parts.fixtures;
    this.moreRobots = parts.moreRobots;
    this.fleet = parts.fleet;
    this.mqtt = parts.mqtt;
    this.clock = parts.clock;
    this.observer = parts.observer;
    this.#database = database;
    this.#listener = listener;
    this.#options = options;
  }

  static async open(options: HarnessOptions = {}): Promise<CommandHarness> {
    const clock = options.clock ?? new SystemClock();
    const { database, fixtures } = await createSeededDatabase();
    const access = deviceAccess(database.db);
    const log = pino({ level: "silent" });
    const mqtt = await startEmbeddedBroker({ port: 0, orNext: false, access, maxPacketBytes: 65_536, clock, log });
    const moreRobots: TestRobot[] = [];
    for (let number = 1; number <= (options.more ?? 0); number += 1) {
      moreRobots.push(await addRobot(database.db, fixtures.ownSiteId, `OWN-M${number}`));
    }
    const devices = [fixtures.ownRobot, fixtures.ownRobot2, fixtures.foreignRobot, ...moreRobots];
    const { initial } = options;
    const sensors = options.sensor === true ? [await addSensor(database.db, fixtures.ownSiteId, clock.now())] : [];
    const fleet = createFleet({ mqttUrl: mqtt.url, devices, sensors, clock, ...(initial && { initial }) });
    const listener = new pg.Client(database.connection);
    await listener.connect();
    await listener.query("listen suncrew_changes");
    const observer = openBroker({ url: mqtt.url, clientId: "observer", ...mqtt.serverAccount, log });
    await untilConnected(observer);
    const interruptible = options.interruptible === true ? await InterruptibleDatabase.open(database.connection) : null;
    const parts = { fixtures, moreRobots, fleet, mqtt, clock, observer };
    const harness = new CommandHarness(parts, database, listener, options, interruptible);
    if (clock instanceof FastClock) {
      // Through the connections of the servers: whoever waits for one waits as long.
      clock.pauseUnlessAnswered(() => databaseNow(harness.db));
    }
    const servers = options.servers ?? 1;
    for (let count = servers; count > 0; count -= 1) await harness.startServer();
    // While robots get another bridge, nobody receives what they acknowledge.
    if (servers > 1) await untilDivided(database.db, servers);
    // Robots that report before a server listens would be asked for their state, which is spread over 10 s.
    await Promise.all(harness.#listening);
    fleet.start();
    return harness;
  }

  /** On the harness's database, or on another one with the same devices. */
  async startServer(on: OpenDatabase | null = null): Promise<HarnessServer> {
    const { username, password } = this.mqtt.serverAccount;
    const serverId = randomUUID();
    const log = pino({ level: process.env["SUNCREW_TEST_LOG"] ?? "silent" });
    const opened = openBroker({ url: this.mqtt.url, clientId: `server-${serverId}`, username, password, log });
    const listening = Promise.withResolvers<void>();
    this.#listening.push(listening.promise);
    const connection = notifyingSubscriptions(opened, () => listening.resolve());
    const broker = this.#options.wrapBroker?.(connection) ?? connection;
    await untilConnected(connection);
    const { clock } = this;
    const { db } = on ?? this;
    const database = on ?? this.#interruptible?.database ?? this.#database;
    const app = await buildApp({
      connection: database.connection,
      db: this.#options.general?.(database.connection) ?? database.db,
      reservedDb: database.db,
      broker,
      clock,
      ...(this.#options.clocks && { clocks: this.#options.clocks }),
      log,
      settings: { ...testSettings, ...this.#options.settings },
      brokerAccounts:
        this.#options.brokerAccounts ??
        authCallbackAccounts("embedded", async (serial) => this.mqtt.disconnect(serial)),
      serverId,
    });
    await app.start();
    const server: HarnessServer = {
      app,
      broker,
      as: async (person) => new TestClient(app.http, await createSessionToken(app.http, db, person, clock.now())),
      stop: async () => {
        this.servers.splice(this.servers.indexOf(server), 1);
        await app.stop();
        await connection.close();
      },
    };
    this.servers.push(server);
    return server;
  }

  /** The servers' interruptible connection to the database, if the harness was opened with it. */
  get interruptible(): InterruptibleDatabase {
    if (this.#interruptible === null) throw new Error("The harness was not opened with `interruptible`.");
    return this.#interruptible;
  }

  get server(): HarnessServer {
    const [first] = this.servers;
    if (first === undefined) throw new Error("No server is running.");
    return first;
  }

  /** The settings of a connection to the harness's database. */
  get connection(): pg.ClientConfig {
    return this.#database.connection;
  }

  robot(robot: TestRobot = this.fixtures.ownRobot): SimulatedRobot {
    return this.fleet.robot(robot.serial);
  }

  /** Presses Start or Stop as a person, on the first server by default. */
  async press(
    command: "START" | "STOP",
    more: {
      readonly as?: Person;
      readonly on?: HarnessServer;
      readonly robot?: TestRobot;
      readonly headers?: Record<string, string>;
      readonly params?: Record<string, unknown>;
      readonly mode?: CommandMode;
    } = {},
  ): Promise<Answer> {
    const { robot = this.fixtures.ownRobot, on = this.server, params, headers, mode } = more;
    const client = await on.as(more.as ?? "admin");
    return client.call(sendCommand, {
      ...(headers && { headers }),
      body: {
        robotId: robot.serial,
        robotObjectId: robot.id,
        siteId: robot.siteId,
        command,
        ...(mode && { mode }),
        ...(params && { params }),
      },
    });
  }

  /** Resolves once `check` succeeds; it is repeated after every announced change. */
  async until<T>(check: () => Promise<T | null | undefined | false>): Promise<T> {
    for (;;) {
      const enough = new AbortController();
      const changed = once(this.#listener, "notification", { signal: enough.signal });
      // Aborted once the check succeeds; any other failure reaches the awaiting code.
      changed.catch(() => {});
      const found = await check();
      if (found !== null && found !== undefined && found !== false) {
        enough.abort();
        return found;
      }
      await changed;
    }
  }

  /** Settles once the server has a live state of the robot. */
  async live(robot: TestRobot = this.fixtures.ownRobot): Promise<void> {
    await this.until(async () => {
      const row = await this.state(robot);
      return row.online && row.live_at !== null;
    });
  }

  state(robot: TestRobot = this.fixtures.ownRobot) {
    return this.db.selectFrom("robot_state").selectAll().where("robot_id", "=", robot.id).executeTakeFirstOrThrow();
  }

  commands(robot: TestRobot = this.fixtures.ownRobot) {
    return this.db.selectFrom("commands").selectAll().where("robot_id", "=", robot.id).orderBy("seq").execute();
  }

  activity(robot: TestRobot = this.fixtures.ownRobot) {
    return activityRows(this.db).where("robot_id", "=", robot.id).execute();
  }

  audit(robot: TestRobot = this.fixtures.ownRobot) {
    return this.db
      .selectFrom("audit")
      .selectAll()
      .where("entity", "=", "robot")
      .where("entity_id", "=", String(robot.id))
      .orderBy("id")
      .execute();
  }

  async close(): Promise<void> {
    await this.fleet.stop();
    await this.#interruptible?.setFault(null);
    while (this.servers.length > 0) await this.server.stop();
    await this.observer.close();
    await this.mqtt.stop();
    await this.#listener.end();
    await this.#interruptible?.close();
    await this.#database.close();
  }
}

/** Resolves once so many servers are bridges, of all robots together. */
async function untilDivided(db: Db, servers: number): Promise<void> {
  const divided = sql`select from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2 and classid = 7305002
      and database = (select oid from pg_database where datname = current_database())
    having count(*) = 16 and count(distinct pid) = ${servers}`;
  while ((await divided.execute(db)).rows.length === 0);
}

async function untilConnected(broker: Broker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = broker.onConnectionChange((connected) => connected && resolve());
  if (broker.connected) resolve();
  await promise;
  end();
}

function notifyingSubscriptions(broker: Broker, onSubscribed: () => void): Broker {
  return {
    get connected() {
      return broker.connected;
    },
    publish: (topic, payload) => broker.publish(topic, payload),
    async subscribe(topics, onMessage) {
      const end = await broker.subscribe(topics, onMessage);
      onSubscribed();
      return end;
    },
    onConnectionChange: (listener) => broker.onConnectionChange(listener),
    close: () => broker.close(),
  };
}
