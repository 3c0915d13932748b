import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import type { ChannelKind } from "@suncrew/contract/notifications/contact-points.ts";
import type { MessageKind } from "@suncrew/contract/notifications/deliveries.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import type { QuietHours } from "@suncrew/domain/notifications/quiet-hours.ts";
import { type RawBuilder, sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { type Claim, LeasedQueue } from "../../platform/database/leased-queue.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import type { mailTexts } from "../../platform/mail-texts.ts";
import { ADDRESS_TOLD, addressOf, isUntold } from "./deliveries.repository.ts";
import { isMuted, type NoticedAlert, readAlertsById, tellAgain } from "./notices.repository.ts";
import { inKnownZone, teamSights } from "./recipients.repository.ts";

/** Longer than a message takes, so that nobody waits long for one that died with its server. */
const LEASE_MS = 2 * 60_000;
/** Advisory lock: servers claim one after another, so that a contact point gets one message at a time. */
const CLAIMS_LOCK = 7_305_021;

const queue = new LeasedQueue<string>("deliveries", {
  attempts: "attempts",
  dueAt: "due_at",
  isOpen: sql<boolean>`status = 'WAITING'`,
  leaseMs: LEASE_MS,
});

/** Failures after which its service may have got the message nevertheless. */
const UNCERTAIN: ReadonlySet<string> = new Set([
  ...(["SERVICE_SILENT", "SEND_TOO_SLOW", "SEND_FAILED"] satisfies Parameters<typeof deliveryTexts.text>[0][]),
  ...(["MAIL_FAILED", "SMTP_SILENT"] satisfies Parameters<typeof mailTexts.text>[0][]),
]);

/** A message that this server sends. */
export interface ClaimedDelivery extends Claim<string> {
  readonly contactId: number;
  readonly kind: MessageKind;
  readonly channel: ChannelKind;
  readonly content: unknown;
  readonly createdAt: Date;
  readonly heldUntil: Date | null;
  /** No try is known to have arrived, but one may have. */
  readonly mayHaveArrived: boolean;
  /** Why the try before failed; null if its server has not said how it ended, and before the first. */
  readonly failure: CodedText | null;
}

/**
 * Claims messages that are due, at most so many and one to each address, while no server sends it another; those that
 * this server is sending are `busy`. Of each contact point only the first is looked at, however much waits. An
 * all-clear waits until it is known whether its alerts were told. While a message is being sent, it has no reason for
 * waiting: that tells it from one that waits for its next try.
 */
export async function claimDeliveries(
  tx: Tx,
  { count, busy, now }: { readonly count: number; readonly busy: readonly number[]; readonly now: Date },
): Promise<ClaimedDelivery[]> {
  await sql`select pg_advisory_xact_lock(${CLAIMS_LOCK})`.execute(tx);
  const leaseEnd = new Date(now.getTime() + LEASE_MS);
  const { rows } = await sql<ClaimedDelivery>`
    with sending as materialized (
      select d.contact_point_id, ${addressOf("d")} as address from deliveries d
      where d.status = 'WAITING' and d.attempts > 0 and d.due_at > ${now} and d.due_at <= ${leaseEnd}
        and d.reason_code is null),
    due as materialized (
      select first.* from contact_points c cross join lateral (
        select d.id, d.due_at, ${addressOf("d")} as address from deliveries d
        where d.contact_point_id = c.id and d.status = 'WAITING' and d.due_at <= ${now}
          and (d.message_kind <> 'CLEARED' or not exists (
            select from deliveries told join delivery_alerts a on a.delivery_id = told.id
              join delivery_alerts b on b.alert_id = a.alert_id and b.delivery_id = d.id
            where told.contact_point_id = d.contact_point_id and told.message_kind = 'ALERTS'
              and told.status = 'WAITING' and told.attempts > 0))
        order by d.due_at, d.id limit 1) first
      where c.id <> all(${[...busy]}::int[]) and not exists (select from sending
        where sending.contact_point_id = c.id or sending.address = first.address)),
    next as (select distinct on (address) id, due_at from due order by address, due_at, id),
    chosen as (
      select d.id, case when d.reason_code is not null then jsonb_build_object(
        'text', d.reason, 'code', d.reason_code, 'params', coalesce(d.reason_params, '{}')) end as failure
      from deliveries d
      where d.id in (select id from next order by due_at, id limit ${count}) and d.status = 'WAITING' and d.due_at <= ${now}
      for update skip locked)
    update deliveries d set ${queue.claiming("d", now)}, reason = null, reason_code = null, reason_params = null,
      may_have_arrived = d.may_have_arrived or (d.attempts > 0 and d.reason_code is null)
    from chosen where d.id = chosen.id
    returning d.id, d.attempts as attempt, d.contact_point_id as "contactId", d.message_kind as kind, d.channel,
      d.content, d.created_at as "createdAt", d.held_until as "heldUntil",
      d.may_have_arrived as "mayHaveArrived", chosen.failure`.execute(tx);
  return rows;
}

/** A contact point as sending to it needs it. */
export interface SendingContact extends QuietHours {
  readonly id: number;
  readonly name: string;
  readonly channel: ChannelKind;
  readonly address: string;
  readonly options: unknown;
  readonly secret: string | null;
  readonly criticalPierces: boolean;
  readonly isDeleted: boolean;
  readonly enabled: boolean;
  readonly isUnsubscribed: boolean;
}

export async function readSendingContact(db: Executor, contactId: number): Promise<SendingContact | null> {
  const { rows } = await sql<SendingContact>`
    select c.id, c.name, c.channel, c.address, c.options, c.secret, c.timezone, c.quiet_from, c.quiet_to, c.days_off,
      c.critical_pierces as "criticalPierces", c.enabled,
      c.unsubscribed_at is not null as "isUnsubscribed",
      c.deleted_at is not null or coalesce(u.deleted_at, p.deleted_at, s.deleted_at, t.deleted_at) is not null
        as "isDeleted"
    from contact_points c left join users u on u.id = c.user_id left join partners p on p.id = c.partner_id
      left join sites s on s.id = c.site_id left join teams t on t.id = c.team_id
    where c.id = ${contactId}`.execute(db);
  return rows[0] === undefined ? null : inKnownZone(rows[0]);
}

export interface ToldNow {
  readonly alert: NoticedAlert;
  /** An earlier message has told it to the same contact point. */
  readonly again: boolean;
}

/** The wall between tenants as of now: whether contact point `c` may know of alert `a`; nobody does of a deleted site. */
const maySee = sql<boolean>`coalesce(s.deleted_at is null and case c.owner_kind
  when 'TEAM' then exists (select from ${teamSights} v where v.team_id = c.team_id
    and (v.sees_all or v.partner_id = s.maintenance_partner_id))
  when 'SITE' then a.site_id = c.site_id
  when 'PARTNER' then s.maintenance_partner_id = c.partner_id
  when 'PERSON' then u.role = 'SUPER_ADMIN' or s.maintenance_partner_id = u.partner_id end, false)`;

/**
 * What a message tells. As long as nobody can have got it, it leaves out what need not be told any more, for good: of
 * alerts what is over, acknowledged or muted meanwhile, which is told later if it is still open; of an all-clear what was
 * not told. What may have arrived stays as it was, so that whoever got it hears the end.
 */
export async function settleContent(
  tx: Tx,
  claim: ClaimedDelivery,
  now: Date,
): Promise<{
  readonly told: readonly ToldNow[];
  /** Whoever has the contact point may see nothing of it any more. */
  readonly isOutOfSight: boolean;
}> {
  const { rows } = await sql<{
    id: number;
    visible: boolean;
    muted: boolean;
    again: boolean;
    sent: boolean;
  }>`
    select a.id, ${maySee} as visible, ${isMuted(now)} as muted,
      exists (select from delivery_alerts e join deliveries earlier on earlier.id = e.delivery_id
        where e.alert_id = a.id and earlier.contact_point_id = c.id and earlier.message_kind = 'ALERTS'
          and (earlier.status = 'SENT' or earlier.reason_code = ${ADDRESS_TOLD})) as sent
    from delivery_alerts da join deliveries d on d.id = da.delivery_id join alerts a on a.id = da.alert_id
      join contact_points c on c.id = d.contact_point_id left join users u on u.id = c.user_id
      left join sites s on s.id = a.site_id
    where da.delivery_id = ${claim.id}`.execute(tx);
  const alerts = await readAlertsById(
    tx,
    rows.map(({ id }) => id),
  );
  const states = new Map(rows.map((row) => [row.id, row]));
  const isUnheard = !claim.mayHaveArrived;
  const kept = alerts.filter(({ id, clearedAt, acknowledgedAt }) => {
    const state = states.get(id);
    if (state === undefined || !state.visible) return false;
    if (!isUnheard) return true;
    if (claim.kind === "CLEARED") return clearedAt !== null && state.sent;
    return clearedAt === null && acknowledgedAt === null && !state.muted;
  });
  if (isUnheard && claim.kind === "ALERTS") {
    const untold = alerts.filter(({ id, acknowledgedAt }) => acknowledgedAt !== null || states.get(id)?.muted === true);
    await tellAgain(
      tx,
      untold.map(({ id }) => id),
      now,
    );
  }
  // A message that told nothing at all keeps what it was about.
  if (isUnheard && kept.length > 0 && kept.length < rows.length) {
    await sql`delete from delivery_alerts where delivery_id = ${claim.id}
      and alert_id <> all(${kept.map(({ id }) => id)}::bigint[])`.execute(tx);
  }
  return {
    told: kept.map((alert) => ({ alert, again: states.get(alert.id)?.sent === true })),
    isOutOfSight: rows.length > 0 && rows.every(({ visible }) => !visible),
  };
}

/** The rules because of which this contact point is told of these alerts, and whether each is its owner's own. */
export async function readReasons(
  db: Executor,
  contactId: number,
  alertIds: readonly number[],
): Promise<{ readonly name: string; readonly own: boolean }[]> {
  const { rows } = await sql<{ name: string; own: boolean }>`
    select distinct r.name, r.user_id is not null as own
    from alert_notices n join notification_rules r on r.id = n.rule_id, contact_points c
    where n.alert_id = any(${[...alertIds]}::bigint[]) and n.last_told_at is not null and c.id = ${contactId}
      and (r.user_id is null or r.user_id = c.user_id)
    order by r.name`.execute(db);
  return rows;
}

/** Stores what a message says, before it is sent; false if another server has claimed it since. */
export async function storeText(
  db: Executor,
  claim: Claim<string>,
  message: { readonly title: string; readonly severity: Severity | null; readonly text: string },
): Promise<boolean> {
  const stored = await db
    .updateTable("deliveries")
    .set(message)
    .where(queue.isHeld(claim))
    .returning("id")
    .executeTakeFirst();
  return stored !== undefined;
}

/** How a try ended. */
export type TryEnd =
  | { readonly status: "SENT"; readonly reference: string | null }
  | { readonly status: "WAITING"; readonly reason: CodedText; readonly retryAt: Date }
  | { readonly status: "FAILED"; readonly reason: CodedText }
  | { readonly status: "DROPPED"; readonly reason: CodedText };

/** Stores it, and what it says about the contact point; false if another server has claimed the message since. */
export async function storeEnd(tx: Tx, claim: ClaimedDelivery, end: TryEnd, now: Date): Promise<boolean> {
  const reason = "reason" in end ? end.reason : null;
  const stored = await tx
    .updateTable("deliveries")
    .set({
      status: end.status,
      ...reasonColumns(reason),
      // What was dropped was not tried.
      ...(end.status !== "DROPPED" && { tries: withTry(claim.attempt, reason, now) }),
      due_at: end.status === "WAITING" ? end.retryAt : null,
      ...(end.status === "WAITING" && UNCERTAIN.has(end.reason.code) && { may_have_arrived: true }),
      settled_at: end.status === "WAITING" ? null : now,
      ...(end.status === "SENT" && { reference: end.reference?.slice(0, 200) ?? null }),
    })
    .where(queue.isHeld(claim))
    .returning("id")
    .executeTakeFirst();
  if (stored === undefined) return false;
  if (end.status === "SENT") {
    await sql`
      update contact_points set last_sent_at = ${now}, failures = 0, failed_at = null, failure_reason = null,
        failure_reason_code = null, failure_reason_params = null
      where id = ${claim.contactId}`.execute(tx);
  } else if (end.status !== "DROPPED") {
    const { text, code, params } = end.reason;
    await sql`
      update contact_points set failures = failures + 1, failed_at = ${now}, failure_reason = ${text},
        failure_reason_code = ${code}, failure_reason_params = ${JSON.stringify(params)}::jsonb
      where id = ${claim.contactId}`.execute(tx);
  }
  return true;
}

function withTry(attempt: number, reason: CodedText | null, at: Date): RawBuilder<string> {
  const ended = { attempt, at: at.toISOString(), reason: reason?.text ?? null, reason_code: reason?.code ?? null };
  return sql`deliveries.tries || ${JSON.stringify([ended])}::jsonb`;
}

/**
 * Lets a message wait for the end of a quiet time, as if nobody had claimed it, or gives what it tells to one that waits
 * for that already. The day of its tries begins at the first end.
 */
export async function holdClaim(tx: Tx, claim: ClaimedDelivery, until: Date, now: Date): Promise<void> {
  if (await isToldWithOther(tx, claim, until, now)) return;
  const { attempt, failure, heldUntil } = claim;
  const isUntried = attempt === 1;
  // Without a reason it would count as being sent.
  const reason = failure ?? (isUntried ? null : deliveryTexts.text("SERVERS_STOPPED", {}));
  await tx
    .updateTable("deliveries")
    .set({ due_at: until, held_until: isUntried ? until : (heldUntil ?? until), attempts: attempt - 1 })
    .set(reasonColumns(reason))
    .where(queue.isHeld(claim))
    .execute();
}

async function isToldWithOther(tx: Tx, claim: ClaimedDelivery, until: Date, now: Date): Promise<boolean> {
  if (claim.mayHaveArrived || (claim.kind !== "ALERTS" && claim.kind !== "CLEARED")) return false;
  const { rows } = await sql<{ id: string }>`
    select d.id from deliveries d
    where d.contact_point_id = ${claim.contactId} and d.message_kind = ${claim.kind} and d.id <> ${claim.id}
      and ${isUntold} and d.due_at = ${until}
    order by d.created_at, d.id limit 1 for update skip locked`.execute(tx);
  const [other] = rows;
  if (other === undefined) return false;
  const reason = deliveryTexts.text("TOLD_TOGETHER", {});
  if (!(await storeEnd(tx, claim, { status: "DROPPED", reason }, now))) return false;
  await sql`
    insert into delivery_alerts (delivery_id, alert_id)
    select ${other.id}::uuid, alert_id from delivery_alerts where delivery_id = ${claim.id}
    on conflict do nothing`.execute(tx);
  return true;
}

/** Leaves a message to whichever server comes first. */
export async function releaseClaim(db: Executor, claim: Claim<string>, now: Date): Promise<void> {
  await db.updateTable("deliveries").set({ due_at: now }).where(queue.isHeld(claim)).execute();
}
