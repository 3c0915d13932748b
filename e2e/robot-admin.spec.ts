import type { Page } from "@playwright/test";
import {
  BHADLA,
  discardChanges,
  expectDisabled,
  expectEnabled,
  expectToast,
  expectTruth,
  PAVAGADA,
  REWA,
} from "./support/dashboard.ts";
import { expect, robotDialog, robotRow, serialPicker, test } from "./support/robot-fixtures.ts";

const NAME_TAKEN = "Robot name already exists for this site";

const heading = (page: Page) => page.getByRole("heading", { level: 3, name: /^Cleaning Robots/ });
const siteRow = (page: Page, name: string) =>
  page.getByRole("region", { name: "All Sites" }).getByRole("button", { name });
const deleteButton = (page: Page, serial: string) => robotRow(page, serial).getByRole("button", { name: "Delete" });

async function openAdd(page: Page) {
  await page.getByRole("button", { name: "Add New Robot" }).click();
  const dialog = robotDialog(page, "Add New Robot");
  await expect(dialog.serial).toBeFocused();
  return dialog;
}

async function openEdit(page: Page, serial: string) {
  await robotRow(page, serial).getByRole("button", { name: "Edit" }).click();
  const dialog = robotDialog(page, "Edit Robot");
  await expect(dialog.name).toBeVisible();
  return dialog;
}

/** In the open dialog and its open picker. */
async function addByForm(page: Page, serial: string, name: string): Promise<void> {
  const dialog = robotDialog(page, "Add New Robot");
  await serialPicker(page).option(serial).click();
  await expect(dialog.serial).toHaveText(serial);
  await expect(dialog.name).toHaveValue(serial);
  // Today, unless somebody says otherwise.
  await expect(dialog.date).not.toHaveValue("");
  await dialog.date.fill("3 Feb 2026");
  await expectEnabled(dialog.save);
  await dialog.name.fill(name);
  await dialog.motor.fill("BLDC");
  await dialog.name.press("Enter");
  await expectToast(page, "Robot Added", `Robot "${name}" has been successfully added.`);
  await expect(dialog.root).toBeHidden();
}

/** The counts in the heading and in Bhadla's site row, in either browser. */
async function expectRobots(page: Page, count: number, online: number): Promise<void> {
  await expect(heading(page)).toHaveText(`Cleaning Robots (${count})`);
  await expect(siteRow(page, BHADLA)).toHaveAccessibleName(new RegExp(`${online} of ${count} robots online`));
}

