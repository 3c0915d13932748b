export { verifyAudit } from "./audit.service.ts";
export { type AuditActor, type AuditRecord, recordAudit, recordAudits } from "./audit.repository.ts";
export { Sealer } from "./sealer.ts";
export { ThrottledAudit as GatheredAudit } from "./throttled-audit.ts";
