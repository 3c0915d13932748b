import pino, { type Logger, type LoggerOptions } from "pino";
import pretty from "pino-pretty";
import { errorText, type Outages } from "./outages.ts";

/** Of warnings and errors, not of what ends the process. */
const isOfOutages = (level: number) => level === 40 || level === 50;

/** Lines of JSON for machines, or short lines on standard error for a person at a terminal. */
export function createLog(level: string, forPeople: boolean, outages?: Outages): Logger {
  const options = logOptions(level, outages);
  if (!forPeople) return pino(options);
  const stream = pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY,
    ignore: "pid,hostname",
    translateTime: "SYS:HH:MM:ss",
  });
  return pino(options, stream);
}

/**
 * Every error says what it was. What an outage makes fail is left to the outage's own lines where a line has it as its
 * `error`; a line that tells more than that, of somebody's order, has it as its `reason`.
 */
export function logOptions(level: string, outages?: Outages): LoggerOptions {
  return {
    level,
    serializers: { error: shownError, err: shownError, reason: shownError },
    hooks: {
      logMethod(args, method, lineLevel) {
        const [fields, sentence]: readonly unknown[] = args;
        const isTold =
          isOfOutages(lineLevel) &&
          typeof fields === "object" &&
          fields !== null &&
          "error" in fields &&
          fields.error instanceof Error &&
          // What was gathered happened up to a minute ago.
          outages?.covers(fields.error, String(sentence), "times" in fields) === true;
        if (!isTold) method.apply(this, args);
      },
    },
  };
}

/** For lines that must be there whatever the level is, but for silence. */
export function always(log: Logger): Logger {
  return log.child({}, { level: log.level === "silent" ? "silent" : "info" });
}

/** Only what names the fault: a database error's detail may hold what is nobody's business. */
function shownError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? "not an Error was thrown" : error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { name: error.name, message: errorText(error), code, stack: error.stack };
}
