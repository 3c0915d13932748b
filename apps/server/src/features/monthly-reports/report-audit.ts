import type { Tx } from "../../platform/database/database.ts";
import { recordAudit } from "../audit/public.ts";

interface MonthlyReportRecord {
  readonly action: "MAKE_REPORT" | "SEND_REPORT";
  readonly reportId: number;
  readonly siteId: number;
  readonly outcome: "DONE" | "FAILED";
  readonly reason?: string;
  readonly after?: Record<string, unknown>;
  readonly at: Date;
}

/** Puts on record what became of a monthly report, when that is settled. */
export async function recordReport(tx: Tx, record: MonthlyReportRecord): Promise<void> {
  await recordAudit(tx, {
    actor: { userId: null, name: "Suncrew" },
    action: record.action,
    entity: "kept_report",
    entityId: record.reportId,
    siteId: record.siteId,
    outcome: record.outcome,
    reason: record.reason ?? null,
    after: record.after ?? null,
    at: record.at,
  });
}
