import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { crowd } from "./crowd.ts";
import { endurance } from "./endurance.ts";
import { help, readOptions, type StepName } from "./options.ts";
import { end } from "./private-part.ts";
import { startPostgres } from "./private-postgres.ts";
import { rollingUpgrade } from "./rolling-upgrade.ts";
import { runStep } from "./run-step.ts";
import type { StepContext } from "./test-system.ts";
import { stopsWithoutDatabase } from "./stops-without-database.ts";

const repositoryDir = fileURLToPath(new URL("../..", import.meta.url));

const steps: Readonly<Record<StepName, (parts: StepContext) => Promise<boolean>>> = {
  tests: allTests,
  checks: (parts) => succeeds(parts, "vitest", ["run", "--config", "bench/production/vitest.config.ts"], {}),
  stops: stopsWithoutDatabase,
  rolling: rollingUpgrade,
  endurance,
  crowd,
};

/**
 * `npm test` with its API, bridge and protocol tests on Debian's PostgreSQL instead of the embedded one, which its
 * tests of whole processes and all its browser tests use.
 */
async function allTests(parts: StepContext): Promise<boolean> {
  const postgres = await startPostgres(parts.folder, parts.account, { durable: false });
  parts.stops.push(() => postgres.stop());
  return succeeds(parts, "npm", ["test"], { TEST_DATABASE_URL: postgres.adminUrl });
}

/** Runs a program to its end. */
async function succeeds(
  { stops }: StepContext,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<boolean> {
  const child = spawn(program, args, {
    cwd: repositoryDir,
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  stops.push(() => end(child, "SIGTERM", 20_000));
  await once(child, "exit");
  return child.exitCode === 0;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") console.log(help);
  else {
    const results: string[] = [];
    for (const name of options.steps) {
      const beganMs = performance.now();
      const passed = await runStep(name, options, steps[name]);
      const tookS = ((performance.now() - beganMs) / 1000).toFixed(1);
      results.push(`${passed ? "ok    " : "FAILED"} ${name.padEnd(9)} ${tookS.padStart(6)} s`);
      if (!passed) process.exitCode = 1;
    }
    console.log(`\n${results.join("\n")}`);
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
