import pino, { type Logger } from "pino";
import pretty from "pino-pretty";

/** Lines of JSON for machines, or short lines on standard error for a person at a terminal. */
export function createLog(level: string, forPeople: boolean): Logger {
  if (!forPeople) return pino({ level });
  const stream = pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY,
    ignore: "pid,hostname",
    translateTime: "SYS:HH:MM:ss",
  });
  return pino({ level }, stream);
}
