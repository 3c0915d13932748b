import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { prepareBrowser } from "./browser.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs once before the browser tests: the browser, and an up-to-date console. */
export default async function globalSetup(): Promise<void> {
  // Workers inherit the environment and read the configuration, which names this path, again.
  process.env["SUNCREW_TEST_BROWSER"] = await prepareBrowser();
  if (process.env["SUNCREW_CONSOLE_BUILT"] === "yes") return;
  const built = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`The console does not build:\n${built.stdout}\n${built.stderr}`);
}
