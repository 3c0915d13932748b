import type { Page } from "@playwright/test";
import {
  BHADLA,
  expectDisabled,
  expectEnabled,
  expectToast,
  expectTruth,
  KURNOOL,
  PAVAGADA,
  REWA,
  toasts,
} from "./support/dashboard.ts";
import { expect, robotDialog, robotRow, serialPicker, test } from "./support/made-robots.ts";

/** What others do appears within a second; the rest is for a busy machine. */
const LIVE_MS = 10_000;
const NAME_TAKEN = "Robot name already exists for this site";

const heading = (page: Page) => page.getByRole("heading", { level: 3, name: /^Cleaning Robots/ });
const siteRow = (page: Page, name: string) =>
  page.getByRole("region", { name: "All Sites" }).getByRole("button", { name });

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

test("§2 Robots tab: the status filter stands in the address, and heading and empty message tell what it leaves", async ({
  page,
  signIn,
  robots,
}) => {
  const kurnool = await robots.site(KURNOOL);
  await signIn(page, "admin", { at: `/sites?site=${kurnool.id}` });
  const filter = page.getByRole("combobox", { name: "Filter by status" });
  await expect(heading(page)).toHaveText("Cleaning Robots (2)");
  await expect(filter.getByRole("option")).toHaveText(["All Status", "Normal", "Warning", "Fault", "Offline"]);
  // Its drive is jammed: critical.
  await filter.selectOption("Fault");
  await expect(page).toHaveURL(/[?&]status=fault/);
  await expect(heading(page)).toHaveText("Cleaning Robots (1 of 2 robots)");
  await expect(page.getByRole("article")).toHaveAccessibleName("SCR-1008");
  await filter.selectOption("Offline");
  await expect(page.getByText('No robots found with status "Offline".')).toBeVisible();
  await page.reload();
  await expect(filter).toHaveValue("offline");
  await page.getByRole("button", { name: "Show all robots" }).click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(page).not.toHaveURL(/status=/);
});

test("§2 Robots tab: the badge reads CHECKING... while a person's refresh is under way", async ({
  page,
  signIn,
  robots,
}) => {
  const site = await robots.site(REWA);
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const row = robotRow(page, "SCR-1010");
  await expect(row.getByText("Idle", { exact: true })).toBeVisible();
  const answer = Promise.withResolvers<void>();
  await page.route("**/getRobotStatus?**", async (route) => {
    await answer.promise;
    await route.continue();
  });
  await row.getByRole("button", { name: "Refresh status" }).click();
  await expect(row.getByText("CHECKING...")).toBeVisible();
  answer.resolve();
  await expect(row.getByText("Idle", { exact: true })).toBeVisible();
});

for (const who of ["admin", "partner"] as const) {
  test(`§5 Robot form, as ${who}: each required field, the picker sets the name, and the new robot is live at once for others too`, async ({
    page,
    openBrowser,
    signIn,
    robots,
  }) => {
    const site = await robots.site(BHADLA);
    const other = await openBrowser();
    await signIn(other, "admin", { at: `/sites?site=${site.id}` });
    await expect(heading(other)).toHaveText("Cleaning Robots (4)");
    await signIn(page, who, { at: `/sites?site=${site.id}` });

    const dialog = await openAdd(page);
    await expectDisabled(dialog.save, "Still missing or wrong: Serial number, Robot name, Installation date.");
    // Playwright waits for a button to be enabled; a person presses it nevertheless.
    await dialog.save.click({ force: true });
    for (const sentence of ["Serial number is required", "Robot name is required", "Installation date is required"]) {
      await expect(dialog.root.getByText(sentence, { exact: true })).toBeVisible();
    }
    await expect(dialog.serial).toBeFocused();

    await dialog.serial.click();
    const picker = serialPicker(page);
    await picker.option("SCR-1013").click();
    await expect(dialog.serial).toHaveText("SCR-1013");
    await expect(dialog.name).toHaveValue("SCR-1013");
    await expectDisabled(dialog.save, "Still missing or wrong: Installation date.");
    await dialog.date.fill("2026-02-03");
    await expectEnabled(dialog.save);
    await dialog.name.fill("Bhadla  Row0 1");
    await expect(dialog.root.getByText(NAME_TAKEN)).toBeVisible();
    await expectDisabled(dialog.save, "Still missing or wrong: Robot name.");
    // Case is kept: another name.
    await dialog.name.fill("bhadla row 01");
    await expectEnabled(dialog.save);
    await dialog.name.fill("  ");
    await dialog.name.blur();
    await expectDisabled(dialog.save, "Still missing or wrong: Robot name.");
    await dialog.name.fill("Row 05");
    await dialog.motor.fill("BLDC");
    await dialog.name.press("Enter");
    await expectToast(page, "Robot Added", 'Robot "Row 05" has been successfully added.');
    await expect(dialog.root).toBeHidden();
    for (const browser of [page, other]) {
      await expect(robotRow(browser, "SCR-1013")).toContainText("Row 05", { timeout: LIVE_MS });
      await expect(robotRow(browser, "SCR-1013").getByText("Idle", { exact: true })).toBeVisible({ timeout: LIVE_MS });
      await expect(heading(browser)).toHaveText("Cleaning Robots (5)");
      await expect(siteRow(browser, BHADLA)).toHaveAccessibleName(/4 of 5 robots online/);
    }
  });
}

