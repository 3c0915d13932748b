import { randomUUID } from "node:crypto";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { MessageKind } from "@suncrew/contract/notifications/deliveries.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { type RawBuilder, sql } from "kysely";
import { anyInt, anyUuid, type Executor, type Tx } from "../../platform/database/database.ts";
import { type NoticedAlert, readAlertsById } from "./notices.repository.ts";
import type { Contact } from "./recipients.repository.ts";

/** Whether nobody can have got message `d`: no server sends it now, and no try so far may have arrived. */
export const isUntold = sql<boolean>`(d.status = 'WAITING' and not d.may_have_arrived
  and (d.attempts = 0 or d.reason_code is not null))`;

/** Where a message goes. Of other channels' addresses only the host is known here, so each has its own. */
export function addressOf(delivery: "d" | "sent"): RawBuilder<string> {
  const column = (name: string) => sql.ref(`${delivery}.${name}`);
  return sql`case when ${column("channel")} in ('EMAIL', 'TELEGRAM', 'WHATSAPP')
    then ${column("channel")} || ' ' || lower(${column("address")}) else ${column("contact_point_id")}::text end`;
}

/** Why it is not told to this contact point, whose address knows of it. */
export const ADDRESS_TOLD = deliveryTexts.text("ADDRESS_TOLD", {}).code;

/** What somebody is to be told. */
export interface PlannedDelivery {
  readonly contact: Contact;
  readonly kind: "ALERTS" | "CLEARED";
  readonly alerts: readonly NoticedAlert[];
  /** The end of a quiet time; null to send it now. */
  readonly heldUntil: Date | null;
}

interface Heading {
  readonly title: string;
  readonly severity: Severity | null;
}

/**
 * Stores what is to be sent. What waits for the same time at the same contact point, and that no server has begun to
 * send, takes more alerts in: one message tells them all. So does, in a quiet time, what was tried before it without
 * reaching anybody; its day of tries begins again with what is new. `headingOf` says what a message is called until it is
 * written.
 */
export async function planDeliveries(
  tx: Tx,
  planned: readonly PlannedDelivery[],
  headingOf: (kind: PlannedDelivery["kind"], alerts: readonly NoticedAlert[]) => Heading,
  now: Date,
): Promise<void> {
  if (planned.length === 0) return;
  const { rows: waiting } = await sql<WaitingDelivery>`
    select d.id, d.contact_point_id as "contactId", d.message_kind as kind, d.severity, d.attempts > 0 as "isTried",
      d.due_at > ${now} as "isLater"
    from deliveries d where ${isUntold} and d.message_kind in ('ALERTS', 'CLEARED')
      and d.contact_point_id = ${anyInt(planned.map(({ contact }) => contact.id))}
    order by d.due_at, d.id for update skip locked`.execute(tx);
  const deliveries = planned.map((one) => {
    const joined = waiting.find((row) => canJoin(one, row));
    return { ...one, id: joined?.id ?? randomUUID(), joined: joined !== undefined };
  });
  const before = await readTold(
    tx,
    deliveries.flatMap(({ id, joined }) => (joined ? [id] : [])),
  );
  const rows = deliveries.map(({ id, joined, contact, kind, alerts, heldUntil }) => {
    const all = new Map([...(before.get(id) ?? []), ...alerts].map((alert) => [alert.id, alert]));
    return { id, joined, contact, kind, heldUntil, ...headingOf(kind, [...all.values()]) };
  });
  const added = rows.filter(({ joined }) => !joined);
  const more = rows.filter(({ joined }) => joined);
  if (added.length > 0) {
    await tx
      .insertInto("deliveries")
      .values(
        added.map(({ id, contact, kind, heldUntil, title, severity }) => ({
          id,
          message_kind: kind,
          title,
          severity,
          created_at: now,
          due_at: heldUntil ?? now,
          held_until: heldUntil,
          contact_point_id: contact.id,
          contact_point_name: contact.name,
          channel: contact.channel,
          told: contact.told,
          address: contact.address,
        })),
      )
      .execute();
  }
  await sql`
    update deliveries d set title = n.title, severity = n.severity,
      held_until = coalesce(n.held_until, d.held_until), due_at = least(d.due_at, n.held_until)
    from unnest(${more.map(({ id }) => id)}::uuid[], ${more.map(({ title }) => title)}::text[],
      ${more.map(({ severity }) => severity)}::text[], ${more.map(({ heldUntil }) => heldUntil)}::timestamptz[])
      n (id, title, severity, held_until)
    where d.id = n.id`.execute(tx);
  const pairs = deliveries.flatMap(({ id, alerts }) => alerts.map((alert) => ({ id, alertId: alert.id })));
  await sql`
    insert into delivery_alerts (delivery_id, alert_id)
    select * from unnest(${pairs.map(({ id }) => id)}::uuid[], ${pairs.map(({ alertId }) => alertId)}::bigint[])
    on conflict do nothing`.execute(tx);
  await forgetHeld(tx, deliveries);
}

