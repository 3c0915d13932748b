import pino, { type Logger, type LoggerOptions } from "pino";
import pretty from "pino-pretty";
import { codeOf, errorText } from "./errors.ts";
import type { Outages } from "./outages.ts";

/** Warnings and errors, not what ends the process. */
const isSuppressible = (level: number) => level === 40 || level === 50;

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
 * Every error is logged with its cause. Lines whose `error` comes from an outage are left to the outage's own lines;
 * a line that says more than that, such as what became of somebody's command, carries it as its `reason`.
 */
export function logOptions(level: string, outages?: Outages): LoggerOptions {
  return {
    level,
    serializers: { error: serializeError, err: serializeError, reason: serializeError },
    hooks: {
      logMethod(args, method, lineLevel) {
        const [fields, message]: readonly unknown[] = args;
        const isLogged =
          isSuppressible(lineLevel) &&
          typeof fields === "object" &&
          fields !== null &&
          "error" in fields &&
          fields.error instanceof Error &&
          // Throttled lines are about the last minute.
          outages?.covers(fields.error, String(message), "times" in fields) === true;
        if (!isLogged) method.apply(this, args);
      },
    },
  };
}

/** For lines that are logged at every level but silent. */
export function always(log: Logger): Logger {
  return log.child({}, { level: log.level === "silent" ? "silent" : "info" });
}

/** Only what identifies the fault: a database error's detail may hold personal data. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? "not an Error was thrown" : error;
  return { name: error.name, message: errorText(error), code: codeOf(error) || undefined, stack: error.stack };
}
