export { type AuditActor, type AuditRecord, recordAudit, recordAudits } from "./audit.writes.ts";
