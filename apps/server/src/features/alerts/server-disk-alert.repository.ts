import { diskLevel, type DiskSpace, sizeText } from "@suncrew/domain/alerts/disk-space.ts";
import { DATABASE_DISK, diskAlert, type ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { sql } from "kysely";
import type { Db, Executor } from "../../platform/database/database.ts";
import { inTransaction, setLockTimeout } from "../../platform/database/transactions.ts";
import { bringServerAlert, isCurrentAlert, openServerAlert } from "./server-conditions.repository.ts";

const DISKS = "DISK_NEARLY_FULL" satisfies ServerAlertCode;
/** Only this update waits for it. */
const DISKS_LOCK = 7_305_015;
const LOCK_WAIT_MS = 1_000;
/** Of what a server said last: then it is dead, or its disk cannot be measured any more. */
const VALID_MINUTES = 5;

export interface MeasuredDisk extends DiskSpace {
  readonly folder: string;
}

/** What the database itself takes on a disk of this size. */
export async function measureDatabase(db: Executor, totalBytes: number): Promise<MeasuredDisk> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return { folder: DATABASE_DISK, totalBytes, freeBytes: Math.max(0, totalBytes - (rows[0]?.bytes ?? 0)) };
}

/** Stores what a server measured, and brings the one alert about all servers' disks into line with it. */
export async function updateDiskAlert(
  db: Db,
  server: { readonly id: string; readonly name: string },
  disks: readonly MeasuredDisk[],
  now: Date,
): Promise<void> {
  for (const disk of disks) await storeDisk(db, server, disk);
  if (isCurrent(await readDisks(db))) return;
  await inTransaction(db, async (tx) => {
    await setLockTimeout(tx, LOCK_WAIT_MS);
    await sql`select pg_advisory_xact_lock(${DISKS_LOCK})`.execute(tx);
    await sql`delete from server_disks where seen_at < clock_timestamp() - ${VALID_MINUTES} * interval '1 minute'`.execute(
      tx,
    );
    const records = await readDisks(tx);
    if (isCurrent(records)) return;
    await bringServerAlert(tx, records.expected, DISKS, now);
  });
}

async function storeDisk(
  db: Db,
  { id, name }: { readonly id: string; readonly name: string },
  disk: MeasuredDisk,
): Promise<void> {
  const { folder, totalBytes, freeBytes } = disk;
  // By its name, so that a restart forgets nothing.
  const former = await db
    .selectFrom("server_disks")
    .select("level")
    .where("folder", "=", folder)
    .where("name", "=", name)
    .orderBy("seen_at", "desc")
    .limit(1)
    .executeTakeFirst();
  const level = diskLevel(disk, former?.level ?? "ENOUGH");
  const said = { name, total_bytes: totalBytes, free_bytes: freeBytes, level, seen_at: sql<Date>`clock_timestamp()` };
  await db
    .insertInto("server_disks")
    .values({ server_id: id, folder, ...said })
    .onConflict((conflict) => conflict.columns(["server_id", "folder"]).doUpdateSet(said))
    .execute();
}

/** The database's disk is the same for all servers. */
const nameOfDisk = sql`case folder when ${sql.lit(DATABASE_DISK)} then '' else name end`;

/** What the alert should be, and the one that is open. */
async function readDisks(db: Executor) {
  const { rows } = await sql<{
    name: string;
    folder: string;
    total_bytes: number;
    free_bytes: number;
    level: "ENOUGH" | "LITTLE" | "NEARLY_NONE";
  }>`
    select distinct on (${nameOfDisk}, folder)
      name, folder, total_bytes, free_bytes, level
    from server_disks where seen_at >= clock_timestamp() - ${VALID_MINUTES} * interval '1 minute'
    order by ${nameOfDisk}, folder, seen_at desc`.execute(db);
  const full = rows
    .filter(({ level }) => level !== "ENOUGH")
    .map(({ name: server, folder, total_bytes, free_bytes, level }) => ({
      server: folder === DATABASE_DISK ? "" : server,
      folder,
      level,
      percent: Math.floor((100 * free_bytes) / total_bytes),
      free: sizeText(free_bytes),
    }));
  return { expected: full.length === 0 ? null : diskAlert(full), alert: await openServerAlert(db, DISKS) };
}

const isCurrent = ({ expected, alert }: Awaited<ReturnType<typeof readDisks>>) => isCurrentAlert(expected, alert);
