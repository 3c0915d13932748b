import { readFile } from "node:fs/promises";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Page } from "@playwright/test";
import { pressStop } from "./support/activity-fixtures.ts";
import type { ApiClient } from "./support/api.ts";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectDisabled } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const SERIAL = "SCR-1001";
const COLUMNS = [
  "Timestamp",
  "Action",
  "Action Type",
  "UserName",
  "Status",
  "Site",
  "Serial Number",
  "Mode",
  "Details",
  "Direction",
  "Main Speed",
  "Brush Speed",
];

/** A robot of the demo, and Stops sent to it, each of which adds a row to the log. */
async function stopper(api: ApiClient) {
  const sites = await api.call(siteDetails, {});
  const site = sites.find(({ name }) => name === BHADLA);
  if (site === undefined) throw new Error(`${BHADLA} is not there`);
  const robots = await api.call(robotsList, { params: { siteId: site.id } });
  const robot = robots.find(({ serial_number }) => serial_number === SERIAL);
  if (robot === undefined) throw new Error(`${SERIAL} is not there`);
  const body = { robotId: SERIAL, robotObjectId: robot.id, siteId: site.id };
  return { site, robot, stop: () => pressStop(api, body) };
}

const table = (page: Page) => page.getByRole("table", { name: "Activity log" });
const rows = (page: Page) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.getByRole("cell") });
const scroller = (page: Page) => page.getByRole("region", { name: "Activity log, scrollable" });

test("§2 Activity Log page: columns, search, filters in the URL, footer and Export", async ({
  page,
  signIn,
  apiAs,
}) => {
  const { site, robot, stop } = await stopper(await apiAs("admin"));
  await stop();
  await stop();
  await signIn(page, "admin", { at: "/profile" });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Activity Log" }).click();
  await expect(page).toHaveTitle(/^(\(\d+\) )?Activity Log - Suncrew$/);
  await expect(table(page).getByRole("columnheader")).toHaveText(COLUMNS);
  const newest = rows(page).first().getByRole("cell");
  await expect(newest.nth(1)).toHaveText("Stop");
  await expect(newest.nth(4)).toHaveText("Success");
  await expect(newest.nth(5)).toHaveText(BHADLA);
  await expect(newest.nth(6)).toHaveText(SERIAL);
  // §9: 2000 px wide and 470 px high.
  expect((await table(page).boundingBox())?.width).toBe(2000);
  expect((await scroller(page).boundingBox())?.height).toBe(470);
  await expect(page.getByText("Data refreshed automatically")).toBeVisible();
  await expect(page.getByText(/^Showing \d+ of \d+ activities$/)).toBeVisible();

  await page.getByLabel("Site", { exact: true }).selectOption(site.name);
  await page.getByLabel("Robot", { exact: true }).selectOption(robot.robot_name);
  await page.getByLabel("Filter by action").selectOption("Stop");
  await page.getByLabel("Outcome").selectOption("Success");
  await page.getByRole("searchbox", { name: "Search activities" }).fill(SERIAL.toLowerCase());
  await expect(page).toHaveURL(/q=scr-1001/);
  const address = new URL(page.url()).searchParams;
  expect(Object.fromEntries(address)).toEqual({
    q: "scr-1001",
    action: "STOP",
    site: String(site.id),
    robot: String(robot.id),
    outcome: "SUCCESS",
  });
  await expect(rows(page).first()).toContainText(SERIAL);

  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toMatch(/^robot-activity-log-\d{4}-\d\d-\d\d\.csv$/);
  const text = await readFile(await download.path(), "utf8");
  const columns = COLUMNS.toSpliced(0, 1, "Timestamp (local)", "Time Zone", "Timestamp (UTC)");
  expect(text.split("\r\n")[0]).toBe(`\uFEFF"${columns.toSpliced(8, 0, "Partner", "Robot").join('","')}"`);
  expect(text).toContain(`"${BHADLA}","SunCare Services","${robot.robot_name}","${SERIAL}",`);

  await page.getByLabel("Filter by action").selectOption("Start");
  await page.getByLabel("Outcome").selectOption("Refused");
  await page.getByRole("searchbox", { name: "Search activities" }).fill("nobody at all");
  await expect(page.getByText("No activity logs found")).toBeVisible();
  await expect(page.getByText("Showing 0 of 0 activities")).toBeVisible();
  await expectDisabled(page.getByRole("button", { name: "Export" }), "There is no activity to export.");
  await page.getByLabel("From").fill("2026-02-02");
  await page.getByLabel("To", { exact: true }).fill("2026-02-01");
  await expect(page.getByText("Before the first day")).toBeVisible();
  await page.getByRole("button", { name: "Show all activities" }).click();
  await expect(page).toHaveURL(/\/activity$/);
  await expect(rows(page).first()).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/from=2026-02-02/);
});

test("§2 Activity Log page: accessible, also on a phone; opens with the filters from its URL; new rows appear automatically without moving what is being read", async ({
  page,
  signIn,
  apiAs,
}) => {
  const { site, robot, stop } = await stopper(await apiAs("admin"));
  for (let nth = 0; nth < 14; nth += 1) await stop();
  const filtered = `site=${site.id}&robot=${robot.id}&outcome=SUCCESS`;
  await signIn(page, "admin", { at: `/activity?q=${SERIAL.toLowerCase()}&action=STOP&${filtered}` });
  await expect(page.getByLabel("Robot", { exact: true })).toHaveValue(String(robot.id));
  await expect(rows(page).first()).toContainText(SERIAL);
  await expectAccessible(page);

  // The robot goes with its site.
  await page.getByLabel("Site", { exact: true }).selectOption({ index: 0 });
  await page.getByLabel("Outcome").selectOption({ index: 0 });
  await expect(page).toHaveURL(/\/activity\?q=scr-1001&action=STOP$/);
  const first = () => rows(page).first().getByRole("time").getAttribute("datetime");
  await expect(rows(page).nth(12)).toBeAttached();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  const before = await first();
  await stop();
  await expect.poll(first).not.toBe(before);

  await scroller(page).focus();
  await page.keyboard.press("End");
  // The browser takes several frames to scroll there.
  const toTheEnd = () =>
    scroller(page).evaluate(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop);
  await expect.poll(toTheEnd).toBeLessThan(1);
  const readAt = await scroller(page).evaluate((element) => element.scrollTop);
  expect(readAt).toBeGreaterThan(40);
  const last = await rows(page).last().textContent();
  const presses = await stop();
  const news = page.getByRole("button", { name: `${presses} new` });
  await expect(news).toBeVisible();
  expect(await scroller(page).evaluate((element) => element.scrollTop)).toBe(readAt);
  expect(await rows(page).last().textContent()).toBe(last);
  const former = await first();
  await news.click();
  await expect(news).toHaveCount(0);
  await expect.poll(() => scroller(page).evaluate((element) => element.scrollTop)).toBe(0);
  expect(await first()).not.toBe(former);

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(rows(page).first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await expectAccessible(page);
  await page.getByRole("radiogroup", { name: "View" }).getByText("Audit").click();
  await expect(page).toHaveURL(/\/activity\?view=audit$/);
  await expect(table(page)).toHaveCount(0);
});
