import type { ActivityEntry, activityLogs } from "@suncrew/contract/activity/activity.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { InfiniteData } from "@tanstack/react-query";

export interface ActivityPage extends ResponseOf<typeof activityLogs> {
  /**
   * Newer rows that are not shown yet, so that the rows being read do not move; only the first page waits. If it is
   * apart, there are more rows between it and the next page, and showing it restarts the list.
   */
  readonly waiting?: "adjoining" | "apart" | undefined;
}

/** The pages loaded so far, newest first. The first one says how many rows match. */
export type ActivityPages = InfiniteData<ActivityPage>;

/** The rows to show, in the server's order. */
export function rowsOf({ pages }: ActivityPages): readonly ActivityEntry[] {
  const shown = pages.flatMap(({ waiting, logs }) => (waiting === undefined ? logs : []));
  return [...new Map(shown.map((entry) => [entry.log_id, entry])).values()].toSorted(newerFirst);
}

function newerFirst(one: ActivityEntry, other: ActivityEntry): number {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? 1 : -1;
  return Number(BigInt(other.log_id) - BigInt(one.log_id));
}

/** Adds rows of the live stream: those that are listed are updated. Only the server decides what else matches. */
export function withCurrent(list: ActivityPages, entries: readonly ActivityEntry[]): ActivityPages {
  const changed = new Map(entries.map((entry) => [entry.log_id, entry]));
  const pages = list.pages.map((page) =>
    page.logs.some(({ log_id }) => changed.has(log_id))
      ? { ...page, logs: page.logs.map((row) => changed.get(row.log_id) ?? row) }
      : page,
  );
  return { ...list, pages };
}

/** Applies the first page as the server has it now: new rows in it wait. */
export function withNewest(list: ActivityPages, newest: ActivityPage): ActivityPages {
  const pages = withCurrent(list, newest.logs).pages.filter(({ waiting }) => waiting !== "apart");
  const known = new Set(pages.flatMap(({ logs }) => logs.map(({ log_id }) => log_id)));
  const added = newest.logs.filter(({ log_id }) => !known.has(log_id));
  const reaches = newest.next_cursor === null || added.length < newest.logs.length;
  const [first] = list.pages;
  // An exact count stays exact, as long as no row is missed.
  const isCounted = first?.total_exact === true && !newest.total_exact && reaches;
  const counts = isCounted ? { total: first.total + added.length, total_exact: true } : countsOf(newest);
  if (added.length === 0) return withCounts(listOf(pages), counts);
  const shown = pages.filter(({ waiting }) => waiting === undefined);
  if (!reaches) return listOf([{ ...newest, ...counts, waiting: "apart" }, ...shown]);
  const logs = [...added, ...pages.flatMap((page) => (page.waiting === undefined ? [] : page.logs))];
  return listOf([{ ...newest, ...counts, logs, waiting: "adjoining" }, ...shown]);
}

/** Shows the waiting rows. */
export function withWaiting(list: ActivityPages): ActivityPages {
  const [first, ...shown] = list.pages;
  if (first?.waiting === undefined) return list;
  return listOf([{ ...first, waiting: undefined }, ...(first.waiting === "apart" ? [] : shown)]);
}

type Counts = Pick<ActivityPage, "total" | "total_exact">;

/** Applies the number of matching rows. */
export function withCounts(list: ActivityPages, counts: Counts): ActivityPages {
  return { ...list, pages: list.pages.map((page, index) => (index === 0 ? { ...page, ...countsOf(counts) } : page)) };
}

function countsOf({ total, total_exact }: Counts): Counts {
  return { total, total_exact };
}

function listOf(pages: readonly ActivityPage[]): ActivityPages {
  return { pages: [...pages], pageParams: pages.map(() => null) };
}
