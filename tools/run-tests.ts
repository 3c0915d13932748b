import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeFailed, failedInPlaywright, failedInVitest, type FailedTest } from "./failed-tests.ts";
import { repositoryRoot } from "./repository.ts";

const reportsDir = mkdtempSync(join(tmpdir(), "suncrew-reports-"));
const reportOf = (step: string): string => join(reportsDir, `${step}.json`);

type Steps = Readonly<Record<string, readonly [program: string, ...args: string[]]>>;
const npmRun = (script: string) => ["npm", "run", "--silent", script] as const;
const vitest = (...args: readonly string[]) => ["vitest", "run", ...args] as const;
const playwright = (...args: readonly string[]) =>
  ["playwright", "test", "--config", "e2e", "--reporter=list,json", ...args] as const;

/** Everything that must pass before work lands, cheapest first. */
const steps: Steps = {
  types: npmRun("types"),
  lint: npmRun("lint"),
  format: npmRun("format:check"),
  build: npmRun("build"),
  unit: vitest(),
  browser: playwright(),
};

/** A quick check in a minute and a half: every rule, a few calls on real services, and one browser test. */
const smoke: Steps = {
  types: npmRun("types"),
  build: npmRun("build"),
  unit: vitest(
    "--project",
    "unit",
    "--project",
    "server",
    "packages/",
    "tools/",
    "apps/console/src",
    "apps/simulator/",
    ...smokeTestsOfServer(),
  ),
  browser: playwright("--grep", "@smoke"),
};

const seed = process.env["SEED"] ?? String(Date.now() % 1_000_000_000);

/** Long-running checks: other random histories each time, 20 times as many, and servers that are killed for longer. */
const soak: Steps = {
  unit: vitest(
    "property",
    "rollout-crash",
    "fuzz",
    "simulated-month",
    "import-sites",
    "bad-messages",
    "packages/domain",
  ),
  endurance: ["node", "bench/production/main.ts", "endurance", "--seconds", "600", "--seed", seed],
};

function smokeTestsOfServer(): string[] {
  const features = [
    "auth/auth",
    "commands/start-stop",
    "commands/refusals",
    "sites/sites",
    "schedules/scheduler.bridge",
  ];
  return [...features.map((feature) => `features/${feature}`), "test/contract"];
}

const [set, ...others] = process.argv.slice(2);
const isSet = (set === "smoke" || set === "soak") && others.length === 0;
const all = isSet ? { smoke, soak }[set] : steps;
const chosen = isSet ? [] : process.argv.slice(2);
if (all === soak) {
  process.env["SUNCREW_SOAK"] ??= "20";
  process.env["SEED"] = seed;
  console.log(`Seed ${seed}: SEED=${seed} before the command tries the same again.`);
}
const unknown = chosen.find((name) => !(name in all));
if (unknown !== undefined) {
  const names = Object.keys(steps).join(", ");
  console.error(`There is no step "${unknown}". Steps: ${names}; all of them without a name; or smoke alone.`);
  process.exit(2);
}

const failedTests: Readonly<Record<string, (report: string) => FailedTest[]>> = {
  unit: failedInVitest,
  browser: failedInPlaywright,
};

const began = performance.now();
const results: string[] = [];
let exitCode = 0;

for (const [name, [program, ...args]] of Object.entries(all)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`\n=== ${name}: ${program} ${args.join(" ")}`);
  const stepBegan = performance.now();
  const { status, signal, error } = spawnSync(program, args, {
    cwd: repositoryRoot,
    stdio: "inherit",
    env: {
      ...process.env,
      SUNCREW_FAILED_TESTS: reportOf("unit"),
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
// Repeated in short: what failed is thousands of lines above.
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
