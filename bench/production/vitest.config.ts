import { defineConfig } from "vitest/config";

/** Tests that need Debian's Mosquitto and PostgreSQL; `bench/production/main.ts` starts both and then these. */
export default defineConfig({
  test: {
    pool: "forks",
    allowOnly: false,
    include: ["bench/production/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
