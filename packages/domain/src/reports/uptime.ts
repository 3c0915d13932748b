import { addByDay, commonSpan, type Span } from "./spans.ts";

/** What is known of when a robot was reachable at a site. */
export interface RobotPresence {
  /** From its first connection there until it left, or now: only that time counts. */
  readonly known: Span;
  /** No two lie over each other, in each list. */
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

/** Time reachable of the time that counts, over the range of `days`. Time in maintenance counts on neither side. */
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

/** Percent; null where there is nothing to divide by. */
export function percentOf(part: number, whole: number): number | null {
  return whole > 0 ? (100 * part) / whole : null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
