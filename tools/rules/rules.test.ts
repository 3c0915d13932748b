import { describe, expect, test } from "vitest";
import { readRepository } from "../repository.ts";
import { decisionsByCode, everyErrorCodeIsUsed } from "./decisions-by-code.ts";
import {
  documentsNameFiles,
  migrationNumbers,
  migrationsSayWhatTheyDo,
  migrationsUseStepsForLargeTables,
} from "./documents.ts";
import { consoleSites, problemsOf, repository, server } from "./example-repository.ts";
import { exportsByName } from "./exports.ts";
import { featureGraph } from "./feature-graph.ts";
import { fixedLanguage } from "./fixed-language.ts";
import { honestTypes, noSkippedTests, noSleepsInTests, noUnfinishedMarks } from "./honest-code.ts";
import { importBoundaries } from "./import-boundaries.ts";
import { fileNames, fileSize, lockNumbers, longestFile } from "./naming.ts";
import { plainWords } from "./plain-words.ts";
import { deletedSitesAreHistory, queriesAskTheViewer, routesHoldNoSql, repositoriesStayInside } from "./tenancy.ts";

describe("imports", () => {
  test.each([
    ["contract imports a library", "packages/contract/src/sites/x.ts", "fastify", "zod"],
    [
      "contract imports the domain",
      "packages/contract/src/sites/x.ts",
      "@suncrew/domain/sites/site-status.ts",
      "contract may not",
    ],
    [
      "domain imports the server",
      "packages/domain/src/sites/x.ts",
      "../../../../apps/server/src/app.ts",
      "may not leave",
    ],
    ["domain reads files", "packages/domain/src/sites/x.ts", "node:fs", "has no Node"],
    [
      "platform knows a feature's wire",
      `${server}/platform/x.ts`,
      "@suncrew/contract/sites/sites.ts",
      "http folder only",
    ],
    ["platform imports a feature", `${server}/platform/x.ts`, "../features/sites/public.ts", "server platform may not"],
    [
      "a feature enters another by a window",
      `${server}/features/live/x.ts`,
      "../sites/visible-sites.ts",
      "public.ts only",
    ],
    ["a feature uses its own public.ts", `${server}/features/sites/x.ts`, "./public.ts", "for other features"],
    ["a feature imports the app", `${server}/features/sites/x.ts`, "../../app.ts", "may not import server composition"],
    ["main.ts imports a feature's routes", `${server}/main.ts`, "./features/sites/sites.routes.ts", "app.ts alone"],
    ["the product uses the tests' harness", `${server}/features/sites/x.ts`, "../../../test/harness.ts", "only tests"],
    ["the console uses its tests", "apps/console/src/app/x.tsx", "../../test/answers.ts", "only component tests"],
    ["a unit test opens the console", `${consoleSites}.test.ts`, "../../../test/answers.ts", "only component tests"],
    ["a component test reads files", "apps/console/test/x.ts", "node:fs", "has no Node"],
    ["the ui imports a feature", "apps/console/src/ui/x.tsx", "../features/sites/sites-page.tsx", "console ui may not"],
    [
      "the simulator shares the domain's mistakes",
      "apps/simulator/src/x.ts",
      "@suncrew/domain/sites/site-status.ts",
      "simulator may not",
    ],
    ["e2e looks inside an app", "e2e/x.spec.ts", "@suncrew/server/app.ts", "e2e may not"],
    ["an import without its extension", `${server}/features/sites/x.ts`, "./visible-sites", "with its ending"],
  ])("%s", (_title, path, specifier, words) => {
    const [problem, ...others] = problemsOf(importBoundaries, path, `import { x } from "${specifier}";`);
    expect(others).toEqual([]);
    expect(problem?.message).toContain(specifier);
    expect(problem?.message).toContain(words);
  });

  test.each([
    [`${server}/platform/x.ts`, "@suncrew/contract/http/error.ts"],
    [`${server}/features/live/x.ts`, "../sites/public.ts"],
    [`${server}/features/live/live.api.test.ts`, "../../../test/harness.ts"],
    [`${server}/features/live/live.api.test.ts`, "@suncrew/simulator/robot.ts"],
    [`${server}/app.ts`, "./features/sites/sites.routes.ts"],
    ["apps/console/src/app/router.tsx", "../features/sites/sites-page.tsx"],
    [`${consoleSites}.component.test.ts`, "../../../test/answers.ts"],
    ["apps/console/test/x.ts", "../src/features/sites/sites-page.tsx"],
    ["e2e/x.spec.ts", "@suncrew/simulator/robot.ts"],
  ])("%s may import %s", (path, specifier) => {
    expect(problemsOf(importBoundaries, path, `import { x } from "${specifier}";`)).toEqual([]);
  });

  test("dynamic imports and re-exports are imports", () => {
    const path = `${server}/features/live/x.ts`;
    expect(problemsOf(importBoundaries, path, 'void import("../sites/visible-sites.ts");')).toHaveLength(1);
    expect(problemsOf(importBoundaries, path, 'export { v } from "../sites/visible-sites.ts";')).toHaveLength(1);
  });

  test("only a demo's start loads the demo", () => {
    const files = (start: string) => repository({ [`${server}/process/start.ts`]: start, [`${server}/demo/x.ts`]: "" });
    expect(importBoundaries(files('import { x } from "../demo/x.ts";'))).toHaveLength(1);
    expect(importBoundaries(files('void import("../demo/x.ts");'))).toEqual([]);
  });

  test("features that import each other in a circle are named", () => {
    const [problem] = featureGraph(
      repository({
        [`${server}/features/a/x.ts`]: 'import { y } from "../b/public.ts";',
        [`${server}/features/b/y.ts`]: 'import { z } from "../c/public.ts";',
        [`${server}/features/c/z.ts`]: 'import { x } from "../a/public.ts";',
      }),
    );
    expect(problem?.message).toContain("a -> b -> c -> a");
  });
});

