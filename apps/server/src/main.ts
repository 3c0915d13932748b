import { helpText, readOptions } from "./process/options.ts";
import { readSettings } from "./process/settings.ts";
import { StopList } from "./process/stop-list.ts";
import { StartError } from "./platform/embedded/start-error.ts";
import { always, createLog } from "./platform/log.ts";
import { Outages } from "./platform/outages.ts";

/** One Ctrl-C may arrive twice, from the terminal and from npm; only a later one is a second wish. */
const SAME_PRESS_MS = 500;

/** How a failed start is told: to a person, until it is known that nobody sits there. */
let complain = (sentences: string): void => console.error(sentences);

function complainOf(error: unknown): void {
  const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
  complain(error instanceof StartError ? error.message : whole.replaceAll("\n", " "));
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(helpText(options.mode));
    return;
  }
  const isDemo = options.mode === "demo";
  if (!isDemo) {
    // In production all that is printed is lines of JSON, but for the first password.
    complain = (sentences) => {
      for (const sentence of sentences.split("\n")) createLog("fatal", false).fatal(sentence);
    };
  }
  const settings = readSettings(options.mode, process.env);
  if ("wrong" in settings) throw new StartError(settings.wrong.join("\n"), 2);
  const outages = new Outages();
  const log = createLog(settings.logLevel, isDemo, outages);
  const stops = new StopList();
  const tell = isDemo ? (line: string) => console.log(line) : (line: string) => always(log).info(line);
  if (!isDemo) {
    process.removeAllListeners("warning");
    process.on("warning", (error) => log.warn({ error }, "a warning of Node"));
  }

  const end = async (exitCode: number): Promise<void> => {
    await stops.run(log);
    process.exit(exitCode);
  };
  const fail = (sentence: string): void => {
    if (stops.stopping) return;
    complain(sentence);
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
    if (!isDemo) tell("stopping");
    else if (process.stdout.isTTY) console.log("\nStopping ... (Ctrl-C again: at once)");
    void end(0);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  process.on("uncaughtException", (error) => {
    log.fatal({ error }, "an unexpected error");
    fail("Suncrew ended by an unexpected error.");
  });

  try {
    // Loaded only now, so that help and refusals come at once.
    const { start } = await import("./process/start.ts");
    const { banner, readyLine } = await import("./process/banner.ts");
    const started = await start({ settings, options, log, outages, stops, fail, say: tell });
    if (started !== null && !stops.stopping) {
      if (isDemo) console.log(banner(started));
      else always(log).info(readyLine(started), "Suncrew is ready");
    }
  } catch (error) {
    // A part that is cut off while stopping may complain; that is no news.
    if (!stops.stopping) {
      complainOf(error);
      await end(error instanceof StartError ? error.exitCode : 1);
    }
  }
}

try {
  await main();
} catch (error) {
  complainOf(error);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}
