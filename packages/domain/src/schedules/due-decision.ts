const MINUTE_MS = 60_000;

/** A run is still started while it is late by less than this. */
export const STARTS_LATE_UP_TO_MS = 10 * MINUTE_MS;

export type DueDecision =
  | { readonly kind: "start"; readonly stopDueAt: Date }
  | { readonly kind: "missed"; readonly reason: "too-late" | "end-past"; readonly stopDueAt: Date };

/** When a run that is due then ends; late ones end at the same time. */
export function stopDueAt(dueAt: Date, durationMinutes: number): Date {
  return new Date(dueAt.getTime() + durationMinutes * MINUTE_MS);
}

/**
 * Decisions, Time: a run that no server was there for starts late, and ends on time, unless it is late by 10 minutes
 * or its end is past. To be asked for runs that are due: RangeError before.
 */
export function dueDecision(dueAt: Date, durationMinutes: number, now: Date): DueDecision {
  const lateMs = now.getTime() - dueAt.getTime();
  if (!(lateMs >= 0)) throw new RangeError(`This run is due at ${dueAt.toISOString()} and not yet.`);
  const end = stopDueAt(dueAt, durationMinutes);
  if (lateMs >= STARTS_LATE_UP_TO_MS) return { kind: "missed", reason: "too-late", stopDueAt: end };
  if (now >= end) return { kind: "missed", reason: "end-past", stopDueAt: end };
  return { kind: "start", stopDueAt: end };
}
