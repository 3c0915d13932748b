import type { Tx } from "../../platform/database/database.ts";
import { recordAudit } from "../audit/public.ts";
import { insertPlannedRuns, type Occurrence, SCHEDULER, withoutRun } from "../runs/public.ts";

/** Why a run of robots is on record that nothing was tried for. */
export interface NoRun {
  readonly outcome: "SKIPPED" | "MISSED";
  readonly reason: string;
}

/** Nothing was tried, so the activity log stays as it is; the runs and an audit row tell why. */
export async function recordNone(
  tx: Tx,
  occurrence: Occurrence,
  members: readonly number[],
  why: NoRun,
  now: Date,
): Promise<void> {
  const robotIds = await withoutRun(tx, occurrence, members);
  await insertPlannedRuns(
    tx,
    occurrence,
    robotIds.map((robotId) => ({ robotId, ...why })),
    now,
  );
  await recordAudit(tx, {
    actor: { userId: null, name: SCHEDULER },
    action: why.outcome === "MISSED" ? "MISS_SCHEDULED_RUN" : "HOLD_SCHEDULED_RUN",
    entity: "schedule",
    entityId: occurrence.scheduleId,
    siteId: occurrence.siteId,
    outcome: why.outcome === "MISSED" ? "FAILED" : "REFUSED",
    reason: why.reason,
    after: { due_at: occurrence.dueAt.toISOString(), group_name: occurrence.groupName, robots: robotIds.length },
    at: now,
  });
}
