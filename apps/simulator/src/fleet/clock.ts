export type Cancel = () => void;

/** The clock of a fleet; tests provide their own. */
export interface FleetClock {
  now(): Date;
  after(ms: number, fn: () => void): Cancel;
  every(ms: number, fn: () => void): Cancel;
  /** Milliseconds that never jump; without it, the time of day is used. */
  monotonicMs?(): number;
}

export const systemFleetClock: FleetClock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
  every(ms, fn) {
    const timer = setInterval(fn, ms);
    return () => clearInterval(timer);
  },
};
