import { z } from "zod";
import type { Executor, Tx } from "../platform/database/database.ts";
import { StartError } from "../platform/embedded/start-error.ts";
import { type FleetSize, usualFleet } from "./demo-fleet.ts";

/** Row of `installation` by which production recognises a demo's data. */
export const DEMO_MARK = "demo_data";
/** Row that keeps the size of the demo's fleet; a demo of before it existed has the usual one. */
const FLEET_MARK = "demo_fleet";
const sizeSchema = z.object({ sites: z.int(), robots: z.int() });

/** What was asked for at a start; null leaves it as it is. */
export interface AskedFleet {
  readonly sites: number | null;
  readonly robots: number | null;
}

export async function holdsDemoData(db: Executor): Promise<boolean> {
  return (
    (await db.selectFrom("installation").select("key").where("key", "=", DEMO_MARK).executeTakeFirst()) !== undefined
  );
}

/** The size that the demo's data has; null where there is none yet. */
export async function storedFleet(db: Executor): Promise<FleetSize | null> {
  if (!(await holdsDemoData(db))) return null;
  const row = await db.selectFrom("installation").select("value").where("key", "=", FLEET_MARK).executeTakeFirst();
  return row === undefined ? usualFleet : sizeSchema.parse(JSON.parse(row.value));
}

export async function storeFleet(tx: Tx, size: FleetSize): Promise<void> {
  const value = JSON.stringify(size);
  await tx
    .insertInto("installation")
    .values({ key: FLEET_MARK, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/**
 * The size to run with: what was asked for, or what is there. Throws a StartError where the data holds more, because
 * nothing that a person may have worked with is taken away.
 */
export async function chooseFleet(db: Executor, asked: AskedFleet): Promise<FleetSize> {
  const stored = await storedFleet(db);
  const { sites, robots } = stored ?? usualFleet;
  const wanted = { sites: asked.sites ?? sites, robots: asked.robots ?? robots };
  if (stored !== null && (wanted.sites < sites || wanted.robots < robots)) {
    throw new StartError(
      `The demo's data holds ${sites} sites and ${robots} robots, more than asked for: add --reset to begin anew, or leave out --sites and --robots to go on with it.`,
      2,
    );
  }
  if (stored !== null && sites < usualFleet.sites && wanted.sites > sites) {
    // Its robots would have been others.
    throw new StartError(
      `The demo's data holds ${sites} of the ${usualFleet.sites} sites that every larger demo begins with, and cannot be enlarged: add --reset to begin anew.`,
      2,
    );
  }
  return wanted;
}
