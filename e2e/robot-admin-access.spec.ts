import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA } from "./support/dashboard.ts";
import { expect, robotDialog, robotRow, serialPicker, test } from "./support/robot-fixtures.ts";

/** The smallest size of a touch target, in pixels. */
const TOUCH_PX = 44;

async function expectNoOverflow(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}

test("robots on Site Management have no axe violations in rows, dialogs and picker, and fit phones of 360 and 390 px, and fingers", async ({
  page,
  signIn,
  robots,
}) => {
  const site = await robots.site(BHADLA);
  const robot = await robots.add(BHADLA, "SCR-1013", "Row 05");
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const add = page.getByRole("button", { name: "Add New Robot" });
  const added = robotDialog(page, "Add New Robot");
  const picker = serialPicker(page);

  await test.step("no axe violations", async () => {
    await expect(robotRow(page, "SCR-1013").getByText("Idle", { exact: true })).toBeVisible();
    await expectAccessible(page);
    await add.click();
    await added.save.click({ force: true });
    await expect(added.root.getByText("Robot name is required")).toBeVisible();
    await expectAccessible(page, added.root);
    await added.serial.click();
    await picker.showAssigned.check();
    await expect(picker.option("SCR-1013")).toBeVisible();
    await expectAccessible(page, picker.root);
    await page.keyboard.press("Escape");
    await added.cancel.click();
    await robotRow(page, "SCR-1013").getByRole("button", { name: "Edit" }).click();
    const edited = robotDialog(page, "Edit Robot");
    await edited.name.fill("Mine");
    await robots.edit(robot, { robot_name: "Theirs" });
    await expect(edited.root.getByText("Somebody else changed this robot while you were editing")).toBeVisible();
    await expectAccessible(page, edited.root);
    await edited.cancel.click();
    await page.getByRole("button", { name: "Discard", exact: true }).click();
  });

  await test.step("phones", async () => {
    const onPhones = async (expectFit: () => Promise<void>) => {
      for (const width of [360, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await expectFit();
        await expectNoOverflow(page);
      }
    };
    const row = robotRow(page, "SCR-1001");
    await onPhones(async () => {
      await expect(row).toBeVisible();
      for (const name of ["Refresh status", "Edit", "Delete"]) {
        const box = await row.getByRole("button", { name }).boundingBox();
        expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(TOUCH_PX);
      }
    });
    await add.click();
    await onPhones(() => expect(added.save).toBeInViewport());
    await added.serial.click();
    await picker.showAssigned.check();
    await onPhones(() => expect(picker.option("SCR-1013")).toBeVisible());
  });
});
