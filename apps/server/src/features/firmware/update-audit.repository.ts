import type { Tx } from "../../platform/database/database.ts";
import { type AuditRecord, recordAudits } from "../audit/public.ts";

/** A robot of a rollout as it is now. */
export interface Ended {
  readonly robot_id: number;
  readonly site_id: number;
  readonly rollout_id: number;
  readonly serial_number: string;
  readonly from_version: string | null;
  readonly state: string;
  readonly reason: string | null;
  readonly version: string;
}

/** Puts the ends of updates on record; the other changes are none. */
export async function auditEnds(tx: Tx, changed: readonly Ended[], at: Date): Promise<void> {
  const ended = changed.filter(({ state }) => state === "DONE" || state === "FAILED");
  await recordAudits(
    tx,
    ended.map(({ robot_id, site_id, state, reason, from_version, version }): AuditRecord => ({
      actor: { userId: null, name: "Suncrew" },
      action: "UPDATE_FIRMWARE",
      entity: "robot",
      entityId: robot_id,
      siteId: site_id,
      outcome: state === "DONE" ? "DONE" : "FAILED",
      reason,
      before: { firmware: from_version },
      after: { firmware: version },
      at,
    })),
  );
}
