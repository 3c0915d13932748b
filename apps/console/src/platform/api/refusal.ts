import { ApiError, serverReason } from "./errors.ts";

/** Why something was not done. */
export interface Refusal {
  /** Whole sentences. */
  readonly reason: string;
  /** False where the server decided against it: the same call would be refused again. */
  readonly mayRetry: boolean;
}

/** `failure` is what is told where the server gave no reason. */
export function refusalOf(error: unknown, failure: string): Refusal {
  // Too many requests (429) are refused for a moment only.
  const isDecided = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
  return { reason: serverReason(error) ?? failure, mayRetry: !isDecided };
}
