import {
  type Acknowledgement,
  type AttentionFacts,
  BATTERY_AHEAD_MS,
  type AlertFact,
  LISTED_WARNINGS,
  lastEvening,
  type LongLockFact,
  type LostRobotFact,
  MAINTENANCE_LONG_MS,
  TROUBLED_OUTCOMES,
  type TroubledRunFact,
  type WeakBatteryFact,
} from "@suncrew/domain/attention/attention.ts";
import { HELD_FOR_RAIN } from "@suncrew/domain/attention/attention-texts.ts";
import { withoutPerson } from "@suncrew/domain/texts/outcome-texts.ts";
import { LOW_BATTERY_PERCENT } from "@suncrew/domain/alerts/low-battery.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { endText, stoppedBy } from "../runs/public.ts";
import { isLostWhileMoving, lastSeenMoving, lostOf, type SeenAt, seesServers, visibleSites } from "../sites/public.ts";

/** What the battery of each robot drains in its runs, in percent a minute; without those of too few runs. */
export type Drains = ReadonlyMap<number, number>;

/** What may need a person at the viewer's sites, and for a Super Admin on Suncrew's own servers. */
export async function readAttentionFacts(
  viewer: Viewer,
  db: Executor,
  at: SeenAt,
  drains: Drains,
): Promise<AttentionFacts> {
  return {
    lost: await readLost(viewer, db, at),
    alerts: await readAlerts(viewer, db),
    runs: await readTroubledRuns(viewer, db, at.now),
    batteries: await readBatteries(viewer, db, at.now, drains),
    locks: await readLongLocks(viewer, db, at.now),
    acknowledgements: await readAcknowledgements(viewer, db),
  };
}

/** The viewer's robots, with their site. */
function robotsOf(viewer: Viewer, db: Executor) {
  return visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .where("r.deleted_at", "is", null)
    .select(["sites.id as site_id", "sites.name as site_name", "sites.timezone"])
    .select(["r.id as robot_id", "r.serial_number"]);
}

interface RobotRow {
  readonly site_id: number;
  readonly site_name: string;
  readonly timezone: string;
  readonly robot_id: number;
  readonly serial_number: string;
}

const ofRobot = ({ site_id, site_name, timezone, robot_id, serial_number }: RobotRow) => ({
  site: { id: site_id, name: site_name, timezone },
  robot: { robot_id, serial_number },
});

async function readLost(viewer: Viewer, db: Executor, at: SeenAt): Promise<LostRobotFact[]> {
  const rows = await robotsOf(viewer, db)
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .where(isLostWhileMoving)
    .select(lastSeenMoving.as("seen"))
    .execute();
  return rows.flatMap((row) => {
    const lost = lostOf(row.seen, at);
    return lost?.state === "MAY_BE_MOVING" ? [{ ...ofRobot(row), lost }] : [];
  });
}

async function readAlerts(viewer: Viewer, db: Executor): Promise<AlertFact[]> {
  const rows = await db
    .selectFrom("alerts as a")
    .leftJoin("sites", "sites.id", "a.site_id")
    .leftJoin("robots as r", "r.id", "a.robot_id")
    .where((eb) =>
      eb.or([
        eb("a.site_id", "in", visibleSites(viewer, db).select("sites.id")),
        ...(seesServers(viewer) ? [eb("a.site_id", "is", null)] : []),
      ]),
    )
    .where("a.cleared_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("a.severity", "=", "CRITICAL"),
        // A robot's own codes are its maker's.
        eb.and([eb("a.robot_id", "is", null), eb("a.code", "in", LISTED_WARNINGS)]),
      ]),
    )
    .select(["sites.id as site_id", "sites.name as site_name", "sites.timezone", "a.robot_id", "r.serial_number"])
    .select(["a.severity", "a.code", "a.text", "a.raised_at", sql<string>`a.id::text`.as("id")])
    .select(["a.acknowledged_at", "a.acknowledged_by", "a.acknowledgement_comment"])
    .execute();
  return rows.map(({ site_id, site_name, timezone, robot_id, serial_number, ...alert }) => ({
    id: alert.id,
    site:
      site_id === null || site_name === null || timezone === null ? null : { id: site_id, name: site_name, timezone },
    robot: robot_id === null || serial_number === null ? null : { robot_id, serial_number },
    severity: alert.severity,
    code: alert.code,
    text: alert.text,
    raisedAt: alert.raised_at,
    acknowledged:
      alert.acknowledged_at === null || alert.acknowledged_by === null
        ? null
        : { at: alert.acknowledged_at, by: alert.acknowledged_by, comment: alert.acknowledgement_comment },
  }));
}

