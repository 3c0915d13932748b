import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Starts one PostgreSQL for all workers and migrates the template that each worker copies. */
const databaseSetup = "apps/server/test/global-setup.ts";

/** `npm test` tries the same few random histories each time; `npm run test:soak` tries others, and many more. */
const soak = { factor: Number(process.env["SUNCREW_SOAK"] ?? 1), seed: Number(process.env["SEED"] ?? 1) };

const everyProject = {
  // Files of a worker share what they import: to import the server anew for each was a third of the time.
  isolate: false,
  setupFiles: ["tools/test-setup.ts"],
  provide: { soak },
};

/**
 * Two projects, so that `npx vitest run --project unit` needs no database:
 * `unit` holds what computes only, `server` what wants PostgreSQL, a broker or whole processes.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ["default"],
    // Nobody may leave a test out; a chosen file on the command line is the way to run one.
    allowOnly: false,
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
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: "server",
          pool: "forks",
          include: ["apps/server/{src,test}/**/*.test.ts", "e2e/**/*.test.ts"],
          globalSetup: existsSync(databaseSetup) ? [databaseSetup] : [],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
