import type { Page } from "@playwright/test";
import { createGroup } from "@suncrew/contract/groups/groups.ts";
import {
  BHADLA,
  expectDisabled,
  expectEnabled,
  expectToast,
  robotCard,
  toasts,
  discardChanges,
} from "./support/dashboard.ts";
import {
  expect,
  groupCard,
  groupRow,
  managementAddress,
  openManagedGroups,
  siteAddress,
  test,
} from "./support/group-fixtures.ts";
import { signInWith } from "./support/sign-in.ts";
import { accounts } from "./support/suncrew.ts";

const NAME_TAKEN = "Group name already exists for this site";
const INCOMPLETE = "Please enter a valid group name and select at least one robot.";

function dialogOf(page: Page, title: "Create Group" | "Edit Robot Group") {
  const root = page.getByRole("dialog", { name: title });
  return {
    root,
    name: root.getByLabel("Group name"),
    robot: (serial: string) => root.getByRole("checkbox", { name: serial }),
    robots: root.getByRole("checkbox"),
    save: root.getByRole("button", { name: title === "Create Group" ? "Create" : "Update", exact: true }),
    cancel: root.getByRole("button", { name: "Cancel" }),
  };
}

async function openCreate(page: Page) {
  await page.getByRole("button", { name: "Create Group" }).click();
  const dialog = dialogOf(page, "Create Group");
  await expect(dialog.name).toBeFocused();
  return dialog;
}

async function openEdit(page: Page, name: string) {
  await groupRow(page, name).getByRole("button", { name: "Edit" }).click();
  const dialog = dialogOf(page, "Edit Robot Group");
  await expect(dialog.name).toHaveValue(name);
  return dialog;
}

