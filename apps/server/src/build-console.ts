import { consoleReady } from "./process/console-build.ts";

/**
 * Builds the console where its sources changed since: `npm run build`. A server that is started after it takes the
 * result over; built by Vite alone, each would build it again.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`The console is in ${await consoleReady(say)}.`);
