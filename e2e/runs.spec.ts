import type { Locator, Page } from "@playwright/test";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import {
  chooseSite,
  expectStatus,
  expectTruth,
  KAMUTHI,
  KURNOOL,
  REWA,
  robotCard,
  startRobot,
  stopRobot,
} from "./support/dashboard.ts";
import {
  dayFieldText,
  enoughOfTheDay,
  expect,
  groupCard,
  localText,
  siteAddress,
  siteDay,
  test,
} from "./support/group-fixtures.ts";

const ZONE = "Asia/Kolkata";

const calendarOf = (page: Page): Locator => page.getByRole("region", { name: "Week of cleaning" });
const todayOf = (page: Page): Locator => calendarOf(page).getByRole("region", { name: /, today$/ });
const entryOf = (page: Page, title: string): Locator => todayOf(page).getByRole("button", { name: title });
const figuresOf = (page: Page): Locator => page.getByRole("group", { name: "Today's cleaning" });

async function openCalendar(page: Page, siteName: string): Promise<void> {
  await chooseSite(page, siteName);
  await page.getByRole("tab", { name: "Calendar" }).click();
  await expect(todayOf(page)).toBeVisible();
}

test.beforeEach(() => enoughOfTheDay(ZONE));

test(
  "Cleaning runs: a schedule starts and stops its robots by itself, and every screen follows",
  { tag: "@smoke" },
  async ({ page, openBrowser, signIn, groups, simulator, apiAs, suncrew }) => {
    const admin = await apiAs("admin");
    const group = await groups.make(REWA, "Sunrise", ["SCR-1010", "SCR-1011"]);
    const { robots } = await admin.call(robotDetailsWithSettings, { params: { siteId: group.site_id } });
    const lockedId = robots.find((robot) => robot.serial_number === "SCR-1011")?.robot_id ?? 0;
    const lock = { params: { robotId: lockedId } };
    await admin.call(robotMaintenance, { ...lock, body: { enabled: true, reason: "Brush change" } });
    await signIn(page, "admin", { at: siteAddress(group, "calendar") });
    await expect(todayOf(page)).toBeVisible();
    const other = await openBrowser();
    await signIn(other, "admin", { at: siteAddress(group, "groups") });
    const summary = other.getByRole("group", { name: "Schedule of Sunrise" });

    await groups.schedule(group, { startTime: localText(new Date(Date.now() + 120_000), ZONE), minutes: 30 });
    const entry = entryOf(page, "Sunrise");
    await expect(entry).toContainText("Planned");
    await expect(entry).toContainText("2 robots");
    await expect(figuresOf(page)).toContainText("2 planned");
    await expect(summary).toContainText(/Next run in (\d+ s|\d min)/);

    await suncrew.sql(
      `update schedules set next_run_at = date_trunc('second', now()),
      start_time = date_trunc('second', now()) at time zone '${ZONE}' where group_id = ${group.id}`,
    );
    await expect(entry).toContainText("Running");
    await expectTruth(simulator, "SCR-1010", { motion: "MOVING" });
    await expect(figuresOf(page)).toContainText(/1 running, 0 planned, [1-9]\d* skipped/);
    await expect(summary).toContainText("Completed");
    await page.getByRole("tab", { name: "Individual Robots" }).click();
    await expect(robotCard(page, "SCR-1010").root).toContainText(/Cleaning, [01] of 30 min/);
    await page.getByRole("tab", { name: "Calendar" }).click();

    await suncrew.sql(`update runs set stop_due_at = now() where schedule_id is not null and outcome is null`);
    await expect(entry).toContainText("1 done, 1 skipped");
    await expectTruth(simulator, "SCR-1010", { motion: "STOPPED" });
    await entry.focus();
    await page.keyboard.press("Enter");
    const details = page.getByRole("dialog", { name: /^Sunrise at / });
    await expect(details).toContainText("Partly done");
    await expect(details).toContainText("Scheduled");
    await expect(details.getByRole("list", { name: "Reasons" })).toContainText(/SCR-1011 skipped: .*maintenance/);
    await page.keyboard.press("Escape");
    await expect(entry).toBeFocused();

    await page.getByRole("tab", { name: "Individual Robots" }).click();
    const cleaned = robotCard(page, "SCR-1010");
    await expect(cleaned.root).toContainText(/Last cleaning (just now|\d+ s ago), (1 min|\d+ s), done/);
    await cleaned.root.getByRole("button", { name: "Robot info" }).click();
    await expect(page.getByRole("dialog", { name: "Info on robot SCR-1010" })).toContainText(
      /Last run(1 min|\d+ s), done, started by Scheduler/,
    );
    await page.keyboard.press("Escape");
    await admin.call(robotMaintenance, { ...lock, body: { enabled: false } });

    // A ONCE schedule that has run stays, and editing it starts with today.
    await groupCard(other, "Sunrise").getByRole("button", { name: "Schedule", exact: true }).click();
    await expect(other.getByRole("dialog", { name: "Schedule: Sunrise" }).getByLabel("Date")).toHaveValue(
      dayFieldText(siteDay(ZONE)),
    );
  },
);

