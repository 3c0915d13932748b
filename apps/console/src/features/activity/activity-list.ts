import { messageOf } from "../../platform/api/errors.ts";
import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";

export interface ActivityPage {
  readonly logs: readonly ActivityEntry[];
  readonly total: number;
  readonly total_exact: boolean;
  readonly next_cursor: string | null;
}

/** Requests one page; `exact` counts every row. */
export type ReadPage = (
  sent: { readonly cursor?: string; readonly exact?: boolean },
  signal: AbortSignal,
) => Promise<ActivityPage>;

export interface ActivityListState {
  readonly state: "loading" | "ready" | "failed";
  /** Newest first: what is shown. */
  readonly rows: readonly ActivityEntry[];
  /** Newer rows that wait, so that the rows being read do not move. */
  readonly waiting: number;
  /** There may be more of them than `waiting`. */
  readonly isWaitingMore: boolean;
  readonly total: number;
  readonly isTotalExact: boolean;
  readonly isCounting: boolean;
  readonly hasMore: boolean;
  readonly more: "idle" | "loading" | "failed";
  /** Why it failed, if known. */
  readonly reason: string;
}

const NOTHING: ActivityListState = {
  state: "loading",
  rows: [],
  waiting: 0,
  isWaitingMore: false,
  total: 0,
  isTotalExact: true,
  isCounting: false,
  hasMore: false,
  more: "idle",
  reason: "",
};

/** Newest first, as the server orders them. */
function newerFirst(one: ActivityEntry, other: ActivityEntry): number {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? 1 : -1;
  return Number(BigInt(other.log_id) - BigInt(one.log_id));
}

/**
 * The rows of one filter: the pages scrolled to so far, and newer rows. New rows are shown at once while the newest row is
 * in sight, and wait otherwise. The server alone decides what matches.
 */
export class ActivityList {
  readonly #read: ReadPage;
  #ended = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state: ActivityListState = NOTHING;
  #cursor: string | null = null;
  #waiting: ActivityEntry[] = [];
  /** A first page that does not reach the shown rows: showing it restarts the list. */
  #replacement: ActivityPage | null = null;
  #isAtNewest = true;
  #isRefreshing = false;
  #refreshAgain = false;

  constructor(read: ReadPage) {
    this.#read = read;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): ActivityListState => this.#state;

  /** Starts the list: reads the first page. */
  start(): void {
    this.#ended = new AbortController();
    void this.load();
  }

  /** Reads the first page; also the Retry of one that failed. */
  async load(): Promise<void> {
    this.#set(NOTHING);
    try {
      this.#begin(await this.#read({}, this.#ended.signal));
    } catch (error) {
      this.#set({ ...NOTHING, state: "failed", reason: reasonOf(error) });
    }
  }

  /** The rows after the last one. */
  async loadMore(): Promise<void> {
    if (this.#cursor === null || this.#state.more === "loading") return;
    const cursor = this.#cursor;
    this.#set({ more: "loading" });
    try {
      const page = await this.#read({ cursor }, this.#ended.signal);
      // The list may have been restarted in the meantime.
      if (this.#cursor !== cursor) return;
      this.#cursor = page.next_cursor;
      const known = new Set(this.#state.rows.map(({ log_id }) => log_id));
      const rows = [...this.#state.rows, ...page.logs.filter(({ log_id }) => !known.has(log_id))];
      this.#set({ rows, hasMore: page.next_cursor !== null, more: "idle" });
    } catch {
      this.#set({ more: "failed" });
    }
  }

  /** Reads the newest rows, one request at a time. A failure is ignored until the next refresh. */
  async refresh(): Promise<void> {
    if (this.#state.state !== "ready") return;
    this.#refreshAgain = this.#isRefreshing;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    try {
      this.#take(await this.#read({}, this.#ended.signal));
    } catch {
      // The rows shown stay; the failure is logged.
    } finally {
      this.#isRefreshing = false;
    }
    if (this.#refreshAgain && !this.#ended.signal.aborted) await this.refresh();
  }

  /** Entries of the live stream: rows already listed are updated. */
  amend(entries: readonly ActivityEntry[]): void {
    const changed = new Map(entries.map((entry) => [entry.log_id, entry]));
    const current = (row: ActivityEntry) => changed.get(row.log_id) ?? row;
    this.#waiting = this.#waiting.map(current);
    if (this.#state.rows.some(({ log_id }) => changed.has(log_id))) this.#set({ rows: this.#state.rows.map(current) });
  }

  /** Whether the newest row is in sight, so that newer ones may push it down. */
  setAtNewest(isAtNewest: boolean): void {
    this.#isAtNewest = isAtNewest;
    if (isAtNewest) this.showWaiting();
  }

  showWaiting(): void {
    if (this.#replacement !== null) return this.#begin(this.#replacement);
    if (this.#waiting.length === 0) return;
    const rows = [...this.#waiting, ...this.#state.rows].toSorted(newerFirst);
    this.#waiting = [];
    this.#set({ rows, waiting: 0 });
  }

  /** Counts every row that matches. */
  async countAll(): Promise<void> {
    this.#set({ isCounting: true });
    try {
      const { total, total_exact } = await this.#read({ exact: true }, this.#ended.signal);
      this.#set({ total, isTotalExact: total_exact, isCounting: false });
    } catch {
      this.#set({ isCounting: false });
    }
  }

  /** Ends the list: requests in flight are aborted. */
  end(): void {
    this.#ended.abort();
  }

  #begin(page: ActivityPage): void {
    this.#cursor = page.next_cursor;
    this.#waiting = [];
    this.#replacement = null;
    this.#set({
      ...NOTHING,
      state: "ready",
      rows: page.logs,
      total: page.total,
      isTotalExact: page.total_exact,
      hasMore: page.next_cursor !== null,
    });
  }

  #take(page: ActivityPage): void {
    const known = new Set([...this.#state.rows, ...this.#waiting].map(({ log_id }) => log_id));
    this.amend(page.logs);
    const added = page.logs.filter(({ log_id }) => !known.has(log_id));
    const reaches = page.next_cursor === null || added.length < page.logs.length;
    // A number that was counted once stays exact, as long as no row is missed.
    const counted = this.#state.isTotalExact && !page.total_exact && reaches;
    const total = counted ? this.#state.total + added.length : page.total;
    this.#set({ total, isTotalExact: counted || page.total_exact });
    if (added.length === 0) return;
    if (reaches) this.#waiting = [...added, ...this.#waiting];
    else this.#replacement = page;
    if (this.#isAtNewest) return this.showWaiting();
    const waiting = this.#replacement === null ? this.#waiting.length : this.#replacement.logs.length;
    this.#set({ waiting, isWaitingMore: this.#replacement !== null });
  }

  #set(change: Partial<ActivityListState>): void {
    if (this.#ended.signal.aborted) return;
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function reasonOf(error: unknown): string {
  return messageOf(error) ?? "";
}
