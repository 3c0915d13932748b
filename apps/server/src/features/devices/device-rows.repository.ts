import { sql } from "kysely";
import { changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import type { AuditActor } from "../audit/public.ts";
import { pendingNow } from "./pending-devices.repository.ts";

/** Those that are there already, as they are written there; `scr-1013` is SCR-1013 again, as people read it. */
export async function readTaken(db: Executor, serials: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("devices")
    .select("serial")
    .where(sql<string>`lower(serial)`, "=", sql<string>`any(${serials.map((serial) => serial.toLowerCase())}::text[])`)
    .orderBy("serial")
    .execute();
  return rows.map(({ serial }) => serial);
}

/** Until the end of the transaction nobody else provisions: no index refuses serial numbers that differ by case alone. */
export async function holdProvisioning(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('provision devices'))`.execute(tx);
}

/** Stores new devices; answers how many, fewer where another transaction has stored one of them meanwhile. */
export async function insertDevices(
  tx: Tx,
  devices: readonly { readonly serial: string; readonly secretSha256: Buffer }[],
  partnerId: number,
  now: Date,
): Promise<number> {
  const rows = await tx
    .insertInto("devices")
    .values(
      devices.map(({ serial, secretSha256 }) => ({
        serial,
        secret_sha256: secretSha256,
        created_at: now,
        secret_at: now,
        partner_id: partnerId,
      })),
    )
    .onConflict((conflict) => conflict.column("serial").doNothing())
    .returning("serial")
    .execute();
  return rows.length;
}

export interface LockedDevice {
  readonly serial: string;
  readonly retired_at: Date | null;
}

/** Locks the device, so that one change of it is told to the broker after the other; null where there is none. */
export async function lockDevice(tx: Tx, serial: string): Promise<LockedDevice | null> {
  const row = await tx
    .selectFrom("devices")
    .select(["serial", "retired_at"])
    .where("serial", "=", serial)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Marks, before the broker is told a new secret, that it may have one that nobody was told; answers whether the mark was
 * there already.
 */
export async function markUnsure(tx: Tx, serial: string, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom("devices")
    .select("secret_unsure_at")
    .where("serial", "=", serial)
    .executeTakeFirstOrThrow();
  await tx.updateTable("devices").set({ secret_unsure_at: now }).where("serial", "=", serial).execute();
  return row.secret_unsure_at !== null;
}

/** The broker has not changed anything. */
export async function clearUnsure(tx: Tx, serial: string): Promise<void> {
  await tx.updateTable("devices").set({ secret_unsure_at: null }).where("serial", "=", serial).execute();
}

/** The broker was told of a retired device what ends its retirement there: it is told of that again. */
export async function retireAgain(tx: Tx, serial: string, now: Date): Promise<void> {
  await tx.updateTable("devices").set(pendingNow("RETIRE", now)).where("serial", "=", serial).execute();
}

export async function storeNewSecret(tx: Tx, serial: string, secretSha256: Buffer, now: Date): Promise<void> {
  await tx
    .updateTable("devices")
    .set({ secret_sha256: secretSha256, secret_at: now, secret_unsure_at: null, ...pendingNow("SECRET", now) })
    .where("serial", "=", serial)
    .execute();
}

export async function storeRetired(tx: Tx, serial: string, now: Date): Promise<void> {
  await tx
    .updateTable("devices")
    .set({ retired_at: now, secret_unsure_at: null, ...pendingNow("RETIRE", now) })
    .where("serial", "=", serial)
    .execute();
}

/** The robot that has the device; null where it is free. */
export async function readRobotIdOf(tx: Tx, serial: string): Promise<number | null> {
  const row = await tx
    .selectFrom("robots")
    .select("id")
    .where("serial_number", "=", serial)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** A robot whose device was cut off is offline from now on; nothing it says is stored any more. */
export async function showCutOff(tx: Tx, robotId: number, now: Date): Promise<void> {
  await tx
    .updateTable("robot_state")
    .set({
      online: false,
      robot_status: "offline",
      connection: "OFFLINE",
      connection_at: now,
      change_no: changedNow,
    })
    .where("robot_id", "=", robotId)
    .execute();
}

/**
 * Ends the maintenance lock of a robot whose device was cut off: it could never confirm a release, and the robot could
 * not be given another machine. The machine itself keeps its lock, and is never commanded again.
 */
export async function endLockOfRetired(tx: Tx, robotId: number, by: AuditActor, now: Date): Promise<void> {
  const lock = await tx
    .updateTable("maintenance_locks")
    .set({ released_at: now, released_by: by.name, released_by_user_id: by.userId })
    .where("robot_id", "=", robotId)
    .where("released_at", "is", null)
    .returning("former_mode")
    .executeTakeFirst();
  await tx
    .updateTable("robots")
    .set({ operating_mode: lock?.former_mode ?? "auto" })
    .where("id", "=", robotId)
    .where("operating_mode", "=", "maintenance")
    .execute();
}
