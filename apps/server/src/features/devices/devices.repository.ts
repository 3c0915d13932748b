import { sql } from "kysely";
import { changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import type { AuditActor } from "../audit/public.ts";
import { readStillMoving } from "../commands/public.ts";
import type { SeenAt } from "../sites/public.ts";

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

interface LockedDevice {
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

/** What the broker is told after the commit; it is told again until it has taken it. */
type Pending = "SECRET" | "RETIRE";

/** The columns of a change that the broker is to be told from now on. */
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
 * Of the devices with a change that the broker was not told, the one that has waited the longest, taken by this server
 * until the next try; null where none is due. Each is due after `againMs`, and the more often the broker has refused it
 * the later, up to `againAtMostMs`.
 */
export async function takePending(
  db: Executor,
  { now, againMs, againAtMostMs }: { readonly now: Date; readonly againMs: number; readonly againAtMostMs: number },
): Promise<PendingDevice | null> {
  const waitMs = sql`least(${againMs}::float8 * power(2, broker_refusals), ${againAtMostMs}::float8)`;
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

/** The broker has not taken it: it is told again later than the last time. */
export async function countRefusal(db: Executor, { serial, pending }: PendingDevice): Promise<void> {
  await db
    .updateTable("devices")
    .set({ broker_refusals: sql<number>`least(broker_refusals + 1, 30)` })
    .where("serial", "=", serial)
    .where("broker_pending", "=", pending)
    .execute();
}

/** The broker has taken it; what has changed meanwhile stays pending. */
export async function clearPending(db: Executor, serial: string, pending: Pending): Promise<void> {
  await db
    .updateTable("devices")
    .set({ broker_pending: null, broker_pending_at: null, broker_refusals: 0 })
    .where("serial", "=", serial)
    .where("broker_pending", "=", pending)
    .execute();
}

interface AllocatedDevice {
  readonly serial: string;
  readonly retired_at: Date | null;
  readonly partner_id: number;
  readonly partner_name: string;
  readonly is_assigned: boolean;
}

/** Locks devices against being given to a robot or to another partner meanwhile; those that are not there are absent. */
export async function lockAllocated(tx: Tx, serials: readonly string[]): Promise<AllocatedDevice[]> {
  const these = sql<string>`any(${[...serials]}::text[])`;
  await tx
    .selectFrom("devices")
    .select("serial")
    .where("serial", "=", these)
    .orderBy("serial")
    .forNoKeyUpdate()
    .execute();
  // Once they are held: a query that waited for them has not seen the robots that came meanwhile.
  return tx
    .selectFrom("devices as d")
    .innerJoin("partners as p", "p.id", "d.partner_id")
    .leftJoin("robots as r", (join) => join.onRef("r.serial_number", "=", "d.serial").on("r.deleted_at", "is", null))
    .select(["d.serial", "d.retired_at", "d.partner_id", "p.name as partner_name"])
    .select(sql<boolean>`r.id is not null`.as("is_assigned"))
    .where("d.serial", "=", these)
    .orderBy("d.serial")
    .execute();
}

/** Whoever allocates them knows where they are: what becomes of the site that they were at last concerns them no more. */
export async function storeAllocated(tx: Tx, serials: readonly string[], partnerId: number): Promise<void> {
  await tx
    .updateTable("devices")
    .set({ partner_id: partnerId, last_site_id: null })
    .where("serial", "=", sql<string>`any(${[...serials]}::text[])`)
    .execute();
}

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

interface MovingRobot {
  readonly id: number;
  readonly site_id: number;
  readonly online: boolean;
  /** Why it may move, and what to do. */
  readonly sentence: string;
}

/** The robot that has the device and may move; null where there is none. */
export async function readMovingRobot(db: Executor, serial: string, seen: SeenAt): Promise<MovingRobot | null> {
  const robot = await db
    .selectFrom("robots as r")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .select(["r.id", "r.site_id", "s.online"])
    .where("r.serial_number", "=", serial)
    .where("r.deleted_at", "is", null)
    .executeTakeFirst();
  if (robot === undefined) return null;
  const [moving] = await readStillMoving(db, [robot.id], seen);
  return moving === undefined ? null : { ...robot, sentence: moving.sentence };
}
