import { sql } from "kysely";
import { changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { AuditActor } from "../audit/public.ts";
import { lockLivePartner } from "../partners/public.ts";
import { readStillMoving } from "../commands/public.ts";
import type { SeenAt } from "../sites/public.ts";

/** Which of the serial numbers exist, as stored; `scr-1013` equals SCR-1013. */
export async function readTakenSerials(db: Executor, serials: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("devices")
    .select("serial")
    .where(sql<string>`lower(serial)`, "=", sql<string>`any(${serials.map((serial) => serial.toLowerCase())}::text[])`)
    .orderBy("serial")
    .execute();
  return rows.map(({ serial }) => serial);
}

/** Serializes provisioning: no index rejects serial numbers that differ only in case. */
export async function lockProvisioning(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('provision devices'))`.execute(tx);
}

interface DeviceHash {
  readonly serial: string;
  readonly secretSha256: Buffer;
}

/** Returns how many devices were stored: fewer if a concurrent transaction has stored one of them. */
export async function insertDevices(
  tx: Tx,
  devices: readonly DeviceHash[],
  partnerId: number,
  now: Date,
): Promise<number> {
  const made = { created_at: now, secret_at: now, partner_id: partnerId };
  const rows = await tx
    .insertInto("devices")
    .values(devices.map(({ serial, secretSha256 }) => ({ serial, secret_sha256: secretSha256, ...made })))
    .onConflict((conflict) => conflict.column("serial").doNothing())
    .returning("serial")
    .execute();
  return rows.length;
}

/** Locks the device, so that its changes reach the broker in order; null if it does not exist. */
export async function lockDevice(tx: Tx, serial: string) {
  const row = await tx
    .selectFrom("devices")
    .select(["serial", "retired_at"])
    .where("serial", "=", serial)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Marks, before a new secret is sent to the broker, that the broker may have a secret nobody has seen. Returns whether
 * the device was already marked.
 */
export async function markSecretUnsure(tx: Tx, serial: string, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom("devices")
    .select("secret_unsure_at")
    .where("serial", "=", serial)
    .executeTakeFirstOrThrow();
  await tx.updateTable("devices").set({ secret_unsure_at: now }).where("serial", "=", serial).execute();
  return row.secret_unsure_at !== null;
}

/** For when the broker has changed nothing. */
export async function clearSecretUnsure(db: Executor, serial: string): Promise<void> {
  await db.updateTable("devices").set({ secret_unsure_at: null }).where("serial", "=", serial).execute();
}

/** A later change at the broker has undone the retirement there, so it is sent again. */
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

/** The robot that uses the device; null if the device is free. */
export async function readRobotIdOf(tx: Tx, serial: string): Promise<number | null> {
  const row = await tx
    .selectFrom("robots")
    .select("id")
    .where("serial_number", "=", serial)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** A robot whose device was cut off is offline from now on; its messages are no longer stored. */
export async function showCutOff(tx: Tx, robotId: number, now: Date): Promise<void> {
  await tx
    .updateTable("robot_state")
    .set({ online: false, robot_status: "offline", connection: "OFFLINE", connection_at: now, change_no: changedNow })
    .where("robot_id", "=", robotId)
    .execute();
}

/**
 * Ends the maintenance lock of a robot whose device was cut off: it could never confirm a release, so the robot could
 * not get another machine. The machine itself stays locked, and is never commanded again.
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

/** A change that is sent to the broker after the commit, and retried until the broker accepts it. */
type Pending = "SECRET" | "RETIRE";

const pendingNow = (pending: Pending, now: Date) => ({
  broker_pending: pending,
  broker_pending_at: now,
  broker_refusals: 0,
});

export interface PendingDevice {
  readonly serial: string;
  readonly pending: Pending;
}

/**
 * Claims for this server, until its next attempt, the pending change that has waited longest; null if none is due. Each
 * is due after `retryMs`, doubled with every refusal by the broker up to `maxRetryMs`.
 */
export async function takePending(
  db: Executor,
  { now, retryMs, maxRetryMs }: { readonly now: Date; readonly retryMs: number; readonly maxRetryMs: number },
): Promise<PendingDevice | null> {
  const waitMs = sql`least(${retryMs}::float8 * power(2, broker_refusals), ${maxRetryMs}::float8)`;
  const { rows } = await sql<PendingDevice>`
    update devices d set broker_pending_at = ${now}
    from (
      select serial from devices
      where broker_pending is not null and broker_pending_at + ${waitMs} * interval '1 millisecond' <= ${now}
      order by broker_pending_at limit 1 for no key update skip locked
    ) due
    where d.serial = due.serial
    returning d.serial, d.broker_pending as pending`.execute(db);
  return rows[0] ?? null;
}

/** Lengthens the wait before the next attempt. */
export async function countRefusal(db: Executor, { serial, pending }: PendingDevice): Promise<void> {
  await db
    .updateTable("devices")
    .set({ broker_refusals: sql<number>`least(broker_refusals + 1, 30)` })
    .where("serial", "=", serial)
    .where("broker_pending", "=", pending)
    .execute();
}

/** The broker has accepted the change; a newer one stays pending. */
export async function clearPending(db: Executor, serial: string, pending: Pending): Promise<void> {
  await db
    .updateTable("devices")
    .set({ broker_pending: null, broker_pending_at: null, broker_refusals: 0 })
    .where("serial", "=", serial)
    .where("broker_pending", "=", pending)
    .execute();
}

/** Locks devices against assignment to a robot or another partner; nonexistent ones are absent from the result. */
export async function lockDevices(tx: Tx, serials: readonly string[]) {
  const these = sql<string>`any(${[...serials]}::text[])`;
  await tx
    .selectFrom("devices")
    .select("serial")
    .where("serial", "=", these)
    .orderBy("serial")
    .forNoKeyUpdate()
    .execute();
  // Read after locking: a query that waited for the locks would miss robots added in the meantime.
  return tx
    .selectFrom("devices as d")
    .innerJoin("partners as p", "p.id", "d.partner_id")
    .leftJoin("robots as r", (join) => join.onRef("r.serial_number", "=", "d.serial").on("r.deleted_at", "is", null))
    .select(["d.serial", "d.retired_at", "d.partner_id", "p.name as partner_name"])
    .select(
      sql<boolean>`r.id is not null or exists (select from site_sensors s where s.serial = d.serial)`.as("is_assigned"),
    )
    .where("d.serial", "=", these)
    .orderBy("d.serial")
    .execute();
}

/** An explicit allocation makes the site where they were last used irrelevant. */
export async function storeAllocated(tx: Tx, serials: readonly string[], partnerId: number): Promise<void> {
  await tx
    .updateTable("devices")
    .set({ partner_id: partnerId, last_site_id: null })
    .where("serial", "=", sql<string>`any(${[...serials]}::text[])`)
    .execute();
}

/** SHA-256 of a device's secret; null if it was never provisioned, or is retired. */
export async function deviceSecretSha256(db: Executor, serial: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom("devices")
    .select("secret_sha256")
    .where("serial", "=", serial)
    .where("retired_at", "is", null)
    .executeTakeFirst();
  return row?.secret_sha256 ?? null;
}

/** Whether a device, in service or retired, has this name. */
export async function isKnownDevice(db: Executor, serial: string): Promise<boolean> {
  // PostgreSQL stores no NUL character, so no device has one.
  if (serial.includes("\0")) return false;
  const row = await db.selectFrom("devices").select("serial").where("serial", "=", serial).executeTakeFirst();
  return row !== undefined;
}

/** Provisions devices. Existing ones keep their secrets, which may have been rotated, or get these. */
export async function storeDeviceSecrets(
  db: Executor,
  devices: readonly DeviceHash[],
  existing: "keep" | "replace",
): Promise<void> {
  if (devices.length === 0) return;
  await db
    .insertInto("devices")
    .values(devices.map(({ serial, secretSha256 }) => ({ serial, secret_sha256: secretSha256 })))
    .onConflict((conflict) => {
      const same = conflict.column("serial");
      if (existing === "keep") return same.doNothing();
      return same.doUpdateSet((row) => ({ secret_sha256: row.ref("excluded.secret_sha256") }));
    })
    .execute();
}

/** The robot that uses the device, with why it may be moving and what to do; null if it cannot be moving. */
export async function readMovingRobot(db: Executor, serial: string, seen: SeenAt) {
  const robot = await db
    .selectFrom("robots as r")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .select(["r.id", "r.site_id", "s.online"])
    .where("r.serial_number", "=", serial)
    .where("r.deleted_at", "is", null)
    .executeTakeFirst();
  if (robot === undefined) return null;
  const [moving] = await readStillMoving(db, [robot.id], seen);
  return moving === undefined ? null : { ...robot, message: moving.message };
}

/** Keeps the partner from being deleted before the transaction ends; returns its name. Throws 404. */
export async function lockPartner(tx: Tx, partnerId: number): Promise<string> {
  const partner = await lockLivePartner(tx, partnerId);
  if (partner === null) throw notFound("Partner");
  return partner.name;
}
