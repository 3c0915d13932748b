import type { Tx } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";

/** What every change of templates and settings works with. */
export interface TemplateWork {
  readonly tx: Tx;
  readonly viewer: Viewer;
  readonly now: Date;
}

interface ReportRecord {
  readonly action: "CREATE_TEMPLATE" | "UPDATE_TEMPLATE" | "DELETE_TEMPLATE" | "UPDATE_REPORT_SETTINGS";
  /** Null for the settings, and for a template that was not made. */
  readonly templateId: number | null;
  /** Why nothing was done; left out where it was. */
  readonly refused?: string;
  readonly before?: object | null;
  readonly after?: object | null;
}

/** Puts a change of a template or of the settings on record, done or refused. */
export async function recordReportChange({ tx, viewer, now }: TemplateWork, record: ReportRecord): Promise<void> {
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: record.action,
    entity: record.action === "UPDATE_REPORT_SETTINGS" ? "report_settings" : "report_template",
    entityId: record.templateId,
    outcome: record.refused === undefined ? "DONE" : "REFUSED",
    reason: record.refused ?? null,
    before: record.before ? { ...record.before } : null,
    after: record.after ? { ...record.after } : null,
    at: now,
  });
}
