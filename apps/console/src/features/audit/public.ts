export { AuditView } from "./audit-view.tsx";