test("§5 Robot form, §2 Robot serial-number picker, §8 Delete robot: robots that a Super Admin and a partner add and delete appear and disappear at once for the other too", async ({
  page,
  openBrowser,
  signIn,
  robots,
  apiAs,
}) => {
  const other = await openBrowser();
  await signIn(page, "admin", { at: `/sites?site=${(await robots.site(REWA)).id}` });
  await signIn(other, "partner", { at: `/sites?site=${(await robots.site(BHADLA)).id}` });
  await expectRobots(other, 4, 3);
  const mine = await openAdd(page);
  const theirs = serialPicker(other);

  await test.step("a Super Admin sees to which partner a serial number is allocated", async () => {
    await mine.serial.click();
    const picker = serialPicker(page);
    await picker.search.fill("SCR-101");
    await expect(picker.option("SCR-1013")).toHaveText("SCR-1013SunCare Services");
    await expect(picker.option("SCR-1013")).toHaveAttribute("aria-disabled", "true");
    await picker.option("SCR-1018").click();
    await expect(mine.serial).toHaveText("SCR-1018");
    await mine.cancel.click();
    await discardChanges(page);
  });

  await test.step("a partner sees assigned ones but cannot choose them; another partner's are not listed", async () => {
    await openAdd(other);
    await other.keyboard.press("Enter");
    await expect(theirs.search).toBeFocused();
    const there = await robots.serialNumbers(await apiAs("partner"));
    const free = there.filter(({ assigned }) => !assigned);
    await expect(theirs.root.getByRole("status")).toHaveText(`${free.length} of ${there.length} can be chosen`);
    // One of another partner's robot, and a free one of the operator.
    for (const serial of ["SCR-1010", "SCR-1018"]) {
      await theirs.search.fill(serial);
      await expect(theirs.root.getByText("No serial numbers match.")).toBeVisible();
    }
    await theirs.search.fill("1001");
    await expect(theirs.option("SCR-1001")).toHaveCount(0);
    await theirs.showAssigned.check();
    await expect(theirs.option("SCR-1001")).toHaveText("SCR-1001Assigned");
    await expect(theirs.option("SCR-1001")).toHaveAttribute("aria-disabled", "true");
    await theirs.search.fill("");
  });

  await test.step("the picker sets the name, and the new robot is live at once for others too", async () => {
    await siteRow(page, BHADLA).click();
    const count = [5, 6];
    for (const [adding, serial, name] of [
      [page, "SCR-1013", "Row 05"],
      [other, "SCR-1015", "Row 06"],
    ] as const) {
      if (adding === page) {
        await openAdd(page);
        await mine.serial.click();
      }
      await addByForm(adding, serial, name);
      const now = count.shift() ?? 0;
      for (const browser of [page, other]) {
        const row = robotRow(browser, serial);
        await expect(row).toContainText(name);
        await expect(row.getByText("Idle", { exact: true })).toBeVisible();
        await expectRobots(browser, now, now - 1);
      }
    }
  });

  await test.step("deleting asks first, the counters follow, and others see it", async () => {
    const count = [5, 4];
    for (const [deleting, serial, name] of [
      [page, "SCR-1013", "Row 05"],
      [other, "SCR-1015", "Row 06"],
    ] as const) {
      await deleteButton(deleting, serial).click();
      const question = deleting.getByRole("dialog", { name: "Delete Robot" });
      await expect(question).toContainText(`Delete robot "${name}" (${serial}) from Bhadla Solar Park?`);
      await question.getByRole("button", { name: "Cancel" }).click();
      await expect(robotRow(deleting, serial)).toBeVisible();
      await deleteButton(deleting, serial).click();
      await question.getByRole("button", { name: "Delete Robot" }).click();
      await expectToast(deleting, "Robot Removed", `Robot "${name}" has been successfully removed.`);
      await expect(question).toBeHidden();
      const left = count.shift() ?? 0;
      for (const browser of [page, other]) {
        await expect(robotRow(browser, serial)).toBeHidden();
        await expectRobots(browser, left, left - 1);
      }
    }
  });
});

