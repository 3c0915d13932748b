import { codeOf } from "../errors.ts";

/** The driver's message for a query timeout; the error has no code. */
export const NO_ANSWER = "Query read timeout";

export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === NO_ANSWER;
}

// oxfmt-ignore
const connectCodes = new Set([
  "ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH",
]);
const socketCalls = new Set(["connect", "read", "write", "getaddrinfo"]);
/**
 * PostgreSQL's classes: 08 connection, 53 out of disk, memory or connections, 57P shutdown, crash or starting up, 58
 * system error, 25006 read-only transaction, such as on a standby.
 */
const stateCode = /^(08...|53...|57P0[1-5]|58...|25006)$/;
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;
/** A quota and a disk that was remounted read-only have no code of their own in PostgreSQL. */
const diskMessages = /No space left on device|Disk quota exceeded|Read-only file system/;
const diskCodes = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** True if a query failed because the database is unreachable or cannot work, not because of the query. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isQueryTimeout(error)) return true;
  const code = codeOf(error);
  if (stateCode.test(code) || driverMessages.test(error.message)) return true;
  if (isSqlState(code) && diskMessages.test(error.message)) return true;
  const call = "syscall" in error && typeof error.syscall === "string" ? error.syscall : "";
  return connectCodes.has(code) && (socketCalls.has(call) || error instanceof AggregateError);
}

/** Explains such an error to people. */
export function databaseFault(error: unknown): string {
  const code = codeOf(error);
  if (code === "53100" || (error instanceof Error && diskMessages.test(error.message))) {
    return "The database's disk is full or cannot be written.";
  }
  if (code === "25006") return "The database can only be read at the moment.";
  if (code === "53300") return "The database accepts no more connections.";
  return "The database cannot be reached.";
}

/** True if nothing can be stored, although reading may still work. */
export function isDatabaseUnwritable(error: unknown): boolean {
  if (!(error instanceof Error) || !isDatabaseUnreachable(error)) return false;
  const code = codeOf(error);
  return code === "53100" || code === "25006" || diskMessages.test(error.message);
}

/** True if this server's own disk, not the database's, is full or cannot be written. */
export function isOwnDiskUnwritable(error: unknown): boolean {
  return diskCodes.has(codeOf(error));
}

/** Five characters that are not one of Node's own codes. */
function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !diskCodes.has(code);
}
