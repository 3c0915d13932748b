export { type AuditActor, type AuditRecord, recordAudit } from "./audit.writes.ts";
