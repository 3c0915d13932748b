import { expect, test } from "vitest";
import { describeProblems, readRepository, type Rule } from "./repository.ts";
import { decisionsByCode, everyErrorCodeIsUsed } from "./rules/decisions-by-code.ts";
import {
  documentsNameFiles,
  migrationNumbers,
  migrationsSayWhatTheyDo,
  migrationsUseStepsForLargeTables,
} from "./rules/documents.ts";
import { exportsByName } from "./rules/exports.ts";
import { featureGraph } from "./rules/feature-graph.ts";
import { fixedLanguage } from "./rules/fixed-language.ts";
import { honestTypes, noSkippedTests, noSleepsInTests, noUnfinishedMarks } from "./rules/honest-code.ts";
import { importBoundaries } from "./rules/import-boundaries.ts";
import { declaredImports, noInstallScripts, openDependencies, pinnedVersions } from "./rules/manifests.ts";
import { fileNames, fileSize, lockNumbers } from "./rules/naming.ts";
import { plainWords } from "./rules/plain-words.ts";
import {
  deletedSitesAreHistory,
  queriesAskTheViewer,
  routesHoldNoSql,
  repositoriesStayInside,
} from "./rules/tenancy.ts";

const files = readRepository();

const rules: Record<string, Rule> = {
  "imports keep to the table of docs/architecture.md": importBoundaries,
  "the features' imports of each other have no cycle": featureGraph,
  "only public.ts re-exports, and only pages export a default": exportsByName,
  "§6 every query takes the viewer and starts from visibleSites": queriesAskTheViewer,
  "§6 deleted sites are seen by history alone": deletedSitesAreHistory,
  "SQL without a viewer is reached by the server's own work only": repositoriesStayInside,
  "routes hold no SQL": routesHoldNoSql,
  "files are named in kebab-case by what they do": fileNames,
  "no file is longer than 500 lines": fileSize,
  "no test is skipped, narrowed or expected to fail": noSkippedTests,
  "no test sleeps": noSleepsInTests,
  "nothing is marked as unfinished": noUnfinishedMarks,
  "types are proven, not asserted away": honestTypes,
  "times and numbers are in one language, not in the machine's": fixedLanguage,
  "product code decides by codes, never by sentences": decisionsByCode,
  "every code of the list is one of an answer": everyErrorCodeIsUsed,
  "every dependency names one version": pinnedVersions,
  "every imported package stands in its workspace's package.json": declaredImports,
  "dependencies of the product are open source and come from the registry": openDependencies,
  "no package runs a script while it is installed": noInstallScripts,
  "documents name files that exist": documentsNameFiles,
  "migrations are numbered one after another": migrationNumbers,
  "migrations say whether servers of the version before run on with them": migrationsSayWhatTheyDo,
  "migrations change large tables in steps": migrationsUseStepsForLargeTables,
  "no two locks share a number": lockNumbers,
  "no machine's folders and no secrets in the repository": plainWords,
};

test.each(Object.entries(rules))("%s", (_title, rule) => {
  expect(describeProblems(rule(files))).toEqual([]);
});
