import type { AlertSource } from "@suncrew/contract/alerts/alerts.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import { ruleFilterSchema, ruleStepSchema } from "@suncrew/contract/notifications/notification-rules.ts";
import type { ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";

/** Advisory lock: one server at a time decides who is told. */
const NOTIFIER_LOCK = 7_305_022;

/** False while another server holds it; kept until the transaction ends. */
export async function tryLockNotifier(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ is_ours: boolean }>`
    select pg_try_advisory_xact_lock(${NOTIFIER_LOCK}) as is_ours`.execute(tx);
  return rows[0]?.is_ours === true;
}

const ruleSchema = z.object({
  id: z.int(),
  /** Of a subscription; null for a rule of the installation. */
  userId: z.int().nullable(),
  filter: ruleFilterSchema,
  wait_seconds: z.int(),
  repeat_minutes: z.int().nullable(),
  tells_cleared: z.boolean(),
  steps: z.array(ruleStepSchema).min(1),
  createdAt: z.date(),
  /** Whether it tells; one that does not any more only says what has ended. */
  isActive: z.boolean(),
});
export type Rule = z.output<typeof ruleSchema>;

/** Rules `r` that are switched on, of people who still exist. */
const isActive = sql<boolean>`(r.enabled and r.deleted_at is null and not exists (
  select from users u where u.id = r.user_id and u.deleted_at is not null))`;

/**
 * Active rules, and others as long as something that they have noticed is open. A rule that only a newer server
 * understands is left to that one.
 */
export async function readRules(db: Executor): Promise<Rule[]> {
  const { rows } = await sql<Record<string, unknown>>`
    select r.id, r.user_id as "userId", r.filter, r.wait_seconds, r.repeat_minutes, r.tells_cleared, r.steps,
      r.created_at as "createdAt", ${isActive} as "isActive"
    from notification_rules r
    where ${isActive} or exists (select from alert_notices n where n.rule_id = r.id and not n.ended)
    order by r.id`.execute(db);
  return rows.flatMap((row) => ruleSchema.safeParse(row).data ?? []);
}

/** An alert as deciding about it needs it. */
export interface NoticedAlert {
  readonly id: number;
  readonly source: AlertSource;
  readonly code: string;
  readonly severity: Severity;
  readonly text: string;
  readonly robotId: number | null;
  /** Of an open alert the current one. */
  readonly robotName: string | null;
  readonly serialNumber: string | null;
  readonly siteId: number | null;
  readonly siteName: string | null;
  readonly siteTimezone: string | null;
  readonly state: string | null;
  readonly partnerId: number | null;
  readonly raisedAt: Date;
  readonly clearedAt: Date | null;
  readonly acknowledgedAt: Date | null;
}

/** Where an alert stands under a rule, as its row says. */
export interface Notice {
  readonly alertId: number;
  readonly ruleId: number;
  /** The worst so far. */
  readonly severity: Severity;
  /** The alert's, when it was last looked at. */
  readonly raisedAt: Date;
  readonly noticedAt: Date;
  readonly firstToldAt: Date | null;
  readonly lastToldAt: Date | null;
  readonly step: number | null;
  readonly nextAt: Date | null;
  readonly ended: boolean;
}

const alertColumns = sql`a.id, a.source, a.code, a.severity, a.text, a.robot_id as "robotId",
  coalesce(case when a.cleared_at is null then robots.robot_name end, a.robot_name) as "robotName",
  robots.serial_number as "serialNumber", a.site_id as "siteId", s.name as "siteName",
  s.timezone as "siteTimezone", s.state,
  s.maintenance_partner_id as "partnerId", a.raised_at as "raisedAt", a.cleared_at as "clearedAt",
  a.acknowledged_at as "acknowledgedAt"`;
/** Alerts `a` of a condition, with their sites and robots. */
const alertRows = sql`alerts a left join sites s on s.id = a.site_id left join robots on robots.id = a.robot_id`;
const noticeColumns = sql`n.alert_id as "alertId", n.rule_id as "ruleId", n.severity, n.noticed_at as "noticedAt",
  coalesce(n.raised_at, n.noticed_at) as "raisedAt",
  n.first_told_at as "firstToldAt", n.last_told_at as "lastToldAt", n.step, n.next_at as "nextAt", n.ended`;

/** Whether somebody has muted the robot or the site of alert `a`. */
export const isMuted = (now: Date): RawBuilder<boolean> => sql`exists (
  select from mutes m where m.site_id = a.site_id and (m.robot_id is null or m.robot_id = a.robot_id)
    and m.ended_at is null and m.until > ${now})`;

/**
 * Notices `n` of alerts `a` under rules `r` that may be told, of sites that still exist; the end is told also under a rule
 * that tells nothing else now.
 */
const mayBeTold = (now: Date) => sql<boolean>`(${isActive} or a.cleared_at is not null) and not ${isMuted(now)}
  and not exists (select from sites gone where gone.id = a.site_id and gone.deleted_at is not null)`;

interface Progress {
  /** The oldest change that may not have been looked at; null before the first look. */
  readonly from: string | null;
  /** Where to go on after all changes since then were looked at. */
  readonly until: string;
  readonly isChanged: boolean;
  readonly isDue: boolean;
}

/**
 * Whether there is anything to do, through indexes only. A row's `change_no` is the number of the transaction that wrote
 * it; the next look begins at the oldest one that this one cannot see, so that a late commit is never skipped. After a
 * dump was restored, a number may lie in this database's future.
 */
