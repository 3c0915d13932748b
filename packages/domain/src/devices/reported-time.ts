import { CLOCK_SKEW_MS } from "../commands/limits.ts";

/** When something happened, as a robot told it. */
export interface ReportedTime {
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
