import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { MessageKind } from "@suncrew/contract/notifications/deliveries.ts";
import type { DigestContent, SiteNight } from "@suncrew/contract/notifications/regular-content.ts";
import { HELD_FOR_RAIN } from "@suncrew/domain/attention/attention-texts.ts";
import { MESSAGE_LINES_MAX } from "@suncrew/domain/notifications/message.ts";
import { nightsFrom } from "@suncrew/domain/robot-history/nights.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { localTimeOf, siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";
import { runRank } from "../runs/public.ts";
import { inKnownZone, teamSights } from "./recipients.repository.ts";
import { urlOf } from "./told-alerts.ts";

type RegularKind = Extract<MessageKind, "DIGEST" | "SUMMARY">;
/** The columns of each: the time of day, and the day that is done. */
const columnsOf = {
  DIGEST: { at: sql.ref("digest_at"), on: sql.ref("digest_on") },
  SUMMARY: { at: sql.ref("summary_at"), on: sql.ref("summary_on") },
} as const;
/** One that could not be made in this time after it was due is left out: nobody wants the morning's in the evening. */
const LATE_UP_TO_HOURS = 3;

export interface RegularContact {
  readonly id: number;
  readonly name: string;
  readonly channel: "EMAIL" | "SLACK" | "TEAMS" | "TELEGRAM" | "WHATSAPP" | "WEBHOOK";
  readonly address: string;
  readonly timezone: string;
  readonly quiet_from: string | null;
  readonly quiet_to: string | null;
  readonly days_off: number[];
  readonly owner_kind: "PERSON" | "PARTNER" | "SITE" | "TEAM";
  readonly user_id: number | null;
  readonly partner_id: number | null;
  readonly site_id: number | null;
  readonly team_id: number | null;
}

/**
 * Claims those whose time has come today, by their own clocks: each once a day, however many servers ask. PostgreSQL is
 * not asked for the time of a zone: it may not know one, and takes some names for others.
 */
export async function claimRegular(tx: Tx, kind: RegularKind, now: Date, limit: number): Promise<RegularContact[]> {
  const { at, on } = columnsOf[kind];
  const { rows: zones } = await sql<{ timezone: string }>`
    select distinct timezone from contact_points where deleted_at is null and ${at} is not null`.execute(tx);
  const clocks = zones.map((zone) => ({ ...zone, ...localTimeOf(now, inKnownZone(zone).timezone) }));
  const { rows } = await sql<RegularContact>`
    with local as (
      select * from unnest(${clocks.map(({ timezone }) => timezone)}::text[], ${clocks.map(({ date }) => date)}::date[],
        ${clocks.map(({ time }) => time)}::time[]) local (timezone, date, time)),
    due as (
      select c.id, local.date from contact_points c join local on local.timezone = c.timezone
      where deleted_at is null and enabled and unsubscribed_at is null and ${at} is not null
        and (${on} is null or ${on} < local.date)
        and local.time >= ${at}::time and local.time - ${at}::time < ${LATE_UP_TO_HOURS} * interval '1 hour'
      order by c.id limit ${limit} for update of c skip locked)
    update contact_points c set ${on} = due.date from due where c.id = due.id
    returning c.id, name, channel, address, timezone, quiet_from, quiet_to, days_off, owner_kind, user_id, partner_id,
      site_id, team_id`.execute(tx);
  return rows.map(inKnownZone);
}

export interface Sight {
  /** What messages call the owner. */
  readonly told: string;
  readonly seesServers: boolean;
  readonly sites: readonly { readonly id: number; readonly name: string; readonly timezone: string }[];
}