describe("exports", () => {
  test.each([
    ["code in a public.ts", `${server}/features/live/public.ts`, "export const x = 1;"],
    ["everything in a public.ts", `${server}/features/live/public.ts`, 'export * from "./x.ts";'],
    ["a barrel", `${server}/features/live/all.ts`, 'export { x } from "./x.ts";'],
    ["a default export", `${server}/features/live/x.ts`, "export default 1;"],
  ])("%s", (_title, path, text) => {
    expect(problemsOf(exportsByName, path, text)).toHaveLength(1);
  });

  test("a page may have a default export", () => {
    expect(problemsOf(exportsByName, "apps/console/src/features/live/live-page.tsx", "export default 1;")).toEqual([]);
  });
});

describe("§6 tenancy", () => {
  const queries = `${server}/features/robots/robots.queries.ts`;

  test.each([
    ["no viewer", "export function find(db: Db) { return visibleSites(db); }"],
    ["the viewer second", "export const find = (db: Db, viewer: Viewer) => visibleSites(viewer);"],
    [
      "no wall",
      "export async function find(viewer: Viewer) { return all(viewer); } function all(viewer) { return 1; }",
    ],
    [
      "the wall for somebody else",
      "export function find(viewer: Viewer, other: Viewer) { return visibleSites(other); }",
    ],
  ])("a query with %s", (_title, text) => {
    expect(problemsOf(queriesAskTheViewer, queries, text)).toHaveLength(1);
  });

  test("a query may reach the wall through a function of its file", () => {
    const text =
      "export function find(viewer: Viewer) { return rows(viewer); } function rows(viewer: Viewer) { return visibleSites(viewer); }";
    expect(problemsOf(queriesAskTheViewer, queries, text)).toEqual([]);
  });

  test("a query may reach the wall through another feature's query", () => {
    const reader =
      'import { robotsOf } from "../robots/public.ts"; export const r = (viewer: Viewer) => robotsOf(viewer);';
    const files = repository({
      [`${server}/features/robots/public.ts`]: 'export { robotsOf } from "./robots.queries.ts";',
      [`${server}/features/live/live.queries.ts`]: reader,
    });
    expect(queriesAskTheViewer(files)).toEqual([]);
    const other = files.map((file) => ({
      ...file,
      text: file.text.replace("./robots.queries.ts", "./robots.repository.ts"),
    }));
    expect(queriesAskTheViewer(other)).toHaveLength(1);
  });

  test("only queries of history may include deleted sites", () => {
    const text =
      'import { sitesEverVisible } from "../sites/public.ts"; export const r = (viewer: Viewer) => sitesEverVisible(viewer);';
    const inFile = (path: string) =>
      [queriesAskTheViewer, deletedSitesAreHistory].map((rule) => problemsOf(rule, path, text));
    expect(inFile(`${server}/features/runs/runs.queries.ts`)).toEqual([[], []]);
    expect(inFile(queries).map((problems) => problems.length)).toEqual([1, 1]);
    expect(problemsOf(deletedSitesAreHistory, `${server}/features/runs/runs.routes.ts`, text)).toHaveLength(1);
  });

  test("routes and queries do not reach SQL without a viewer, not even through a public.ts", () => {
    const files = repository({
      [`${server}/features/a/a.repository.ts`]: "export function w() {}",
      [`${server}/features/a/public.ts`]: 'export { w } from "./a.repository.ts"; export { s } from "./a.service.ts";',
      [`${server}/features/a/a.routes.ts`]: 'import { w } from "./a.repository.ts";',
      [`${server}/features/a/a.service.ts`]: 'import { w } from "./a.repository.ts";',
      [`${server}/features/b/b.routes.ts`]: 'import { w } from "../a/public.ts";',
      [`${server}/features/b/other.routes.ts`]: 'import { s } from "../a/public.ts";',
    });
    expect(repositoriesStayInside(files).map(({ path }) => path)).toEqual([
      `${server}/features/a/a.routes.ts`,
      `${server}/features/b/b.routes.ts`,
    ]);
  });

  test.each([
    ["a query builder", 'export const r = (parts) => parts.db.selectFrom("sites");'],
    ["the sql tag", 'import { sql } from "kysely"; export const r = sql`select 1`;'],
  ])("routes hold no SQL: %s", (_title, text) => {
    expect(problemsOf(routesHoldNoSql, `${server}/features/robots/robots.routes.ts`, text)).toHaveLength(1);
  });
});

