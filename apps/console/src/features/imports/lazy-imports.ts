import { toast } from "../../platform/toast.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import type { ImportKind } from "./import-calls.ts";

/** Import of a file; loaded when first opened. */
export const ImportDialog = lazyDialog(
  () => "Import",
  async () => (await import("./import-dialog.tsx")).ImportDialog,
);

/** Downloads everything as a CSV file, from where its code is not loaded; never throws. */
export async function downloadExport(kind: ImportKind): Promise<void> {
  try {
    await (await import("./import-calls.ts")).downloadExport(kind);
  } catch {
    toast.failure({ title: "Export Failed", message: "A file of the console did not arrive. Please try again." });
  }
}
