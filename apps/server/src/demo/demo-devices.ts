import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writePrivateFile } from "../platform/embedded/files.ts";
import type { DemoFleet } from "./demo-fleet.ts";

const devicesSchema = z.object({ devices: z.array(z.object({ serial: z.string(), secret: z.string().min(20) })) });
export interface DemoDevice {
  readonly serial: string;
  readonly secret: string;
  /** Made now: the database has another secret of it, or none. */
  readonly isNew?: true;
}

export const demoDevicesFile = (dataDir: string): string => join(dataDir, "demo-devices.json");
export const demoScenarioFile = (dataDir: string): string => join(dataDir, "demo-scenario.json");

/**
 * The simulated devices with their secrets, which nobody but the simulator keeps in clear. A lost, damaged or
 * incomplete file gives new secrets, which the caller stores in the database; a secret that was rotated since stays.
 */
export async function readOrMakeDemoDevices(dataDir: string, { serials }: DemoFleet): Promise<DemoDevice[]> {
  const path = demoDevicesFile(dataDir);
  const known = new Map((await readDevices(path)).map((device) => [device.serial, device]));
  const devices = serials.map((serial) => known.get(serial) ?? newDevice(serial));
  if (devices.some(({ serial }) => !known.has(serial)))
    await writePrivateFile(path, `${JSON.stringify({ devices: devices.map(plain) }, null, 1)}\n`);
  return devices;
}

const newDevice = (serial: string): DemoDevice => ({ serial, secret: randomBytes(32).toString("hex"), isNew: true });
const plain = ({ serial, secret }: DemoDevice) => ({ serial, secret });

async function readDevices(path: string): Promise<DemoDevice[]> {
  try {
    return devicesSchema.parse(JSON.parse(await readFile(path, "utf8"))).devices;
  } catch {
    return [];
  }
}

/**
 * Says how the simulated robots begin. Devices that no robot has yet, and robots after the first `simulated`, stay away
 * until somebody calls them in.
 */
export async function writeDemoScenario(dataDir: string, fleet: DemoFleet, simulated: number): Promise<void> {
  const bySerial = new Map(fleet.robots.map((robot, index) => [robot.serial, { ...robot, index }]));
  const robots = Object.fromEntries(
    fleet.serials.map((serial) => {
      const robot = bySerial.get(serial);
      if (robot === undefined) return [serial, { faults: ["away"] }];
      const { battery, firmware, mode, index } = robot;
      const fault = index < simulated ? robot.fault : "away";
      return [serial, { condition: { battery, firmware, mode }, faults: fault === undefined ? [] : [fault] }];
    }),
  );
  await writePrivateFile(demoScenarioFile(dataDir), `${JSON.stringify({ robots }, null, 1)}\n`);
}