describe("names and sizes", () => {
  test.each(["src/robotCan.ts", "src/robot.stuff.ts", "src/utils/x.ts", "src/date-helpers.ts", "src/sites/index.ts"])(
    "%s is a bad name",
    (path) => {
      expect(problemsOf(fileNames, path, "")).toHaveLength(1);
    },
  );

  test("a file is too long above the limit, not at it", () => {
    expect(problemsOf(fileSize, "src/x.ts", "\n".repeat(longestFile))).toEqual([]);
    expect(problemsOf(fileSize, "src/x.ts", "\n".repeat(longestFile + 1))).toHaveLength(1);
  });
});

describe("honest code", () => {
  test.each([
    "test.skip('x', () => {});",
    "test.only('x', () => {});",
    "describe.skip('x', () => {});",
    "test.describe.only('x', () => {});",
    "it.todo('x');",
    "test.fixme('x', () => {});",
    "test.skipIf(slow)('x', () => {});",
    "xit('x', () => {});",
  ])("left out: %s", (text) => {
    expect(problemsOf(noSkippedTests, "src/x.test.ts", text)).toHaveLength(1);
  });

  test.each([
    "await page.waitForTimeout(100);",
    "await new Promise((resolve) => setTimeout(resolve, 100));",
    "await new Promise<void>(done => { setTimeout(() => done(), 100); });",
    'import { setTimeout } from "node:timers/promises";',
  ])("sleeps: %s", (text) => {
    expect(problemsOf(noSleepsInTests, "src/x.test.ts", text)).toHaveLength(1);
  });

  test("a time limit that rejects is not a sleep", () => {
    const text = "await new Promise((resolve, reject) => { setTimeout(() => reject(new Error()), 9); on(resolve); });";
    expect(problemsOf(noSleepsInTests, "src/x.test.ts", text)).toEqual([]);
  });

  test.each(["TO", "FIX"])("marked as unfinished: %s..", (start) => {
    const mark = start + (start === "TO" ? "DO" : "ME");
    expect(problemsOf(noUnfinishedMarks, "src/x.ts", `// ${mark} later\n`)).toHaveLength(1);
    expect(problemsOf(noUnfinishedMarks, "docs/x.md", `${mark}: later\n`)).toHaveLength(1);
  });

  test.each([
    "export const x: any = 1;",
    "export const x = y as unknown as string;",
    "// @ts-ignore\nexport const x = 1;",
    "// oxlint-disable-next-line no-console\nexport const x = 1;",
  ])("dishonest types: %s", (text) => {
    expect(problemsOf(honestTypes, "src/x.ts", text)).toHaveLength(1);
  });
});