test("§2 Robot serial-number picker: assigned ones are shown and cannot be chosen, another's are not there; search and keyboard", async ({
  page,
  signIn,
  robots,
  apiAs,
  problems,
}) => {
  // One of its robots is away.
  problems.allow(/status of 504/);
  const site = await robots.site(PAVAGADA);
  await signIn(page, "partner", { at: `/sites?site=${site.id}` });
  const dialog = await openAdd(page);
  await page.keyboard.press("Enter");
  const picker = serialPicker(page);
  await expect(picker.search).toBeFocused();
  const there = await robots.serialNumbers(await apiAs("partner"));
  const free = there.filter(({ assigned }) => !assigned);
  await expect(picker.root.getByRole("status")).toHaveText(`${free.length} of ${there.length} can be chosen`);
  // Of a robot of another partner, and a free one of the operator.
  for (const other of ["SCR-1010", "SCR-1018"]) {
    await picker.search.fill(other);
    await expect(picker.root.getByText("No serial numbers match.")).toBeVisible();
  }
  const taken = picker.option("SCR-1001");
  await picker.search.fill("1001");
  await expect(taken).toHaveText("SCR-1001Assigned");
  await expect(taken).toHaveAttribute("aria-disabled", "true");
  await taken.click({ force: true });
  await page.keyboard.press("Enter");
  await expect(picker.root).toBeVisible();
  await picker.search.fill("nothing like it");
  await expect(picker.root.getByText("No serial numbers match.")).toBeVisible();
  await picker.search.fill("scr-101");
  // From SCR-1013 over assigned ones to SCR-1015 and SCR-1017, and one back.
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  await expect(picker.root).toBeHidden();
  await expect(dialog.serial).toHaveText("SCR-1015");
  await expect(dialog.serial).toBeFocused();
  await dialog.serial.click();
  await expect(picker.search).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(picker.root).toBeHidden();
  await expect(dialog.root).toBeVisible();
  // What was entered is not thrown away unasked.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(dialog.name).toHaveValue("SCR-1015");
});

test("§2 Robot serial-number picker: to a Super Admin one that is allocated to another partner says whose it is", async ({
  page,
  signIn,
  robots,
}) => {
  const site = await robots.site("Rewa Ultra Mega Solar");
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const dialog = await openAdd(page);
  await dialog.serial.click();
  const picker = serialPicker(page);
  await picker.search.fill("SCR-101");
  await expect(picker.option("SCR-1013")).toHaveText("SCR-1013SunCare Services");
  await expect(picker.option("SCR-1013")).toHaveAttribute("aria-disabled", "true");
  await picker.option("SCR-1018").click();
  await expect(dialog.serial).toHaveText("SCR-1018");
});

test("§8 Robots: a refused creation says why at the field and loses nothing", async ({
  page,
  signIn,
  robots,
  problems,
}) => {
  problems.allow(/status of 409/);
  const site = await robots.site(BHADLA);
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const dialog = await openAdd(page);
  await dialog.serial.click();
  await serialPicker(page).option("SCR-1015").click();
  await dialog.date.fill("2026-02-03");
  await dialog.control.fill("PLC");
  // Somebody else is faster.
  await robots.add(PAVAGADA, "SCR-1015", "Taken");
  await dialog.save.click();
  const reason = "Another robot has the serial number SCR-1015 already.";
  await expectToast(page, "Robot Creation Failed", "Failed to create robot. Please try again.", reason);
  await expect(dialog.root.getByText(reason)).toBeVisible();
  await expect(dialog.serial).toBeFocused();
  await expect(dialog.control).toHaveValue("PLC");
  await dialog.serial.click();
  await expect(serialPicker(page).option("SCR-1015")).toHaveAttribute("aria-disabled", "true");
});

