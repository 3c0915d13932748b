import { type ActivityEntry, activityLogs, activityUsers } from "@suncrew/contract/activity/activity.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { Refusal, when } from "../../../test/answers.ts";
import { expectAccessible, expectCount, expectNoToast, pressRetry } from "../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
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
  await pressRetry(() => when(activityLogs).answer({ logs: [entry], total: 1, total_exact: true, next_cursor: null }));
  await expect.element(page.getByRole("row").filter({ hasText: entry.serial_number })).toBeVisible();
});

test("§6 Roles: a partner is told 'Access Denied', and nothing is asked for it", async () => {
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
