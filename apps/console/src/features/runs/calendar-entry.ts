import type { CalendarEntry, RunCounts } from "@suncrew/contract/runs/runs.ts";

/** A calendar entry's one-word state; `mixed` if its robots fared differently. */
export type EntryState =
  | "planned"
  | "running"
  | "done"
  | "mixed"
  | "stopped"
  | "cut_short"
  | "failed"
  | "skipped"
  | "missed";

const overStates = [
  "done",
  "stopped",
  "cut_short",
  "failed",
  "skipped",
  "missed",
] as const satisfies readonly (keyof RunCounts)[];

export function entryStateOf({
  state,
  counts,
  by_need: byNeed,
}: Pick<CalendarEntry, "state" | "counts" | "by_need">): EntryState {
  if (byNeed?.runs === false) return "skipped";
  if (state === "PLANNED") return "planned";
  if (state === "RUNNING") return "running";
  const present = overStates.filter((one) => counts[one] > 0);
  const [only] = present;
  return only !== undefined && present.length === 1 ? only : "mixed";
}

/** What must not be folded away first: runs in progress, problems, upcoming runs, finished ones. */
const rank: Record<EntryState, number> = {
  running: 0,
  cut_short: 1,
  failed: 1,
  missed: 1,
  mixed: 1,
  stopped: 2,
  skipped: 2,
  planned: 3,
  done: 4,
};

/** At most `count` of a day's entries, the most important ones, in the order of the day. */
export function foldDay(entries: readonly CalendarEntry[], count: number): readonly CalendarEntry[] {
  if (entries.length <= count) return entries;
  const shown = new Set(
    entries
      .toSorted((one, other) => rank[entryStateOf(one)] - rank[entryStateOf(other)])
      .slice(0, count)
      .map(({ key }) => key),
  );
  return entries.filter(({ key }) => shown.has(key));
}