test("§2 Group Control, empty, §5 Robot group: it links to Site Management, where the first group is created once it is valid, and deleted", async ({
  page,
  signIn,
  groups,
}) => {
  const site = await groups.site(BHADLA);
  await signIn(page, "admin", { at: siteAddress(site, "groups") });
  await expect(page.getByText("No robot groups available, create groups in Site Management")).toBeVisible();
  await page.getByRole("link", { name: "Go to Site Management" }).click();
  await expect(page).toHaveURL(/\/sites\?site=\d+&tab=groups$/);
  await expect(page.getByRole("heading", { level: 2, name: BHADLA })).toBeVisible();
  await expect(page.getByText("No robot groups yet")).toBeVisible();

  await test.step("Create is disabled while the form is invalid and says why", async () => {
    const dialog = await openCreate(page);
    await expectDisabled(dialog.save, INCOMPLETE);
    await dialog.name.fill("North");
    await expectDisabled(dialog.save, INCOMPLETE);
    await dialog.robot("SCR-1002").check();
    await expectEnabled(dialog.save);
    await dialog.name.fill("   ");
    await expectDisabled(dialog.save, INCOMPLETE);
    await dialog.name.press("Enter");
    await expect(dialog.root).toBeVisible();
    await dialog.name.fill("North");
    await dialog.root.getByRole("button", { name: "Choose all" }).click();
    await expect(dialog.root.getByText("4 robots chosen")).toBeVisible();
    await dialog.root.getByRole("button", { name: "Choose none" }).click();
    await expectDisabled(dialog.save, INCOMPLETE);
    await dialog.cancel.click();
    await discardChanges(page);
    await expect(dialog.root).toBeHidden();
    await expect(page.getByRole("button", { name: "Create Group" })).toBeFocused();
    expect(await groups.listed(BHADLA)).toEqual([]);
  });

  const dialog = await openCreate(page);
  await dialog.name.fill("East Row");
  await dialog.robot("SCR-1001").check();
  await dialog.robot("SCR-1003").check();
  await dialog.save.click();
  await expectToast(page, "Group Created", 'Robot group "East Row" has been created successfully.');
  await expect(dialog.root).toBeHidden();
  await expect(groupRow(page, "East Row")).toContainText("2 robots: SCR-1001, SCR-1003");
  await expect(page.getByRole("heading", { name: "Robot Groups (1)" })).toBeVisible();
  const [group] = await groups.listed(BHADLA);
  if (group === undefined) throw new Error("The group is not listed.");

  await page.goBack();
  await expect(groupCard(page, "East Row")).toContainText("2 robots");
  await groups.schedule(group, { startTime: "2999-01-01 06:30:00" });
  await expect(page.getByRole("group", { name: "Schedule of East Row" })).toBeVisible();
  await page.goForward();

  await test.step("deleting asks Yes or No, naming the group and what is deleted with it", async () => {
    const ask = async () => groupRow(page, "East Row").getByRole("button", { name: "Delete", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Delete Robot Group" });
    await ask();
    await expect(question).toContainText(
      'Delete the group "East Row"? Its schedule is deleted with it. Its 2 robots stay at the site without a group.',
    );
    await question.getByRole("button", { name: "No", exact: true }).click();
    await expect(question).toBeHidden();
    await expect(groupRow(page, "East Row")).toBeVisible();
    expect(await groups.listed(BHADLA)).toHaveLength(1);

    await ask();
    await question.getByRole("button", { name: "Yes", exact: true }).click();
    await expectToast(page, "Group Deleted", 'Robot group "East Row" has been deleted successfully.');
    await expect(page.getByText("No robot groups yet")).toBeVisible();
    expect(await groups.listed(BHADLA)).toEqual([]);
  });
});

test("§5 Robot group: a name is unique per site, ignoring case and spaces; create offers ungrouped robots, edit also the group's own", async ({
  page,
  signIn,
  groups,
}) => {
  await groups.make(BHADLA, "East Row", ["SCR-1001", "SCR-1002"]);
  await groups.make(BHADLA, "West Row", ["SCR-1003"]);
  await signIn(page, "admin", { at: managementAddress(await groups.site(BHADLA)) });
  await test.step("create offers ungrouped robots and refuses the name of another group", async () => {
    const create = await openCreate(page);
    await expect(create.robots).toHaveCount(1);
    await expect(create.robot("SCR-1004")).not.toBeChecked();
    await create.robot("SCR-1004").check();
    for (const name of ["East Row", "eastrow", " EAST  r o w "]) {
      await create.name.fill(name);
      await expect(create.root.getByText(NAME_TAKEN).first()).toBeVisible();
      await expect(create.name).toHaveAccessibleDescription(NAME_TAKEN);
      await expectDisabled(create.save, NAME_TAKEN);
    }
    await create.cancel.click();
    await discardChanges(page);
  });

  await test.step("the group's own name is not a duplicate", async () => {
    const edit = await openEdit(page, "East Row");
    await edit.name.fill("EAST  row");
    await expectEnabled(edit.save);
    await edit.name.fill("westROW");
    await expectDisabled(edit.save, NAME_TAKEN);
    await edit.name.fill("EAST row");
    await edit.save.click();
    await expectToast(page, "Group Updated", 'Robot group "EAST row" has been updated successfully.');
  });

  await test.step("edit also offers the group's own robots, and changes name and robots", async () => {
    const edit = await openEdit(page, "EAST row");
    await expect(edit.robots).toHaveCount(3);
    await expect(edit.robot("SCR-1001")).toBeChecked();
    await expect(edit.robot("SCR-1002")).toBeChecked();
    await expect(edit.robot("SCR-1003")).toHaveCount(0);
    await edit.robot("SCR-1001").uncheck();
    await edit.robot("SCR-1002").uncheck();
    await expectDisabled(edit.save, INCOMPLETE);
    await edit.robot("SCR-1004").check();
    await edit.name.fill("Far Row");
    await edit.save.click();
    await expectToast(page, "Group Updated", 'Robot group "Far Row" has been updated successfully.');
    await expect(groupRow(page, "Far Row")).toContainText("1 robot: SCR-1004");
    await expect(groupRow(page, "EAST row")).toHaveCount(0);
  });

  await groups.make(BHADLA, "Rest", ["SCR-1001", "SCR-1002"]);
  const none = await openCreate(page);
  await expect(none.root.getByText("Every robot of this site is in a group.")).toBeVisible();
});

test("§2 AUTO badge, §5 Robot group: group changes in one browser appear in another without a click; of two people who save the same robot, the second sees why that fails", async ({
  page,
  openBrowser,
  signIn,
  groups,
  problems,
}) => {
  problems.allow(/status of 409/);
  const site = await groups.site(BHADLA);
  const other = await openBrowser();
  await signIn(page, "admin", { at: managementAddress(site) });
  await signIn(other, "partner");
  await test.step("a robot's card reads AUTO as soon as it is in a group, and MANUAL once it is in none", async () => {
    const badge = (word: string) => robotCard(other, "SCR-1001").root.getByText(word, { exact: true });
    await expect(badge("MANUAL")).toBeVisible();
    await groups.make(BHADLA, "East Row", ["SCR-1001"]);
    await expect(badge("AUTO")).toBeVisible();
    await expect(robotCard(other, "SCR-1002").root.getByText("MANUAL", { exact: true })).toBeVisible();
    await groups.deleteAll();
    await expect(badge("MANUAL")).toBeVisible();
  });

  await test.step("a group appears without a click, even while a dialog is open", async () => {
    await other.getByRole("tab", { name: "Group Control" }).click();
    await expect(other.getByText("No robot groups available, create groups in Site Management")).toBeVisible();
    await expect(page.getByText("No robot groups yet")).toBeVisible();
    const create = await openCreate(page);
    await create.name.fill("East Row");
    await create.robot("SCR-1001").check();
    await create.save.click();
    await expect(groupCard(other, "East Row")).toBeVisible();
    await expect(toasts(other)).toHaveCount(0);

    await openManagedGroups(other, BHADLA);
    const edit = await openEdit(page, "East Row");
    await edit.name.fill("Early Row");
    await edit.robot("SCR-1002").check();
    const theirs = await openCreate(other);
    await expect(theirs.robots).toHaveCount(3);
    await theirs.name.fill("early row");
    await theirs.robot("SCR-1002").check();
    await expectEnabled(theirs.save);
    await edit.save.click();
    await expect(theirs.robot("SCR-1002")).toHaveCount(0);
    await expectDisabled(theirs.save, NAME_TAKEN);
    await theirs.cancel.click();
    await discardChanges(other);
    await expect(groupRow(other, "Early Row")).toContainText("2 robots");

    const stale = await openEdit(other, "Early Row");
    await groupRow(page, "Early Row").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Yes", exact: true }).click();
    await expectDisabled(stale.save, "This group was deleted in the meantime.");
    await stale.cancel.click();
    await expect(other.getByText("No robot groups yet")).toBeVisible();
  });

  await test.step("of two people who save the same robot at once, the second sees which group has it", async () => {
    const [mine, theirs] = [await openCreate(page), await openCreate(other)];
    await mine.name.fill("East Row");
    await mine.robot("SCR-1002").check();
    await theirs.name.fill("Night shift");
    await theirs.robot("SCR-1002").check();

    // The first call is in progress while the second is served.
    const { promise: isServed, resolve: serve } = Promise.withResolvers<void>();
    await page.route(`**${createGroup.path}`, async (route) => {
      await isServed;
      await route.continue();
    });
    await mine.save.click();
    await theirs.save.click();
    await expectToast(other, "Group Created", 'Robot group "Night shift" has been created successfully.');
    serve();
    await expectToast(
      page,
      "Group Creation Failed",
      "Failed to create robot group. Please try again.",
      'Robot SCR-1002 is already in the group "Night shift".',
    );
    // The robot that the other one took can no longer be chosen.
    await expect(mine.root).toBeVisible();
    await expect(mine.robot("SCR-1002")).toHaveCount(0);
    await expectDisabled(mine.save, INCOMPLETE);
    expect((await groups.listed(BHADLA)).map(({ group_name }) => group_name)).toEqual(["Night shift"]);
  });
});

test("§9 robotGroups: the browser keeps a copy of the groups, trusts only the server, and drops the copy at sign-out", async ({
  page,
  groups,
}) => {
  const group = await groups.make(BHADLA, "East Row", ["SCR-1001", "SCR-1002"]);
  await signInWith(page, accounts.admin);
  await page.goto(siteAddress(group, "groups"));
  await expect(groupCard(page, "East Row")).toBeVisible();
  const stored = () => page.evaluate(() => localStorage.getItem("robotGroups"));
  await expect
    .poll(async () => JSON.parse((await stored()) ?? "[]"))
    .toEqual([
      {
        id: group.id,
        name: "East Row",
        siteId: group.site_id,
        robotIds: group.robots.map(({ id }) => id),
        createdAt: group.created_at,
        schedule: { enabled: false, startTime: "", durationMinutes: 30, frequency: "ONCE", customDays: 1, days: [] },
      },
    ]);
  await page.evaluate(() =>
    localStorage.setItem("robotGroups", (localStorage.getItem("robotGroups") ?? "").replace("East Row", "Forged")),
  );
  await page.reload();
  await expect(groupCard(page, "East Row")).toBeVisible();
  await expect(page.getByText("Forged")).toHaveCount(0);
  await expect.poll(stored).not.toContain("Forged");

  await page.getByRole("banner").getByRole("button", { name: "Vikram Mehta" }).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  expect(await stored()).toBeNull();
});
