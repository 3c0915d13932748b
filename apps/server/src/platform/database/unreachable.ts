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
/** PostgreSQL's classes: 08 connection, 57P admin shutdown, crash or starting up, 53300 too many connections. */
const stateCode = /^(08...|57P0[1-4]|53300)$/;
const driverWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** True where a query failed because the database is not there, not because of the query. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (gotNoAnswer(error)) return true;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (stateCode.test(code) || driverWords.test(error.message)) return true;
  const call = "syscall" in error && typeof error.syscall === "string" ? error.syscall : "";
  return connectCodes.has(code) && (socketCalls.has(call) || error instanceof AggregateError);
}
