import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { type ActivityRecord, amendRunEnds, recordActivities, removeRunEnds } from "../activity/public.ts";
import { reasonInWords, stoppedBy } from "./run-reasons.ts";

/**
 * Puts the ends of runs into the activity log, with their reasons and at their own time. The end by a STOP is there as
 * that command alone.
 */
export async function logRunEnds(tx: Tx, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  const rows = await tx
    .selectFrom("runs")
    .innerJoin("robots", "robots.id", "runs.robot_id")
    .leftJoin("commands as start", "start.id", "runs.command_id")
    .where("runs.id", "=", sql<string>`any(${[...runIds]}::uuid[])`)
    .where("runs.began_at", "is not", null)
    .select(["runs.id", "runs.robot_id", "runs.site_id", "runs.serial_number", "runs.robot_name", "runs.ended_at"])
    .select(["runs.reason", "runs.outcome", "runs.planned", "runs.action_type", "start.mode", "start.params"])
    .select(["robots.cleaning_direction", "robots.main_motor_speed", "robots.brush_motor_speed"])
    .select(stoppedBy.as("stopped_by"))
    .orderBy("runs.id")
    .execute();
  const ends = rows.flatMap((row) => {
    const { ended_at: at, outcome, reason, planned, stopped_by, params } = row;
    const details = reasonInWords({ outcome, reason, planned, stoppedBy: stopped_by });
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
      params: {
        direction: params?.direction ?? (row.cleaning_direction === "FORWARD" ? "FWD" : "REV"),
        "main-speed": params?.["main-speed"] ?? row.main_motor_speed,
        "brush-speed": params?.["brush-speed"] ?? row.brush_motor_speed,
      },
    };
    return [record];
  });
  await removeRunEnds(
    tx,
    rows.flatMap(({ id, reason }) => (reason === "STOP" ? [id] : [])),
  );
  await amendRunEnds(tx, ends);
  await recordActivities(tx, ends);
}
