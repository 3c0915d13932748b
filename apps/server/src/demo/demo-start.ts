import { rm } from "node:fs/promises";
import { join } from "node:path";
import { databaseNow, type OpenDatabase } from "../platform/database/database.ts";
import { deleteEmbeddedPostgres } from "../platform/embedded/postgres.ts";
import { StartError } from "../platform/errors.ts";
import { databaseName } from "../process/data-folder.ts";
import type { Options } from "../process/options.ts";
import { demoFleet } from "./demo-fleet.ts";
import { openDemoMailbox } from "./demo-mailbox.ts";
import { chooseFleet, seedDemo } from "./demo-seed.repository.ts";
import {
  ensureDemoDevices,
  robotsToSimulate,
  simulatedMessage,
  SimulatorChild,
  type SimulatorOptions,
  writeDemoScenario,
} from "./demo-simulator.ts";
import { completeHistory, isHistoryWanted } from "./history/demo-history.repository.ts";

/** What a demo adds to a start. Production never loads this file (process/start.ts). */

interface DemoOptions extends Pick<Options, "fleet" | "history"> {
  readonly say: (line: string) => void;
}

/** Seeds or enlarges the demo and writes the simulator's files. Throws a StartError for a database that is not a demo's. */
export async function prepareDemo(
  { db, connection }: OpenDatabase,
  dataDir: string,
  { fleet: requested, history, say }: DemoOptions,
): Promise<void> {
  const size = await chooseFleet(db, requested);
  const simulated = await robotsToSimulate(size.robots);
  const fleet = demoFleet(size);
  const devices = await ensureDemoDevices(dataDir, fleet);
  const result = await seedDemo(db, size, devices, { history });
  if (result === "not-a-demo") {
    throw new StartError(
      "The database of DATABASE_URL has data that is not a demo's: the demo needs its own database.",
    );
  }
  if (result === "grown") say(`The demo was enlarged to ${size.sites} sites and ${size.robots} robots.`);
  if (await isHistoryWanted(db)) {
    say("Creating thirty days of sample history ...");
    await completeHistory(connection, await databaseNow(db));
  }
  if (simulated < size.robots) say(simulatedMessage(size.robots, simulated));
  await writeDemoScenario(dataDir, fleet, simulated);
}

/** Stands in for the services of all channels; contact points and rules that use it exist from the start. */
export const openMailbox = openDemoMailbox;

export function simulatedRobots(options: SimulatorOptions): SimulatorChild {
  return new SimulatorChild(options);
}

/** Deletes the demo's data, and nothing else in the folder. Throws a StartError while a Suncrew runs on it. */
export async function resetDemo(dataDir: string): Promise<void> {
  await deleteEmbeddedPostgres(dataDir, databaseName("demo"));
  const own = ["demo-devices.json", "demo-scenario.json", "demo-secret-key", "demo-stops"];
  for (const file of [...own, "simulator-state.json", "simulator-control"]) {
    await rm(join(dataDir, file), { recursive: true, force: true });
  }
}
