import { writeFileSync } from "node:fs";
import { openControlServer } from "./control-server.ts";
import { createFleet } from "./fleet/fleet.ts";
import { createMemoryStore, openFileStore } from "./fleet/store.ts";
import { help, readSettings, type Settings } from "./settings.ts";

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function failWith(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function run(settings: Settings): Promise<void> {
  const store =
    settings.stateFile === undefined
      ? createMemoryStore()
      : openFileStore(settings.stateFile, (error) => say(`The robots' memory cannot be stored: ${String(error)}.`));
  const fleet = createFleet({ ...settings, store, log: say });
  const control = await openControlServer(fleet, settings.controlPort);
  if (settings.controlFile !== undefined) writeFileSync(settings.controlFile, `${control.address}\n`, { mode: 0o600 });

  // The reader of this output may end before us.
  process.stdout.on("error", () => {});
  let ending = false;
  const end = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    await Promise.all([fleet.stop(), control.close()]);
    process.exit(0);
  };
  const endNow = (): void => void end().catch(failWith);
  process.on("SIGTERM", endNow);
  process.on("SIGINT", endNow);
  // The program that started it has ended.
  process.on("disconnect", endNow);
  if (settings.exitWithStdin) process.stdin.on("close", endNow).on("end", endNow).resume();

  fleet.start();
  say(
    `Simulator: ${fleet.serials.length} robots at ${new URL(settings.mqttUrl).host}, control address ${control.address}`,
  );
}

try {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings === "help") say(help);
  else await run(settings);
} catch (error) {
  failWith(error);
}
