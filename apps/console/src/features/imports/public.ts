export { downloadExport, ImportDialog } from "./lazy-imports.ts";
export { importKinds, type ImportKind } from "./import-calls.ts";