/** A message that nobody can have got. */
interface WaitingDelivery {
  readonly id: string;
  readonly contactId: number;
  readonly kind: MessageKind;
  readonly severity: Severity | null;
  readonly isTried: boolean;
  readonly isLater: boolean;
}

function canJoin({ contact, kind, heldUntil }: PlannedDelivery, waiting: WaitingDelivery): boolean {
  if (waiting.contactId !== contact.id || waiting.kind !== kind) return false;
  if (heldUntil === null) return !waiting.isLater && !waiting.isTried;
  // One that the quiet time does not hold would take the others with it.
  const isPiercing = contact.criticalPierces && waiting.severity === "CRITICAL";
  return waiting.isLater && !(waiting.isTried && isPiercing);
}

/** What is told now need not be told again when the quiet time is over, or when a try succeeds at last. */
async function forgetHeld(tx: Tx, deliveries: readonly (PlannedDelivery & { readonly id: string })[]): Promise<void> {
  const now = deliveries.filter(({ kind, heldUntil }) => kind === "ALERTS" && heldUntil === null);
  const pairs = now.flatMap(({ contact, alerts }) => alerts.map(({ id }) => ({ contactId: contact.id, id })));
  await sql`
    delete from delivery_alerts da using deliveries d, unnest(${pairs.map(({ contactId }) => contactId)}::int[],
      ${pairs.map(({ id }) => id)}::bigint[]) n (contact_point_id, alert_id)
    where da.delivery_id = d.id and da.alert_id = n.alert_id and d.contact_point_id = n.contact_point_id
      and ${isUntold} and d.message_kind = 'ALERTS'
      and d.id <> ${sql`all(${now.map(({ id }) => id)}::uuid[])`}`.execute(tx);
}

/**
 * An address that several contact points have gets once what it is told by all of them: what a message has told is left
 * out of those that wait for the others, and nothing is sent of one that tells nothing else.
 */
export async function forgetAtSameAddress(tx: Tx, deliveryId: string, now: Date): Promise<void> {
  const { text, code } = deliveryTexts.text("ADDRESS_TOLD", {});
  await sql`
    with told as materialized (select alert_id from delivery_alerts where delivery_id = ${deliveryId}),
    others as materialized (
      select d.id, exists (select from delivery_alerts da
        where da.delivery_id = d.id and da.alert_id not in (select alert_id from told)) as "tellsMore"
      from deliveries d join deliveries sent on sent.id = ${deliveryId}
      where ${isUntold} and d.message_kind in ('ALERTS', 'CLEARED') and d.message_kind = sent.message_kind
        and d.created_at <= sent.created_at and d.contact_point_id <> sent.contact_point_id
        and ${addressOf("d")} = ${addressOf("sent")}
        and exists (select from delivery_alerts da
          where da.delivery_id = d.id and da.alert_id in (select alert_id from told))
      for update of d skip locked),
    dropped as (
      update deliveries d set status = 'DROPPED', due_at = null, settled_at = ${now},
        reason = ${text}, reason_code = ${code}, reason_params = '{}'
      from others where d.id = others.id and not others."tellsMore")
    delete from delivery_alerts da using others
    where da.delivery_id = others.id and others."tellsMore" and da.alert_id in (select alert_id from told)`.execute(tx);
}

