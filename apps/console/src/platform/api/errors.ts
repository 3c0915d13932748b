import type { FieldError, ReceivedError } from "@suncrew/contract/http/error.ts";
import type { ErrorCode } from "@suncrew/contract/http/error-codes.ts";

/**
 * Why a call failed, in the server's words or our own. Everything else that is thrown has the browser's
 * message, which differs between browsers ("Failed to fetch", "Load failed") and is for developers only.
 */
abstract class CallError extends Error {}

/** The server answered with an error. `message` is its own text, or "" if it sent none. */
export class ApiError extends CallError {
  override readonly name = "ApiError";
  readonly status: number;
  /** The error code, which servers of older versions do not send. */
  readonly code: string | undefined;
  readonly errors: readonly FieldError[];
  /** True if the server keeps trying, as with a STOP for an offline robot. */
  readonly pending: boolean;

  constructor(status: number, message: string, answer: Partial<ReceivedError> = {}) {
    super(message);
    this.status = status;
    this.code = answer.code;
    this.errors = answer.errors ?? [];
    this.pending = answer.pending ?? false;
  }
}

/** No answer came: no connection, or no first byte within the limit. */
export class NetworkError extends CallError {
  override readonly name = "NetworkError";
  readonly timedOut: boolean;

  constructor(timedOut: boolean) {
    super(timedOut ? "The server did not answer in time." : "The server could not be reached.");
    this.timedOut = timedOut;
  }
}

/** §4 Session: the request was not sent, because the stored token is expired or cannot be decoded. */
export class TokenExpiredError extends CallError {
  override readonly name = "TokenExpiredError";

  constructor() {
    super("Token expired");
  }
}

/** The beginning of a file arrived, but not its end. */
export class IncompleteFileError extends CallError {
  override readonly name = "CutFileError";

  constructor(cause: unknown) {
    super("The connection was cut before the whole file had come.", { cause });
  }
}

/** A successful answer that does not have the shape promised by the contract. */
export class AnswerError extends CallError {
  override readonly name = "AnswerError";

  constructor(path: string, cause: unknown) {
    super(`The answer to ${path} was not understood.`, { cause });
  }
}

/** The console itself did not send the request; `message` says why. */
export class NotSentError extends CallError {
  override readonly name = "NotSentError";
}

/**
 * True if the server itself has said nothing: no answer came, or one of a proxy in front of it, which has no message
 * from the server. Then this browser has lost its connection, and nothing new is known about any robot.
 */
export function isLostConnection(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && error.status >= 500 && error.message === "");
}

/**
 * True if nothing was learned about robots: the server said nothing, or that a component is unreachable (503), or that
 * it was called by a name that is not its own (421). What was known before stays, with its age, and so do the Stop
 * buttons.
 */
export function isUninformative(error: unknown): boolean {
  return isLostConnection(error) || (error instanceof ApiError && (error.status === 503 || error.status === 421));
}

/** Why a call failed, as people may be told; undefined if there is no text for people. */
export function messageOf(error: unknown): string | undefined {
  return error instanceof CallError && error.message !== "" ? error.message : undefined;
}

/** The server's objection to the request (4xx and 5xx), for the second line of a toast; otherwise undefined. */
export function serverReason(error: unknown): string | undefined {
  return error instanceof ApiError && error.message !== "" ? error.message : undefined;
}

/** True if the server refused for one of these reasons; decide by codes, never by messages. */
export function isRefusedAs(error: unknown, ...codes: readonly ErrorCode[]): boolean {
  return error instanceof ApiError && codes.some((code) => code === error.code);
}

/** True if somebody else saved the same row since this edit began: none of it was stored. */
export function isEditConflict(error: unknown): boolean {
  return isRefusedAs(error, "EDIT_CONFLICT");
}

/** §7, §8: a failure to load is logged; pages show it with their own text. `path` is the call's, without values. */
export function logFailure(path: string, error: unknown): void {
  if (!(error instanceof Error) || error instanceof TokenExpiredError || error.name === "AbortError") return;
  // oxlint-disable-next-line no-console -- the log that the specification asks for
  console.warn(`Loading ${path} failed: ${error.message || "no reason was given"}`);
}
