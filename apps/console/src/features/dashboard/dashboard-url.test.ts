import { expect, test } from "vitest";
import { readUrl, writeUrl } from "../../platform/url-state.ts";
import { type DashboardUrl, dashboardUrl } from "./dashboard-url.ts";

const read = (text: string) => readUrl(dashboardUrl, new URLSearchParams(text));
const change = (text: string, by: Partial<DashboardUrl>) =>
  writeUrl(dashboardUrl, new URLSearchParams(text), by).toString();

test("§2 Site monitoring view: without parameters in the URL everything has its default", () => {
  expect(read("")).toEqual({
    siteId: null,
    tab: "robots",
    day: null,
    search: "",
    siteOrder: "listed",
    isMapShown: null,
  });
});

test("§2 Site monitoring view: a shared URL restores site, tab, search, order and map", () => {
  expect(read("site=3&tab=groups&q=solar&order=worst&map=hidden")).toEqual({
    siteId: 3,
    tab: "groups",
    day: null,
    search: "solar",
    siteOrder: "worst",
    isMapShown: false,
  });
});

test.each(["site=abc", "site=0", "site=-1", "site=1.5", "site=99999999999"])(
  "§2 Site monitoring view: '%s' names no site",
  (text) => {
    expect(read(text)).toMatchObject({ siteId: null });
  },
);

test("Cleaning runs: the calendar's week is kept in the URL; an invalid date means the current week", () => {
  expect(read("tab=calendar&day=2026-11-16")).toMatchObject({ tab: "calendar", day: "2026-11-16" });
  expect(read("tab=calendar&day=2026-02-30")).toMatchObject({ tab: "calendar", day: null });
  expect(change("tab=calendar", { day: "2026-11-16" })).toBe("tab=calendar&day=2026-11-16");
  expect(change("tab=calendar&day=2026-11-16", { day: null })).toBe("tab=calendar");
});

test("§2 Site monitoring view: a change keeps the rest, and defaults are left out", () => {
  expect(change("site=3&q=a&other=1", { siteId: 4 })).toBe("site=4&q=a&other=1");
  expect(change("site=3&q=a", { search: "", tab: "groups" })).toBe("site=3&tab=groups");
  expect(change("tab=groups", { tab: "robots", isMapShown: true })).toBe("map=shown");
});

test("§2 Site monitoring view: what is written can be read back", () => {
  const wanted = { siteId: 12, tab: "groups", search: "São & co", isMapShown: true } as const;
  expect(readUrl(dashboardUrl, writeUrl(dashboardUrl, new URLSearchParams(), wanted))).toMatchObject(wanted);
});
