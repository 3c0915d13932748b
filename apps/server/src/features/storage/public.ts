export { deletedRows, Retention } from "./retention.ts";
export { StorageReport } from "./storage.service.ts";