test("Cleaning runs: a manual run is in the calendar and on the card during and after it; the week is kept in the URL; Back, a link and This week work", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, KAMUTHI);
  const card = robotCard(page, "SCR-1012");
  await expectStatus(card, "Idle");
  await startRobot(card, simulator);
  await openCalendar(page, KAMUTHI);
  const entry = entryOf(page, "SCR-1012").last();
  await expect(entry).toContainText("Running");
  await page.getByRole("tab", { name: "Individual Robots" }).click();
  await stopRobot(card, simulator);
  await expect(card.root).toContainText(/Last cleaning (just now|\d+ s ago), \d+ s, stopped early/);
  await page.getByRole("tab", { name: "Calendar" }).click();
  await expect(entry).toContainText("Stopped early");
  await entry.click();
  const details = page.getByRole("dialog", { name: /^SCR-1012 at / });
  await expect(details).toContainText("Started manually");
  await expect(details).toContainText("1 robot: 1 stopped early");
  await expect(details.getByRole("list", { name: "Reasons" })).toContainText(/^SCR-1012 stopped early: Stopped by /);
  await page.keyboard.press("Escape");
  await expect(details).toBeHidden();

  await test.step("the week is kept in the URL; Back, a link and This week work", async () => {
    await openCalendar(page, KURNOOL);
    const monday = () => calendarOf(page).getByRole("region").first();
    const label = await monday().getAttribute("aria-label");
    await expect(page).toHaveURL(/tab=calendar$/);
    await page.getByRole("button", { name: "Next week" }).click();
    await expect(page).toHaveURL(/day=\d{4}-\d{2}-\d{2}$/);
    await expect(todayOf(page)).toHaveCount(0);
    await expect(monday()).not.toHaveAccessibleName(label ?? "");
    const nextLabel = await monday().getAttribute("aria-label");
    await page.getByRole("button", { name: "Next week" }).click();
    await expect(monday()).not.toHaveAccessibleName(nextLabel ?? "");
    const shared = page.url();
    const later = await monday().getAttribute("aria-label");
    await page.getByRole("button", { name: "This week" }).click();
    await expect(todayOf(page)).toBeVisible();
    await expect(page).toHaveURL(/tab=calendar$/);
    await page.goBack();
    await expect(monday()).toHaveAccessibleName(later ?? "");
    await page.getByRole("button", { name: "Previous week" }).click();
    await page.getByRole("button", { name: "Previous week" }).click();
    await expect(todayOf(page)).toBeVisible();
    await expect(page).toHaveURL(/tab=calendar$/);
    await page.goto(shared);
    await expect(monday()).toHaveAccessibleName(later ?? "");
    // Two presses move two weeks, even before the first is shown.
    await page.getByRole("button", { name: "Previous week" }).evaluate((button) => {
      if (!(button instanceof HTMLElement)) return;
      button.click();
      button.click();
    });
    await expect(todayOf(page)).toBeVisible();
  });
});