test.each([
  "new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(at);",
  "new Intl.NumberFormat().format(1);",
  "at.toLocaleString();",
  "at.toLocaleTimeString(undefined, { timeStyle: 'short' });",
])("the machine's language: %s", (text) => {
  expect(problemsOf(fixedLanguage, "apps/console/src/x.ts", text)).toHaveLength(1);
  const named = text.replace("undefined", "'en-GB'").replace(/(String|Format)\(\)/, "$1('en-GB')");
  expect(problemsOf(fixedLanguage, "apps/console/src/x.ts", named)).toEqual([]);
  expect(problemsOf(fixedLanguage, "apps/console/src/x.ts", "new Intl.DateTimeFormat().resolvedOptions();")).toEqual(
    [],
  );
});

test.each([
  'if (message === "Robot not found") retry();',
  "if (error.message !== TAKEN) throw error;",
  'const isLock = reason.includes("maintenance");',
  "if (/template/i.test(error.message)) return null;",
  'const shown = reason.replace(ADVICE, "");',
])("a decision by a sentence: %s", (text) => {
  expect(problemsOf(decisionsByCode, "apps/console/src/x.ts", text)).toHaveLength(1);
  expect(problemsOf(decisionsByCode, "apps/console/src/x.test.ts", text)).toEqual([]);
});

test.each([
  'if (error.message === "") return null;',
  'if (error.code === "ROBOT_NOT_FOUND") retry();',
  "const shown = /^[a-z]/.test(message) ? `${label} ${message}` : message;",
])("a decision by something else: %s", (text) => {
  expect(problemsOf(decisionsByCode, "apps/console/src/x.ts", text)).toEqual([]);
});

test("a code that no answer has", () => {
  const list = "packages/contract/src/http/error-codes.ts";
  const text = 'export const errorCodes = {\n  USED: "Used.",\n  UNUSED: "Unused.",\n};';
  const files = repository({ [list]: text, [`${server}/x.ts`]: 'throw conflict("USED", "Used.");' });
  expect(everyErrorCodeIsUsed(files)).toMatchObject([{ path: list, message: expect.stringContaining("UNUSED") }]);
});

test("a path of one machine, and a secret", () => {
  const machine = ["", "work", "main"].join("/");
  expect(problemsOf(plainWords, "docs/x.md", `See ${machine}/x.`)).toHaveLength(1);
  expect(problemsOf(plainWords, "docs/x.md", "See network/work/x and ./work/x.")).toEqual([]);
  expect(problemsOf(plainWords, "src/x.ts", ["-----BEGIN", "PRIVATE KEY-----"].join(" "))).toHaveLength(1);
});

test("documents that name something that does not exist", () => {
  const text = "See [a](../apps/server/src/app.ts), [b](gone.md), `apps/server/src/gone.ts` and `a/b`.";
  expect(problemsOf(documentsNameFiles, "docs/x.md", text)).toHaveLength(2);
});

