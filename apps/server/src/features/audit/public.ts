export {
  type AuditActor,
  type AuditedChange,
  auditedChange,
  type AuditRecord,
  type ChangeDetails,
  recordChange,
  recordChanges,
  suncrew,
} from "./audit.repository.ts";
export { type ChainHead, readHead, verifyAudit, verifyNewest } from "./audit-chain.repository.ts";
export { Sealer } from "./sealer.ts";
export { ThrottledAudit } from "./throttled-audit.ts";
