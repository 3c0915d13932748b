import { RESEND_MS } from "@suncrew/domain/commands/limits.ts";
import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import type { CommandsTable } from "../../platform/database/schema.ts";

/** A command that this server may publish now, with the robot's current session. */
export interface ClaimedCommand extends Selectable<CommandsTable> {
  readonly current_session: number;
}

/** Nothing is sent to a device that was retired, whatever was stored for it before (protocol rule 9). */
const isInService = sql<boolean>`exists (select from devices d where d.serial = c.serial_number and d.retired_at is null)`;

/** Takes one stored command for this server. Null where it is taken, settled, or too old for its verb. */
export async function claimOnce(
  db: Db,
  commandId: string,
  serverId: string,
  now: Date,
): Promise<ClaimedCommand | null> {
  const [claimed] = await claimAll(db, [commandId], serverId, now);
  return claimed ?? null;
}

/**
 * Takes stored commands for this server, in a commit of their own: they are published by nobody else (protocol rule
 * 5). Those that are taken, settled, too old for their verb or of retired devices are left
 * out.
 */
export async function claimAll(
  db: Db,
  commandIds: readonly string[],
  serverId: string,
  now: Date,
): Promise<ClaimedCommand[]> {
  const { rows } = await sql<ClaimedCommand>`
    update commands c set claimed_by = ${serverId}, claimed_at = ${now}
    from robot_state s
    where c.id = any(${[...commandIds]}::uuid[]) and s.robot_id = c.robot_id
      and c.claimed_by is null and c.settled_at is null
      and (c.verb in ('STOP', 'MAINTENANCE_ON') or c.expires_at > ${now}) and ${isInService}
    returning c.*, s.session as current_session
  `.execute(db);
  return rows;
}

/** Gives back what this server took and surely did not publish; the robots are locked by this transaction. */
export async function giveBack(tx: Tx, commandIds: readonly string[], serverId: string): Promise<void> {
  if (commandIds.length === 0) return;
  await tx
    .updateTable("commands")
    .set({ claimed_by: null, claimed_at: null })
    .where("id", "=", sql<string>`any(${[...commandIds]}::uuid[])`)
    .where("claimed_by", "=", serverId)
    .where("published_at", "is", null)
    .where("settled_at", "is", null)
    .execute();
}

/** Which pending STOPs and MAINTENANCE_ONs are to be sent again. */
export type Resend =
  /** Those never sent, and those of online robots whose last sending is `RESEND_MS` old. */
  | "due"
  /** All: the broker is back, or the server has just started. */
  | "all"
  /** Those of robots that have just returned. */
  | readonly number[];

/** Takes pending STOPs and MAINTENANCE_ONs for sending (again); of several servers at once each row goes to one. */
export async function claimPending(db: Db, which: Resend, serverId: string, now: Date): Promise<ClaimedCommand[]> {
  const sentBefore = new Date(now.getTime() - RESEND_MS);
  // By a clock that was set back since.
  const inFuture = new Date(now.getTime() + RESEND_MS);
  const chosen =
    which === "all"
      ? sql`true`
      : which === "due"
        ? sql`(c.claimed_at is null or (s.online and (c.claimed_at <= ${sentBefore} or c.claimed_at > ${inFuture})))`
        : sql`c.robot_id = any(${[...which]}::int[])`;
  const { rows } = await sql<ClaimedCommand>`
    update commands c set claimed_by = ${serverId}, claimed_at = ${now}
    from (
      select c.id, s.session from commands c
      join robot_state s on s.robot_id = c.robot_id
      join robots r on r.id = c.robot_id and r.deleted_at is null
      where c.settled_at is null and c.verb in ('STOP', 'MAINTENANCE_ON') and ${chosen}
        and ${isInService}
      order by c.seq
      for update of c skip locked
    ) pending
    where c.id = pending.id
    returning c.*, pending.session as current_session
  `.execute(db);
  return rows.toSorted((a, b) => a.seq - b.seq);
}

export async function markPublished(db: Db, commandIds: string | readonly string[], now: Date): Promise<void> {
  await db
    .updateTable("commands")
    .set((eb) => ({ published_at: eb.fn.coalesce("published_at", eb.val(now)) }))
    .where("id", "in", typeof commandIds === "string" ? [commandIds] : [...commandIds])
    .execute();
}
