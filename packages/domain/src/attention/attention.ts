import type { AttentionItem } from "@suncrew/contract/attention/attention.ts";
import { ATTENTION_ROBOTS_LIMIT } from "@suncrew/contract/attention/attention.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { LOW_BATTERY_PERCENT } from "../alerts/low-battery.ts";
import type { ServerAlertCode } from "../alerts/server-alerts.ts";
import { severityRank } from "../alerts/severity-order.ts";
import type { LostWhileMoving } from "../robots/lost-while-moving.ts";
import { addDays } from "../schedules/calendar-date.ts";
import { instantOf, localTimeOf, siteToday } from "../schedules/site-time.ts";
import { attentionTexts, canBeRetried, isIntended, ofNoRobot } from "./attention-texts.ts";

const DAY_MS = 86_400_000;

/** Runs count from this time of the day before, by the site's clock: the evening before the night that is over. */
const EVENING = "18:00:00";
/** A robot that is locked for longer than this may have been forgotten. */
export const MAINTENANCE_LONG_MS = 7 * DAY_MS;
/** Runs that are due within this time are looked at: tonight's. */
export const BATTERY_AHEAD_MS = DAY_MS;
/** How much a robot's battery drains is learned from its runs of this time, if there are enough of them. */
export const DRAIN_OVER_MS = 30 * DAY_MS;
export const DRAIN_MIN_RUNS = 2;

/** When last evening began at a site. */
export function lastEvening(timezone: string, now: Date): Date {
  return instantOf(addDays(siteToday(timezone, now), -1), EVENING, timezone);
}

/** Outcomes of runs that need a person, unless the robot has cleaned since. */
export const TROUBLED_OUTCOMES = ["FAILED", "SKIPPED", "MISSED", "CUT_SHORT"] as const satisfies RunOutcome[];
export type TroubledOutcome = (typeof TROUBLED_OUTCOMES)[number];

/** `drainPerMinute` in percent, from the robot's own runs. */
export function lastsTheRun(batteryPercent: number, minutes: number, drainPerMinute: number): boolean {
  return minutes * drainPerMinute <= batteryPercent - LOW_BATTERY_PERCENT;
}

export interface AttentionSite {
  readonly id: number;
  readonly name: string;
  readonly timezone: string;
}

export interface AttentionRobot {
  readonly robot_id: number;
  readonly serial_number: string;
}

interface OfRobot {
  readonly site: AttentionSite;
  readonly robot: AttentionRobot;
}

interface Acknowledged {
  readonly at: Date;
  readonly by: string;
  readonly comment: string | null;
}

/** An acknowledgement of an item that is no alert. */
export interface Acknowledgement extends Acknowledged {
  readonly key: string;
  /** The robots that it was about: one more is news. */
  readonly robotIds: readonly number[];
}

export interface LostRobotFact extends OfRobot {
  readonly lost: LostWhileMoving;
}

/**
 * Of the alerts that are no more than warnings, those that are listed: the whole site is kept from cleaning, loses by it, or
 * is guarded by less than it should be.
 */
export const LISTED_WARNINGS: readonly ServerAlertCode[] = ["WEATHER_LIMIT", "SITE_SOILED", "SENSOR_SILENT"];

export interface AlertFact {
  /** A bigint as text. */
  readonly id: string;
  /** Null for Suncrew's own servers. */
  readonly site: AttentionSite | null;
  /** Null if it is about a whole site or Suncrew's own servers. */
  readonly robot: AttentionRobot | null;
  readonly severity: Severity;
  readonly code: string;
  readonly text: string;
  readonly raisedAt: Date;
  readonly acknowledged: Acknowledged | null;
}

export interface TroubledRunFact extends OfRobot {
  readonly id: string;
  /** Null for a run by hand. */
  readonly plan: { readonly scheduleId: number; readonly groupName: string; readonly minutes: number } | null;
  readonly at: Date;
  readonly outcome: TroubledOutcome;
  /** Of the reason; null for rows of older versions. */
  readonly code: string | null;
  readonly reason: string | null;
  /** The reason without the person whom it names; null if that cannot be told apart. */
  readonly publicReason: string | null;
}

export interface WeakBatteryFact extends OfRobot {
  readonly scheduleId: number;
  readonly groupName: string;
  readonly dueAt: Date;
  readonly minutes: number;
  readonly batteryPercent: number;
  readonly drainPerMinute: number;
}

export interface LongLockFact extends OfRobot {
  readonly id: string;
  readonly lockedAt: Date;
  readonly lockedBy: string;
  readonly reason: string;
}

/** What is known of a viewer's sites, as far as it may need a person. */
export interface AttentionFacts {
  /** Only those that may be moving. */
  readonly lost: readonly LostRobotFact[];
  /** Open ones. */
  readonly alerts: readonly AlertFact[];
  /** Since last evening; at most one of each robot: its newest. */
  readonly runs: readonly TroubledRunFact[];
  readonly batteries: readonly WeakBatteryFact[];
  readonly locks: readonly LongLockFact[];
  readonly acknowledgements: readonly Acknowledgement[];
}