test("§8 Robots, §5 Edit Robot, §4 Closing a form: a refused creation loses nothing, an edit may move the robot to another site, Back asks first, and other people's changes are reported", async ({
  page,
  signIn,
  robots,
  problems,
}) => {
  problems.allow(/status of 409/);
  const site = await robots.site(BHADLA);
  const { id: elsewhere } = await robots.site(PAVAGADA);
  const moved = await robots.add(BHADLA, "SCR-1013", "Row 05");
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });

  await test.step("a refused creation says why at the field and loses nothing", async () => {
    const dialog = await openAdd(page);
    await dialog.serial.click();
    await serialPicker(page).option("SCR-1015").click();
    await dialog.date.fill("2026-02-03");
    await dialog.control.fill("PLC");
    // Somebody else is faster.
    await robots.add(PAVAGADA, "SCR-1015", "Taken");
    await dialog.save.click();
    const reason = "Another robot already has the serial number SCR-1015.";
    await expectToast(page, "Robot Creation Failed", "Failed to create robot. Please try again.", reason);
    await expect(dialog.root.getByText(reason)).toBeVisible();
    await expect(dialog.serial).toBeFocused();
    await expect(dialog.control).toHaveValue("PLC");
    await dialog.serial.click();
    await serialPicker(page).showAssigned.check();
    await expect(serialPicker(page).option("SCR-1015")).toHaveAttribute("aria-disabled", "true");
    await page.keyboard.press("Escape");
    await dialog.cancel.click();
    await discardChanges(page);
  });

  await test.step("Save waits for a change, another site and serial number can be chosen, the robot's own name is not a duplicate", async () => {
    const dialog = await openEdit(page, "SCR-1013");
    await expect(dialog.name).toBeFocused();
    await expectDisabled(dialog.save, "Nothing has been changed.");
    await dialog.name.fill("Row 06");
    await expectEnabled(dialog.save);
    await dialog.name.fill("Row 05 ");
    await expectDisabled(dialog.save, "Nothing has been changed.");
    await dialog.name.fill("Bhadla Row 02");
    await expect(dialog.root.getByText(NAME_TAKEN).first()).toBeVisible();
    await dialog.serial.click();
    await serialPicker(page).option("SCR-1017").click();
    await expect(dialog.name).toHaveValue("SCR-1017");
    await dialog.save.click();
    await expectToast(page, "Robot Updated", 'Robot "SCR-1017" has been successfully updated.');
    await expect(robotRow(page, "SCR-1017").getByText("Idle", { exact: true })).toBeVisible();
    await expect(robotRow(page, "SCR-1013")).toBeHidden();
    const again = await openEdit(page, "SCR-1017");
    await again.site.selectOption(PAVAGADA);
    await again.save.click();
    await expect(again.root).toBeHidden();
    await expect(robotRow(page, "SCR-1017")).toBeHidden();
    await siteRow(page, PAVAGADA).click();
    await expect(robotRow(page, "SCR-1017")).toBeVisible();
    expect((await robots.listed()).find(({ robot_id }) => robot_id === moved.robot_id)?.version).toBe(3);
  });

  await test.step("Back to another site asks before it discards a robot's form", async () => {
    const dialog = await openAdd(page);
    await dialog.motor.fill("AC");
    const question = page.getByRole("dialog", { name: "Discard Changes" });
    await expect(page).toHaveURL(new RegExp(`site=${elsewhere}`));
    await page.goBack();
    await question.getByRole("button", { name: "Keep editing" }).click();
    await expect(dialog.motor).toHaveValue("AC");
    // Wait until the navigation has been undone: only then can Back be pressed again.
    await expect(page).toHaveURL(new RegExp(`site=${elsewhere}`));
    await page.goBack();
    await question.getByRole("button", { name: "Discard" }).click();
    await expect(page).toHaveURL(new RegExp(`site=${site.id}`));
    await expect(dialog.root).toBeHidden();
  });

  await test.step("a robot deleted while somebody edits it is reported, and nothing can be saved", async () => {
    const robot = await robots.add(BHADLA, "SCR-1013", "Row 05");
    const dialog = await openEdit(page, "SCR-1013");
    await dialog.name.fill("Mine");
    await robots.delete(robot);
    const gone = "This robot was deleted, or moved to another site, in the meantime.";
    await expect(dialog.root.getByRole("alert")).toContainText(
      `${gone} Nothing can be saved; what you typed can still be copied.`,
    );
    await expectDisabled(dialog.save, gone);
    await expect(dialog.name).toHaveValue("Mine");
    await expect(robotRow(page, "SCR-1013")).toBeHidden();
  });
});

