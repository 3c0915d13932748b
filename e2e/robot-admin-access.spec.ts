import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA } from "./support/dashboard.ts";
import { expect, robotDialog, robotRow, serialPicker, test } from "./support/made-robots.ts";

/** Fingers want this much, in pixels. */
const TOUCH_PX = 44;

async function expectNoOverflow(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}

test("robots on Site Management have no axe violation in rows, dialogs and picker", async ({
  page,
  signIn,
  robots,
}) => {
  const site = await robots.site(BHADLA);
  const robot = await robots.add(BHADLA, "SCR-1013", "Row 05");
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  await expect(robotRow(page, "SCR-1013").getByText("Idle", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add New Robot" }).click();
  const added = robotDialog(page, "Add New Robot");
  await added.save.click({ force: true });
  await expect(added.root.getByText("Robot name is required")).toBeVisible();
  await expectAccessible(page);
  await added.serial.click();
  await expect(serialPicker(page).option("SCR-1013")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await added.cancel.click();
  await robotRow(page, "SCR-1013").getByRole("button", { name: "Edit" }).click();
  const edited = robotDialog(page, "Edit Robot");
  await edited.name.fill("Mine");
  await robots.edit(robot, { robot_name: "Theirs" });
  await expect(edited.root.getByText("Somebody else changed this robot while you were editing")).toBeVisible();
  await expectAccessible(page);
});

for (const width of [360, 390]) {
  test(`robots on Site Management fit a phone of ${width} px, and fingers`, async ({ page, signIn, robots }) => {
    const site = await robots.site(BHADLA);
    await page.setViewportSize({ width, height: 800 });
    await signIn(page, "admin", { at: `/sites?site=${site.id}` });
    const row = robotRow(page, "SCR-1001");
    await expect(row).toBeVisible();
    await expectNoOverflow(page);
    for (const name of ["Refresh status", "Edit", "Delete"]) {
      const box = await row.getByRole("button", { name }).boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(TOUCH_PX);
    }
    await page.getByRole("button", { name: "Add New Robot" }).click();
    const dialog = robotDialog(page, "Add New Robot");
    await expect(dialog.save).toBeInViewport();
    await expectNoOverflow(page);
    await dialog.serial.click();
    await expect(serialPicker(page).option("SCR-1001")).toBeVisible();
    await expectNoOverflow(page);
  });
}
