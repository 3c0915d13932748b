import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import { browserArguments } from "./support/browser.ts";

/**
 * Each worker has a complete Suncrew of its own (see support/suncrew.ts). One worker more than the cores we count on:
 * a test spends a good part of its time waiting for robots and frames.
 */
export default defineConfig({
  testDir: fileURLToPath(new URL(".", import.meta.url)),
  testMatch: "**/*.spec.ts",
  outputDir: fileURLToPath(new URL("../test-results", import.meta.url)),
  globalSetup: fileURLToPath(new URL("support/global-setup.ts", import.meta.url)),
  forbidOnly: true,
  fullyParallel: false,
  // Each has a server, a database and robots of its own: with more than the cores we count on, all of them are slower.
  workers: 2,
  retries: 0,
  // A limit for tests that hang: it says nothing about speed, even on a busy machine.
  timeout: 300_000,
  // Changes appear within a second, and a robot that does not respond is given up on after 8: the rest is a margin.
  expect: { timeout: 60_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    // The global setup finds the path; workers inherit its environment.
    launchOptions: { executablePath: process.env["SUNCREW_TEST_BROWSER"], args: browserArguments },
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    timezoneId: "Asia/Kolkata",
    // Recording traces would take more than half of the time; a screenshot and the log are enough.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