/** An item with what only the server needs of it. */
export interface RankedItem {
  readonly item: AttentionItem;
  /** Its cause without people and their words, for a screen that anybody may look at. */
  readonly publicCause: string;
  /** Of all its robots. */
  readonly robotIds: readonly number[];
  /** Its alerts, which are acknowledged instead of the item. */
  readonly alertIds: readonly string[];
}

/** What needs a person: perhaps moving robots first, then by kind, and what was acknowledged last. */
export function attentionOf(facts: AttentionFacts, now: Date): RankedItem[] {
  const acknowledgements = new Map(facts.acknowledgements.map((one) => [one.key, one]));
  const drafts = [
    ...lostItems(facts.lost),
    ...alertItems(facts),
    ...runItems(facts.runs),
    ...batteryItems(facts.batteries),
    ...lockItems(facts.locks, now),
  ];
  return drafts
    .map((draft) => ({ draft, ranked: rankedItem(draft, acknowledgements.get(draft.key)) }))
    .toSorted((one, other) => compare(one, other))
    .map(({ ranked }) => ranked);
}

interface Draft extends Pick<AttentionItem, "key" | "kind" | "severity" | "cause" | "suggestion"> {
  readonly code?: string;
  readonly publicCause?: string;
  readonly site: AttentionSite | null;
  readonly robots: readonly AttentionRobot[];
  readonly since: Date | null;
  /** An acknowledgement of before is about something else; null if the key says it. */
  readonly newsAt?: Date;
  readonly dueAt?: Date;
  readonly canStop?: boolean;
  readonly retryMinutes?: number | null;
  readonly day?: string;
  readonly alertIds?: readonly string[];
  readonly acknowledged?: Acknowledged | null;
}

function lostItems(facts: readonly LostRobotFact[]): Draft[] {
  return [...Map.groupBy(facts, ({ site }) => site.id).values()].flatMap((lost) => {
    const [first] = lost;
    if (first === undefined) return [];
    const { site } = first;
    const lostAt = lost.map((one) => one.lost.lostAt.getTime());
    return {
      key: `lost-${site.id}`,
      kind: "MAY_BE_MOVING",
      severity: "CRITICAL",
      site,
      robots: lost.map(({ robot }) => robot),
      since: new Date(Math.min(...lostAt)),
      newsAt: new Date(Math.max(...lostAt)),
      canStop: true,
      ...attentionTexts.lost(
        lost.map((one) => one.lost),
        clockOf(site),
      ),
    };
  });
}

function alertItems({ alerts, lost }: AttentionFacts): Draft[] {
  // Those are listed as robots that may be moving.
  const listed = new Set(lost.map(({ robot }) => robot.robot_id));
  const shown = alerts.filter(
    ({ code, robot }) => code !== "LOST_WHILE_MOVING" || robot === null || !listed.has(robot.robot_id),
  );
  const same = ({ site, robot, code, text, acknowledged, id }: AlertFact) =>
    robot === null ? id : JSON.stringify([site?.id, code, text, acknowledged?.at, acknowledged?.by]);
  return [...Map.groupBy(shown, same).values()].flatMap((each) => {
    const [first] = each;
    if (first === undefined) return [];
    const { id, site, severity, code, text, acknowledged } = first;
    const ids = each.map((alert) => alert.id).toSorted();
    const since = new Date(Math.min(...each.map(({ raisedAt }) => raisedAt.getTime())));
    return {
      key: each.length === 1 ? id : `alerts-${ids[0]}`,
      kind: "ALERT",
      code,
      severity,
      site,
      robots: each.flatMap(({ robot }) => robot ?? []),
      since,
      canStop: code === "COMMAND_UNCONFIRMED",
      alertIds: ids,
      acknowledged,
      ...attentionTexts.alert(code, text, each.length),
    };
  });
}

function runItems(facts: readonly TroubledRunFact[]): Draft[] {
  const same = ({ id, plan, at, outcome, code, reason, robot }: TroubledRunFact) =>
    plan === null ? id : JSON.stringify([plan.scheduleId, at, outcome, code, ofNoRobot(reason, robot.serial_number)]);
  return [...Map.groupBy(facts, same).values()].flatMap((runs) => {
    const [first] = runs;
    if (first === undefined) return [];
    const { site, plan, at, outcome, code } = first;
    const local = localTimeOf(at, site.timezone);
    // The reason tells apart what one due time has several of.
    const key =
      plan === null
        ? `run-${first.id}`
        : `runs-${plan.scheduleId}-${at.getTime()}-${outcome.toLowerCase().replace("_", "")}-${hashOf(same(first))}`;
    return {
      key,
      kind: "RUNS",
      severity: isIntended(code) ? "INFO" : "WARNING",
      site,
      robots: runs.map(({ robot }) => robot),
      since: at,
      day: local.date,
      retryMinutes: plan !== null && canBeRetried(code) ? plan.minutes : null,
      ...attentionTexts.runs(first, runs.length, local.time.slice(0, 5)),
    };
  });
}