test("§5 Edit Robot, §8 Delete robot: two people who edit at once lose nothing, and both see why a robot that is cleaning, or is in a group, is not deleted", async ({
  page,
  openBrowser,
  signIn,
  robots,
  groups,
  simulator,
  problems,
}) => {
  problems.allow(/status of (400|409)/);
  const site = await robots.site(BHADLA);
  const robot = await robots.add(BHADLA, "SCR-1013", "Row 05");
  const other = await openBrowser();
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  await signIn(other, "partner", { at: `/sites?site=${site.id}` });

  await test.step("two people edit: the second is notified, sees what the first saved, and loses nothing", async () => {
    const mine = await openEdit(page, "SCR-1013");
    const theirs = await openEdit(other, "SCR-1013");
    await mine.name.fill("Mine");
    await theirs.name.fill("Theirs");
    await theirs.save.click();
    await expectToast(other, "Robot Updated", 'Robot "Theirs" has been successfully updated.');
    const alert = mine.root.getByRole("alert").filter({ hasText: "Somebody else changed this robot" });
    await expect(alert).toBeVisible();
    await expect(alert.getByRole("row").last()).toHaveText("Robot nameMineTheirs");
    await expect(mine.name).toHaveValue("Mine");
    await expectDisabled(mine.save, "Choose first: take theirs or keep mine.");
    await alert.getByRole("button", { name: "Keep mine" }).click();
    await mine.save.click();
    await expect(mine.root).toBeHidden();
    await expect(robotRow(other, "SCR-1013")).toContainText("Mine");

    const late = await openEdit(page, "SCR-1013");
    await late.motor.fill("AC");
    // Another field than mine: there is nothing to choose.
    await robots.edit(robot, { robot_name: "Third" });
    await expect(alert).toContainText("Both changes fit together: Robot name from the other, Motor type from you.");
    await expect(late.name).toHaveValue("Third");
    await expect(late.motor).toHaveValue("AC");
    await robots.edit(robot, { robot_name: "Third", motor_type: "DC" });
    await alert.getByRole("button", { name: "Take theirs" }).click();
    await expect(late.motor).toHaveValue("DC");
    await expectDisabled(late.save, "Nothing has been changed.");
  });

  await test.step("a change made while the save was in progress: the server refuses, and nothing is lost", async () => {
    const dialog = robotDialog(page, "Edit Robot");
    await dialog.name.fill("Mine");
    await page.route(
      "**/api/robots/update/*",
      async (route) => {
        await robots.edit(robot, { robot_name: "Theirs" });
        await route.continue();
      },
      { times: 1 },
    );
    await dialog.save.click();
    await expect(dialog.root.getByRole("row").last()).toHaveText("Robot nameMineTheirs");
    await expect(dialog.name).toHaveValue("Mine");
    expect((await robots.listed()).find(({ robot_id }) => robot_id === robot.robot_id)?.robot_name).toBe("Theirs");
    await dialog.root.getByRole("button", { name: "Keep mine" }).click();
    await dialog.save.click();
    await expectToast(page, "Robot Updated", 'Robot "Mine" has been successfully updated.');
    await expect(dialog.root).toBeHidden();
  });

  const everyone = [page, other].map((browser) => {
    const dialog = browser.getByRole("dialog", { name: "Delete Robot" });
    return { browser, dialog, button: dialog.getByRole("button", { name: "Delete Robot" }) };
  });
  const toldBefore = async (sentence: string) => {
    for (const { browser, dialog, button } of everyone) {
      await deleteButton(browser, "SCR-1013").click();
      await expect(dialog.getByRole("alert")).toContainText(sentence);
      await expectDisabled(button, sentence);
      await dialog.getByRole("button", { name: "Cancel" }).click();
    }
  };

  await test.step("a robot that is cleaning, or in a group, is not deleted; the dialog says why", async () => {
    for (const { browser } of everyone) {
      await expect(robotRow(browser, "SCR-1013").getByText("Idle", { exact: true })).toBeVisible();
    }
    await robots.command(robot, "START");
    await expectTruth(simulator, "SCR-1013", { motion: "MOVING" });
    await toldBefore("Robot SCR-1013 is cleaning. Stop it first.");
    for (const { browser } of everyone) {
      const bound = await openEdit(browser, "SCR-1013");
      await expectDisabled(bound.serial, "Cannot be changed while the robot is cleaning.");
      await bound.cancel.click();
    }
    await robots.command(robot, "STOP");
    await expectTruth(simulator, "SCR-1013", { motion: "STOPPED" });
    await groups.make(BHADLA, "East Row", ["SCR-1013"]);
    await toldBefore('Robot SCR-1013 is in the group "East Row". Take it out of the group first.');
    await groups.deleteAll();
  });

  await test.step("what the console did not know: the server's message stays in the dialog, without a retry button", async () => {
    const sentence = "Robot SCR-1013 has a Stop that it has not confirmed.";
    for (const { browser, dialog, button } of everyone) {
      const row = robotRow(browser, "SCR-1013");
      await browser.route("**/api/robots/delete/*", (route) =>
        route.fulfill({ status: 400, json: { message: sentence } }),
      );
      await deleteButton(browser, "SCR-1013").click();
      await button.click();
      await expectToast(browser, "Cannot Delete Robot", sentence);
      await expect(dialog.getByRole("alert")).toContainText(sentence);
      await expect(dialog.getByRole("button", { name: "Try again" })).toHaveCount(0);
      await expect(row).toBeAttached();
      await browser.unroute("**/api/robots/delete/*");
      await button.click();
      await expect(row).toBeHidden();
      await expect(dialog).toBeHidden();
      if (browser === page) await robots.add(BHADLA, "SCR-1013", "Row 05");
    }
  });
});
