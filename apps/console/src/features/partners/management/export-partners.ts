import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { saveFile } from "../../../platform/save-file.ts";

/** §9: saves the given partners as maintenance_partners.csv; the writer is loaded then. */
export async function exportPartners(partners: readonly Partner[]): Promise<void> {
  const { PARTNERS_FILE_NAME, partnersFile } = await import("./partners-file.ts");
  saveFile(new Blob([partnersFile(partners)], { type: "text/csv;charset=utf-8" }), PARTNERS_FILE_NAME);
}
