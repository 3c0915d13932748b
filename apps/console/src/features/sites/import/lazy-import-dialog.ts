import { lazyDialog } from "../../../ui/lazy-dialog.tsx";

/** Import of a file; loaded when first opened. */
export const ImportDialog = lazyDialog(
  () => "Import",
  async () => (await import("./import-dialog.tsx")).ImportDialog,
);
