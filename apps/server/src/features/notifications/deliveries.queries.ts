import {
  type Delivery,
  DELIVERY_ALERTS_MAX,
  type deliveryDetails,
  type deliveryList,
  deliveryTrySchema,
} from "@suncrew/contract/notifications/deliveries.ts";
import type { QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { boundedCount } from "../../platform/database/list-queries.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { seesServers, visibleSites } from "../sites/public.ts";

export type DeliveryFilter = QueryOf<typeof deliveryList>;

/** A Super Admin sees all; others what went to them, to their partner and to contacts of their sites. */
function visibleDeliveries(viewer: Viewer, db: Executor) {
  const sites = visibleSites(viewer, db).select("sites.id");
  const all = db.selectFrom("deliveries as d").innerJoin("contact_points as c", "c.id", "d.contact_point_id");
  if (viewer.role === "SUPER_ADMIN") return all;
  return all.where((eb) =>
    eb.or([
      eb("c.user_id", "=", viewer.userId),
      eb("c.partner_id", "=", viewer.partnerId),
      eb("c.site_id", "in", sites),
    ]),
  );
}

function filteredDeliveries(viewer: Viewer, db: Executor, choice: DeliveryFilter) {
  const { status, channel, message_kind, contact_point_id, alert_id, site_id, from, to } = choice;
  let query = visibleDeliveries(viewer, db);
  if (status !== undefined) query = query.where("d.status", "=", status);
  if (channel !== undefined) query = query.where("d.channel", "=", channel);
  if (message_kind !== undefined) query = query.where("d.message_kind", "=", message_kind);
  if (contact_point_id !== undefined) query = query.where("d.contact_point_id", "=", contact_point_id);
  if (from !== undefined) query = query.where("d.created_at", ">=", new Date(from));
  if (to !== undefined) query = query.where("d.created_at", "<=", new Date(to));
  if (alert_id !== undefined) {
    query = query.where(sql<boolean>`exists (
      select from delivery_alerts da where da.delivery_id = d.id and da.alert_id = ${alert_id}::bigint)`);
  }
  if (site_id !== undefined) {
    query = query.where(sql<boolean>`(c.site_id = ${site_id} or exists (
      select from delivery_alerts da join alerts a on a.id = da.alert_id
      where da.delivery_id = d.id and a.site_id = ${site_id}))`);
  }
  return query;
}

const micros = sql<string>`(extract(epoch from d.created_at) * 1000000)::bigint`;

const deliveryColumns = [
  "d.id",
  "d.message_kind",
  "d.channel",
  "d.contact_point_name",
  "d.told",
  "d.address",
  "d.severity",
  "d.title",
  "d.text",
  "d.status",
  "d.reason",
  "d.reason_code",
  "d.attempts",
  "d.created_at",
  "d.due_at",
  "d.settled_at",
] as const;

const contactPointId = sql<number | null>`case when c.deleted_at is null then c.id end`.as("contact_point_id");

interface Times {
  readonly created_at: Date;
  readonly due_at: Date | null;
  readonly settled_at: Date | null;
}

const timesOf = ({ created_at, due_at, settled_at }: Times) => ({
  created_at: created_at.toISOString(),
  due_at: due_at?.toISOString() ?? null,
  settled_at: settled_at?.toISOString() ?? null,
});

/** One page, newest first, with the cursor of each row. */
export async function readDeliveries(
  viewer: Viewer,
  db: Executor,
  choice: DeliveryFilter & { readonly limit: number },
): Promise<{ readonly delivery: Delivery; readonly cursor: string }[]> {
  let query = filteredDeliveries(viewer, db, choice)
    .select(deliveryColumns)
    .select(contactPointId)
    .select(sql<string>`concat_ws('.', ${micros}, d.id)`.as("cursor"))
    .orderBy("d.created_at", "desc")
    .orderBy("d.id", "desc")
    .limit(choice.limit);
  if (choice.cursor !== undefined) {
    const [at = "", id = ""] = choice.cursor.split(".");
    query = query.where(
      sql<boolean>`(d.created_at, d.id) <
        (timestamptz 'epoch' + ${at}::bigint * interval '1 microsecond', ${id}::uuid)`,
    );
  }
  const rows = await query.execute();
  return rows.map(({ cursor, ...row }) => ({
    cursor,
    delivery: { ...row, ...timesOf(row) },
  }));
}

/** One message. Throws 404 if the viewer may not know of it; alerts that the viewer may not see are left out. */
export async function readDeliveryDetails(
  viewer: Viewer,
  db: Executor,
  deliveryId: string,
): Promise<ResponseOf<typeof deliveryDetails>> {
  const found = await visibleDeliveries(viewer, db)
    .select(deliveryColumns)
    .select(contactPointId)
    .select(["d.held_until", "d.reference", "d.tries"])
    .where("d.id", "=", deliveryId)
    .executeTakeFirst();
  if (found === undefined) throw notFound("Message");
  const sites = visibleSites(viewer, db).select("sites.id");
  const alerts = await db
    .selectFrom("delivery_alerts as da")
    .innerJoin("alerts as a", "a.id", "da.alert_id")
    .leftJoin("sites as s", "s.id", "a.site_id")
    .select(["a.severity", "a.text", "a.site_id", "s.name as site_name", "a.robot_name", "a.serial_number"])
    .select(["a.raised_at", "a.cleared_at", sql<string>`a.id::text`.as("id")])
    .select(sql<number>`count(*) over ()::int`.as("total"))
    .where("da.delivery_id", "=", deliveryId)
    .where((eb) => eb.or([eb("a.site_id", "in", sites), ...(seesServers(viewer) ? [eb("a.site_id", "is", null)] : [])]))
    .orderBy(sql`array_position(array['CRITICAL', 'WARNING', 'INFO'], a.severity)`)
    .orderBy("a.raised_at")
    .orderBy("a.id")
    .limit(DELIVERY_ALERTS_MAX)
    .execute();
  return {
    ...found,
    ...timesOf(found),
    held_until: found.held_until?.toISOString() ?? null,
    tries: deliveryTrySchema.array().parse(found.tries),
    alerts: alerts.map((row) => {
      const { total: _, raised_at, cleared_at, ...alert } = row;
      return { ...alert, raised_at: raised_at.toISOString(), cleared_at: cleared_at?.toISOString() ?? null };
    }),
    alerts_total: alerts[0]?.total ?? 0,
  };
}

/** Their number, counted up to the counting limit. */
export async function countDeliveries(
  viewer: Viewer,
  db: Executor,
  choice: DeliveryFilter,
): Promise<{ readonly total: number; readonly total_exact: boolean }> {
  return await boundedCount(db, filteredDeliveries(viewer, db, choice).select("d.id"), false);
}

/** Throws 404 if a filter's site, alert or contact point is outside the viewer's scope. */
export async function requireFilterInScope(
  viewer: Viewer,
  db: Executor,
  { site_id, alert_id, contact_point_id }: DeliveryFilter,
): Promise<void> {
  const sites = visibleSites(viewer, db).select("sites.id");
  if (site_id !== undefined && !(await sites.where("sites.id", "=", site_id).executeTakeFirst())) {
    throw notFound("Site");
  }
  if (alert_id !== undefined) {
    const alert = await db
      .selectFrom("alerts")
      .select("id")
      .where("id", "=", sql<number>`${alert_id}::bigint`)
      .where((eb) => eb.or([eb("site_id", "in", sites), ...(seesServers(viewer) ? [eb("site_id", "is", null)] : [])]))
      .executeTakeFirst();
    if (alert === undefined) throw notFound("Alert");
  }
  if (contact_point_id === undefined) return;
  // Also one that was deleted: what was sent to it stays in the log.
  const contact = await db
    .selectFrom("contact_points as c")
    .select("c.id")
    .where("c.id", "=", contact_point_id)
    .where((eb) =>
      eb.or([
        eb.lit(viewer.role === "SUPER_ADMIN"),
        eb("c.user_id", "=", viewer.userId),
        eb("c.partner_id", "=", viewer.partnerId),
        eb("c.site_id", "in", sites),
      ]),
    )
    .executeTakeFirst();
  if (contact === undefined) throw notFound("Contact point");
}

/** What became of the alerts of `d`; null of a message without any. */
const stillToTell = sql<"OPEN" | "ACKNOWLEDGED" | "OVER" | null>`(
  select case when bool_or(a.cleared_at is null and a.acknowledged_at is null) then 'OPEN'
    when bool_or(a.cleared_at is null) then 'ACKNOWLEDGED' when bool_and(a.cleared_at is not null) then 'OVER' end
  from delivery_alerts da join alerts a on a.id = da.alert_id where da.delivery_id = d.id)`;

/** Locks it, so that one press is looked at after the other. Throws 404 if the viewer may not know of it. */
export async function requireDelivery(viewer: Viewer, db: Executor, deliveryId: string) {
  const delivery = await visibleDeliveries(viewer, db)
    .select(["d.status", "d.title", "d.contact_point_id", "d.message_kind", "c.site_id"])
    .select(sql<boolean>`c.deleted_at is not null or not c.enabled or c.unsubscribed_at is not null`.as("is_off"))
    .select(stillToTell.as("still_to_tell"))
    .where("d.id", "=", deliveryId)
    .forNoKeyUpdate("d")
    .executeTakeFirst();
  if (delivery === undefined) throw notFound("Message");
  return delivery;
}
