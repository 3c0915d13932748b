import { describe, expect, test } from "vitest";
import { readUrl, writeUrl } from "../../platform/url-state.ts";
import { endsBeforeItBegins } from "../../ui/days.ts";
import {
  type ActivityFilters,
  activityUrl,
  EVERYTHING,
  filterOf,
  furtherFilters,
  withRobotOfSite,
} from "./activity-url.ts";

const read = (text: string) => readUrl(activityUrl, new URLSearchParams(text));
const change = (text: string, by: Partial<ActivityFilters>) =>
  writeUrl(activityUrl, new URLSearchParams(text), withRobotOfSite(by)).toString();

describe("§9 Activity log: the filters in the URL", () => {
  test("what is written can be read back; filters that select everything are left out; other pages' parameters are kept", () => {
    const narrowed = {
      search: "old robot",
      action: "STOP",
      siteId: 7,
      robotId: 9,
      user: "सुनीता",
      outcome: "FAILED",
      from: "2026-06-01",
      to: "2026-06-15",
    } as const;
    const text = change("view=x", narrowed);
    expect(read(text)).toEqual(narrowed);
    expect(furtherFilters(narrowed)).toBe(6);
    expect(change(text, EVERYTHING)).toBe("view=x");
    expect(filterOf(EVERYTHING)).toEqual({});
  });

  test("invalid values are ignored", () => {
    const odd = "action=PAUSE&site=0&robot=1e3&outcome=done&from=2026-02-30&to=0001-01-01&user=";
    expect(read(odd)).toEqual(EVERYTHING);
  });

  test("choosing another site resets the robot, unless one is chosen with it", () => {
    expect(change("site=7&robot=9", { siteId: 8 })).toBe("site=8");
    expect(change("site=7&robot=9", { siteId: 8, robotId: 3 })).toBe("site=8&robot=3");
    expect(change("site=7&robot=9", { user: "A" })).toBe("site=7&robot=9&user=A");
  });

  test("dates are whole days in the browser's time, including the last one", () => {
    const { from, to } = filterOf(read("from=2026-06-15&to=2026-06-15"));
    expect([from, to]).toEqual([new Date(2026, 5, 15).toISOString(), new Date(2026, 5, 16).toISOString()]);
    expect(endsBeforeItBegins(read("from=2026-06-15&to=2026-06-15"))).toBe(false);
    expect(endsBeforeItBegins(read("from=2026-06-15&to=2026-06-14"))).toBe(true);
  });
});