/** What the owner may see now; null where the owner was deleted. */
export async function readSight(db: Executor, contact: RegularContact): Promise<Sight | null> {
  const { owner_kind, user_id, partner_id, site_id, team_id } = contact;
  const { rows: owners } = await sql<{ told: string; is_admin: boolean; partner_ids: number[] }>`
    select u.name as told, u.role = 'SUPER_ADMIN' as is_admin, array_remove(array[u.partner_id], null) as partner_ids
      from users u left join partners p on p.id = u.partner_id
      where ${owner_kind} = 'PERSON' and u.id = ${user_id} and u.deleted_at is null and p.deleted_at is null
    union all select p.name, false, array[p.id] from partners p
      where ${owner_kind} = 'PARTNER' and p.id = ${partner_id} and p.deleted_at is null
    union all select s.name, false, '{}' from sites s
      where ${owner_kind} = 'SITE' and s.id = ${site_id} and s.deleted_at is null
    union all select t.name, coalesce(v.sees_all, false), array_remove(array[v.partner_id], null)
      from teams t left join ${teamSights} v on v.team_id = t.id
      where ${owner_kind} = 'TEAM' and t.id = ${team_id} and t.deleted_at is null`.execute(db);
  const [owner] = owners;
  if (owner === undefined) return null;
  const sites = await db
    .selectFrom("sites")
    .select(["id", "name", "timezone"])
    .where("deleted_at", "is", null)
    .$if(owner_kind === "SITE", (query) => query.where("id", "=", site_id ?? 0))
    .$if(owner_kind !== "SITE" && !owner.is_admin, (query) =>
      query.where("maintenance_partner_id", "=", anyInt(owner.partner_ids)),
    )
    .orderBy("name")
    .orderBy("id")
    .execute();
  return { told: owner.told, seesServers: owner.is_admin, sites };
}

/** The last 24 hours of what the owner sees; `publicUrl` is where people reach the console, null if that is not known. */
export async function readDigest(
  db: Executor,
  sight: Sight,
  now: Date,
  publicUrl: string | null,
): Promise<DigestContent> {
  const siteIds = sight.sites.map(({ id }) => id);
  const since = new Date(now.getTime() - 86_400_000);
  const isSeen = sql<boolean>`(a.site_id = any(${siteIds}::int[]) or (a.site_id is null and ${sight.seesServers}))`;
  const { rows: sums } = await sql<{ raised: number; cleared: number; open: number }>`
    select (select count(*)::int from alerts a where ${isSeen} and a.raised_at > ${since}) as raised,
      (select count(*)::int from alerts a where ${isSeen} and a.cleared_at > ${since}) as cleared,
      (select count(*)::int from alerts a where ${isSeen} and a.cleared_at is null and a.severity = 'CRITICAL') as open`.execute(
    db,
  );
  const { rows: runs } = await sql<{ done: number; failed: number }>`
    select count(*) filter (where outcome = 'COMPLETED')::int as done,
      count(*) filter (where outcome in ('FAILED', 'MISSED'))::int as failed
    from runs where site_id = any(${siteIds}::int[]) and ended_at > ${since}`.execute(db);
  const { rows: open } = await sql<{
    severity: Severity;
    text: string;
    site: string | null;
    robot: string | null;
    raised_at: Date;
    site_id: number | null;
    serial_number: string | null;
  }>`
    select a.severity, a.text, s.name as site, a.robot_name as robot, a.raised_at, a.site_id, r.serial_number
    from alerts a left join sites s on s.id = a.site_id left join robots r on r.id = a.robot_id
    where ${isSeen} and a.cleared_at is null and a.severity = 'CRITICAL'
    order by a.raised_at desc, a.id desc limit ${MESSAGE_LINES_MAX}`.execute(db);
  const [{ raised, cleared, open: openCount } = { raised: 0, cleared: 0, open: 0 }] = sums;
  const [{ done, failed } = { done: 0, failed: 0 }] = runs;
  return {
    raised,
    cleared,
    done,
    failed,
    open: open.map(({ raised_at, site_id: siteId, serial_number: serialNumber, ...alert }) => ({
      ...alert,
      raised_at: raised_at.toISOString(),
      url: publicUrl === null ? null : urlOf({ siteId, serialNumber }, publicUrl),
    })),
    open_count: openCount,
  };
}

