import { commonSpan, overlapMs, type Span } from "./spans.ts";

/** When a robot was known to be reachable at a site. */
export interface RobotPresence {
  /** From its first connection there until it left, or now; only this time counts. */
  readonly known: Span;
  /** Within each list, spans do not overlap. */
  readonly online: readonly Span[];
  readonly locked: readonly Span[];
}

export interface Uptime {
  readonly reachableMs: number;
  /** Time that counts. */
  readonly countedMs: number;
}

/** Reachable and counted time within a span, both excluding time in maintenance. */
export function uptimeOf({ known, online, locked }: RobotPresence, within: Span): Uptime {
  const counted = commonSpan(known, within);
  if (counted === null) return { reachableMs: 0, countedMs: 0 };
  const withoutLocks = (span: Span) => locked.reduce((ms, lock) => ms - overlapMs(lock, span), span.toMs - span.fromMs);
  const reachable = online.flatMap((span) => commonSpan(span, counted) ?? []);
  return {
    reachableMs: reachable.reduce((ms, span) => ms + withoutLocks(span), 0),
    countedMs: withoutLocks(counted),
  };
}

/** Null if `whole` is 0. */
export function percentOf(part: number, whole: number): number | null {
  return whole > 0 ? (100 * part) / whole : null;
}
