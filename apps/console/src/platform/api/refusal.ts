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
  const isDecided = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return { reason: serverReason(error) ?? failure, mayRetry: !isDecided };
}
