/** What the driver says where a query got no answer within its limit; it carries no code. */
export const NO_ANSWER = "Query read timeout";

export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === NO_ANSWER;
}

const connectCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
]);
const socketCalls = new Set(["connect", "read", "write", "getaddrinfo"]);
/**
 * PostgreSQL's classes: 08 connection, 53 out of disk, memory or connections, 57P shutdown, crash or starting up, 58 a fault
 * of its machine, 25006 a standby that only reads.
 */
const stateCode = /^(08...|53...|57P0[1-5]|58...|25006)$/;
const driverWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;
/** A quota and a disk that was mounted anew for reading have no code of their own in PostgreSQL. */
const diskWords = /No space left on device|Disk quota exceeded|Read-only file system/;
const diskCodes = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** True where a query failed because the database is not there or cannot work, not because of the query. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isQueryTimeout(error)) return true;
  const code = codeOf(error);
  if (stateCode.test(code) || driverWords.test(error.message)) return true;
  if (isOfDatabase(code) && diskWords.test(error.message)) return true;
  const call = "syscall" in error && typeof error.syscall === "string" ? error.syscall : "";
  return connectCodes.has(code) && (socketCalls.has(call) || error instanceof AggregateError);
}

/** What such an error means, as a sentence for people. */
export function databaseFault(error: unknown): string {
  const code = error instanceof Error ? codeOf(error) : "";
  if (code === "53100" || (error instanceof Error && diskWords.test(error.message))) {
    return "The database's disk is full or cannot be written.";
  }
  if (code === "25006") return "The database can only be read at the moment.";
  if (code === "53300") return "The database takes no more connections.";
  return "The database is not reached.";
}

/** True where it means that nothing can be stored, while reading may go on. */
export function isDatabaseUnwritable(error: unknown): boolean {
  if (!(error instanceof Error) || !isDatabaseUnreachable(error)) return false;
  const code = codeOf(error);
  return code === "53100" || code === "25006" || diskWords.test(error.message);
}

/** True where this server's own disk, not the database's, is full or cannot be written. */
export function isOwnDiskUnwritable(error: unknown): boolean {
  return error instanceof Error && diskCodes.has(codeOf(error));
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** An SQLSTATE: five characters, not all of them a name of Node's. */
function isOfDatabase(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !diskCodes.has(code);
}
