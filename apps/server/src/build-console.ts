import { consoleReady } from "./process/console-build.ts";

/**
 * Builds the console where its sources changed since: `npm run build`. Production serves the
 * result and never builds; a demo that is started after it takes it over.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  say(`The console is in ${await consoleReady(say)}.`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
