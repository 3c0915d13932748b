import { TAKEOVER_LIMIT_MS, type Takeover } from "./bridge-watch.ts";

/** An interval, in Unix milliseconds. */
export interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The intervals in which a bridge stored what the robots of a share sent, from the takeovers of that share: until it was
 * killed, and from when the next one was seen to store. If that took longer than promised (protocol rule 11), it counts from when it was promised: 5 s after the kill
 * or, if no server was left, after one was up again.
 */
export function bridgeTimes(
  takeovers: readonly Takeover[],
  gaps: readonly Stretch[],
  fromMs: number,
  untilMs: number,
): Stretch[] {
  const times: Stretch[] = [];
  let sinceMs = fromMs;
  for (const { killedAtMs, storedMs } of takeovers) {
    times.push({ fromMs: sinceMs, untilMs: killedAtMs });
    const gap = gaps.findLast((one) => one.untilMs > killedAtMs && one.fromMs <= killedAtMs + TAKEOVER_LIMIT_MS);
    const promisedMs = (gap?.untilMs ?? killedAtMs) + TAKEOVER_LIMIT_MS;
    sinceMs = Math.min(killedAtMs + (storedMs ?? Infinity), promisedMs);
  }
  times.push({ fromMs: sinceMs, untilMs });
  // A bridge that was killed before it stored has none.
  return times.filter((time) => time.fromMs < time.untilMs);
}

/** How long they overlap, in milliseconds. */
export function overlapMs(one: Stretch, other: Stretch): number {
  return Math.max(0, Math.min(one.untilMs, other.untilMs) - Math.max(one.fromMs, other.fromMs));
}
