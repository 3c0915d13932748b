import { type ActivityEntry, activityLogs, activityUsers } from "@suncrew/contract/activity/activity.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { Refusal, when } from "../../../test/answers.ts";
import { expectAccessible, expectCount, expectNoToast, pressRetry } from "../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const entry: ActivityEntry = {
  log_id: "1",
  created_at: "2026-06-01T06:00:00.000Z",
  action: "STOP",
  action_type: "MANUAL",
  user_name: "Administrator",
  status: "SUCCESS",
  site_id: 1,
  site_name: BHADLA,
  partner_name: "SunCare Services",
  robot_name: "Row 1",
  serial_number: "SCR-1011",
  details: "The robot confirmed it.",
  paramsObj: { robotSerial: "SCR-1011", mode: "AUTO", direction: "FWD", "main-speed": 75, "brush-speed": 80 },
  sample: false,
};

test("§8 Fetch failures: loading, failed and loaded each have their state, without a toast", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  when(activityUsers).answer(["Administrator"]);
  when(activityLogs).answer(async () => {
    await released;
    throw new Refusal(503, { message: "The database cannot be reached." });
  });
  await openConsole("/activity");
  await expect.element(page.getByText("Loading activity logs...")).toBeVisible();
  release();
  await expect.element(page.getByText("The activity log could not be loaded.")).toBeVisible();
  await expect.element(page.getByText("The database cannot be reached.")).toBeVisible();
  await expectNoToast();
  await expectAccessible();
  await pressRetry(
    () => when(activityLogs).answer({ logs: [entry], total: 1, total_exact: true, next_cursor: null }),
    page.getByRole("row").filter({ hasText: entry.serial_number }),
  );
});

/** Rows 5 to 1, three in a page. */
function pageAfter(cursor: string | undefined) {
  const ids = cursor === undefined ? [5, 4, 3] : [2, 1];
  const logs = ids.map((id) => ({
    ...entry,
    log_id: String(id),
    created_at: `2026-06-01T06:00:0${id}.000Z`,
    serial_number: `SCR-100${id}`,
  }));
  return { logs, total: 5, total_exact: true, next_cursor: cursor === undefined ? "3" : null };
}
const serials = () =>
  page
    .getByRole("table", { name: "Activity log" })
    .getByText(/^SCR-100/)
    .elements()
    .map(({ textContent }) => textContent);

test("§9 Activity log: scrolling loads further pages, to the end", async () => {
  when(activityUsers).answer([]);
  const asked = when(activityLogs).answer(({ query: { cursor } }) => pageAfter(cursor));
  await openConsole("/activity");
  await expect.element(page.getByText("Showing 5 of 5 activities")).toBeVisible();
  expect(serials()).toEqual(["SCR-1005", "SCR-1004", "SCR-1003", "SCR-1002", "SCR-1001"]);
  expect(asked.map(({ query: { cursor } }) => cursor)).toEqual([undefined, "3"]);
  await expect.element(page.getByText("Loading older activities...")).not.toBeInTheDocument();
});

test("§9 Activity log failures: of further pages beside the rows, of new rows silently", async () => {
  when(activityUsers).answer([]);
  when(activityLogs).answer(({ query: { cursor } }) => {
    if (cursor !== undefined) throw new Refusal(503, { message: "Nobody answers." });
    return pageAfter(cursor);
  });
  await openConsole("/activity");
  await expect.element(page.getByText("Older activities could not be loaded.")).toBeVisible();
  expect(serials()).toEqual(["SCR-1005", "SCR-1004", "SCR-1003"]);
  when(activityLogs).fail(503, { message: "Nobody answers." });
  await queryClient.invalidateQueries({ queryKey: [...queryKeyOf(activityLogs), "newest"] });
  expect(serials()).toEqual(["SCR-1005", "SCR-1004", "SCR-1003"]);
  await expect.element(page.getByText("Older activities could not be loaded.")).toBeVisible();
  await expectNoToast();
  await pressRetry(
    () => when(activityLogs).answer(({ query: { cursor } }) => pageAfter(cursor)),
    page.getByText("Showing 5 of 5 activities"),
  );
  expect(serials()).toEqual(["SCR-1005", "SCR-1004", "SCR-1003", "SCR-1002", "SCR-1001"]);
});

test("§9 Activity log: counted exactly on request; nothing more is requested after leaving the page", async () => {
  when(activityUsers).answer([]);
  const asked = when(activityLogs).answer(({ query: { exact_total: exact = false } }) => ({
    ...pageAfter("3"),
    total: exact ? 12_345 : 10_000,
    total_exact: exact,
  }));
  await openConsole("/activity");
  await expect.element(page.getByText("Showing 2 of 10,000+ activities")).toBeVisible();
  await page.getByRole("button", { name: "Count exactly" }).click();
  await expect.element(page.getByText("Showing 2 of 12,345 activities")).toBeVisible();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Dashboard" }).click();
  await expect.element(page.getByRole("table", { name: "Activity log" })).not.toBeInTheDocument();
  const before = asked.length;
  await queryClient.invalidateQueries({ queryKey: queryKeyOf(activityLogs) });
  expect(asked.length).toBe(before);
});

test("§6 Roles: a partner sees 'Access Denied', and nothing is requested", async () => {
  for (const address of ["/activity", "/activity?view=audit", "/activity?q=x&site=1"]) {
    await closeConsole();
    const asked = when(activityLogs).answer({ logs: [entry], total: 1, total_exact: true, next_cursor: null });
    await openConsole(address, "partner");
    await expect.element(page.getByText("Access Denied")).toBeVisible();
    await expect.element(page.getByText("This page is only accessible to Super Administrators.")).toBeVisible();
    const navigation = page.getByRole("navigation", { name: "Main" });
    await expect.element(navigation.getByRole("link", { name: "Site Reports" })).toBeVisible();
    await expectCount(navigation.getByRole("link", { name: "Activity Log" }), 0);
    expect(asked).toEqual([]);
  }
  await expectAccessible();
  chooseTheme("dark");
  await expectAccessible();
});