/** The alerts of deliveries. */
async function readTold(db: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, NoticedAlert[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("delivery_alerts")
    .select(["delivery_id", "alert_id"])
    .where("delivery_id", "=", anyUuid(ids))
    .execute();
  const alerts = await readAlertsById(
    db,
    rows.map(({ alert_id }) => alert_id),
  );
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  const told = Map.groupBy(rows, ({ delivery_id }) => delivery_id);
  return new Map(
    Array.from(told, ([id, each]) => [id, each.flatMap(({ alert_id }) => byId.get(alert_id) ?? [])] as const),
  );
}

/** Which contact points were told of these alerts, or their address was: it was sent, may arrive, or may have arrived. */
export function readWhoWasTold(db: Executor, alertIds: readonly number[]): Promise<AlertAndContact[]> {
  const reached = sql<boolean>`d.message_kind = 'ALERTS' and (d.status = 'SENT'
    or d.status = 'WAITING' and not ${isUntold} or d.reason_code = ${ADDRESS_TOLD})`;
  return readContactsOf(db, alertIds, reached);
}

/** Which contact points are told that these alerts are over, or were. */
export function readWhoHearsTheEnd(db: Executor, alertIds: readonly number[]): Promise<AlertAndContact[]> {
  return readContactsOf(db, alertIds, sql<boolean>`d.message_kind = 'CLEARED'`);
}

interface AlertAndContact {
  readonly alertId: number;
  readonly contactId: number;
}

/** The contact points to which deliveries `d` of this kind told these alerts. */
async function readContactsOf(
  db: Executor,
  alertIds: readonly number[],
  isMeant: RawBuilder<boolean>,
): Promise<AlertAndContact[]> {
  const { rows } = await sql<AlertAndContact>`
    select distinct da.alert_id as "alertId", d.contact_point_id as "contactId"
    from delivery_alerts da join deliveries d on d.id = da.delivery_id
    where da.alert_id = any(${[...alertIds]}::bigint[]) and ${isMeant}`.execute(db);
  return rows;
}

/** Drops messages that nobody can have got, now that these alerts, and with them all of theirs, are over. */
export async function dropOver(tx: Tx, alertIds: readonly number[], now: Date): Promise<void> {
  const { text, code } = deliveryTexts.text("ALERTS_OVER", {});
  await sql`
    with over as (
      select d.id from deliveries d
      where ${isUntold} and d.message_kind = 'ALERTS'
        and exists (select from delivery_alerts da
          where da.delivery_id = d.id and da.alert_id = any(${[...alertIds]}::bigint[]))
        and not exists (select from delivery_alerts da join alerts a on a.id = da.alert_id
          where da.delivery_id = d.id and a.cleared_at is null)
      for update of d skip locked)
    update deliveries d set status = 'DROPPED', due_at = null, settled_at = ${now},
      reason = ${text}, reason_code = ${code}, reason_params = '{}'
    from over where d.id = over.id`.execute(tx);
}

/** What waits for a contact point is looked at now: for how long it waits may have changed. */
export async function wakeWaiting(tx: Tx, contactId: number, now: Date): Promise<void> {
  await sql`
    update deliveries set due_at = ${now}
    where contact_point_id = ${contactId} and status = 'WAITING' and due_at > ${now}
      and (attempts = 0 or reason_code is not null)`.execute(tx);
}

/** Whether its contact point waits for another message that tells the same, or all of it that is still to be told. */
export async function isWaitingElsewhere(tx: Tx, deliveryId: string): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries d join deliveries other on other.contact_point_id = d.contact_point_id
    where d.id = ${deliveryId} and other.id <> d.id and other.status = 'WAITING'
      and other.message_kind = d.message_kind and other.content is not distinct from d.content
      and not exists (select from delivery_alerts da join alerts a on a.id = da.alert_id
        where da.delivery_id = d.id
          and (d.message_kind <> 'ALERTS' or (a.cleared_at is null and a.acknowledged_at is null))
          and not exists (select from delivery_alerts same
            where same.delivery_id = other.id and same.alert_id = da.alert_id))
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** A message that was given up or dropped, once more as a new one; null if there is no such message. */
export async function copyDelivery(tx: Tx, deliveryId: string, now: Date): Promise<string | null> {
  const id = randomUUID();
  const { rows } = await sql<{ id: string }>`
    insert into deliveries (id, message_kind, contact_point_id, channel, contact_point_name, told, address, severity,
      title, content, created_at, due_at)
    select ${id}, d.message_kind, d.contact_point_id, d.channel, c.name, d.told, c.address, d.severity, d.title,
      d.content, ${now}, ${now}
    from deliveries d join contact_points c on c.id = d.contact_point_id where d.id = ${deliveryId}
    returning id`.execute(tx);
  if (rows.length === 0) return null;
  await sql`
    insert into delivery_alerts (delivery_id, alert_id)
    select ${id}, alert_id from delivery_alerts where delivery_id = ${deliveryId}`.execute(tx);
  return id;
}
