import { createHash } from "node:crypto";
import { DownloadUrlSigner } from "../src/features/firmware/download-url.ts";
import type { Db } from "../src/platform/database/database.ts";
import type { Fixtures } from "./fixtures.ts";

/** Ids that `seedFirmware` inserts: unused firmware, other firmware with a rollout, and an offer of it. */
export const seededFirmware = {
  firmwareId: 910_001,
  deployedId: 910_002,
  rolloutId: 910_003,
  offerId: "01980a6e-5f00-7000-8000-0000000f1f1f",
  expires: 4_102_444_800,
} as const;

/** The signature of the seeded offer's URL at a server with this key. */
export function seededOfferSignature(secretKey: string): string {
  const { offerId, deployedId: firmwareId, expires } = seededFirmware;
  return new DownloadUrlSigner(secretKey).sign({ offerId, serial: "OWN-2", firmwareId, expires });
}

/** Leaves in the database only unused firmware, and a rollout of other firmware to the owner's second robot. */
export async function seedFirmware(db: Db, { ownRobot2 }: Fixtures): Promise<void> {
  const at = new Date("2026-01-31T01:00:00Z");
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom("rollout_robots").execute();
    await tx.deleteFrom("rollouts").execute();
    await tx.deleteFrom("firmware").execute();
    for (const [id, version] of [
      [seededFirmware.firmwareId, "9.0.0"],
      [seededFirmware.deployedId, "9.1.0"],
    ] as const) {
      const content = Buffer.from(`firmware ${version}`);
      const sha256 = createHash("sha256").update(content).digest();
      const file = { id, version, file_name: "robot.bin", bytes: content.length, sha256, content };
      await tx
        .insertInto("firmware")
        .values({ ...file, created_by: "Anita Rao", created_by_user_id: null, created_at: at })
        .execute();
    }
    await tx
      .insertInto("rollouts")
      .values({
        id: seededFirmware.rolloutId,
        firmware_id: seededFirmware.deployedId,
        state: "RUNNING",
        batch_size: 10,
        failure_threshold_percent: 20,
        deadline_minutes: 15,
        created_by: "Anita Rao",
        created_by_user_id: null,
        created_at: at,
      })
      .execute();
    await tx
      .insertInto("rollout_robots")
      .values({
        rollout_id: seededFirmware.rolloutId,
        robot_id: ownRobot2.id,
        place: 0,
        site_id: ownRobot2.siteId,
        site_name: "Ownfield Park",
        robot_name: ownRobot2.serial,
        serial_number: ownRobot2.serial,
        state: "OFFERED",
        canary: true,
        from_version: "1.0.0",
        offer_id: seededFirmware.offerId,
        offered_at: at,
        sent_at: at,
        deadline_at: new Date(seededFirmware.expires * 1000),
      })
      .execute();
  });
}
