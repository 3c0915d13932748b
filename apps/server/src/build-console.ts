import { ensureConsoleBuilt } from "./process/console-build.ts";

/**
 * Builds the console if its sources have changed: `npm run build`. Production serves the result and never builds; a demo
 * that starts afterwards uses it, too.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  say(`The console is in ${await ensureConsoleBuilt(say)}.`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
