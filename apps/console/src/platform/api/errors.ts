import type { FieldError, ReceivedError } from "@suncrew/contract/http/error.ts";
import type { ErrorCode } from "@suncrew/contract/http/error-codes.ts";

/**
 * Why a call did not come off, in a sentence of the server's or of ours. Everything else that is thrown has words of the
 * browser's, each its own ("Failed to fetch", "Load failed"), which are for developers only.
 */
abstract class CallError extends Error {}

/** The server answered, and not with success. `message` is its own sentence, or "" where it sent none. */
export class ApiError extends CallError {
  override readonly name = "ApiError";
  readonly status: number;
  /** What the server refuses by, which a server of an older version does not say. */
  readonly code: string | undefined;
  readonly errors: readonly FieldError[];
  /** True where the server keeps trying, as with a STOP for a robot that is away. */
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

/** The first bytes of a file came, and the last did not. */
export class IncompleteFileError extends CallError {
  override readonly name = "CutFileError";

  constructor(cause: unknown) {
    super("The connection was cut before the whole file had come.", { cause });
  }
}

/** An answer of success that does not have the shape the contract promises. */
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
 * True where the server itself has said nothing: no answer came, or that of a proxy before it, which has no sentence of
 * the server's. Then this browser has lost its connection, and nothing is known of a robot that was not known before.
 */
export function isLostConnection(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && error.status >= 500 && error.message === "");
}

/**
 * True where nothing was learned of robots: the server said nothing, or that a part of its own is away (503), or that it
 * is asked by a name that is not its own (421). What was known before stays, with its age, and so do the Stop buttons.
 */
export function isUninformative(error: unknown): boolean {
  return isLostConnection(error) || (error instanceof ApiError && (error.status === 503 || error.status === 421));
}

/** Why a call did not come off, as a person may be told; undefined where nobody said it in words for people. */
export function messageOf(error: unknown): string | undefined {
  return error instanceof CallError && error.message !== "" ? error.message : undefined;
}

/** What the server said against the request (4xx and 5xx), for the second line of a toast; else undefined. */
export function serverReason(error: unknown): string | undefined {
  return error instanceof ApiError && error.message !== "" ? error.message : undefined;
}

/** True where the server refused for one of these reasons; decisions go by codes, never by sentences. */
export function isRefusedAs(error: unknown, ...codes: readonly ErrorCode[]): boolean {
  return error instanceof ApiError && codes.some((code) => code === error.code);
}

/** True where somebody else saved the same row since this edit began: nothing of it was stored. */
export function isEditConflict(error: unknown): boolean {
  return isRefusedAs(error, "EDIT_CONFLICT");
}

/** §7, §8: what could not be loaded is logged; pages show it with their own words. `path` is the call's, without values. */
export function logFailure(path: string, error: unknown): void {
  if (!(error instanceof Error) || error instanceof TokenExpiredError || error.name === "AbortError") return;
  // oxlint-disable-next-line no-console -- the log that the specification asks for
  console.warn(`Loading ${path} failed: ${error.message || "no reason was given"}`);
}
