import type { ImportResponse } from "@suncrew/contract/http/import.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { measuredComparison } from "@suncrew/contract/measurements/measured-against-model.ts";
import { importMeasurements, measuredDays } from "@suncrew/contract/measurements/measurements.ts";
import { serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { exportRobots, importRobots } from "@suncrew/contract/robots/robot-files.ts";
import { robotDetailsWithSettings, robotsList } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { exportSites, importSites } from "@suncrew/contract/sites/site-files.ts";
import { call, readFile, send } from "../../platform/api/call.ts";
import { invalidate } from "../../platform/api/change.ts";
import { serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { saveFile } from "../../platform/save-file.ts";
import { toast } from "../../platform/toast.tsx";

/** Of the whole fleet. */
export type ImportKind = "sites" | "robots";

/** What a file is imported to. */
export type ImportTarget =
  | { readonly kind: ImportKind }
  | { readonly kind: "measurements"; readonly siteId: number; readonly siteName: string };

/** The texts of each kind's dialog, and of the fleet's the calls. */
export const importKinds = {
  sites: {
    title: "Import Sites",
    exportTitle: "Export Sites",
    one: "site",
    many: "sites",
    result: "created",
    rowName: "Site name",
    rowDay: "Commissioned",
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
    result: "created",
    rowName: "Serial number",
    rowDay: "Installed",
    importRoute: importRobots,
    exportRoute: exportRobots,
    fileName: "robots.csv",
    templateName: "robots-template.csv",
  },
  measurements: {
    title: "Import Measurements",
    one: "measurement",
    many: "measurements",
    result: "stored",
    rowName: "Start",
    rowDay: "Day",
    templateName: "measurements-template.csv",
  },
} as const;

export function countedText(kind: ImportTarget["kind"], count: number): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? importKinds[kind].one : importKinds[kind].many}`;
}

/** Thousands of rows are checked or written before the first byte arrives, in milliseconds. */
const IMPORT_MS = 120_000;

/** Lets the server check each row; nothing is stored. */
export function checkImport(target: ImportTarget, csv: string): Promise<ImportResponse> {
  return request(target, { csv, apply: false });
}

function request(target: ImportTarget, body: SentBodyOf<typeof importSites>): Promise<ImportResponse> {
  const options = { timeoutMs: IMPORT_MS };
  return target.kind === "measurements"
    ? call(importMeasurements, { params: { siteId: target.siteId }, body }, options)
    : call(importKinds[target.kind].importRoute, { body }, options);
}

/** What shows what a file brings. */
const shownBy = {
  sites: [siteDetails, robotDetailsWithSettings, robotsList, serialNumbers],
  robots: [siteDetails, robotDetailsWithSettings, robotsList, serialNumbers],
  measurements: [measuredDays, measuredComparison],
} as const;

/** Stores every row, or none; what was shown is refetched. Throws as `call` does. */
export async function applyImport(target: ImportTarget, csv: string): Promise<ImportResponse> {
  const { kind } = target;
  const answer = await request(target, { csv, apply: true });
  await invalidate(shownBy[kind].map((route) => queryKeyOf(route)));
  const { many, result } = importKinds[kind];
  toast.success({
    title: `${many.charAt(0).toUpperCase()}${many.slice(1)} Imported`,
    message: `${countedText(kind, answer.rows.length)} ${answer.rows.length === 1 ? "has" : "have"} been successfully ${result}.`,
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