function batteryItems(facts: readonly WeakBatteryFact[]): Draft[] {
  const weak = facts.filter((fact) => !lastsTheRun(fact.batteryPercent, fact.minutes, fact.drainPerMinute));
  const same = ({ scheduleId, dueAt }: WeakBatteryFact) => `battery-${scheduleId}-${dueAt.getTime()}`;
  return [...Map.groupBy(weak, same)].flatMap(([key, each]) => {
    const [first] = each;
    if (first === undefined) return [];
    return {
      key,
      kind: "BATTERY",
      severity: "WARNING",
      site: first.site,
      robots: each.map(({ robot }) => robot),
      since: null,
      dueAt: first.dueAt,
      ...attentionTexts.battery(first, each.length, clockOf(first.site)(first.dueAt)),
    };
  });
}

function lockItems(locks: readonly LongLockFact[], now: Date): Draft[] {
  return locks
    .filter(({ lockedAt }) => now.getTime() - lockedAt.getTime() > MAINTENANCE_LONG_MS)
    .map((lock) => ({
      key: `maintenance-${lock.id}`,
      kind: "MAINTENANCE",
      severity: "INFO",
      site: lock.site,
      robots: [lock.robot],
      since: lock.lockedAt,
      ...attentionTexts.maintenance(lock, Math.floor((now.getTime() - lock.lockedAt.getTime()) / DAY_MS)),
    }));
}

function rankedItem(draft: Draft, found: Acknowledgement | undefined): RankedItem {
  const { site, robots, since, dueAt, alertIds = [], day = null, retryMinutes = null, canStop = false } = draft;
  const inOrder = robots.toSorted((one, other) => one.serial_number.localeCompare(other.serial_number, "en"));
  const robotIds = inOrder.map(({ robot_id }) => robot_id);
  const acknowledged = draft.acknowledged === undefined ? stillAcknowledged(draft, found) : draft.acknowledged;
  const { key, kind, code = null, severity, cause, publicCause = cause, suggestion } = draft;
  return {
    publicCause,
    robotIds,
    alertIds,
    item: {
      key,
      kind,
      code,
      severity,
      site_id: site?.id ?? null,
      site_name: site?.name ?? null,
      robots: inOrder.slice(0, ATTENTION_ROBOTS_LIMIT),
      robot_count: robots.length,
      since: since?.toISOString() ?? null,
      due_at: dueAt?.toISOString() ?? null,
      cause,
      suggestion,
      can_stop: canStop,
      retry_minutes: retryMinutes,
      day,
      acknowledged_at: acknowledged?.at.toISOString() ?? null,
      acknowledged_by: acknowledged?.by ?? null,
      comment: acknowledged?.comment ?? null,
    },
  };
}

/** One that has since got another robot, or lost one again, is news. */
function stillAcknowledged({ robots, newsAt }: Draft, found: Acknowledgement | undefined): Acknowledged | null {
  if (found === undefined || (newsAt !== undefined && found.at < newsAt)) return null;
  const known = new Set(found.robotIds);
  return robots.every(({ robot_id }) => known.has(robot_id)) ? found : null;
}

const kindRank: Readonly<Record<AttentionItem["kind"], number>> = {
  MAY_BE_MOVING: 0,
  ALERT: 1,
  RUNS: 2,
  BATTERY: 3,
  MAINTENANCE: 4,
};

interface Sorted {
  readonly draft: Draft;
  readonly ranked: RankedItem;
}

/** Runs by how many robots they concern, what is due by when, everything else the longest first. */
function compare(one: Sorted, other: Sorted): number {
  const keys = [one, other].map(({ draft: { kind, severity, robots, since, dueAt }, ranked: { item } }) => [
    item.acknowledged_at === null ? 0 : 1,
    kindRank[kind],
    severityRank[severity],
    kind === "RUNS" ? -robots.length : 0,
    (dueAt ?? since)?.getTime() ?? 0,
  ]);
  const [mine = [], its = []] = keys;
  for (const [place, key] of mine.entries()) {
    const difference = key - (its[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.draft.key < other.draft.key ? -1 : 1;
}

/** How many nobody has acknowledged, by severity. */
export function countAttention(items: readonly RankedItem[]): {
  readonly open: Record<Severity, number>;
  readonly acknowledged: number;
} {
  const open = { CRITICAL: 0, WARNING: 0, INFO: 0 };
  let acknowledged = 0;
  for (const { item } of items) {
    if (item.acknowledged_at === null) open[item.severity] += 1;
    else acknowledged += 1;
  }
  return { open, acknowledged };
}

function clockOf({ timezone }: AttentionSite): (at: Date) => string {
  return (at) => localTimeOf(at, timezone).time.slice(0, 5);
}

/** 32-bit FNV-1a, in base 36: the same on every server. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}
