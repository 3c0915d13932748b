import { CLOCK_SKEW_MS } from "./protocol-times.ts";

/** Protocol rule 14: robots' counters start at the current time, so a day of tolerance covers clock errors. */
const AHEAD_MS = 24 * 3_600_000;

/** A robot's counters, as far as a message contains them. */
interface Counters {
  /** At most the Unix seconds when it began. */
  readonly session?: number;
  /** At most the Unix seconds when it happened. */
  readonly eventSeq?: number;
  /** A command's: at most Unix milliseconds. */
  readonly lastSeq?: number;
}

/**
 * The first counter that is impossible at `nowMs` (Unix milliseconds); null if all are plausible. Stored counters only
 * grow, so a single absurd value would lock its robot out for good. `commandSeq` is the highest number that Suncrew has
 * issued, perhaps while its clock was fast.
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

/** When something happened, as reported by a robot. */
interface ReportedTime {
  /** By the robot's clock. */
  readonly at: Date;
  readonly receivedAt: Date;
  /** Robot's clock minus the server's, in milliseconds, as last measured; null if never measured. */
  readonly clockSkewMs: number | null;
}

/** The time reported by the robot, or the time of receipt if the robot's clock is off or ahead (protocol rule 12). */
export function reportedTime({ at, receivedAt, clockSkewMs }: ReportedTime): Date {
  const clockIsOff = clockSkewMs !== null && Math.abs(clockSkewMs) > CLOCK_SKEW_MS;
  return clockIsOff || at > receivedAt ? receivedAt : at;
}
