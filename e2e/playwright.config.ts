import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import { browserArguments } from "./support/browser.ts";

/**
 * Each worker has a whole Suncrew of its own (see support/suncrew.ts). One worker more than the cores that we count on:
 * a test waits for robots and frames for a good part of its time.
 */
export default defineConfig({
  testDir: fileURLToPath(new URL(".", import.meta.url)),
  testMatch: "**/*.spec.ts",
  outputDir: fileURLToPath(new URL("../test-results", import.meta.url)),
  globalSetup: fileURLToPath(new URL("support/global-setup.ts", import.meta.url)),
  forbidOnly: true,
  fullyParallel: false,
  workers: 3,
  retries: 0,
  // A limit for what hangs: nothing is said by it about speed, also not on a busy machine.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    // The path is found by the global setup, whose environment the workers inherit.
    launchOptions: { executablePath: process.env["SUNCREW_TEST_BROWSER"], args: browserArguments },
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    timezoneId: "Asia/Kolkata",
    // Recording a trace costs more than half of the time; a screenshot and the log tell enough.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
