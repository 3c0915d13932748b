import { spawnSync } from "node:child_process";
import { repositoryRoot } from "./repository.ts";

/** Everything that must hold before work lands, cheapest first. */
const steps: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  types: ["npm", "run", "--silent", "types"],
  lint: ["npm", "run", "--silent", "lint"],
  format: ["npm", "run", "--silent", "format:check"],
  build: ["npm", "run", "--silent", "build"],
  unit: ["vitest", "run"],
  browser: ["playwright", "test", "--config", "e2e"],
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
    // The browser tests build the console themselves unless it has just been built.
    env: { ...process.env, ...(results.some((line) => /^ok +build/.test(line)) && { SUNCREW_CONSOLE_BUILT: "yes" }) },
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
process.exitCode = exitCode;

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`;
}