test("§5 Edit Robot: Save waits for a change, another site and serial number can be chosen, its own name is no duplicate", async ({
  page,
  signIn,
  robots,
}) => {
  const site = await robots.site(BHADLA);
  const robot = await robots.add(BHADLA, "SCR-1013", "Row 05");
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const dialog = await openEdit(page, "SCR-1013");
  await expect(dialog.name).toBeFocused();
  await expectDisabled(dialog.save, "Nothing has been changed.");
  await dialog.name.fill("Row 06");
  await expectEnabled(dialog.save);
  await dialog.name.fill("Row 05 ");
  await expectDisabled(dialog.save, "Nothing has been changed.");
  await dialog.name.fill("Bhadla Row 02");
  await expect(dialog.root.getByText(NAME_TAKEN)).toBeVisible();
  await dialog.serial.click();
  await serialPicker(page).option("SCR-1017").click();
  await expect(dialog.name).toHaveValue("SCR-1017");
  await dialog.save.click();
  await expectToast(page, "Robot Updated", 'Robot "SCR-1017" has been successfully updated.');
  await expect(robotRow(page, "SCR-1017").getByText("Idle", { exact: true })).toBeVisible({ timeout: LIVE_MS });
  await expect(robotRow(page, "SCR-1013")).toBeHidden();

  const again = await openEdit(page, "SCR-1017");
  await again.site.selectOption(PAVAGADA);
  await again.save.click();
  await expect(again.root).toBeHidden();
  await expect(robotRow(page, "SCR-1017")).toBeHidden();
  await siteRow(page, PAVAGADA).click();
  await expect(robotRow(page, "SCR-1017")).toBeVisible();
  expect((await robots.listed()).find(({ robot_id }) => robot_id === robot.robot_id)?.version).toBe(3);
});

test("two people edit a robot at once: the second is told, sees what the first saved, and loses nothing", async ({
  page,
  openBrowser,
  signIn,
  robots,
}) => {
  const site = await robots.site(BHADLA);
  const robot = await robots.add(BHADLA, "SCR-1013", "Row 05");
  const other = await openBrowser();
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  await signIn(other, "partner", { at: `/sites?site=${site.id}` });
  const mine = await openEdit(page, "SCR-1013");
  const theirs = await openEdit(other, "SCR-1013");
  await mine.name.fill("Mine");
  await theirs.name.fill("Theirs");
  await theirs.save.click();
  await expectToast(other, "Robot Updated", 'Robot "Theirs" has been successfully updated.');

  const alert = mine.root.getByRole("alert").filter({ hasText: "Somebody else changed this robot" });
  await expect(alert).toBeVisible({ timeout: LIVE_MS });
  await expect(alert.getByRole("row").last()).toHaveText("Robot nameMineTheirs");
  await expect(mine.name).toHaveValue("Mine");
  await expectDisabled(mine.save, "Choose first: take theirs or keep mine.");
  await alert.getByRole("button", { name: "Keep mine" }).click();
  await mine.save.click();
  await expect(mine.root).toBeHidden();
  await expect(robotRow(other, "SCR-1013")).toContainText("Mine", { timeout: LIVE_MS });

  const late = await openEdit(page, "SCR-1013");
  await late.motor.fill("AC");
  // Another field than mine: nothing to choose.
  await robots.edit(robot, { robot_name: "Third" });
  await expect(alert).toContainText("Both changes fit together: Robot name from the other, Motor type from you.", {
    timeout: LIVE_MS,
  });
  await expect(late.name).toHaveValue("Third");
  await expect(late.motor).toHaveValue("AC");
  await robots.edit(robot, { robot_name: "Third", motor_type: "DC" });
  await alert.getByRole("button", { name: "Take theirs" }).click();
  await expect(late.motor).toHaveValue("DC");
  await expectDisabled(late.save, "Nothing has been changed.");
});

