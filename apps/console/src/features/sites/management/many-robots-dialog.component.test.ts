import { createGroup, groupList } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotsMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { deleteRobot, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../../test/answers.ts";
import { expectCount, expectDisabled, expectText, expectTexts } from "../../../../test/expectations.ts";
import { openConsole } from "../../../../test/open-console.tsx";
import { CHARANKA, fleetSnapshot, sampleRobots, sampleSites } from "../../../../test/sample-fleet.ts";

const [one, other] = sampleRobots.filter(({ site_id }) => site_id === 1);
if (one === undefined || other === undefined) throw new Error("The sample fleet has no two robots.");
const elsewhere = sampleSites.find(({ name }) => name === CHARANKA)?.id;
const result = (dialog: ReturnType<typeof page.getByRole>) => dialog.getByRole("list", { name: "Results" });

/** Selects both robots of the site and opens a dialog about them. */
async function openMany(action: string, title: string) {
  await openConsole("/sites?site=1");
  await page.getByRole("checkbox", { name: "Select all 2" }).click();
  await expect.element(page.getByRole("checkbox", { name: "2 selected" })).toBeChecked();
  await page.getByRole("button", { name: action, exact: true }).click();
  return page.getByRole("dialog", { name: title });
}

test("many robots: moving asks once with their number, says which could not be moved and why, and tries those again", async () => {
  const dialog = await openMany("Move", "Move Robots");
  const move = dialog.getByRole("button", { name: "Move 2 robots" });
  await expectDisabled(move, "Choose a site first.");
  await dialog.getByRole("combobox", { name: "To site" }).click();
  await page.getByRole("option", { name: CHARANKA }).click();
  const reason = "The site cannot be changed now. Robot is cleaning. Stop it first.";
  when(updateRobot).fail(409, { message: reason, code: "ROBOT_NOT_REPLACEABLE" });
  await move.click();
  await expectText(dialog.getByRole("status"), "0 of 2 robots moved.");
  await expectTexts(result(dialog).getByRole("listitem"), [
    `${one.serial_number}Not moved${reason}`,
    `${other.serial_number}Not moved${reason}`,
  ]);
  const again = when(updateRobot).answer({ message: "Robot updated successfully" });
  await dialog.getByRole("button", { name: "Try again for 2 robots" }).click();
  await expectText(dialog.getByRole("status"), "2 robots moved.");
  expect(again).toHaveLength(2);
  for (const { robot_id: id } of [one, other]) {
    expect(again).toContainEqual(
      expect.objectContaining({ params: { id }, body: expect.objectContaining({ site_id: elsewhere }) }),
    );
  }
});

test("many robots: what is left empty of an update stays as it is for each", async () => {
  const dialog = await openMany("Update", "Update Robots");
  await expectDisabled(dialog.getByRole("button", { name: "Update 2 robots" }), "Nothing has been changed.");
  await dialog.getByRole("combobox", { name: "Motor type" }).fill("Stepper");
  const sent = when(updateRobot).answer({ message: "Robot updated successfully" });
  await dialog.getByRole("button", { name: "Update 2 robots" }).click();
  await expectText(dialog.getByRole("status"), "2 robots updated.");
  for (const row of [one, other]) {
    const call = sent.find(({ params }) => params.id === row.robot_id);
    expect(call?.body).toMatchObject({
      motor_type: "Stepper",
      control_type: row.control_type ?? "",
      installation_date: row.installation_date,
      robot_name: row.robot_name,
      version: row.version,
    });
  }
});

test("many robots: a robot that is in another group is left out of the group, and says so", async () => {
  when(groupList).answer([]);
  const robots = sampleRobots.map((row) => (row.robot_id === one.robot_id ? { ...row, group_id: 77 } : row));
  when(robotDetailsWithSettings).answer({ robots: robots.filter(({ site_id }) => site_id === 1) });
  when(live).stream(() => fleetSnapshot(robots));
  const dialog = await openMany("Add to group", "Add Robots to a Group");
  await expectDisabled(dialog.getByRole("button", { name: "Add 2 robots" }), "Name the group first.");
  await dialog.getByLabelText("Name of the new group").fill("West");
  const sent = when(createGroup).answer({ message: "Group created successfully", groupId: 5 });
  await dialog.getByRole("button", { name: "Add 2 robots" }).click();
  await expectText(dialog.getByRole("status"), "1 of 2 robots added.");
  await expectTexts(result(dialog).getByRole("listitem"), [
    `${one.serial_number}Not addedRobot ${one.serial_number} is in another group. Take it out of the group first.`,
    `${other.serial_number}Added`,
  ]);
  expect(sent).toMatchObject([{ body: { group_name: "West", site_id: 1, robot_ids: [other.robot_id] } }]);
});

test("many robots: a lock needs a reason and is one call for all; deleting names how many, and a deleted robot leaves the list", async () => {
  const lock = await openMany("Maintenance", "Maintenance");
  await expectDisabled(lock.getByRole("button", { name: "Lock 2 robots" }), "Please enter a reason.");
  await lock.getByLabelText("Reason").fill("Brush change");
  const locked = when(robotsMaintenance).answer(({ body }) => ({
    success: true,
    message: "2 of 2 robots locked for maintenance.",
    results: body.robotObjectIds.map((robotObjectId) => ({
      robotId: String(robotObjectId),
      robotObjectId,
      outcome: "SUCCESS",
      message: "Locked.",
      pending: false,
    })),
  }));
  await lock.getByRole("button", { name: "Lock 2 robots" }).click();
  await expectText(lock.getByRole("status"), "2 robots locked.");
  expect(locked.map(({ body }) => [body.reason, body.robotObjectIds.length])).toEqual([["Brush change", 2]]);
  await lock.getByRole("button", { name: "Close", exact: true }).last().click();

  await page
    .getByRole("region", { name: "Selected site" })
    .getByRole("button", { name: "Delete", exact: true })
    .first()
    .click();
  const dialog = page.getByRole("dialog", { name: "Delete Robots" });
  await expect.element(dialog.getByText(`${one.serial_number}, ${other.serial_number}`)).toBeVisible();
  const deleted = when(deleteRobot).answer({ message: "Robot deleted successfully" });
  when(robotDetailsWithSettings).answer({ robots: [] });
  await dialog.getByRole("button", { name: "Delete 2 robots" }).click();
  await expectText(dialog.getByRole("status"), "2 robots deleted.");
  expect(new Set(deleted.map(({ params }) => params.id))).toEqual(new Set([one.robot_id, other.robot_id]));
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expectCount(page.getByRole("article"), 0);
});
