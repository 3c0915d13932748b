export { type BackupInput, writeBackup } from "./write-backup.ts";
export { readManifest, restoreBackup, type Restored } from "./restore-backup.ts";
export type { Manifest } from "./manifest.ts";
