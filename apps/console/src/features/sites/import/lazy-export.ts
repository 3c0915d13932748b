import { toast } from "../../../platform/toast.tsx";
import type { ImportKind } from "./import-calls.ts";

/** Downloads everything as a CSV file, from where its code is not loaded; never throws. */
export async function downloadExport(kind: ImportKind): Promise<void> {
  try {
    await (await import("./import-calls.ts")).downloadExport(kind);
  } catch {
    toast.failure({ title: "Export Failed", message: "A file of the console did not arrive. Please try again." });
  }
}