test("migrations with a duplicate number", () => {
  const files = repository({
    "apps/server/migrations/0001_first.sql": "",
    "apps/server/migrations/0002_a.sql": "",
    "apps/server/migrations/0002_b.sql": "",
  });
  expect(migrationNumbers(files).map(({ path }) => path)).toEqual(["apps/server/migrations/0002_b.sql"]);
});

test("migrations that do not say, or not correctly, whether older servers can run with them", () => {
  const files = repository({
    "apps/server/migrations/0001_first.sql": "drop table a;",
    "apps/server/migrations/0091_silent.sql": "create table a ();",
    "apps/server/migrations/0092_adds.sql": "-- additive: no drop\nalter table a add column b text;",
    "apps/server/migrations/0093_takes.sql": "-- additive\nalter table a drop b;",
    "apps/server/migrations/0094_renames.sql": "-- additive\nalter table a rename b to c;",
    "apps/server/migrations/0095_breaks.sql": "-- breaking\nalter table a drop column b;",
    "apps/server/migrations/0096_loosens.sql": "-- additive\nalter table a alter column b drop not null;",
    "apps/server/migrations/0097_unused.sql": "-- additive\ndrop function presence_from_readings();",
    "apps/server/migrations/0098_used.sql": "-- additive\ndrop function keep_robot_presence();",
    "apps/server/migrations/0099_defines.sql":
      "-- additive\ncreate function a() returns void language plpgsql as $$ begin drop table b; end $$;",
  });
  expect(migrationsSayWhatTheyDo(files).map(({ path }) => path)).toEqual(
    ["0091_silent", "0093_takes", "0094_renames", "0098_used"].map((name) => `apps/server/migrations/${name}.sql`),
  );
});

test("advisory locks that share a number", () => {
  const files = repository({
    [`${server}/a.ts`]: "const BRIDGE_LOCK = 7_305_002;\nconst CUT_OFF_LOCK = 7_305_003;",
    [`${server}/b.ts`]: "const FIRST_ADMIN_LOCK = 7_305_003;",
  });
  expect(lockNumbers(files).map(({ path }) => path)).toEqual([`${server}/b.ts`]);
});

test("migrations that change large tables in one transaction, or in steps without a limit", () => {
  const files = repository({
    "apps/server/migrations/0033_before_steps.sql": "update runs set a = 1;",
    "apps/server/migrations/0091_updates.sql": "-- additive\nupdate runs set a = 1 where a is null;",
    "apps/server/migrations/0092_indexes.sql": "-- additive\ncreate index runs_a on runs (a);",
    "apps/server/migrations/0093_deletes.sql": "-- additive\nalter table runs add a int;\ndelete from alerts where a;",
    "apps/server/migrations/0094_unlimited.sql": "-- additive\n-- step: rows\nupdate runs set a = 1 where a is null;",
    "apps/server/migrations/0095_small.sql": "-- additive\nupdate sites set a = 1;\ncreate index on sites (a);",
    "apps/server/migrations/0096_new.sql": "-- additive\ncreate table runs (a int);\ncreate index on runs (a);",
    "apps/server/migrations/0097_function.sql":
      "-- additive\ncreate function f() returns void language sql as $$ update runs set a = 1 $$;",
    "apps/server/migrations/0098_steps.sql":
      "-- additive\nalter table runs add a int;\n-- step: rows\nupdate runs set a = 1 where id in (select id from runs limit 5000);\n" +
      "-- step: index\ncreate index concurrently runs_a on runs (a);",
  });
  expect(migrationsUseStepsForLargeTables(files).map(({ path }) => path)).toEqual(
    ["0091_updates", "0092_indexes", "0093_deletes", "0094_unlimited"].map(
      (name) => `apps/server/migrations/${name}.sql`,
    ),
  );
});

test("the rules see this repository", () => {
  const paths = readRepository().map(({ path }) => path);
  expect(paths).toContain("tools/rules/rules.test.ts");
  expect(paths).toContain("packages/contract/src/routes.ts");
  expect(paths.filter((path) => path.includes("node_modules"))).toEqual([]);
});
