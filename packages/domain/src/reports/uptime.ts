import { addByDay, commonSpan, type Span } from "./spans.ts";

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
  readonly reachableMsByDay: readonly number[];
  readonly countedMsByDay: readonly number[];
}

/** Reachable and counted time over `days`, both excluding time in maintenance. */
export function uptimeOf({ known, online, locked }: RobotPresence, days: readonly Span[]): Uptime {
  const reachable = days.map(() => 0);
  const counted = days.map(() => 0);
  addByDay(days, counted, known);
  const locks = locked.flatMap((lock) => commonSpan(lock, known) ?? []).toSorted((a, b) => a.fromMs - b.fromMs);
  for (const lock of locks) addByDay(days, counted, lock, -1);
  let first = 0;
  for (const span of online.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const shown = commonSpan(span, known);
    if (shown === null) continue;
    addByDay(days, reachable, shown);
    while ((locks[first]?.toMs ?? Infinity) <= shown.fromMs) first += 1;
    for (const lock of locks.slice(first)) {
      if (lock.fromMs >= shown.toMs) break;
      const both = commonSpan(lock, shown);
      if (both !== null) addByDay(days, reachable, both, -1);
    }
  }
  return {
    reachableMs: sum(reachable),
    countedMs: sum(counted),
    reachableMsByDay: reachable,
    countedMsByDay: counted,
  };
}

/** Null if `whole` is 0. */
export function percentOf(part: number, whole: number): number | null {
  return whole > 0 ? (100 * part) / whole : null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
