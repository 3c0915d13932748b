import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { saveFile } from "../../../platform/save-file.ts";
import { PARTNERS_FILE_NAME, partnersFile } from "./partners-file.ts";

/** §9: saves the given partners as maintenance_partners.csv. */
export function exportPartners(partners: readonly Partner[]): void {
  saveFile(new Blob([partnersFile(partners)], { type: "text/csv;charset=utf-8" }), PARTNERS_FILE_NAME);
}
