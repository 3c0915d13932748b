/** The time of one step. The caller supplies both clocks, so that tests and faults can change them. */
export interface Moment {
  /** Never jumps; durations are measured with it (protocol rule 4). */
  readonly monotonicMs: number;
  /** What the robot takes to be the time of day, in Unix milliseconds. */
  readonly wallMs: number;
}

const CLOCK_SET_SINCE_MS = Date.UTC(2024, 0, 1);

/** Protocol rule 12: a clock that shows a time before 2024 was never set. */
export function isClockSet(wallMs: number): boolean {
  return wallMs >= CLOCK_SET_SINCE_MS;
}

export function instantOf(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
