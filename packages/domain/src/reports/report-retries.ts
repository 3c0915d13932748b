/** Minutes until the next attempt, after each failed one; the last has none. */
const RETRY_MINUTES: readonly number[] = [1, 5, 15, 60, 180, 360, 720];

/** How often generating or sending a monthly report is attempted. */
export const MAX_ATTEMPTS = RETRY_MINUTES.length + 1;

/** When to try again after that many attempts have failed; null to give up. */
export function retryTime(failedAttempts: number, now: Date): Date | null {
  const minutes = RETRY_MINUTES[failedAttempts - 1];
  return minutes === undefined ? null : new Date(now.getTime() + minutes * 60_000);
}
