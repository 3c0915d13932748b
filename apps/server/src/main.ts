import { helpText, readOptions } from "./process/options.ts";
import { readSettings } from "./process/settings.ts";
import { StopList } from "./process/stop-list.ts";
import { StartError } from "./platform/errors.ts";
import { always, createLog } from "./platform/log.ts";
import { Outages } from "./platform/outages.ts";

/** One Ctrl-C may arrive twice, from the terminal and from npm; only a later one counts as a second. */
const SAME_SIGNAL_MS = 500;

/** Reports a failed start, to a person until it is known to be production. */
let reportFailure = (text: string): void => console.error(text);

function reportError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  reportFailure(error instanceof StartError ? error.message : text.replaceAll("\n", " "));
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(helpText(options.mode));
    return;
  }
  const isDemo = options.mode === "demo";
  if (!isDemo) {
    // Production prints nothing but lines of JSON, except the first password.
    reportFailure = (text) => {
      for (const line of text.split("\n")) createLog("fatal", false).fatal(line);
    };
  }
  const settings = readSettings(options.mode, process.env);
  if ("errors" in settings) throw new StartError(settings.errors.join("\n"), 2);
  const outages = new Outages();
  const log = createLog(settings.logLevel, isDemo, outages);
  const stops = new StopList();
  const say = isDemo ? (line: string) => console.log(line) : (line: string) => always(log).info(line);
  if (!isDemo) {
    process.removeAllListeners("warning");
    process.on("warning", (error) => log.warn({ error }, "Node.js warning"));
  }

  const end = async (exitCode: number): Promise<void> => {
    await stops.run(log);
    process.exit(exitCode);
  };
  const fail = (message: string): void => {
    if (stops.stopping) return;
    reportFailure(message);
    void end(1);
  };
  let firstSignalAt = 0;
  const onSignal = (): void => {
    const now = Date.now();
    if (stops.stopping && firstSignalAt > 0) {
      if (now - firstSignalAt > SAME_SIGNAL_MS) process.exit(130);
      return;
    }
    firstSignalAt = now;
    if (!isDemo) say("stopping");
    else if (process.stdout.isTTY) console.log("\nStopping ... (Ctrl-C again to stop at once)");
    void end(0);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  process.on("uncaughtException", (error) => {
    log.fatal({ error }, "unexpected error");
    fail("Suncrew ended because of an unexpected error.");
  });

  try {
    // Loaded only now, so that help and errors in options come at once.
    const { start } = await import("./process/start.ts");
    const { banner, readyLine } = await import("./process/banner.ts");
    const started = await start({ settings, options, log, outages, stops, fail, say });
    if (started !== null && !stops.stopping) {
      if (isDemo) console.log(banner(started));
      else always(log).info(readyLine(started), "Suncrew is ready");
    }
  } catch (error) {
    // Errors of components that lose their connections while stopping are expected.
    if (!stops.stopping) {
      reportError(error);
      await end(error instanceof StartError ? error.exitCode : 1);
    }
  }
}

try {
  await main();
} catch (error) {
  reportError(error);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}
