import type { RunEndReason } from "@suncrew/contract/devices/messages.ts";
import { runCutShortAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { storedParams } from "@suncrew/domain/commands/stored-params.ts";
import { STOPPED_MARGIN_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { DEFAULT_MOTION_LIMITS, type MotionLimits } from "@suncrew/domain/robots/lost-while-moving.ts";
import type { OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import { sql } from "kysely";
import { anyInt, anyUuid, type Db, type Tx } from "../../platform/database/database.ts";
import { type ActivityRecord, amendRunEnds, recordActivities, removeRunEnds } from "../activity/public.ts";
import { raiseAlerts } from "../alerts/public.ts";
import type { SeenAt } from "../sites/public.ts";
import { endText, stoppedBy } from "./run-reasons.ts";

/**
 * Records the ends of runs in the activity log, with their reasons and at their own time. A run ended by a STOP appears
 * there only as that command.
 */
export async function logRunEnds(tx: Tx, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  const rows = await tx
    .selectFrom("runs")
    .innerJoin("robots", "robots.id", "runs.robot_id")
    .leftJoin("commands as start", "start.id", "runs.command_id")
    .where("runs.id", "=", anyUuid(runIds))
    .where("runs.began_at", "is not", null)
    .select(["runs.id", "runs.robot_id", "runs.site_id", "runs.serial_number", "runs.robot_name", "runs.ended_at"])
    .select(["runs.reason", "runs.outcome", "runs.planned", "runs.action_type", "start.mode", "start.params"])
    .select(["robots.cleaning_direction", "robots.main_motor_speed", "robots.brush_motor_speed"])
    .select(stoppedBy.as("stopped_by"))
    .orderBy("runs.id")
    .execute();
  const ends = rows.flatMap((row) => {
    const { ended_at: at, outcome, reason, planned, stopped_by, params } = row;
    const details = endText({ outcome, reason, planned, stoppedBy: stopped_by });
    if (at === null || details === null || reason === "STOP") return [];
    const record: ActivityRecord = {
      at,
      robotId: row.robot_id,
      siteId: row.site_id,
      robotName: row.robot_name,
      serialNumber: row.serial_number,
      commandId: null,
      endedRunId: row.id,
      action: "STOP",
      actionType: row.action_type,
      status: outcome === "CUT_SHORT" ? "FAILED" : "SUCCESS",
      userId: null,
      userName: stopped_by ?? (reason === "LINK_LOST" ? "Suncrew" : "Robot"),
      details,
      mode: row.mode ?? "AUTO",
      params: { ...storedParams(row), ...params },
    };
    return [record];
  });
  const endedByStop = rows.flatMap(({ id, reason }) => (reason === "STOP" ? [id] : []));
  await removeRunEnds(tx, endedByStop);
  await amendRunEnds(tx, ends);
  await recordActivities(tx, ends);
}

const span = (ms: number) => sql`interval '1 millisecond' * ${sql.lit(ms)}`;
/** When run `r` is to end according to its START; null (unknown) if it was started at the robot itself. */
const KNOWN_END = sql`coalesce(r.stop_due_at, r.planned_end_at)`;
/** Rule 4: when it is over at the latest; a run started at the robot lasts no longer than any run may. */
const latestEnd = ({ longestRunMs }: MotionLimits) => sql`coalesce(${KNOWN_END}, r.began_at + ${span(longestRunMs)})`;
/** When the broker reported that it had lost robot `s`; null if it did not. */
const LOST_AT = sql`case when s.connection in ('OFFLINE', 'CONNECTION_BROKEN') then s.connection_at end`;
/** When the robot had stopped at the latest, having lost its broker after it was last heard from. */
const latestStop = (limits: MotionLimits) =>
  sql`least(${latestEnd(limits)}, greatest(coalesce(s.live_at, r.began_at), ${LOST_AT}) + ${span(limits.withoutBrokerMs)})`;

/** Open runs of offline robots that should have ended long ago. */
export async function findLostRuns(db: Db, at: SeenAt): Promise<{ id: string; robot_id: number }[]> {
  const { rows } = await sql<{ id: string; robot_id: number }>`
    select r.id, r.robot_id from runs r join robot_state s on s.robot_id = r.robot_id
    where ${isLost(at)} limit 500
  `.execute(db);
  return rows;
}

/**
 * Closes the run of a robot that did not come back, under the lock on the robot. It ended when the robot must have
 * stopped by rule 4; the robot's own report corrects it if it returns. False if the robot is back, or the run is
 * closed.
 */
export async function closeLostRun(tx: Tx, runId: string, at: SeenAt): Promise<boolean> {
  const { rows } = await sql<CutShort & { readonly planned: boolean }>`
    update runs r set
      ended_at = greatest(r.began_at, ${latestStop(at.limits)}),
      outcome = 'CUT_SHORT', reason = 'LINK_LOST', change_no = pg_current_xact_id()
    from robot_state s
    where s.robot_id = r.robot_id and r.id = ${runId} and ${isLost(at)}
    returning r.robot_id, r.site_id, r.reason, r.planned
  `.execute(tx);
  if (rows.length === 0) return false;
  await logRunEnds(tx, [runId]);
  await alertCutShort(
    tx,
    rows.filter(({ planned }) => planned),
    at.now,
  );
  return true;
}

interface CutShort {
  readonly robot_id: number;
  readonly site_id: number;
  readonly reason: RunEndReason;
}

/** Raises the alert of planned runs that no person ended; none of robots that have left their site since. */
export async function alertCutShort(tx: Tx, runs: readonly CutShort[], at: Date): Promise<void> {
  if (runs.length === 0) return;
  const robots = await tx
    .selectFrom("robots")
    .select(["id", "site_id"])
    .where("id", "=", anyInt(runs.map(({ robot_id }) => robot_id)))
    .where("deleted_at", "is", null)
    .execute();
  const sites = new Map(robots.map(({ id, site_id }) => [id, site_id]));
  const raised = runs.flatMap(({ robot_id: robotId, site_id: siteId, reason }) => {
    const why = endText({ outcome: "CUT_SHORT", reason, planned: true, stoppedBy: null });
    return why === null || sites.get(robotId) !== siteId ? [] : [{ robotId, siteId, alert: runCutShortAlert(why) }];
  });
  await raiseAlerts(tx, raised, at);
}

/** Closes the open runs of deleted robots: one that has begun ended when its robot stopped, others never took place. */
export async function closeRunsOfDeletedRobots(
  tx: Tx,
  robotIds: readonly number[],
  reason: OutcomeText,
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update runs r set
      ended_at = case when r.began_at is null then ${now} else greatest(r.began_at,
        least(${now}, ${latestStop(DEFAULT_MOTION_LIMITS)})) end,
      outcome = case when r.began_at is null then 'FAILED' else 'CUT_SHORT' end,
      reason = case when r.began_at is null then ${reason.text} else 'LINK_LOST' end,
      reason_code = case when r.began_at is null then ${reason.code} end,
      reason_params = case when r.began_at is null then ${JSON.stringify(reason.params)}::jsonb end,
      change_no = pg_current_xact_id()
    from robot_state s
    where s.robot_id = r.robot_id and r.robot_id = ${anyInt(robotIds)} and r.ended_at is null
    returning r.id
  `.execute(tx);
  const runIds = rows.map(({ id }) => id);
  await logRunEnds(tx, runIds);
}

/** A run started at the robot has no known end: it is over once the robot must have stopped without its broker. */
function isLost({ now, brokerConnected, limits }: SeenAt) {
  const surely = span(limits.withoutBrokerMs + STOPPED_MARGIN_MS);
  return sql<boolean>`r.ended_at is null and r.began_at is not null and not s.online
    and (${latestEnd(limits)} + ${surely} < ${now}
      or (${brokerConnected} and ${KNOWN_END} is null and ${LOST_AT} + ${surely} < ${now}))`;
}