/** Last night of each site, by its own clocks, as the calendar has it: the best run of each robot counts. */
export async function readNights(
  db: Executor,
  { sites }: Sight,
  now: Date,
  publicUrl: string | null,
): Promise<SiteNight[]> {
  const nights = sites.flatMap(({ id, timezone }) => {
    const [night] = nightsFrom(addDays(siteToday(timezone, now), -1), timezone, 1);
    return night === undefined ? [] : [{ id, from: new Date(night.fromMs), to: new Date(night.toMs) }];
  });
  const { rows } = await sql<{ site_id: number; outcome: string | null; is_rain: boolean; robots: number }>`
    select site_id, outcome, coalesce(reason_code = ${HELD_FOR_RAIN}, false) as is_rain, count(*)::int as robots from (
      select distinct on (runs.site_id, runs.robot_id) runs.site_id, runs.outcome, runs.reason_code
      from unnest(${nights.map(({ id }) => id)}::int[], ${nights.map(({ from }) => from.toISOString())}::timestamptz[],
        ${nights.map(({ to }) => to.toISOString())}::timestamptz[]) as night (site_id, "from", "to")
      join runs on runs.site_id = night.site_id and runs.at >= night."from" and runs.at < night."to"
      order by runs.site_id, runs.robot_id, ${runRank}) best
    group by 1, 2, 3`.execute(db);
  const bySite = Map.groupBy(rows, ({ site_id }) => site_id);
  return sites.map(({ id, name }) => {
    const best = bySite.get(id) ?? [];
    const count = (isCounted: (row: (typeof best)[number]) => boolean) =>
      best.filter(isCounted).reduce((sum, { robots }) => sum + robots, 0);
    const of = (outcome: string) => count((row) => row.outcome === outcome);
    return {
      name,
      url: publicUrl === null ? null : urlOf({ siteId: id, serialNumber: null }, publicUrl),
      runs: count(() => true),
      done: of("COMPLETED"),
      failed: of("FAILED"),
      missed: of("MISSED"),
      cut_short: of("CUT_SHORT"),
      skipped: of("SKIPPED"),
      for_rain: count(({ outcome, is_rain }) => outcome === "SKIPPED" && is_rain),
    };
  });
}

/** Queues the message; its runner writes it from `content`. */
export async function queueRegular(
  tx: Tx,
  contact: RegularContact,
  message: {
    readonly kind: RegularKind;
    readonly told: string;
    readonly title: string;
    readonly content: object;
    readonly now: Date;
    /** The end of a quiet time; null to send it now. */
    readonly heldUntil: Date | null;
  },
): Promise<void> {
  const { id, name, channel, address } = contact;
  await tx
    .insertInto("deliveries")
    .values({
      id: uuidv7(),
      message_kind: message.kind,
      contact_point_id: id,
      channel,
      contact_point_name: name,
      told: message.told,
      address,
      title: message.title,
      content: JSON.stringify(message.content),
      created_at: message.now,
      due_at: message.heldUntil ?? message.now,
      held_until: message.heldUntil,
    })
    .execute();
}

/** Tries in a row after which a contact point counts as failing, even before a message is given up. */
const FAILING_FROM = 3;

/**
 * Names of contact points in use that messages do not reach, with whose they are; also of those that Suncrew switched off
 * because their receivers said that they are gone.
 */
export async function readFailingContacts(db: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select coalesce(u.name, p.name, s.name, t.name) || ': ' || c.name as name
    from contact_points c left join users u on u.id = c.user_id left join partners p on p.id = c.partner_id
      left join sites s on s.id = c.site_id left join teams t on t.id = c.team_id
    where c.deleted_at is null and c.unsubscribed_at is null
      and coalesce(u.deleted_at, p.deleted_at, s.deleted_at, t.deleted_at) is null
      and case when c.enabled then c.failures > 0 and (c.failures >= ${FAILING_FROM} or exists (select from deliveries d
          where d.contact_point_id = c.id and d.status = 'FAILED' and d.settled_at >= c.failed_at))
        else c.failure_reason_code = 'WEBHOOK_GONE' end
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** For so long a webhook may fail: the first tries of an event are made within it. */
const WEBHOOK_MAY_FAIL_MS = 5 * 60_000;

/** Names of webhooks that have failed for long, or that Suncrew disabled because they said that they are gone. */
export async function readFailingWebhooks(db: Executor, now: Date): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from webhooks
    where deleted_at is null and case when enabled then failing_since <= ${new Date(now.getTime() - WEBHOOK_MAY_FAIL_MS)}
      else disabled_reason_code = 'WEBHOOK_SAID_GONE' end
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}
