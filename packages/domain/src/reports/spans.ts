/** A half-open time interval: `fromMs` inclusive, `toMs` exclusive. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How long two spans overlap; 0 if they do not. */
export function overlapMs(one: Span, other: Span): number {
  return Math.max(0, Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs));
}

/** The intersection of two spans; null if empty. */
export function commonSpan(one: Span, other: Span): Span | null {
  const fromMs = Math.max(one.fromMs, other.fromMs);
  const toMs = Math.min(one.toMs, other.toMs);
  return fromMs < toMs ? { fromMs, toMs } : null;
}

/** The time covered by at least one span. */
export function unionMs(spans: readonly Span[]): number {
  let covered = 0;
  let until = -Infinity;
  for (const { fromMs, toMs } of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    covered += Math.max(0, toMs - Math.max(fromMs, until));
    until = Math.max(until, toMs);
  }
  return covered;
}
