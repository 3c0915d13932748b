import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Starts one PostgreSQL for all workers and migrates the template that each worker copies. */
const databaseSetup = "apps/server/test/global-setup.ts";

/** `npm test` tries the same few random histories each time; `npm run test:soak` tries others, and many more. */
const soak = { factor: Number(process.env["SUNCREW_SOAK"] ?? 1), seed: Number(process.env["SEED"] ?? 1) };

/**
 * One more than the cores that we count on: files also wait for PostgreSQL, processes and robots. A further one would
 * end no sooner, and each test would take longer.
 */
const maxWorkers = 3;

/** The files that take longest: what they are about, longest first. */
const longest = [/process\.test/, /conformance\.test/, /\.property\.test/, /\.bridge\.test/];

/** So that no long file is left to one worker at the end, while the others have nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = ["components", "unit", "server"];
    const rank = ({ project, moduleId }: TestSpecification) => {
      const found = longest.findIndex((pattern) => pattern.test(moduleId));
      return projects.indexOf(project.name) * 100 + (found === -1 ? longest.length : found);
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own, which answers a new array
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** How long tests wait for what must come, in milliseconds: it says nothing about speed, even on a busy machine. */
const patienceMs = 60_000;

const everyProject = {
  // Files of a worker share what they import: to import the server anew for each was a third of the time.
  isolate: false,
  setupFiles: ["tools/test-setup.ts"],
  provide: { soak },
  expect: { poll: { timeout: patienceMs } },
};

/**
 * The browser of the browser tests. Its path and arguments are read when it is started, after the global setup has
 * found it; so nothing starts it before, and the other projects need none.
 */
const chromium = {
  ...playwright({
    launchOptions: {
      get executablePath() {
        return process.env["SUNCREW_TEST_BROWSER"];
      },
      get args() {
        return process.env["SUNCREW_TEST_BROWSER_ARGUMENTS"]?.split(" ");
      },
    },
    contextOptions: { locale: "en-GB", timezoneId: "Asia/Kolkata" },
    actionTimeout: patienceMs,
  }),
  prewarm: undefined,
};

const absolute = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Three projects, so that `npx vitest run --project unit` needs no database and no browser:
 * `unit` holds what computes only, `server` what wants PostgreSQL, a broker or whole processes, and `components` the
 * console in a browser, with answers that the tests give in place of the server.
 */
export default defineConfig({
  test: {
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./tools/failed-tests-reporter.ts"],
    // Nobody may leave a test out; a chosen file on the command line is the way to run one.
    allowOnly: false,
    /** Screenshots of failed tests. */
    attachmentsDir: "test-results/components",
    projects: [
      {
        test: {
          ...everyProject,
          name: "unit",
          pool: "threads",
          include: [
            "packages/*/src/**/*.test.ts",
            "apps/simulator/{src,test}/**/*.test.ts",
            "apps/console/src/**/*.test.ts",
            "tools/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", "**/*.component.test.ts"],
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: "server",
          pool: "forks",
          include: ["apps/server/{src,test}/**/*.test.ts", "e2e/**/*.test.ts"],
          globalSetup: existsSync(databaseSetup) ? [databaseSetup] : [],
          // Some start whole servers: their time says nothing about speed.
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
      {
        extends: "apps/console/vite.config.ts",
        root: absolute("apps/console"),
        // All of them before the first test: one that is found later would reload the page in the middle of a run.
        optimizeDeps: { entries: ["index.html", "src/**/*.component.test.ts", "test/setup.ts"] },
        test: {
          name: "components",
          include: ["src/**/*.component.test.ts"],
          // Beside the others: a project with another number would wait for its turn.
          maxWorkers,
          isolate: false,
          setupFiles: ["test/setup.ts"],
          globalSetup: [absolute("e2e/support/browser-setup.ts")],
          testTimeout: 300_000,
          expect: { poll: { timeout: patienceMs, interval: 150 } },
          browser: {
            enabled: true,
            headless: true,
            connectTimeout: 300_000,
            provider: chromium,
            instances: [{ browser: "chromium" }],
            viewport: { width: 1280, height: 800 },
            // As in the browser tests: a part of a name is enough.
            locators: { exact: false },
          },
        },
      },
    ],
  },
});
