import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { catchUp } from "./catch-up.ts";
import { crowd } from "./crowd.ts";
import { endurance } from "./endurance.ts";
import { help, type Options, readOptions, type StepName } from "./options.ts";
import { chooseAccount, end } from "./private-part.ts";
import { startPostgres } from "./private-postgres.ts";
import { rollingUpgrade } from "./rolling-upgrade.ts";
import type { StepContext } from "./test-system.ts";
import { stopsWithoutDatabase } from "./stops-without-database.ts";

const repositoryDir = fileURLToPath(new URL("../..", import.meta.url));

const steps: Readonly<Record<StepName, (parts: StepContext) => Promise<boolean>>> = {
  tests: allTests,
  checks: (parts) => succeeds(parts, "vitest", ["run", "--config", "bench/production/vitest.config.ts"], {}),
  stops: stopsWithoutDatabase,
  "catch-up": catchUp,
  rolling: rollingUpgrade,
  endurance,
  crowd,
};

/** Runs one step with its own services; true if it went well. */
async function runStep(name: StepName, options: Options): Promise<boolean> {
  const account = await chooseAccount();
  const folder = await mkdtemp(join(tmpdir(), `suncrew-${name}-`));
  // The other account may pass through; the contents belong only to it or to us.
  await chmod(folder, 0o711);
  const stops = [async () => (options.keep ? console.log(`Logs: ${folder}`) : rm(folder, { recursive: true }))];
  const stopAll = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  const onSignal = (): void => void stopAll().finally(() => process.exit(130));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, onSignal);
  try {
    return await steps[name]({ options, folder, account, stops });
  } finally {
    await stopAll();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, onSignal);
  }
}

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
      const passed = await runStep(name, options);
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
