const MINUTE_MS = 60_000;

/** The pause after each failed try; none after the last. */
const PAUSES_MINUTES: readonly number[] = [1, 5, 15, 60, 180, 360, 720];

/** Making or sending a monthly report is tried so often. */
export const MAX_ATTEMPTS = PAUSES_MINUTES.length + 1;

/** How long to wait after that many tries have failed, in milliseconds; null where it is given up. */
export function retryDelayMs(tries: number): number | null {
  const minutes = PAUSES_MINUTES[tries - 1];
  return minutes === undefined ? null : minutes * MINUTE_MS;
}