test("two people edit a robot at once, also where the stream did not tell: the server refuses, and nothing is lost", async ({
  page,
  signIn,
  robots,
  problems,
}) => {
  problems.allow(/status of 409|\/api\/live/);
  const site = await robots.site(BHADLA);
  const robot = await robots.add(BHADLA, "SCR-1013", "Row 05");
  await page.route("**/api/live", (route) => route.abort());
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const dialog = await openEdit(page, "SCR-1013");
  await dialog.name.fill("Mine");
  await robots.edit(robot, { robot_name: "Theirs" });
  await dialog.save.click();
  await expect(dialog.root.getByRole("row").last()).toHaveText("Robot nameMineTheirs");
  await expect(dialog.name).toHaveValue("Mine");
  expect((await robots.listed()).find(({ robot_id }) => robot_id === robot.robot_id)?.robot_name).toBe("Theirs");
  await dialog.root.getByRole("button", { name: "Keep mine" }).click();
  await dialog.save.click();
  await expectToast(page, "Robot Updated", 'Robot "Mine" has been successfully updated.');
});

test("§4 Closing a form: Back to another site asks before it takes a robot's form away", async ({
  page,
  signIn,
  robots,
  problems,
}) => {
  // One of the robots there is away.
  problems.allow(/status of 504/);
  const site = await robots.site(BHADLA);
  await signIn(page, "admin");
  await page.goto(`/sites?site=${site.id}`);
  await siteRow(page, PAVAGADA).click();
  const dialog = await openAdd(page);
  await dialog.motor.fill("AC");
  const question = page.getByRole("dialog", { name: "Discard Changes" });
  const { id: elsewhere } = await robots.site(PAVAGADA);
  await expect(page).toHaveURL(new RegExp(`site=${elsewhere}`));
  await page.goBack();
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(dialog.motor).toHaveValue("AC");
  // Back was taken back: only then can it be pressed again.
  await expect(page).toHaveURL(new RegExp(`site=${elsewhere}`));
  await page.goBack();
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(page).toHaveURL(new RegExp(`site=${site.id}`));
  await expect(dialog.root).toBeHidden();
});

test("a robot deleted while somebody edits it is told, and nothing can be saved", async ({ page, signIn, robots }) => {
  const site = await robots.site(BHADLA);
  const robot = await robots.add(BHADLA, "SCR-1013", "Row 05");
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const dialog = await openEdit(page, "SCR-1013");
  await dialog.name.fill("Mine");
  await robots.delete(robot);
  const gone = "This robot has been deleted meanwhile, or moved to another site.";
  await expect(dialog.root.getByRole("alert")).toContainText(
    `${gone} Nothing can be saved; what you typed can still be copied.`,
    { timeout: LIVE_MS },
  );
  await expectDisabled(dialog.save, gone);
  await expect(dialog.name).toHaveValue("Mine");
  await expect(robotRow(page, "SCR-1013")).toBeHidden();
});

test("§8 Delete robot: it asks first, the counters follow, and others see it", async ({
  page,
  openBrowser,
  signIn,
  robots,
}) => {
  const site = await robots.site(BHADLA);
  await robots.add(BHADLA, "SCR-1013", "Row 05");
  const other = await openBrowser();
  await signIn(other, "partner", { at: `/sites?site=${site.id}` });
  await expect(robotRow(other, "SCR-1013")).toBeVisible();
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const remove = robotRow(page, "SCR-1013").getByRole("button", { name: "Delete" });
  await remove.click();
  const question = page.getByRole("dialog", { name: "Delete Robot" });
  await expect(question).toContainText('Delete robot "Row 05" (SCR-1013) from Bhadla Solar Park?');
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(robotRow(page, "SCR-1013")).toBeVisible();
  await remove.click();
  await question.getByRole("button", { name: "Delete Robot" }).click();
  await expectToast(page, "Robot Removed", 'Robot "Row 05" has been successfully removed.');
  for (const browser of [page, other]) {
    await expect(robotRow(browser, "SCR-1013")).toBeHidden({ timeout: LIVE_MS });
    await expect(heading(browser)).toHaveText("Cleaning Robots (4)", { timeout: LIVE_MS });
    await expect(siteRow(browser, BHADLA)).toHaveAccessibleName(/3 of 4 robots online/, { timeout: LIVE_MS });
  }
});

