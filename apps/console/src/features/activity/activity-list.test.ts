import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../platform/api/errors.ts";
import { ActivityList, type ActivityPage } from "./activity-list.ts";

const PAGE = 3;
const LIMIT = 8;

function entry(id: number, details = ""): ActivityEntry {
  return {
    log_id: String(id),
    created_at: new Date(Date.UTC(2026, 5, 15, 6, 0, id)).toISOString(),
    action: "START",
    action_type: "MANUAL",
    user_name: "Asha",
    status: "SUCCESS",
    site_id: 1,
    site_name: "Park",
    robot_name: "R",
    serial_number: "R-1",
    details,
    paramsObj: { robotSerial: "R-1", mode: "AUTO", direction: "FWD", "main-speed": 75, "brush-speed": 80 },
    sample: false,
  };
}

/** A server with rows 1 to `count`, three in a page, that counts up to eight. */
class Rows {
  fails = false;
  rows: ActivityEntry[];
  constructor(count: number) {
    this.rows = Array.from({ length: count }, (_, index) => entry(index + 1));
  }
  add(...ids: number[]): void {
    this.rows.push(...ids.map((id) => entry(id)));
  }
  read = async ({ cursor, exact = false }: { cursor?: string; exact?: boolean }): Promise<ActivityPage> => {
    if (this.fails) throw new ApiError(503, "Nobody answers.");
    const newest = this.rows.toSorted((one, other) => Number(other.log_id) - Number(one.log_id));
    const after = newest.filter(({ log_id }) => cursor === undefined || Number(log_id) < Number(cursor));
    const logs = after.slice(0, PAGE);
    const total_exact = exact || newest.length <= LIMIT;
    return {
      logs,
      total: total_exact ? newest.length : LIMIT,
      total_exact,
      next_cursor: after.length > PAGE ? (logs.at(-1)?.log_id ?? null) : null,
    };
  };
}

async function opened(rows: Rows): Promise<ActivityList> {
  const list = new ActivityList(rows.read);
  await list.load();
  return list;
}
const ids = (list: ActivityList) => list.snapshot().rows.map(({ log_id }) => Number(log_id));

describe("§9 Activity log: newest first, live without moving what is read", () => {
  test("pages follow as one scrolls, to the end", async () => {
    const list = await opened(new Rows(5));
    expect(list.snapshot()).toMatchObject({ state: "ready", total: 5, isTotalExact: true, hasMore: true });
    await list.loadMore();
    expect(ids(list)).toEqual([5, 4, 3, 2, 1]);
    expect(list.snapshot().hasMore).toBe(false);
  });

  test("new rows are shown at once while the newest are read, and wait otherwise", async () => {
    const rows = new Rows(2);
    const list = await opened(rows);
    rows.add(3);
    await list.refresh();
    expect(ids(list)).toEqual([3, 2, 1]);
    list.setAtNewest(false);
    rows.add(4, 5);
    await list.refresh();
    expect([ids(list), list.snapshot().waiting, list.snapshot().total]).toEqual([[3, 2, 1], 2, 5]);
    await list.refresh();
    expect(list.snapshot().waiting).toBe(2);
    list.showWaiting();
    expect([ids(list), list.snapshot().waiting]).toEqual([[5, 4, 3, 2, 1], 0]);
  });

  test("more new rows than a page: the list begins anew when they are shown, and none is left out", async () => {
    const rows = new Rows(4);
    const list = await opened(rows);
    list.setAtNewest(false);
    rows.add(5, 6, 7, 8);
    await list.refresh();
    expect(ids(list)).toEqual([4, 3, 2]);
    expect(list.snapshot()).toMatchObject({ waiting: 3, isWaitingMore: true });
    list.setAtNewest(true);
    expect(list.snapshot()).toMatchObject({ waiting: 0, isWaitingMore: false });
    expect(ids(list)).toEqual([8, 7, 6]);
    await list.loadMore();
    await list.loadMore();
    expect(ids(list)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test("a row whose outcome changes later is brought up to date where it stands", async () => {
    const list = await opened(new Rows(2));
    list.amend([entry(1, "delivered"), entry(9)]);
    expect(list.snapshot().rows.map(({ details }) => details)).toEqual(["", "delivered"]);
  });

  test("what was counted once stays exact while rows are added", async () => {
    const rows = new Rows(20);
    const list = await opened(rows);
    expect(list.snapshot()).toMatchObject({ total: LIMIT, isTotalExact: false });
    await list.countAll();
    rows.add(21);
    await list.refresh();
    expect(list.snapshot()).toMatchObject({ total: 21, isTotalExact: true });
  });

  test("failures: of the first page with its reason, of further ones beside the rows, of news in silence", async () => {
    const rows = new Rows(5);
    rows.fails = true;
    const list = await opened(rows);
    expect(list.snapshot()).toMatchObject({ state: "failed", reason: "Nobody answers." });
    rows.fails = false;
    await list.load();
    rows.fails = true;
    await list.loadMore();
    await list.refresh();
    expect(list.snapshot()).toMatchObject({ state: "ready", more: "failed" });
    expect(ids(list)).toEqual([5, 4, 3]);
    rows.fails = false;
    await list.loadMore();
    expect(ids(list)).toEqual([5, 4, 3, 2, 1]);
  });

  test("who has left is told nothing more", async () => {
    const list = await opened(new Rows(2));
    const before = list.snapshot();
    list.end();
    await list.refresh();
    expect(list.snapshot()).toBe(before);
  });
});
