/** Entries that repeat, each after the one before within this time, are printed as one. */
export const GATHERED_WITHIN_MS = 30 * 60_000;

/** Entries of one kind that followed each other. */
export interface Gathered<T> {
  /** Newest first; at least one. */
  readonly entries: readonly T[];
  readonly newest: T;
  readonly oldest: T;
}

/**
 * Gathers entries, which come newest first, by their kind: one that follows another of its kind within half an hour joins
 * it, whatever else lies between. Each entry is in exactly one of the results, which are ordered by their newest entry.
 */
export function gatherEntries<T>(
  entries: readonly T[],
  { kindOf, atMs }: { readonly kindOf: (entry: T) => string; readonly atMs: (entry: T) => number },
): Gathered<T>[] {
  const all: { entries: T[]; newest: T; oldest: T }[] = [];
  const open = new Map<string, (typeof all)[number]>();
  for (const entry of entries) {
    const kind = kindOf(entry);
    const last = open.get(kind);
    if (last !== undefined && atMs(last.oldest) - atMs(entry) <= GATHERED_WITHIN_MS) {
      last.entries.push(entry);
      last.oldest = entry;
      continue;
    }
    const begun = { entries: [entry], newest: entry, oldest: entry };
    open.set(kind, begun);
    all.push(begun);
  }
  return all;
}
