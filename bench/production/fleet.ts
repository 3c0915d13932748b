import { randomBytes } from "node:crypto";
import { hashDeviceSecret, storeDeviceSecrets } from "../../apps/server/src/features/devices/public.ts";
import type { Db } from "../../apps/server/src/platform/database/database.ts";
import { createFleet, type Fleet } from "@suncrew/simulator/fleet/fleet.ts";
import type { Device } from "@suncrew/simulator/fleet/link.ts";
import type { RobotTruth } from "@suncrew/simulator/fleet/truth.ts";

export const TIMEZONE = "Asia/Kolkata";

export interface KnownRobot {
  readonly id: number;
  readonly serial: string;
  readonly siteId: number;
}

/** New devices with secrets as long as the protocol requires. */
export function makeDevices(prefix: string, count: number): Device[] {
  return Array.from({ length: count }, (_, index) => ({
    serial: `${prefix}-${String(index + 1).padStart(3, "0")}`,
    secret: randomBytes(32).toString("base64url"),
  }));
}

/** A site in India with a robot for each device, stored as in a real installation. */
export async function storeRobots(db: Db, siteName: string, devices: readonly Device[]): Promise<KnownRobot[]> {
  await storeDeviceSecrets(
    db,
    devices.map(({ serial, secret }) => ({ serial, secretSha256: hashDeviceSecret(secret) })),
    "replace",
  );
  const { id: siteId } = await db
    .insertInto("sites")
    .values({
      name: siteName,
      address: `${siteName} Road 1`,
      district: "Jodhpur",
      state: "Rajasthan",
      pin_code: "342301",
      commissioning_date: "2023-03-31",
      latitude: 27.53,
      longitude: 71.91,
      timezone: TIMEZONE,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const rows = devices.map(({ serial }) => ({
    site_id: siteId,
    robot_name: `Robot ${serial}`,
    serial_number: serial,
    installation_date: "2024-02-29",
  }));
  return db
    .insertInto("robots")
    .values(rows)
    .returning(["id", "serial_number as serial", "site_id as siteId"])
    .execute();
}

/** One time that a robot moved, as it physically was, by this machine's clock in Unix milliseconds. */
export interface Motion {
  readonly serial: string;
  readonly runId: string | null;
  readonly fromMs: number;
  untilMs: number | null;
}

/** Simulated robots, and a record of when each moved. */
export class RecordedFleet {
  readonly fleet: Fleet;
  readonly motions: Motion[] = [];
  readonly #moving = new Map<string, Motion>();

  constructor(mqttUrl: string, devices: readonly Device[]) {
    const initial = Object.fromEntries(devices.map(({ serial }) => [serial, { condition: { battery: 95 } }]));
    this.fleet = createFleet({ mqttUrl, devices, initial });
    for (const { serial } of devices) {
      // Asked after every change; it never settles.
      void this.fleet.robot(serial).until((truth) => {
        this.#note(truth);
        return false;
      });
    }
  }

  /** Resolves when all are connected. */
  async start(): Promise<void> {
    this.fleet.start();
    await this.fleet.untilConnected();
  }

  truth(serial: string): RobotTruth {
    return this.fleet.robot(serial).truth();
  }

  stop(): Promise<void> {
    return this.fleet.stop();
  }

  #note({ serial, motion, runId }: RobotTruth): void {
    const nowMs = Date.now();
    const before = this.#moving.get(serial);
    if (before !== undefined && (motion === "STOPPED" || before.runId !== runId)) {
      before.untilMs = nowMs;
      this.#moving.delete(serial);
    }
    if (motion === "STOPPED" || this.#moving.has(serial)) return;
    const begun: Motion = { serial, runId, fromMs: nowMs, untilMs: null };
    this.#moving.set(serial, begun);
    this.motions.push(begun);
  }
}
