import type { Device } from "@suncrew/simulator/fleet/link.ts";
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Db, openDatabase } from "../../apps/server/src/platform/database/database.ts";
import type { OwnerAndServerAccounts } from "../../apps/server/test/owner-and-server-accounts.ts";
import { runMigrate } from "../../apps/server/test/suncrew-process.ts";
import { Caller } from "./caller.ts";
import { type KnownRobot, RecordedFleet, storeRobots, TIMEZONE } from "./fleet.ts";
import { FrozenNetwork } from "./frozen-network.ts";
import { ServerPlace, type ServerSettings } from "./killed-servers.ts";
import type { Options } from "./options.ts";
import { type PrivateMosquitto, startMosquitto } from "./private-mosquitto.ts";
import type { Account } from "./private-part.ts";
import { type PrivatePostgres, startPostgres } from "./private-postgres.ts";
import { SteppedClock } from "./stepped-clock.ts";
import { SeededRandom, until } from "./wait-and-random.ts";

interface SystemOptions {
  /** Where the database's files are. */
  readonly disk?: string;
  readonly servers?: number;
  /** Whether the connections between robots, servers, broker and database can be frozen and cut. */
  readonly networks?: boolean;
  /** Whether the clocks of database and servers can be stepped. */
  readonly steppedClocks?: boolean;
}

const HEARD_LIMIT_MS = 30_000;

/**
 * Servers in production mode, three by default, on Debian's PostgreSQL and Mosquitto, with simulated robots that all
 * answer.
 */
export interface TestSystem {
  readonly database: OwnerAndServerAccounts;
  readonly postgres: PrivatePostgres;
  readonly mosquitto: PrivateMosquitto;
  readonly db: Db;
  readonly places: readonly ServerPlace[];
  readonly caller: Caller;
  readonly fleet: RecordedFleet;
  readonly robots: readonly KnownRobot[];
  readonly timezone: string;
  readonly random: SeededRandom;
  /** The database's clock and each server's, if they can be stepped. */
  readonly clocks: { readonly database: SteppedClock; readonly servers: readonly SteppedClock[] } | null;
  /** The robots' and the servers' connections to the broker, and the servers' to the database, if they can be frozen. */
  readonly networks: Readonly<Record<"robots" | "broker" | "database", FrozenNetwork>> | null;
  readonly versions: string;
}

/** Runs `npm run migrate`, of another version if that one's folder is given. Throws with what it printed. */
export async function migrated(database: OwnerAndServerAccounts, checkout?: string): Promise<void> {
  const { code, printed } = await runMigrate(database, [], checkout);
  if (code !== 0) throw new Error(`npm run migrate ended with ${code}: ${printed}`);
}

export async function startSystem(
  { options, folder, account, stops }: StepContext<{ readonly seed: number }>,
  devices: readonly Device[],
  { disk = folder, servers = 3, networks: interposed = false, steppedClocks = false }: SystemOptions = {},
): Promise<TestSystem> {
  const clockOf = (name: string) => SteppedClock.open(join(folder, `clock-of-${name}`));
  const names = Array.from({ length: servers }, (_, index) => `server-${index + 1}`);
  const clocks = steppedClocks
    ? { database: await clockOf("database"), servers: await Promise.all(names.map(clockOf)) }
    : null;
  const environment = clocks?.database.environment ?? {};
  const postgres = await startPostgres(folder, account, { durable: true, disk, environment });
  stops.push(() => postgres.stop());
  const mosquitto = await startMosquitto(folder, account, devices);
  stops.push(() => mosquitto.stop());
  const accounts = await postgres.database("suncrew");
  const networkTo = async (url: string): Promise<FrozenNetwork> => {
    const network = await FrozenNetwork.to(url);
    stops.push(() => network.stop());
    return network;
  };
  const networks = interposed
    ? {
        robots: await networkTo(mosquitto.robotUrl),
        broker: await networkTo(mosquitto.serverUrl),
        database: await networkTo(accounts.serverUrl),
      }
    : null;
  const settings: ServerSettings = {
    databaseUrl: networks?.database.url ?? accounts.serverUrl,
    mqttUrl: networks?.broker.url ?? mosquitto.serverUrl,
    dataDir: join(folder, "servers"),
    adminPassword: randomBytes(12).toString("base64url"),
    secretKey: randomBytes(36).toString("base64url"),
  };
  await mkdir(settings.dataDir, { mode: 0o700 });
  await migrated(accounts);
  const places: ServerPlace[] = [];
  for (const [index, name] of names.entries()) {
    const own = clocks?.servers[index]?.environment ?? {};
    const place = await ServerPlace.prepare(name, { ...settings, environment: own });
    places.push(place);
    stops.push(() => place.stop());
  }
  await Promise.all(places.map((place) => place.start()));
  const database = openDatabase({ connectionString: accounts.adminUrl }, { poolSize: 8 });
  stops.push(() => database.close());
  const { db } = database;
  const robots = await storeRobots(db, "Endurance Park", devices);
  const fleet = new RecordedFleet(networks?.robots.url ?? mosquitto.robotUrl, devices);
  stops.push(() => fleet.stop());
  await fleet.start();
  const silent = () => db.selectFrom("robot_state").where("live_at", "is", null).select("robot_id").executeTakeFirst();
  await until(async () => (await silent()) === undefined, HEARD_LIMIT_MS, "Not every robot was heard of");
  const [place] = places as [ServerPlace];
  return {
    database: accounts,
    postgres,
    mosquitto,
    db,
    places,
    caller: await Caller.signIn(place, settings.adminPassword),
    fleet,
    robots,
    timezone: TIMEZONE,
    random: new SeededRandom(options.seed),
    clocks,
    networks,
    versions: `PostgreSQL ${postgres.version}, Mosquitto ${mosquitto.version}`,
  };
}

/** Where a step puts its files, which account its programs run as, and what has to be ended after it, last first. */
export interface StepContext<Chosen = Options> {
  readonly options: Chosen;
  readonly folder: string;
  readonly account: Account;
  readonly stops: (() => Promise<unknown>)[];
}
