import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Starts one PostgreSQL for all workers and migrates the template that every test file copies. */
const databaseSetup = "apps/server/test/global-setup.ts";

/**
 * Two projects, so that `npx vitest run --project unit` needs no database:
 * `unit` holds what computes only, `server` what wants PostgreSQL, a broker or whole processes.
 */
export default defineConfig({
  test: {
    // As many files at once as Vitest finds fit for the cores; each file has its own process.
    pool: "forks",
    reporters: ["default"],
    // Nobody may leave a test out; a chosen file on the command line is the way to run one.
    allowOnly: false,
    projects: [
      {
        test: {
          name: "unit",
          pool: "threads",
          include: [
            "packages/*/src/**/*.test.ts",
            "apps/simulator/{src,test}/**/*.test.ts",
            "apps/console/src/**/*.test.ts",
            "tools/**/*.test.ts",
          ],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "server",
          include: ["apps/server/{src,test}/**/*.test.ts", "e2e/**/*.test.ts"],
          globalSetup: existsSync(databaseSetup) ? [databaseSetup] : [],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
