import { browserArguments, prepareBrowser } from "./browser.ts";

/** Runs once before the console's component tests: their configuration finds the browser in the environment. */
export async function setup(): Promise<void> {
  process.env["SUNCREW_TEST_BROWSER"] = await prepareBrowser();
  process.env["SUNCREW_TEST_BROWSER_ARGUMENTS"] = browserArguments.join(" ");
}
