/** Rules of failed sign-ins: after a few, each next try has to wait, twice as long each time, then all are refused for a while. */
export interface SignInLimit {
  /** From this many failures on a wait follows: 1 s, 2 s, 4 s, ... */
  readonly slowedFrom: number;
  /** From this many failures on the wait is `LOCKED_MS`. */
  readonly lockedFrom: number;
}

export const accountLimit: SignInLimit = { slowedFrom: 3, lockedFrom: 8 };
/** Many people may share an address. */
export const addressLimit: SignInLimit = { slowedFrom: 30, lockedFrom: 36 };

export const LOCKED_MS = 15 * 60_000;
/** Failures older than this count no more. */
export const FORGOTTEN_MS = 15 * 60_000;

/** How long no further try is taken after this many failures in a row, in milliseconds. */
export function waitAfter(failures: number, limit: SignInLimit): number {
  if (failures >= limit.lockedFrom) return LOCKED_MS;
  return failures < limit.slowedFrom ? 0 : 1000 * 2 ** (failures - limit.slowedFrom);
}

export function tooManySentence(waitMs: number): string {
  return `Too many failed sign-ins. Try again in ${waitWords(waitMs)}.`;
}

/** Where the current password is asked for to change it. */
export function tooManyWrongSentence(waitMs: number): string {
  return `Too many wrong passwords. Try again in ${waitWords(waitMs)}.`;
}

function waitWords(waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const minutes = Math.ceil(seconds / 60);
  return seconds < 60
    ? `${seconds} ${seconds === 1 ? "second" : "seconds"}`
    : `${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
}
