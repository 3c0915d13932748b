import { readFile, send } from "../../platform/api/call.ts";
import { exportActivity } from "@suncrew/contract/activity/activity.ts";
import type { ActivityFilter } from "@suncrew/contract/activity/activity.ts";
import { saveFile } from "../../platform/save-file.ts";

/** §9: robot-activity-log-<date>.csv, the day by the clock of the browser. */
export function activityFileName(now: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `robot-activity-log-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.csv`;
}

/** Saves every row of the filter, also those that were not loaded. Throws as calls do. */
export async function saveActivity(filter: ActivityFilter, signal: AbortSignal): Promise<void> {
  const answer = await send(exportActivity, { query: filter }, { signal });
  saveFile(await readFile(answer, { signal }), activityFileName(new Date()));
}