for (const who of ["admin", "partner"] as const) {
  test(`§8 Delete robot, as ${who}: one that cleans, or is in a group, is not deleted; the dialog and the toast say why`, async ({
    page,
    signIn,
    robots,
    groups,
    simulator,
    problems,
  }) => {
    problems.allow(/status of 400/);
    const site = await robots.site(BHADLA);
    const robot = await robots.add(BHADLA, "SCR-1018", "Row 05");
    await signIn(page, who, { at: `/sites?site=${site.id}` });
    const row = robotRow(page, "SCR-1018");
    await expect(row.getByText("Idle", { exact: true })).toBeVisible();
    const dialog = page.getByRole("dialog", { name: "Delete Robot" });
    const deed = dialog.getByRole("button", { name: "Delete Robot" });
    const toldBefore = async (sentence: string) => {
      await row.getByRole("button", { name: "Delete" }).click();
      await expect(dialog.getByRole("alert")).toContainText(sentence);
      await expectDisabled(deed, sentence);
      await dialog.getByRole("button", { name: "Cancel" }).click();
    };
    await robots.command(robot, "START");
    await expectTruth(simulator, "SCR-1018", { motion: "MOVING" });
    await toldBefore("Robot SCR-1018 is cleaning. Stop it first.");
    const bound = await openEdit(page, "SCR-1018");
    await expectDisabled(bound.serial, "Cannot be changed while the robot is cleaning.");
    await bound.cancel.click();
    await robots.command(robot, "STOP");
    await expectTruth(simulator, "SCR-1018", { motion: "STOPPED" });
    await groups.make(BHADLA, "East Row", ["SCR-1018"]);
    await toldBefore('Robot SCR-1018 is in the group "East Row". Take it out of the group first.');
    await groups.deleteAll();

    // What the console did not know: the server's word stays in the dialog, and offers no second try.
    const sentence = "Robot SCR-1018 has a Stop that it has not confirmed.";
    await page.route("**/api/robots/delete/*", (route) => route.fulfill({ status: 400, json: { message: sentence } }));
    await row.getByRole("button", { name: "Delete" }).click();
    await deed.click();
    await expectToast(page, "Cannot Delete Robot", sentence);
    await expect(dialog.getByRole("alert")).toContainText(sentence);
    await expect(dialog.getByRole("button", { name: "Try again" })).toHaveCount(0);
    await expect(row).toBeAttached();
    await page.unroute("**/api/robots/delete/*");
    await deed.click();
    await expect(row).toBeHidden();
    await expect(dialog).toBeHidden();
  });
}

test("§8 Delete robot: any other failure shows the error's message, or the sentence", async ({
  page,
  signIn,
  robots,
  problems,
}) => {
  problems.allow(/status of 500|ERR_FAILED/);
  const site = await robots.site(BHADLA);
  await robots.add(BHADLA, "SCR-1013", "Row 05");
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  for (const [answer, message] of [
    [{ message: "The database is down." }, "The database is down."],
    [{ message: "" }, "Failed to delete robot. Please try again."],
  ] as const) {
    await page.route("**/api/robots/delete/*", (route) => route.fulfill({ status: 500, json: answer }));
    await robotRow(page, "SCR-1013").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: "Delete Robot" }).getByRole("button", { name: "Delete Robot" }).click();
    await expectToast(page, "Robot Deletion Failed", message);
    const dialog = page.getByRole("dialog", { name: "Delete Robot" });
    await expect(dialog.getByRole("alert")).toContainText(message);
    await expect(dialog.getByRole("button", { name: "Try again" })).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(robotRow(page, "SCR-1013")).toBeVisible();
  }
  await expect(toasts(page).first()).toBeVisible();
});

test("§5 Robot form: a name that is too long is not cut, and the field says so", async ({ page, signIn, robots }) => {
  const site = await robots.site(BHADLA);
  await robots.add(BHADLA, "SCR-1013", "Row 05");
  await signIn(page, "admin", { at: `/sites?site=${site.id}` });
  const dialog = await openEdit(page, "SCR-1013");
  await dialog.name.fill("R".repeat(201));
  await dialog.name.blur();
  await expect(dialog.name).toHaveValue("R".repeat(201));
  await expect(dialog.name).toHaveAccessibleDescription(/must have at most \d+ characters/);
});
