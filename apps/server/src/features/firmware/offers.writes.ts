import { OFFER_RESEND_MS } from "@suncrew/domain/firmware/after-report.ts";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { changedNow, type Db, type Executor, type Tx } from "../../platform/database/database.ts";

/** Offers firmware to robots that this transaction has locked and that wait for it. */
export async function insertOffers(
  tx: Tx,
  rolloutId: number,
  robotIds: readonly number[],
  offered: { readonly canary: boolean; readonly at: Date; readonly deadlineAt: Date },
): Promise<void> {
  if (robotIds.length === 0) return;
  const offers = robotIds.map((robotId) => ({ robot_id: robotId, offer_id: uuidv7() }));
  await sql`
    update rollout_robots e set state = 'OFFERED', canary = ${offered.canary}, offer_id = o.offer_id,
      offered_at = ${offered.at}, deadline_at = ${offered.deadlineAt}, reason = null, wait_until = null,
      from_version = coalesce(s.firmware, e.from_version), change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(offers)}::json) o (robot_id int, offer_id uuid)
    join robot_state s on s.robot_id = o.robot_id
    where e.rollout_id = ${rolloutId} and e.robot_id = o.robot_id and e.state = 'WAITING'
  `.execute(tx);
}

/** Leaves a robot that waits out of its rollout. */
export async function skipRobots(
  tx: Tx,
  rolloutId: number,
  skipped: readonly { readonly robotId: number; readonly reason: string }[],
  at: Date,
): Promise<void> {
  if (skipped.length === 0) return;
  const rows = skipped.map(({ robotId, reason }) => ({ robot_id: robotId, reason }));
  await sql`
    update rollout_robots e set state = 'SKIPPED', reason = s.reason, wait_until = null, ended_at = ${at},
      change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(rows)}::json) s (robot_id int, reason text)
    where e.rollout_id = ${rolloutId} and e.robot_id = s.robot_id and e.state = 'WAITING'
  `.execute(tx);
}

/** An offer as its robot is told of it. */
export interface OfferToSend {
  readonly offerId: string;
  readonly serial: string;
  readonly firmwareId: number;
  readonly version: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly by: string;
  readonly offeredAt: Date;
  readonly deadlineAt: Date;
  /** Its current one: an offer is sent again in a new session, until the robot answers. */
  readonly session: number;
}

/**
 * Takes offers for sending that no robot has answered and that were not sent, or some time ago; of several servers at
 * once each goes to one. One that dies after this has them sent again by another.
 */
export async function claimOffers(db: Db, now: Date): Promise<OfferToSend[]> {
  const sentBefore = new Date(now.getTime() - OFFER_RESEND_MS);
  const { rows } = await sql<OfferToSend>`
    update rollout_robots e set sent_at = ${now}
    from (
      select e.rollout_id, e.robot_id, s.session from rollout_robots e
      join robot_state s on s.robot_id = e.robot_id and s.online
      where e.state = 'OFFERED' and e.deadline_at > ${now} and (e.sent_at is null or e.sent_at <= ${sentBefore})
      order by e.offered_at, e.place
      for update of e skip locked
    ) due
    join rollouts r on r.id = due.rollout_id
    join firmware f on f.id = r.firmware_id
    where e.rollout_id = due.rollout_id and e.robot_id = due.robot_id
    returning e.offer_id as "offerId", e.serial_number as serial, f.id as "firmwareId", f.version, f.bytes, f.sha256,
      r.created_by as by, e.offered_at as "offeredAt", e.deadline_at as "deadlineAt", due.session
  `.execute(db);
  return rows;
}

/** Surely not sent: another try may follow at once. */
export async function giveBackOffer(db: Db, offerId: string): Promise<void> {
  await db
    .updateTable("rollout_robots")
    .set({ sent_at: null })
    .where("offer_id", "=", offerId)
    .where("state", "=", "OFFERED")
    .execute();
}

/** Robots whose time is over. */
export async function findOverdue(db: Db, now: Date, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("rollout_robots")
    .select("robot_id")
    .where("state", "in", ["OFFERED", "DOWNLOADING", "INSTALLING"])
    .where("deadline_at", "<=", now)
    .orderBy("robot_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.robot_id);
}

/** The offers of addresses, and the file that each is for. */
export function readOffers(db: Executor, offerIds: readonly string[]) {
  return db
    .selectFrom("rollout_robots as e")
    .innerJoin("rollouts as r", "r.id", "e.rollout_id")
    .innerJoin("firmware as f", "f.id", "r.firmware_id")
    .select(["e.offer_id as offerId", "e.serial_number as serial", "e.state", "f.id as firmwareId", "f.bytes"])
    .where("e.offer_id", "in", [...offerIds])
    .execute();
}
export type KnownOffer = Awaited<ReturnType<typeof readOffers>>[number];
