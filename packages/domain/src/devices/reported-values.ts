import { CLOCK_SKEW_MS } from "../commands/limits.ts";

/** Protocol rule 14: counters of robots begin at the time, so a day beyond it is room enough for clocks and habits. */
const AHEAD_MS = 24 * 3_600_000;

/** What a robot counts, as far as a message tells it. */
interface Counters {
  /** Seconds since 1970 as it began, or less. */
  readonly session?: number;
  /** Seconds since 1970 as it began, or less. */
  readonly eventSeq?: number;
  /** That of a command: milliseconds since 1970, or less. */
  readonly lastSeq?: number;
}

/**
 * The first counter that cannot be true at that time, in milliseconds since 1970; null where all can. What is stored
 * only grows, so one message with a number without bounds would shut its robot out for good. `commandSeq` is the highest
 * number that Suncrew gave, perhaps by a clock that was fast.
 */
export function implausibleCounter(
  { session, eventSeq, lastSeq }: Counters,
  nowMs: number,
  commandSeq: number,
): keyof Counters | null {
  const limitMs = nowMs + AHEAD_MS;
  if (session !== undefined && session * 1_000 > limitMs) return "session";
  if (eventSeq !== undefined && eventSeq * 1_000 > limitMs) return "eventSeq";
  return lastSeq !== undefined && lastSeq > Math.max(limitMs, commandSeq) ? "lastSeq" : null;
}

/** When something happened, as a robot told it. */
interface ReportedTime {
  /** By the robot's clock. */
  readonly at: Date;
  readonly receivedAt: Date;
  /** Robot's clock minus the server's, in milliseconds, as last seen; null where it was never seen. */
  readonly clockSkewMs: number | null;
}

/** The robot's time of what it tells, unless its clock is off or ahead of the receipt (protocol rule 12). */
export function reportedTime({ at, receivedAt, clockSkewMs }: ReportedTime): Date {
  const clockIsOff = clockSkewMs !== null && Math.abs(clockSkewMs) > CLOCK_SKEW_MS;
  return clockIsOff || at > receivedAt ? receivedAt : at;
}
