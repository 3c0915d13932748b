import type { ImportResponse } from "@suncrew/contract/http/import.ts";
import { serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { exportRobots, importRobots } from "@suncrew/contract/robots/robot-files.ts";
import { robotDetailsWithSettings, robotsList } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { exportSites, importSites } from "@suncrew/contract/sites/site-files.ts";
import { call, readFile, send } from "../../../platform/api/call.ts";
import { serverReason, TokenExpiredError } from "../../../platform/api/errors.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";
import { saveFile } from "../../../platform/save-file.ts";
import { toast } from "../../../platform/toast.tsx";

export type ImportKind = "sites" | "robots";

/** The dialogs' texts for each kind, and the calls they make. */
export const importKinds = {
  sites: {
    title: "Import Sites",
    exportTitle: "Export Sites",
    one: "site",
    many: "sites",
    importRoute: importSites,
    exportRoute: exportSites,
    fileName: "sites.csv",
    templateName: "sites-template.csv",
  },
  robots: {
    title: "Import Robots",
    exportTitle: "Export Robots",
    one: "robot",
    many: "robots",
    importRoute: importRobots,
    exportRoute: exportRobots,
    fileName: "robots.csv",
    templateName: "robots-template.csv",
  },
} as const;

export function countedText(kind: ImportKind, count: number): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? importKinds[kind].one : importKinds[kind].many}`;
}

/** Thousands of rows are checked or written before the first byte arrives, in milliseconds. */
const IMPORT_MS = 120_000;

/** Lets the server check each row; nothing is stored. */
export function checkImport(kind: ImportKind, csv: string): Promise<ImportResponse> {
  return call(importKinds[kind].importRoute, { body: { csv, apply: false } }, { timeoutMs: IMPORT_MS });
}

/** Creates every row, or none; what was shown is refetched. Throws as `call` does. */
export async function applyImport(kind: ImportKind, csv: string): Promise<ImportResponse> {
  const answer = await call(importKinds[kind].importRoute, { body: { csv, apply: true } }, { timeoutMs: IMPORT_MS });
  await Promise.all(
    [siteDetails, robotDetailsWithSettings, robotsList, serialNumbers].map((route) =>
      queryClient.invalidateQueries({ queryKey: queryKeyOf(route) }),
    ),
  );
  toast.success({
    title: kind === "sites" ? "Sites Imported" : "Robots Imported",
    message: `${countedText(kind, answer.rows.length)} ${answer.rows.length === 1 ? "has" : "have"} been successfully created.`,
  });
  return answer;
}

/** Downloads everything as a CSV file. Shows a failure in a toast and never throws. */
export async function downloadExport(kind: ImportKind): Promise<void> {
  const { exportRoute, fileName, many } = importKinds[kind];
  try {
    const response = await send(exportRoute, {}, { headers: { Accept: "text/csv, application/json" } });
    saveFile(await readFile(response), fileName);
  } catch (error) {
    if (error instanceof TokenExpiredError) return;
    toast.failure({
      title: "Export Failed",
      message: `Failed to export ${many}. Please try again.`,
      reason: serverReason(error),
    });
  }
}
