import type { OfferCandidate } from "@suncrew/domain/firmware/offer-refusal.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** A robot of a rollout that waits for its offer, with what decides about it. */
export interface Candidate extends OfferCandidate {
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
