const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Until the next attempt, after each failed one; the last for all that follow. */
const PAUSES_MS: readonly number[] = [
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
];
/** What is told a day late helps nobody. */
const GIVEN_UP_AFTER_MS = 24 * HOUR_MS;

export interface FailedDelivery {
  /** With the one that just failed: at least 1. */
  readonly failedAttempts: number;
  readonly createdAt: Date;
  /** When it was first due, if it was held for a quiet time: its day begins then. */
  readonly heldUntil?: Date | null;
  readonly now: Date;
  /** How long its service asked us to wait, from now. */
  readonly afterMs?: number | undefined;
}

/** When to try a delivery again: never sooner than its service asks for; null to give up. */
export function deliveryRetryTime({
  failedAttempts,
  createdAt,
  heldUntil,
  now,
  afterMs = 0,
}: FailedDelivery): Date | null {
  const nth = Math.min(Math.max(failedAttempts, 1), PAUSES_MS.length) - 1;
  const at = now.getTime() + Math.max(PAUSES_MS[nth] ?? 0, afterMs);
  const due = Math.max(createdAt.getTime(), heldUntil?.getTime() ?? -Infinity);
  return at <= due + GIVEN_UP_AFTER_MS ? new Date(at) : null;
}
