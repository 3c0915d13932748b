import { type Insertable, sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

/** Files without their content. */
function selectFirmware(db: Executor) {
  return db
    .selectFrom("firmware")
    .select(["id", "version", "file_name", "bytes", "sha256", "created_at", "created_by"])
    .where("deleted_at", "is", null);
}
type StoredFirmware = Awaited<ReturnType<ReturnType<typeof selectFirmware>["executeTakeFirstOrThrow"]>>;

/** The newest first. */
export function readFirmware(db: Executor): Promise<StoredFirmware[]> {
  return selectFirmware(db).orderBy("created_at", "desc").orderBy("id", "desc").execute();
}

export async function findVersion(db: Executor, version: string): Promise<StoredFirmware | null> {
  return (await selectFirmware(db).where("version", "=", version).executeTakeFirst()) ?? null;
}

/** Keeps firmware from being deleted until this transaction ends; `forDelete` waits for transactions that keep it. */
export async function lockFirmware(tx: Tx, firmwareId: number, forDelete = false): Promise<StoredFirmware | null> {
  const found = selectFirmware(tx).where("id", "=", firmwareId);
  return (await (forDelete ? found.forUpdate() : found.forShare()).executeTakeFirst()) ?? null;
}

export async function insertFirmware(tx: Tx, file: Insertable<Tables["firmware"]>): Promise<number> {
  const { id } = await tx.insertInto("firmware").values(file).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** Deletes the content; past rollouts still name the version. */
export async function markFirmwareDeleted(tx: Tx, firmwareId: number, at: Date): Promise<void> {
  await tx.updateTable("firmware").set({ content: null, deleted_at: at }).where("id", "=", firmwareId).execute();
}

/** Files uploaded before that instant which no rollout has used since; never the newest file. */
export async function findUnusedFirmware(db: Executor, before: Date): Promise<number[]> {
  const rows = await db
    .selectFrom("firmware as f")
    .select("f.id")
    .where("f.deleted_at", "is", null)
    .where("f.created_at", "<", before)
    .where(
      sql<boolean>`exists (select from firmware newer
        where newer.deleted_at is null and (newer.created_at, newer.id) > (f.created_at, f.id))`,
    )
    .where(
      sql<boolean>`not exists (select from rollouts r
        where r.firmware_id = f.id and (r.ended_at is null or r.ended_at >= ${before}))`,
    )
    .orderBy("f.id")
    .execute();
  return rows.map(({ id }) => id);
}

/** A rollout may still offer it, or a robot still download it. */
export async function isInOpenRollout(tx: Tx, firmwareId: number): Promise<boolean> {
  const needed = await tx
    .selectFrom("rollouts")
    .select("id")
    .where("firmware_id", "=", firmwareId)
    .where("ended_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return needed !== undefined;
}

/** A part of the content; null if it was deleted. */
export async function readChunk(
  db: Executor,
  firmwareId: number,
  from: number,
  length: number,
): Promise<Buffer | null> {
  const { rows } = await sql<{ chunk: Buffer | null }>`
    select substring(content from ${from + 1}::int for ${length}::int) as chunk from firmware where id = ${firmwareId}
  `.execute(db);
  return rows[0]?.chunk ?? null;
}
