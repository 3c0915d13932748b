import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { type CleaningDirection, updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import type { Selectable } from "kysely";
import type { Device } from "@suncrew/simulator/fleet/link.ts";
import { type OpenDatabase, openDatabase } from "../../apps/server/src/platform/database/database.ts";
import type { Tables } from "../../apps/server/src/platform/database/tables.ts";
import { type Answer, Caller } from "./caller.ts";
import { type KnownRobot, makeDevices, storeRobots } from "./fleet.ts";
import { ServerPlace } from "./killed-servers.ts";
import { until } from "./wait-and-random.ts";
import type { WriteConfiguration } from "./mosquitto-configuration.ts";
import { chooseAccount } from "./private-part.ts";
import { type PrivateMosquitto, startMosquitto } from "./private-mosquitto.ts";
import { type PrivatePostgres, startPostgres } from "./private-postgres.ts";
import { migrated } from "./test-system.ts";

/** One server in production mode on Debian's PostgreSQL and Mosquitto, with robots that no simulator plays yet. */
export interface CheckedSystem {
  readonly mosquitto: PrivateMosquitto;
  readonly place: ServerPlace;
  readonly db: OpenDatabase["db"];
  readonly caller: Caller;
  readonly devices: readonly Device[];
  readonly robots: readonly KnownRobot[];
  close(): Promise<void>;
}

export interface CheckedOptions {
  readonly robots: number;
  /** What the server connects to, and its settings beyond the usual. */
  readonly configuration?: WriteConfiguration;
  readonly connect: (mosquitto: PrivateMosquitto) => { mqttUrl: string; environment?: Record<string, string> };
}

export async function startCheckedSystem({
  robots: count,
  configuration,
  connect,
}: CheckedOptions): Promise<CheckedSystem> {
  const account = await chooseAccount();
  const folder = await mkdtemp(join(tmpdir(), "suncrew-checks-"));
  // The other account may pass through; the contents belong only to it or to us.
  await chmod(folder, 0o711);
  const stops = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  try {
    const devices = makeDevices("CHK", count);
    const postgres: PrivatePostgres = await startPostgres(folder, account, { durable: true });
    stops.push(() => postgres.stop());
    const mosquitto = await startMosquitto(folder, account, devices, configuration);
    stops.push(() => mosquitto.stop());
    const accounts = await postgres.database("suncrew");
    await migrated(accounts);
    const adminPassword = randomBytes(12).toString("base64url");
    const place = await ServerPlace.prepare("checked", {
      ...connect(mosquitto),
      databaseUrl: accounts.serverUrl,
      dataDir: join(folder, "server"),
      adminPassword,
      secretKey: randomBytes(36).toString("base64url"),
    });
    stops.push(() => place.stop());
    await place.start();
    const database = openDatabase({ connectionString: accounts.adminUrl }, { poolSize: 2 });
    stops.push(() => database.close());
    const { db } = database;
    const robots = await storeRobots(db, "Checked Park", devices);
    const caller = await Caller.signIn(place, adminPassword);
    return { mosquitto, place, db, caller, devices, robots, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Presses Start or Stop of a robot; null if the server was not reached. */
export function press(system: CheckedSystem, robot: KnownRobot, command: "START" | "STOP"): Promise<Answer | null> {
  const body = { robotId: robot.serial, robotObjectId: robot.id, siteId: robot.siteId, command };
  return system.caller.call(system.place, sendCommand, { body });
}

/** Turns a robot to REVERSE or FORWARD. */
export function turn(system: CheckedSystem, robot: KnownRobot, direction: CleaningDirection): Promise<Answer | null> {
  const question = { params: { robotId: robot.id }, body: { cleaning_direction: direction } };
  return system.caller.call(system.place, updateRobotSettings, question);
}

/** Waits until the server has stored such a state of the robot. */
export function untilStored(
  { db }: CheckedSystem,
  robot: KnownRobot,
  wanted: (state: Selectable<Tables["robot_state"]>) => boolean,
): Promise<void> {
  const read = () =>
    db.selectFrom("robot_state").selectAll().where("robot_id", "=", robot.id).executeTakeFirstOrThrow();
  return until(async () => wanted(await read()), 20_000, `No such state of ${robot.serial} was stored`);
}
