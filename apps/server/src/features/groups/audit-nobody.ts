import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditRecord, recordAudit } from "../audit/public.ts";

/** Puts on record that a command for a group or a site reached no robot, so that no robot's own row tells of it. */
export async function auditNobody(
  { db, clock }: Pick<Dependencies, "db" | "clock">,
  { userId, name }: Viewer,
  about: Pick<AuditRecord, "action" | "entity" | "entityId" | "siteId">,
  reason: string,
): Promise<void> {
  await recordAudit(db, { actor: { userId, name }, ...about, outcome: "REFUSED", reason, at: clock.now() });
}