/** The newest run of each robot since last evening, if it is in trouble; one that a person ended does not count. */
async function readTroubledRuns(viewer: Viewer, db: Executor, now: Date): Promise<TroubledRunFact[]> {
  const zones = await visibleSites(viewer, db).select("sites.timezone").distinct().execute();
  if (zones.length === 0) return [];
  const evenings = sql<{ timezone: string; since: Date }>`(select * from unnest(
    ${zones.map(({ timezone }) => timezone)}::text[],
    ${zones.map(({ timezone }) => lastEvening(timezone, now).toISOString())}::timestamptz[]) as t (timezone, since))`;
  const rows = await robotsOf(viewer, db)
    .innerJoin(evenings.as("evening"), "evening.timezone", "sites.timezone")
    .innerJoin("runs", (join) =>
      join
        .onRef("runs.site_id", "=", "r.site_id")
        .onRef("runs.robot_id", "=", "r.id")
        .onRef("runs.serial_number", "=", "r.serial_number")
        .onRef("runs.at", ">=", "evening.since"),
    )
    .where("runs.outcome", "in", TROUBLED_OUTCOMES)
    .where("runs.reason_code", "is distinct from", HELD_FOR_RAIN)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("runs as later")
            .whereRef("later.robot_id", "=", "runs.robot_id")
            .whereRef("later.at", ">", "runs.at")
            .where((or) => or.or([or("later.outcome", "is", null), or("later.outcome", "<>", "STOPPED")]))
            .where("later.reason_code", "is distinct from", HELD_FOR_RAIN)
            .select("later.id"),
        ),
      ),
    )
    .select(["runs.id", "runs.schedule_id", "runs.group_name", "runs.due_at", "runs.stop_due_at", "runs.at"])
    .select(["runs.outcome", "runs.reason", "runs.reason_code", "runs.reason_params"])
    .select(["runs.planned", stoppedBy.as("stopped_by")])
    .execute();
  return rows.flatMap((row) => {
    const outcome = TROUBLED_OUTCOMES.find((one) => one === row.outcome);
    if (outcome === undefined) return [];
    const ended = endText({ outcome, reason: row.reason, planned: row.planned, stoppedBy: row.stopped_by });
    const stored =
      row.reason === null || row.reason_params === null ? null : { text: row.reason, params: row.reason_params };
    const coded = ended ?? stored;
    const { schedule_id: scheduleId, due_at: dueAt, stop_due_at: stopDueAt } = row;
    const plan =
      scheduleId === null || dueAt === null || stopDueAt === null
        ? null
        : { scheduleId, groupName: row.group_name ?? "", minutes: minutesBetween(dueAt, stopDueAt) };
    return {
      ...ofRobot(row),
      id: row.id,
      plan,
      at: row.at,
      outcome,
      code: row.reason_code ?? ended?.code ?? null,
      reason: ended?.text ?? row.reason,
      publicReason: coded && withoutPerson(coded),
    };
  });
}

const minutesBetween = (from: Date, to: Date) => Math.max(1, Math.round((to.getTime() - from.getTime()) / 60_000));

/** Robots that are not charging and whose battery may not last a planned run that is due soon, by what it drains. */
async function readBatteries(viewer: Viewer, db: Executor, now: Date, drains: Drains): Promise<WeakBatteryFact[]> {
  if (drains.size === 0) return [];
  const most = Math.max(...drains.values());
  const rows = await robotsOf(viewer, db)
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .innerJoin("robot_group_members as m", "m.robot_id", "r.id")
    .innerJoin("robot_groups as g", "g.id", "m.group_id")
    .innerJoin("schedules as plan", "plan.group_id", "g.id")
    .where("g.deleted_at", "is", null)
    .where("plan.next_run_at", ">", now)
    .where("plan.next_run_at", "<=", new Date(now.getTime() + BATTERY_AHEAD_MS))
    // One "when worth it" is planned once that is decided.
    .where((eb) =>
      eb.or([
        eb("plan.frequency", "<>", "WHEN_WORTH_IT"),
        eb.exists(
          eb
            .selectFrom("schedule_decisions as d")
            .select("d.id")
            .whereRef("d.schedule_id", "=", "plan.id")
            .whereRef("d.due_at", "=", "plan.next_run_at")
            .where("d.voided_at", "is", null)
            .where("d.runs", "=", true),
        ),
      ]),
    )
    .where("s.charging", "=", false)
    // What would last whichever robot it was; the domain decides about the others by their own drain.
    .where(sql<boolean>`plan.duration_minutes * ${most}::float8 > s.battery - ${LOW_BATTERY_PERCENT}`)
    .select(["plan.id as schedule_id", "plan.next_run_at", "plan.duration_minutes", "g.group_name", "s.battery"])
    .execute();
  return rows.flatMap((row) => {
    const drainPerMinute = drains.get(row.robot_id);
    if (row.next_run_at === null || row.battery === null || drainPerMinute === undefined) return [];
    return {
      ...ofRobot(row),
      scheduleId: row.schedule_id,
      groupName: row.group_name,
      dueAt: row.next_run_at,
      minutes: row.duration_minutes,
      batteryPercent: row.battery,
      drainPerMinute,
    };
  });
}

async function readLongLocks(viewer: Viewer, db: Executor, now: Date): Promise<LongLockFact[]> {
  const rows = await robotsOf(viewer, db)
    .innerJoin("maintenance_locks as lock", "lock.robot_id", "r.id")
    .where("lock.released_at", "is", null)
    .where("lock.locked_at", "<", new Date(now.getTime() - MAINTENANCE_LONG_MS))
    .select(["lock.locked_at", "lock.locked_by", "lock.reason", sql<string>`lock.id::text`.as("lock_id")])
    .execute();
  return rows.map((row) => ({
    ...ofRobot(row),
    id: row.lock_id,
    lockedAt: row.locked_at,
    lockedBy: row.locked_by,
    reason: row.reason,
  }));
}

async function readAcknowledgements(viewer: Viewer, db: Executor): Promise<Acknowledgement[]> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("attention_acknowledgements as seen", "seen.site_id", "sites.id")
    .where("seen.undone_at", "is", null)
    .select(["seen.key", "seen.robot_ids", "seen.acknowledged_at", "seen.acknowledged_by", "seen.comment"])
    .execute();
  return rows.map((row) => ({
    key: row.key,
    robotIds: row.robot_ids,
    at: row.acknowledged_at,
    by: row.acknowledged_by,
    comment: row.comment,
  }));
}
