import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import { describe, expect, test } from "vitest";
import {
  type ActivityPage,
  type ActivityPages,
  rowsOf,
  withCounts,
  withCurrent,
  withNewest,
  withWaiting,
} from "./activity-list.ts";

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

/** A server with rows 1 to `count`, in pages of three, that counts up to eight. */
class Rows {
  rows: ActivityEntry[];
  constructor(count: number) {
    this.rows = Array.from({ length: count }, (_, index) => entry(index + 1));
  }
  add(...ids: number[]): void {
    this.rows.push(...ids.map((id) => entry(id)));
  }
  read({ cursor, exact = false }: { cursor?: string | null; exact?: boolean } = {}): ActivityPage {
    const newest = this.rows.toSorted((one, other) => Number(other.log_id) - Number(one.log_id));
    const after = newest.filter(
      ({ log_id }) => cursor === undefined || cursor === null || Number(log_id) < Number(cursor),
    );
    const logs = after.slice(0, PAGE);
    const total_exact = exact || newest.length <= LIMIT;
    return {
      logs,
      total: total_exact ? newest.length : LIMIT,
      total_exact,
      next_cursor: after.length > PAGE ? (logs.at(-1)?.log_id ?? null) : null,
    };
  }
}

const opened = (rows: Rows): ActivityPages => ({ pages: [rows.read()], pageParams: [null] });
const withOlder = (list: ActivityPages, rows: Rows): ActivityPages => ({
  pages: [...list.pages, rows.read({ cursor: list.pages.at(-1)?.next_cursor ?? null })],
  pageParams: [...list.pageParams, null],
});
const ids = (list: ActivityPages) => rowsOf(list).map(({ log_id }) => Number(log_id));
const waiting = ({ pages: [first] }: ActivityPages) => (first?.waiting === undefined ? 0 : first.logs.length);

describe("§9 Activity log: newest first, updated live without moving what is being read", () => {
  test("new rows are shown immediately while the newest are in view, and wait otherwise", () => {
    const rows = new Rows(2);
    let list = opened(rows);
    rows.add(3);
    list = withWaiting(withNewest(list, rows.read()));
    expect(ids(list)).toEqual([3, 2, 1]);
    rows.add(4, 5);
    list = withNewest(list, rows.read());
    expect([ids(list), waiting(list), list.pages[0]?.total]).toEqual([[3, 2, 1], 2, 5]);
    list = withNewest(list, rows.read());
    expect(waiting(list)).toBe(2);
    list = withWaiting(list);
    expect([ids(list), waiting(list)]).toEqual([[5, 4, 3, 2, 1], 0]);
  });

  test("waiting rows add up", () => {
    const rows = new Rows(2);
    let list = opened(rows);
    for (const id of [3, 4, 5, 6]) {
      rows.add(id);
      list = withNewest(list, rows.read());
    }
    expect([ids(list), waiting(list), list.pages[0]?.waiting]).toEqual([[2, 1], 4, "adjoining"]);
    expect(ids(withWaiting(list))).toEqual([6, 5, 4, 3, 2, 1]);
  });

  test("more new rows than a page: the list starts over when they are shown, and none is left out", () => {
    const rows = new Rows(4);
    let list = opened(rows);
    rows.add(5, 6, 7, 8);
    list = withNewest(list, rows.read());
    expect(ids(list)).toEqual([4, 3, 2]);
    expect([waiting(list), list.pages[0]?.waiting]).toEqual([3, "apart"]);
    list = withWaiting(list);
    expect([waiting(list), list.pages[0]?.waiting]).toEqual([0, undefined]);
    expect(ids(list)).toEqual([8, 7, 6]);
    list = withOlder(withOlder(list, rows), rows);
    expect(ids(list)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test("a row whose outcome changes later is updated in place", () => {
    const list = withCurrent(opened(new Rows(2)), [entry(1, "delivered"), entry(9)]);
    expect(rowsOf(list).map(({ details }) => details)).toEqual(["", "delivered"]);
  });

  test("an exact count stays exact while rows are added", () => {
    const rows = new Rows(20);
    let list = opened(rows);
    expect(list.pages[0]).toMatchObject({ total: LIMIT, total_exact: false });
    list = withCounts(list, rows.read({ exact: true }));
    rows.add(21);
    list = withNewest(list, rows.read());
    expect(list.pages[0]).toMatchObject({ total: 21, total_exact: true });
  });
});
