import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeFailed, failedInPlaywright, failedInVitest, type FailedTest } from "./failed-tests.ts";
import { repositoryRoot } from "./repository.ts";

const reportsDir = mkdtempSync(join(tmpdir(), "suncrew-reports-"));
const reportOf = (step: string): string => join(reportsDir, `${step}.json`);

/** Everything that must hold before work lands, cheapest first. */
const steps: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  types: ["npm", "run", "--silent", "types"],
  lint: ["npm", "run", "--silent", "lint"],
  format: ["npm", "run", "--silent", "format:check"],
  build: ["npm", "run", "--silent", "build"],
  unit: ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportOf("unit")}`],
  browser: ["playwright", "test", "--config", "e2e", "--reporter=list,json"],
};

const failedTests: Readonly<Record<string, (report: string) => FailedTest[]>> = {
  unit: failedInVitest,
  browser: failedInPlaywright,
};

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !(name in steps));
if (unknown !== undefined) {
  console.error(`There is no step "${unknown}". Steps: ${Object.keys(steps).join(", ")}; all of them without a name.`);
  process.exit(2);
}

const began = performance.now();
const results: string[] = [];
let exitCode = 0;

for (const [name, [program, ...args]] of Object.entries(steps)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`\n=== ${name}: ${program} ${args.join(" ")}`);
  const stepBegan = performance.now();
  const { status, signal, error } = spawnSync(program, args, {
    cwd: repositoryRoot,
    stdio: "inherit",
    env: {
      ...process.env,
      PLAYWRIGHT_JSON_OUTPUT_FILE: reportOf("browser"),
      // The browser tests build the console themselves unless it has just been built.
      ...(results.some((line) => /^ok +build/.test(line)) && { SUNCREW_CONSOLE_BUILT: "yes" }),
    },
  });
  if (error !== undefined) console.error(error.message);
  const passed = status === 0;
  if (!passed && exitCode === 0) exitCode = status ?? 1;
  results.push(
    `${passed ? "ok    " : "FAILED"} ${name.padEnd(8)} ${seconds(stepBegan)}${signal === null ? "" : ` (${signal})`}`,
  );
}

console.log(`\n=== ${exitCode === 0 ? "Everything passed" : "Something failed"}, ${seconds(began).trim()} in all`);
console.log(results.join("\n"));
// Once more in short: what failed lies thousands of lines above.
for (const [step, failedIn] of Object.entries(failedTests)) {
  if (exitCode === 0 || !existsSync(reportOf(step))) continue;
  const failed = describeFailed(failedIn(readFileSync(reportOf(step), "utf8")));
  if (failed !== "") console.log(`\nFailed in ${step}:\n${failed}`);
}
rmSync(reportsDir, { recursive: true });
process.exitCode = exitCode;

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`;
}
