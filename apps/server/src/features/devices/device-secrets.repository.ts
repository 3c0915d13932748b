import type { Executor } from "../../platform/database/database.ts";

/** SHA-256 of a device's secret; null for one that was never provisioned or was retired. */
export async function deviceSecretSha256(db: Executor, serial: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom("devices")
    .select("secret_sha256")
    .where("serial", "=", serial)
    .where("retired_at", "is", null)
    .executeTakeFirst();
  return row?.secret_sha256 ?? null;
}

/** Whether the name is a device's, in service or retired. */
export async function isKnownDevice(db: Executor, serial: string): Promise<boolean> {
  // PostgreSQL stores no NUL character, so no device has one.
  if (serial.includes("\0")) return false;
  const row = await db.selectFrom("devices").select("serial").where("serial", "=", serial).executeTakeFirst();
  return row !== undefined;
}

/** Provisions those of the devices that are not known yet; a secret that was rotated since stays. */
export async function storeMissingDevices(
  db: Executor,
  devices: readonly { serial: string; secretSha256: Buffer }[],
): Promise<void> {
  if (devices.length === 0) return;
  await db
    .insertInto("devices")
    .values(devices.map(({ serial, secretSha256 }) => ({ serial, secret_sha256: secretSha256 })))
    .onConflict((conflict) => conflict.column("serial").doNothing())
    .execute();
}

/** Provisions devices, or gives known ones a new secret. */
export async function storeDeviceSecrets(
  db: Executor,
  devices: readonly { serial: string; secretSha256: Buffer }[],
): Promise<void> {
  if (devices.length === 0) return;
  await db
    .insertInto("devices")
    .values(devices.map(({ serial, secretSha256 }) => ({ serial, secret_sha256: secretSha256 })))
    .onConflict((conflict) =>
      conflict.column("serial").doUpdateSet((row) => ({ secret_sha256: row.ref("excluded.secret_sha256") })),
    )
    .execute();
}
