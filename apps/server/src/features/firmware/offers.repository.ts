import { OFFER_RESEND_MS } from "@suncrew/domain/firmware/after-report.ts";
import type { OfferCandidate } from "@suncrew/domain/firmware/offer-refusal.ts";
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
  skipped: readonly { readonly robotId: number; readonly reason: string; readonly gaveUp: boolean }[],
  at: Date,
): Promise<void> {
  if (skipped.length === 0) return;
  const rows = skipped.map(({ robotId, reason, gaveUp }) => ({ robot_id: robotId, reason, gave_up: gaveUp }));
  await sql`
    update rollout_robots e set state = 'SKIPPED', reason = s.reason, gave_up = s.gave_up, wait_until = null,
      ended_at = ${at}, change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(rows)}::json) s (robot_id int, reason text, gave_up boolean)
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
  /** When it was sent before. */
  readonly sentAt: Date | null;
}

/** Robots that have not answered their offer, which was not sent yet, or some time ago, and whose rollout goes on. */
export async function findUnanswered(db: Executor, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ robot_id: number }>`
    select e.robot_id from rollout_robots e
    join rollouts r on r.id = e.rollout_id and r.state = 'RUNNING'
    join robot_state s on s.robot_id = e.robot_id
    where e.state = 'OFFERED' and e.deadline_at > ${now}
      and (e.sent_at is null or (s.online and e.sent_at <= ${sentBefore(now)}))
    order by e.offered_at, e.place limit ${limit}
  `.execute(db);
  return rows.map((row) => row.robot_id);
}

const sentBefore = (now: Date) => new Date(now.getTime() - OFFER_RESEND_MS);

/**
 * Takes the offers of robots for sending, which this transaction has locked; of several servers at once each goes to
 * one. One that dies after this has them sent again by another.
 */
export async function claimOffers(tx: Tx, robotIds: readonly number[], now: Date): Promise<OfferToSend[]> {
  if (robotIds.length === 0) return [];
  const { rows } = await sql<OfferToSend>`
    update rollout_robots e set sent_at = ${now}
    from (
      select e.rollout_id, e.robot_id, s.session, e.sent_at from rollout_robots e
      join robot_state s on s.robot_id = e.robot_id
      where e.state = 'OFFERED' and e.robot_id = any(${[...robotIds]}::int[]) and e.deadline_at > ${now}
        and (e.sent_at is null or e.sent_at <= ${sentBefore(now)})
    ) due
    join rollouts r on r.id = due.rollout_id
    join firmware f on f.id = r.firmware_id
    where e.rollout_id = due.rollout_id and e.robot_id = due.robot_id
    returning e.offer_id as "offerId", e.serial_number as serial, f.id as "firmwareId", f.version, f.bytes, f.sha256,
      r.created_by as by, e.offered_at as "offeredAt", e.deadline_at as "deadlineAt", due.session,
      due.sent_at as "sentAt"
  `.execute(tx);
  return rows;
}

/** Surely not sent this time: another try may follow at once. */
export async function giveBackOffer(db: Db, { offerId, sentAt }: OfferToSend): Promise<void> {
  await db
    .updateTable("rollout_robots")
    .set({ sent_at: sentAt })
    .where("offer_id", "=", offerId)
    .where("state", "=", "OFFERED")
    .execute();
}

/**
 * Takes back what was never sent to robots, which this transaction has locked: they wait again. What may have been sent
 * stands, for the robot may take it any moment. Answers whose offer it was.
 */
export async function withdrawUnsent(tx: Tx, robotIds: readonly number[]): Promise<number[]> {
  if (robotIds.length === 0) return [];
  const rows = await tx
    .updateTable("rollout_robots")
    .set({ state: "WAITING", canary: false, offer_id: null, offered_at: null, deadline_at: null })
    .set({ change_no: changedNow })
    .where("robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("state", "=", "OFFERED")
    .where("sent_at", "is", null)
    .returning("robot_id")
    .execute();
  return rows.map((row) => row.robot_id);
}

/** Robots of a rollout whose offer was never sent; with `until` only those whose time is over by then. */
export async function findUnsent(tx: Tx, rolloutId: number, until: Date | null): Promise<number[]> {
  const rows = await tx
    .selectFrom("rollout_robots")
    .select("robot_id")
    .where("rollout_id", "=", rolloutId)
    .where("state", "=", "OFFERED")
    .where("sent_at", "is", null)
    .$if(until !== null, (query) => query.where("deadline_at", "<=", until))
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

/** A robot of a rollout that waits for its offer, with what decides about it. */
interface Candidate extends OfferCandidate {
  readonly robotId: number;
  /** As it was called when the rollout was made. */
  readonly serial: string;
  readonly siteId: number;
  readonly session: number;
  /** Why it refused its last offer, where it did. */
  readonly refused: string | null;
}

/** Of the robot `r` of the rollout's row `e`, with its state `s`. */
const whatDecides = sql`
  e.robot_id as "robotId", e.serial_number as serial, r.site_id as "siteId", s.session,
  r.deleted_at is not null as deleted,
  r.serial_number <> e.serial_number as replaced,
  exists (select from devices d where d.serial = r.serial_number and d.retired_at is not null) as "deviceRetired",
  s.firmware, r.operating_mode as "operatingMode", s.mode as "deviceMode", s.online, s.live_at as "liveStateAt",
  s.clock_skew_ms as "clockSkewMs", s.motion, s.robot_status as status, s.battery as "batteryPercent",
  exists (select from commands c where c.robot_id = e.robot_id and c.settled_at is null) as "hasOpenCommand",
  exists (select from rollout_robots u where u.robot_id = e.robot_id and u.overdue and u.installing_until is not null)
    as "stillInstalling",
  e.wait_until as "waitUntil", case when e.state = 'WAITING' then e.reason end as refused`;

/** The waiting robots of a rollout in their order, or those of them that are named. */
export async function readCandidates(
  db: Executor,
  rolloutId: number,
  robotIds?: readonly number[],
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select ${whatDecides}
    from rollout_robots e
    join robots r on r.id = e.robot_id
    join robot_state s on s.robot_id = e.robot_id
    where e.rollout_id = ${rolloutId} and e.state = 'WAITING'
      and (${robotIds === undefined} or e.robot_id = any(${[...(robotIds ?? [])]}::int[]))
    order by e.place
  `.execute(db);
  return rows;
}

/** Those of the robots that were offered firmware and have not answered, where the rollout goes on. */
export async function readOffered(
  db: Executor,
  robotIds: readonly number[],
): Promise<(Candidate & { readonly version: string })[]> {
  const { rows } = await sql<Candidate & { readonly version: string }>`
    select ${whatDecides}, f.version
    from rollout_robots e
    join robots r on r.id = e.robot_id
    join robot_state s on s.robot_id = e.robot_id
    join rollouts o on o.id = e.rollout_id and o.state = 'RUNNING'
    join firmware f on f.id = o.firmware_id
    where e.state = 'OFFERED' and e.robot_id = any(${[...robotIds]}::int[])
    order by e.offered_at, e.place
  `.execute(db);
  return rows;
}
