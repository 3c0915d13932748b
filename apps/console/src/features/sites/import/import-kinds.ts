import { exportRobots, importRobots } from "@suncrew/contract/robots/robot-forms.ts";
import { exportSites, importSites } from "@suncrew/contract/sites/sites.ts";

export type ImportKind = "sites" | "robots";

/** What the dialogs say of each kind, and which calls they make. */
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
  return `${count} ${count === 1 ? importKinds[kind].one : importKinds[kind].many}`;
}
