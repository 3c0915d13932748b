import { eventTypeSchema } from "@suncrew/contract/events/event-types.ts";
import type {
  EventDelivery,
  EventDeliveryStatus,
  eventDeliveryList,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import type { QueryOf } from "@suncrew/contract/http/route.ts";
import { EVENT_DELIVERIES_DEFAULT_LIMIT } from "@suncrew/contract/events/webhook-endpoints.ts";
import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { type Claim, LeasedQueue } from "../../platform/database/leased-queue.ts";
import { boundedCount } from "../../platform/database/list-queries.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import { stoppedBy } from "../runs/public.ts";
import type { NotedEvent } from "./event-payload.ts";

/** A call takes 15 s at most, and a server claims no more than it sends within this time. */
const LEASE_MS = 2 * 60_000;

const queue = new LeasedQueue("event_deliveries", {
  attempts: "attempts",
  dueAt: "due_at",
  isOpen: sql<boolean>`status = 'WAITING'`,
  leaseMs: LEASE_MS,
});

/** A delivery that this server sends. */
export interface DeliveryClaim extends Claim {
  readonly eventId: string;
  /** The robot, the site as a negative number, or 0 for Suncrew's own servers. */
  readonly lane: number;
  readonly createdAt: Date;
}

/** Of PostgreSQL's integers the lowest, which no site has. */
const BEFORE_ALL_LANES = -(2 ** 31);

/** The webhooks that something may be due for. */
export async function webhooksWithDue(db: Db, now: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select w.id from webhooks w
    where w.enabled and w.deleted_at is null and coalesce(w.paused_until, '-infinity') <= ${now} and (
      select min(coalesce(d.due_at, '-infinity')) from event_deliveries d
      where d.webhook_id = w.id and d.status = 'WAITING') <= ${now}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Claims what is due at a webhook, one of each robot: whatever happened later to it waits for that one. The lanes after
 * `after` (null: all) are walked along their index until there is enough, however many there are and however much waits
 * in each.
 */
export async function claimDeliveries(
  db: Db,
  webhookId: number,
  { limit, after, now }: { readonly limit: number; readonly after: number | null; readonly now: Date },
): Promise<DeliveryClaim[]> {
  const { rows } = await sql<DeliveryClaim>`
    with recursive first_of_lanes as (
      (select lane, id, due_at, event_id from event_deliveries
        where webhook_id = ${webhookId} and status = 'WAITING' and lane > ${after ?? BEFORE_ALL_LANES}
        order by lane, id limit 1)
      union all
      select next.* from first_of_lanes f cross join lateral (
        select d.lane, d.id, d.due_at, d.event_id from event_deliveries d
        where d.webhook_id = ${webhookId} and d.status = 'WAITING' and d.lane > f.lane
        order by d.lane, d.id limit 1) next
    ), claimed as (
      select d.id from event_deliveries d
      where d.status = 'WAITING' and coalesce(d.due_at, '-infinity') <= ${now} and d.id = any (array(
        select f.id from first_of_lanes f
        where coalesce(f.due_at, '-infinity') <= ${now}
          and (select event_type from events e where e.id = f.event_id) = any (${[...eventTypeSchema.options]}::text[])
        limit ${limit}))
      order by d.id for update skip locked
    )
    update event_deliveries d set ${queue.claiming("d", now)} from claimed where d.id = claimed.id
    returning d.id, d.attempts as attempt, d.event_id as "eventId", d.lane, d.created_at as "createdAt"`.execute(db);
  return rows.toSorted((one, other) => one.id - other.id);
}

/** The body of an event's calls, which is stored with the first of them. `make` writes it; null if it cannot. */
export async function payloadOfEvent(
  db: Db,
  eventId: string,
  make: (event: NotedEvent) => string | null,
): Promise<string | null> {
  const event = await db
    .selectFrom("events")
    .leftJoin("runs", (join) =>
      join.on(sql<boolean>`runs.id = case when events.event_type like 'run.%' then (events.data ->> 'id')::uuid end`),
    )
    .select([
      "events.id",
      "event_type as type",
      "events.at",
      "events.site_id",
      "site_name",
      "events.robot_id",
      "events.robot_name",
    ])
    .select(["events.serial_number", "data", "payload", stoppedBy.as("stopped_by")])
    .where("events.id", "=", eventId)
    .executeTakeFirstOrThrow();
  if (event.payload !== null) return event.payload;
  const payload = make(event);
  if (payload === null) return null;
  // Another webhook, or another server, may have been first.
  const { rows } = await sql<{ payload: string }>`
    update events set payload = coalesce(payload, ${payload}) where id = ${eventId} returning payload`.execute(db);
  return rows[0]?.payload ?? payload;
}

/** Stores what became of a try; false if another server has claimed it since, or it was given up. */
export async function storeTry(
  db: Executor,
  claim: DeliveryClaim,
  result: { readonly status: EventDeliveryStatus; readonly reason: CodedText | null; readonly retryAt: Date | null },
  now: Date,
): Promise<boolean> {
  const stored = await db
    .updateTable("event_deliveries")
    .set({
      status: result.status,
      ...reasonColumns(result.reason),
      due_at: result.retryAt,
      settled_at: result.status === "WAITING" ? null : now,
    })
    .where(queue.isHeld(claim))
    .returning("id")
    .executeTakeFirst();
  return stored !== undefined;
}

/** Leaves a delivery that was claimed and not sent until then. */
export async function releaseClaim(db: Executor, claim: DeliveryClaim, until: Date): Promise<void> {
  await db
    .updateTable("event_deliveries")
    .set({ attempts: sql<number>`attempts - 1`, due_at: until })
    .where(queue.isHeld(claim))
    .execute();
}

/** Gives up what waits for a webhook, or for all of them; answers how many. */
export async function giveUpWaiting(db: Executor, webhookId: number | null, reason: CodedText, now: Date) {
  const { numUpdatedRows } = await db
    .updateTable("event_deliveries")
    .set({
      status: "FAILED",
      ...reasonColumns(reason),
      due_at: null,
      settled_at: now,
    })
    .where("status", "=", "WAITING")
    .$if(webhookId !== null, (query) => query.where("webhook_id", "=", webhookId ?? 0))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The webhook of a delivery with its event's type; null if there is none. */
export async function readDelivery(db: Executor, deliveryId: string) {
  const row = await db
    .selectFrom("event_deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .select(["d.webhook_id", "d.status", "d.event_id", "e.event_type as type"])
    .where(sql<boolean>`d.id = ${deliveryId}::bigint`)
    .executeTakeFirst();
  return row ?? null;
}

/** Queues it again, behind what waits of its robot; false if it waits there already. Its webhook is to be locked. */
export async function replayDelivery(tx: Tx, deliveryId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into event_deliveries (event_id, webhook_id, lane, replay)
    select d.event_id, d.webhook_id, d.lane, true from event_deliveries d
    where d.id = ${deliveryId}::bigint and not exists (
      select from event_deliveries later
      where later.event_id = d.event_id and later.webhook_id = d.webhook_id and later.id > d.id
        and later.status = 'WAITING')`.execute(tx);
  return numAffectedRows === 1n;
}

/** Queues again whatever was given up since then and not replayed, in its order; answers how many. */
export async function replayFailed(tx: Tx, webhookId: number, since: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into event_deliveries (event_id, webhook_id, lane, replay)
    select d.event_id, d.webhook_id, d.lane, true from event_deliveries d
    where d.webhook_id = ${webhookId} and d.status = 'FAILED' and d.settled_at >= ${since} and not exists (
      select from event_deliveries later
      where later.event_id = d.event_id and later.webhook_id = d.webhook_id and later.id > d.id)
    order by d.id`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Newest first, with their number. */
export async function readDeliveries(db: Db, choice: QueryOf<typeof eventDeliveryList>) {
  const limit = choice.limit ?? EVENT_DELIVERIES_DEFAULT_LIMIT;
  const { webhook_id: webhookId, status, type, cursor } = choice;
  const matching = db
    .selectFrom("event_deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .where("e.event_type", "in", eventTypeSchema.options)
    .$if(webhookId !== undefined, (query) => query.where("d.webhook_id", "=", webhookId ?? 0))
    .$if(status !== undefined, (query) => query.where("d.status", "=", status ?? "WAITING"))
    .$if(type !== undefined, (query) => query.where("e.event_type", "=", type ?? ""));
  const [rows, counted] = await Promise.all([
    matching
      .innerJoin("webhooks as w", "w.id", "d.webhook_id")
      .select([
        "d.id",
        "d.event_id",
        "e.event_type as type",
        "e.at",
        "d.webhook_id",
        "w.name as webhook_name",
        "e.site_name",
      ])
      .select(["e.robot_name", "e.serial_number", "d.status", "d.reason", "d.reason_code", "d.attempts"])
      .select(["d.created_at", "d.due_at", "d.settled_at", "d.replay", "e.payload"])
      .$if(cursor !== undefined, (query) => query.where(sql<boolean>`d.id < ${cursor ?? "0"}::bigint`))
      .orderBy("d.id", "desc")
      .limit(limit + 1)
      .execute(),
    boundedCount(db, matching.select("d.id"), false),
  ]);
  const deliveries = rows.slice(0, limit).map(({ id, at, created_at, due_at, settled_at, ...row }): EventDelivery => ({
    ...row,
    id: String(id),
    type: eventTypeSchema.parse(row.type),
    at: at.toISOString(),
    created_at: created_at.toISOString(),
    due_at: row.status === "WAITING" ? (due_at ?? created_at).toISOString() : null,
    settled_at: settled_at?.toISOString() ?? null,
  }));
  return { deliveries, ...counted, next_cursor: rows.length > limit ? (deliveries.at(-1)?.id ?? null) : null };
}