export async function readProgress(db: Executor, now: Date): Promise<Progress> {
  const { rows } = await sql<Progress>`
    with oldest as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as change_no),
    reached as (select least(p.change_no, oldest.change_no) as change_no from oldest left join notifier_progress p on true)
    select (select case when exists (select from notifier_progress) then change_no::text end from reached) as "from",
      (select change_no::text from oldest) as until,
      coalesce((select change_no from alerts order by change_no desc limit 1) >= (select change_no from reached), false)
        as "isChanged",
      exists (select from alert_notices n join alerts a on a.id = n.alert_id
        join notification_rules r on r.id = n.rule_id
        where n.next_at <= ${now} and ${mayBeTold(now)}) as "isDue"`.execute(db);
  const [progress] = rows;
  if (progress === undefined) throw new Error("How far alerts were looked at came without a row.");
  return progress;
}

export async function storeProgress(tx: Tx, until: string): Promise<void> {
  await sql`insert into notifier_progress (change_no) values (${until}::xid8)
    on conflict (id) do update set change_no = excluded.change_no`.execute(tx);
}

/** Alerts changed since then; samples of the demo's history concern nobody. */
export async function readChangedAlerts(db: Executor, from: string): Promise<NoticedAlert[]> {
  const { rows } = await sql<NoticedAlert>`
    select ${alertColumns} from ${alertRows}
    where a.change_no >= ${from}::xid8 and not a.sample order by a.id`.execute(db);
  return rows;
}

export async function readAlertsById(db: Executor, alertIds: Iterable<number>): Promise<NoticedAlert[]> {
  const { rows } = await sql<NoticedAlert>`
    select ${alertColumns} from ${alertRows} where a.id = any(${[...new Set(alertIds)]}::bigint[])`.execute(db);
  return rows;
}

/** Of robots that are lost while moving: the robot, and its alert. */
export async function readOpenLosses(db: Executor, robotIds: readonly number[]): Promise<[number, number][]> {
  const { rows } = await sql<{ robot_id: number; id: number }>`
    select robot_id, id from alerts
    where robot_id = ${anyInt(robotIds)} and source = 'SERVER' and code = ${LOST_WHILE_MOVING}
      and cleared_at is null`.execute(db);
  return rows.map(({ robot_id, id }) => [robot_id, id]);
}
const LOST_WHILE_MOVING = "LOST_WHILE_MOVING" satisfies ServerAlertCode;

export async function readNotices(db: Executor, alertIds: readonly number[]): Promise<Notice[]> {
  const { rows } = await sql<Notice>`
    select ${noticeColumns} from alert_notices n where n.alert_id = any(${[...alertIds]}::bigint[])`.execute(db);
  return rows;
}

/**
 * The notices whose time has come, and of their rules everything else that waits to be told: what belongs together goes
 * in one message. Nothing that is muted.
 */
export async function readDueNotices(
  db: Executor,
  now: Date,
): Promise<{ readonly notice: Notice; readonly alert: NoticedAlert }[]> {
  const { rows } = await sql<Notice>`
    with due as materialized (
      select distinct n.rule_id from alert_notices n join alerts a on a.id = n.alert_id
        join notification_rules r on r.id = n.rule_id
        where n.next_at <= ${now} and ${mayBeTold(now)})
    select ${noticeColumns} from due
      join notification_rules r on r.id = due.rule_id
      join alert_notices n on n.rule_id = r.id and n.next_at is not null
      join alerts a on a.id = n.alert_id
    where (n.next_at <= ${now} or n.step is null or a.cleared_at is not null) and ${mayBeTold(now)}
    order by n.alert_id, n.rule_id`.execute(db);
  const alerts = await readAlertsById(
    db,
    rows.map(({ alertId }) => alertId),
  );
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  return rows.flatMap((notice) => {
    const alert = byId.get(notice.alertId);
    return alert === undefined ? [] : [{ notice, alert }];
  });
}

/** Inserts or replaces notices. */
export async function storeNotices(tx: Tx, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const column = <Name extends keyof Notice>(name: Name) => notices.map((notice) => notice[name]);
  await sql`
    insert into alert_notices
      (alert_id, rule_id, severity, raised_at, noticed_at, first_told_at, last_told_at, step, next_at, ended)
    select n.* from unnest(${column("alertId")}::bigint[], ${column("ruleId")}::int[], ${column("severity")}::text[],
      ${column("raisedAt")}::timestamptz[], ${column("noticedAt")}::timestamptz[], ${column("firstToldAt")}::timestamptz[],
      ${column("lastToldAt")}::timestamptz[], ${column("step")}::int[], ${column("nextAt")}::timestamptz[],
      ${column("ended")}::boolean[])
      n (alert_id, rule_id, severity, raised_at, noticed_at, first_told_at, last_told_at, step, next_at, ended)
    where exists (select from notification_rules r where r.id = n.rule_id for key share)
      and exists (select from alerts a where a.id = n.alert_id)
    on conflict (alert_id, rule_id) do update set severity = excluded.severity, raised_at = excluded.raised_at,
      noticed_at = excluded.noticed_at,
      first_told_at = excluded.first_told_at, last_told_at = excluded.last_told_at, step = excluded.step,
      next_at = excluded.next_at, ended = excluded.ended`.execute(tx);
}

/**
 * Whoever was not told of these after all is told once they may be: of what is muted when it is not any more, of what is
 * acknowledged if that is taken back.
 */
export async function tellAgain(tx: Tx, alertIds: readonly number[], now: Date): Promise<void> {
  if (alertIds.length === 0) return;
  await sql`
    update alert_notices n set noticed_at = ${now}, first_told_at = null, step = null,
      next_at = case when a.acknowledged_at is null then ${now}::timestamptz end
    from alerts a
    where n.alert_id = any(${[...alertIds]}::bigint[]) and a.id = n.alert_id and not n.ended
      and a.cleared_at is null`.execute(tx);
}
