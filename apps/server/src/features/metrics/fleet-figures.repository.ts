import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import { isLostWhileMoving } from "../sites/public.ts";

/** Counts over all tenants: the server's own, for its operators. */
export interface FleetFigures {
  readonly robots: number;
  readonly online: number;
  readonly moving: number;
  readonly lostWhileMoving: number;
  readonly stopsPending: number;
  readonly locksPending: number;
  readonly schedulesDue: number;
  /** 0 if no schedule is due. */
  readonly oldestDueMs: number;
  readonly deliveriesWaiting: number;
  /** 0 if no message is due. */
  readonly deliveryOldestMs: number;
  readonly eventsWaiting: number;
  /** 0 if no event waits. */
  readonly eventOldestMs: number;
}

/** A snapshot of current rows, read through indexes only; no history is scanned. */
export async function readFleetFigures(db: Db, now: Date): Promise<FleetFigures> {
  const { rows } = await sql<FleetFigures>`
    select fleet.*, open.*, due.*, told.*, events.*
    from
      (select count(*) as robots,
        count(*) filter (where s.online) as online,
        count(*) filter (where s.online and s.motion = 'MOVING') as moving,
        count(*) filter (where ${isLostWhileMoving}) as "lostWhileMoving"
      from robots r left join robot_state s on s.robot_id = r.id
      where r.deleted_at is null) as fleet,
      (select count(*) filter (where verb = 'STOP') as "stopsPending",
        count(*) filter (where verb = 'MAINTENANCE_ON') as "locksPending"
      from commands where settled_at is null and answered_at is not null) as open,
      (select count(*) as "schedulesDue",
        coalesce(extract(epoch from ${now}::timestamptz - min(next_run_at)) * 1000, 0) as "oldestDueMs"
      from schedules where next_run_at <= ${now}) as due,
      (select count(*) as "deliveriesWaiting",
        greatest(coalesce(extract(epoch from ${now}::timestamptz - min(due_at)) * 1000, 0), 0) as "deliveryOldestMs"
      from deliveries where status = 'WAITING') as told,
      (select count(*) as "eventsWaiting",
        greatest(coalesce(extract(epoch from ${now}::timestamptz - min(created_at)) * 1000, 0), 0) as "eventOldestMs"
      from event_deliveries where status = 'WAITING') as events
  `.execute(db);
  const [figures] = rows;
  if (figures === undefined) throw new Error("The figures of the fleet came without a row.");
  return figures;
}
