import { gotNoAnswer } from "./query-limit.ts";

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

/** True where a query failed because the database is not there or cannot work, not because of the query. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (gotNoAnswer(error)) return true;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (stateCode.test(code) || driverWords.test(error.message)) return true;
  const call = "syscall" in error && typeof error.syscall === "string" ? error.syscall : "";
  return connectCodes.has(code) && (socketCalls.has(call) || error instanceof AggregateError);
}
