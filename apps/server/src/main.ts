import { helpText, readOptions } from "./process/options.ts";
import { readSettings } from "./process/settings.ts";
import { StopList } from "./process/stop-list.ts";
import { StartError } from "./platform/embedded/start-error.ts";
import { createLog } from "./platform/log.ts";

/** One Ctrl-C may arrive twice, from the terminal and from npm; only a later one is a second wish. */
const SAME_PRESS_MS = 500;

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(helpText(options.mode));
    return;
  }
  const settings = readSettings(options.mode, process.env);
  if ("wrong" in settings) throw new StartError(settings.wrong.join("\n"), 2);
  const log = createLog(settings.logLevel, options.mode === "demo");
  const stops = new StopList();

  const end = async (exitCode: number): Promise<void> => {
    await stops.run(log);
    process.exit(exitCode);
  };
  const fail = (sentence: string): void => {
    if (stops.stopping) return;
    console.error(sentence);
    void end(1);
  };
  let firstSignalAt = 0;
  const onSignal = (): void => {
    const now = Date.now();
    if (stops.stopping && firstSignalAt > 0) {
      if (now - firstSignalAt > SAME_PRESS_MS) process.exit(130);
      return;
    }
    firstSignalAt = now;
    if (process.stdout.isTTY) console.log("\nStopping ... (Ctrl-C again: at once)");
    void end(0);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  process.on("uncaughtException", (error) => {
    log.fatal({ error: error.stack }, "an unexpected error");
    fail("Suncrew ended by an unexpected error.");
  });

  try {
    // Loaded only now, so that help and refusals come at once.
    const { start } = await import("./process/start.ts");
    const { banner } = await import("./process/banner.ts");
    const started = await start({ settings, options, log, stops, fail, say: (line) => console.log(line) });
    if (started !== null && !stops.stopping) console.log(banner(options.mode, started));
  } catch (error) {
    // A part that is cut off while stopping may complain; that is no news.
    if (!stops.stopping) {
      console.error(error instanceof StartError ? error.message : error);
      await end(error instanceof StartError ? error.exitCode : 1);
    }
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}
