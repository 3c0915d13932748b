import { OFFER_RESEND_MS } from "@suncrew/domain/firmware/report-outcome.ts";
import type { OfferCandidate } from "@suncrew/domain/firmware/offer-refusal.ts";
import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { anyInt, changedNow, type Db, type Executor, type Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import { deviceRetired } from "../commands/public.ts";

/** Offers firmware to waiting robots, which this transaction has locked. */
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
      offered_at = ${offered.at}, deadline_at = ${offered.deadlineAt}, reason = null, reason_code = null,
      reason_params = null, wait_until = null,
      from_version = coalesce(s.firmware, e.from_version), change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(offers)}::json) o (robot_id int, offer_id uuid)
    join robot_state s on s.robot_id = o.robot_id
    where e.rollout_id = ${rolloutId} and e.robot_id = o.robot_id and e.state = 'WAITING'
  `.execute(tx);
}

/** Leaves waiting robots out of their rollout. */
export async function skipRobots(
  tx: Tx,
  rolloutId: number,
  skipped: readonly { readonly robotId: number; readonly reason: CodedText; readonly gaveUp: boolean }[],
  at: Date,
): Promise<void> {
  if (skipped.length === 0) return;
  const rows = skipped.map(({ robotId, reason, gaveUp }) => ({
    robot_id: robotId,
    gave_up: gaveUp,
    ...reasonColumns(reason),
  }));
  await sql`
    update rollout_robots e set state = 'SKIPPED', reason = s.reason, reason_code = s.reason_code,
      reason_params = s.reason_params, gave_up = s.gave_up, wait_until = null, ended_at = ${at},
      change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(rows)}::json) s (robot_id int, reason text, reason_code text,
      reason_params jsonb, gave_up boolean)
    where e.rollout_id = ${rolloutId} and e.robot_id = s.robot_id and e.state = 'WAITING'
  `.execute(tx);
}

/** An offer as it is sent to its robot. */
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
  /** The current one: until the robot answers, an offer is sent again in a new session. */
  readonly session: number;
  /** When it was last sent; null for the first time. */
  readonly sentAt: Date | null;
}

/** Robots of running rollouts whose offer is unanswered, and either unsent or due to be sent again. */
export async function findUnanswered(db: Executor, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ robot_id: number }>`
    select e.robot_id from rollout_robots e
    join rollouts r on r.id = e.rollout_id and r.state = 'RUNNING'
    join robot_state s on s.robot_id = e.robot_id
    where e.state = 'OFFERED' and e.deadline_at > ${now}
      and (e.sent_at is null or (s.online and e.sent_at <= ${resendBefore(now)}))
    order by e.offered_at, e.place limit ${limit}
  `.execute(db);
  return rows.map((row) => row.robot_id);
}

const resendBefore = (now: Date) => new Date(now.getTime() - OFFER_RESEND_MS);

/**
 * Claims for sending the offers of robots, which this transaction has locked: each offer goes to one of several
 * servers. If that server dies, another sends it again.
 */
export async function claimOffers(tx: Tx, robotIds: readonly number[], now: Date): Promise<OfferToSend[]> {
  if (robotIds.length === 0) return [];
  const { rows } = await sql<OfferToSend>`
    update rollout_robots e set sent_at = ${now}
    from (
      select e.rollout_id, e.robot_id, s.session, e.sent_at from rollout_robots e
      join robot_state s on s.robot_id = e.robot_id
      where e.state = 'OFFERED' and e.robot_id = ${anyInt(robotIds)} and e.deadline_at > ${now}
        and (e.sent_at is null or e.sent_at <= ${resendBefore(now)})
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

/** The offer was certainly not sent, and may be claimed again immediately. */
export async function unclaimOffer(db: Db, { offerId, sentAt }: OfferToSend): Promise<void> {
  await db
    .updateTable("rollout_robots")
    .set({ sent_at: sentAt })
    .where("offer_id", "=", offerId)
    .where("state", "=", "OFFERED")
    .execute();
}

/**
 * Withdraws the unsent offers of robots, which this transaction has locked: they wait again. An offer that may have
 * been sent remains, because the robot may take it at any moment. Returns the robots whose offer was withdrawn.
 */
export async function withdrawUnsent(tx: Tx, robotIds: readonly number[]): Promise<number[]> {
  if (robotIds.length === 0) return [];
  const rows = await tx
    .updateTable("rollout_robots")
    .set({ state: "WAITING", canary: false, offer_id: null, offered_at: null, deadline_at: null })
    .set({ change_no: changedNow })
    .where("robot_id", "=", anyInt(robotIds))
    .where("state", "=", "OFFERED")
    .where("sent_at", "is", null)
    .returning("robot_id")
    .execute();
  return rows.map((row) => row.robot_id);
}

/** Robots of a rollout whose offer was never sent; with `until` only those whose deadline has passed by then. */
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

/** The offers that download URLs name, each with its file. */
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

/** A robot that waits for its offer, with what decides whether it gets one. */
interface Candidate extends OfferCandidate {
  readonly robotId: number;
  /** Its serial number when the rollout was created. */
  readonly serial: string;
  readonly siteId: number;
  readonly session: number;
  /** The code with which it refused its last offer; null if it did not. */
  readonly refusedAs: string | null;
}

/** Columns of robot `r`, its state `s` and its row `e` of the rollout. */
const candidateColumns = sql`
  e.robot_id as "robotId", e.serial_number as serial, r.site_id as "siteId", s.session,
  r.deleted_at is not null as deleted,
  r.serial_number <> e.serial_number as replaced,
  ${deviceRetired} as "deviceRetired",
  s.firmware, r.operating_mode as "operatingMode", s.mode as "deviceMode", s.online, s.live_at as "liveStateAt",
  s.clock_skew_ms as "clockSkewMs", s.motion, s.robot_status as status, s.battery as "batteryPercent",
  exists (select from commands c where c.robot_id = e.robot_id and c.settled_at is null) as "hasOpenCommand",
  exists (select from rollout_robots u where u.robot_id = e.robot_id and u.overdue and u.installing_until is not null)
    as "stillInstalling",
  e.wait_until as "waitUntil",
  case when e.state = 'WAITING' then e.reason_params ->> 'code' end as "refusedAs"`;

/** The waiting robots of a rollout in order; with `robotIds` only those. */
export async function readCandidates(
  db: Executor,
  rolloutId: number,
  robotIds?: readonly number[],
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select ${candidateColumns}
    from rollout_robots e
    join robots r on r.id = e.robot_id
    join robot_state s on s.robot_id = e.robot_id
    where e.rollout_id = ${rolloutId} and e.state = 'WAITING'
      and (${robotIds === undefined} or e.robot_id = ${anyInt(robotIds ?? [])})
    order by e.place
  `.execute(db);
  return rows;
}

/** Those of the robots with an unanswered offer of a running rollout. */
export async function readOffered(
  db: Executor,
  robotIds: readonly number[],
): Promise<(Candidate & { readonly version: string })[]> {
  const { rows } = await sql<Candidate & { readonly version: string }>`
    select ${candidateColumns}, f.version
    from rollout_robots e
    join robots r on r.id = e.robot_id
    join robot_state s on s.robot_id = e.robot_id
    join rollouts o on o.id = e.rollout_id and o.state = 'RUNNING'
    join firmware f on f.id = o.firmware_id
    where e.state = 'OFFERED' and e.robot_id = ${anyInt(robotIds)}
    order by e.offered_at, e.place
  `.execute(db);
  return rows;
}
