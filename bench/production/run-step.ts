import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseAccount } from "./private-part.ts";
import type { StepContext } from "./test-system.ts";

/** Runs one step with its own services, in a folder of its own; true if it went well. */
export async function runStep<Chosen extends { readonly keep: boolean }>(
  name: string,
  options: Chosen,
  step: (parts: StepContext<Chosen>) => Promise<boolean>,
): Promise<boolean> {
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
    return await step({ options, folder, account, stops });
  } finally {
    await stopAll();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, onSignal);
  }
}
