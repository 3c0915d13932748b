import { createGroup, deleteGroup, groupList, updateGroup } from "@suncrew/contract/groups/groups.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { Refusal, when } from "../../../test/answers.ts";
import { expectCount, expectDisabled, expectNoToast, expectToast, pressRetry } from "../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../test/open-console.tsx";
import { sampleGroup } from "../../../test/sample-fleet.ts";

const group = sampleGroup();
const groupRow = (name: string) => page.getByRole("listitem", { name, exact: true });

test("§8 Groups: what cannot be saved or deleted says the specification's sentence, and what was typed stays", async () => {
  when(groupList).answer([group]);
  for (const route of [createGroup, updateGroup, deleteGroup]) when(route).fail(500, { message: "" });
  await openConsole("/sites?site=1&tab=groups");
  await page.getByRole("button", { name: "Create Group" }).click();
  const create = page.getByRole("dialog", { name: "Create Group" });
  const robot = create.getByRole("checkbox", { name: "SCR-1012" });
  await expect.element(create.getByLabelText("Group name")).toHaveFocus();
  await create.getByLabelText("Group name").fill("North");
  await robot.click();
  await create.getByRole("button", { name: "Create", exact: true }).click();
  await expectToast("Group Creation Failed", "Failed to create robot group. Please try again.");
  await expect.element(create.getByLabelText("Group name")).toHaveValue("North");
  await expect.element(robot).toBeChecked();
  await create.getByRole("button", { name: "Cancel" }).click();

  await groupRow("East Row").getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Robot Group" });
  await expect.element(edit.getByLabelText("Group name")).toHaveValue("East Row");
  await edit.getByLabelText("Group name").fill("Other");
  await edit.getByRole("button", { name: "Update", exact: true }).click();
  await expectToast("Group Update Failed", "Failed to update robot group. Please try again.");
  await expect.element(edit.getByLabelText("Group name")).toHaveValue("Other");
  await edit.getByRole("button", { name: "Cancel" }).click();

  await groupRow("East Row").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Yes", exact: true }).click();
  await expectToast("Group Deletion Failed", "Failed to delete robot group. Please try again.");
  await expect.element(groupRow("East Row")).toBeVisible();
});

test("§8 Groups fetch failure: the groups are emptied, and Retry loads them", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const failing = async (): Promise<never> => {
    await released;
    throw new Refusal(500, { message: "Broken" });
  };
  when(groupList).answer(failing);
  await openConsole("/dashboard?site=1&tab=groups");
  await expect.element(page.getByLabelText("Loading robot groups").first()).toBeInTheDocument();
  release();
  for (const address of [null, "/sites?site=1&tab=groups"]) {
    if (address !== null) {
      await closeConsole();
      when(groupList).answer(failing);
      await openConsole(address);
    }
    await expect.element(page.getByText("The robot groups could not be loaded.").first()).toBeVisible();
    await expectCount(page.getByText(group.group_name), 0);
  }
  await expectDisabled(page.getByRole("button", { name: "Create Group" }), "The robot groups could not be loaded.");
  await expectNoToast();
  await pressRetry(() => when(groupList).answer([group]));
  await expect.element(groupRow(group.group_name)).toBeVisible();
});
