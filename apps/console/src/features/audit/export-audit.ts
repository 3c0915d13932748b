import { readFile, send } from "../../platform/api/call.ts";
import { type AuditFilter, exportAudit } from "@suncrew/contract/audit/audit.ts";
import { saveFile } from "../../platform/save-file.ts";
import { todayIn } from "../../ui/days.ts";

/** Saves every entry of the filter, also those that were not loaded. Throws as calls do. */
export async function saveAudit(filter: AuditFilter, signal: AbortSignal): Promise<void> {
  const answer = await send(exportAudit, { query: filter }, { signal });
  // The day by the clock of the browser.
  saveFile(await readFile(answer, { signal }), `audit-${todayIn(undefined, new Date())}.csv`);
}
