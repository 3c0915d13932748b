import { createGroup, deleteGroup, groupList, updateGroup } from "@suncrew/contract/groups/groups.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { type Schedule, updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { Refusal, when } from "../../../test/answers.ts";
import {
  expectContains,
  expectCount,
  expectDisabled,
  expectNoToast,
  expectToast,
  pressRetry,
} from "../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../test/open-console.tsx";
import { sampleGroup } from "../../../test/sample-fleet.ts";

const group = sampleGroup();
const groupRow = (name: string) => page.getByRole("listitem", { name, exact: true });

test("§8 Groups: a failed save or delete shows the specification's message, and input is kept", async () => {
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
  await page.getByRole("button", { name: "Discard" }).click();

  await groupRow("East Row").getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Robot Group" });
  await expect.element(edit.getByLabelText("Group name")).toHaveValue("East Row");
  await edit.getByLabelText("Group name").fill("Other");
  await edit.getByRole("button", { name: "Update", exact: true }).click();
  await expectToast("Group Update Failed", "Failed to update robot group. Please try again.");
  await expect.element(edit.getByLabelText("Group name")).toHaveValue("Other");
  await edit.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();

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
  await pressRetry(() => when(groupList).answer([group]), groupRow(group.group_name));
});

const changedMeanwhile = { field: "version", message: "Somebody else has changed this in the meantime." };
/**
 * Somebody else saves these at the moment in which the save is refused; not before, for the live stream's snapshot has
 * the groups read again when it comes, which would show them before Save is pressed.
 */
function changeMeanwhile(groups: ResponseOf<typeof groupList>): never {
  when(groupList).answer(groups);
  throw new Refusal(409, { message: changedMeanwhile.message, code: "EDIT_CONFLICT", errors: [changedMeanwhile] });
}

test("§5 Robot group: of two people who edit, the second is notified, chooses, and saves the chosen values", async () => {
  when(groupList).answer([group]);
  const theirs = { ...group, group_name: "Theirs", robots: [{ id: 11 }, { id: 12 }], version: 2 };
  when(updateGroup).answer(() => changeMeanwhile([theirs]));
  await openConsole("/sites?site=1&tab=groups");
  await groupRow("East Row").getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Robot Group" });
  const update = edit.getByRole("button", { name: "Update", exact: true });
  await edit.getByLabelText("Group name").fill("Mine");
  await update.click();
  const notice = edit.getByRole("alert");
  await expectContains(notice, "Somebody else changed this group while you were editing");
  await expectContains(notice, "Only the other changed, and is kept: Robots.");
  await expectDisabled(update, "Choose first: take theirs or keep mine.");
  await notice.getByRole("button", { name: "Keep mine" }).click();
  await expect.element(edit.getByLabelText("Group name")).toHaveValue("Mine");
  await expect.element(edit.getByRole("checkbox", { name: "SCR-1012" })).toBeChecked();
  const sent = when(updateGroup).answer({ message: "Group updated successfully" });
  await update.click();
  await expectToast("Group Updated", 'Robot group "Mine" has been updated successfully.');
  expect(sent.map(({ body }) => body)).toEqual([{ site_id: 1, group_name: "Mine", robot_ids: [11, 12], version: 2 }]);
});

test("§2 Group Control tab: a run that is due and waiting says for what", async () => {
  const waiting = "Waiting for the state of SCR-1012: not heard from for a while.";
  const schedule_details: Schedule = {
    id: 9,
    group_id: group.id,
    site_id: 1,
    action: "START",
    start_time: "2026-01-31 06:30:00",
    duration_minutes: 30,
    frequency: "DAILY",
    status: "ACTIVE",
    next_run_at: "2026-01-31T01:00:00.000Z",
    waiting,
    skip_on_rain: false,
    least_days: null,
    most_days: null,
    decides_at: null,
    decision: null,
    version: 4,
  };
  when(groupList).answer([sampleGroup({ schedule_type: "DAILY", schedule_details })]);
  await openConsole("/dashboard?site=1&tab=groups");
  const schedule = page.getByRole("group", { name: "Schedule of East Row" });
  await expect.element(schedule.getByText(waiting)).toBeVisible();
});

test("§5 Schedule: unsaved input is confirmed before it is discarded; of two people who edit, the second is notified", async () => {
  const schedule: Schedule = {
    id: 9,
    group_id: group.id,
    site_id: 1,
    action: "START",
    start_time: "2099-01-31 06:30:00",
    duration_minutes: 30,
    frequency: "DAILY",
    status: "ACTIVE",
    next_run_at: "2099-01-31T01:00:00.000Z",
    waiting: null,
    skip_on_rain: false,
    least_days: null,
    most_days: null,
    decides_at: null,
    decision: null,
    version: 4,
  };
  const planned = (change: Partial<Schedule>) =>
    sampleGroup({ schedule_type: "DAILY", schedule_details: { ...schedule, ...change } });
  when(groupList).answer([planned({})]);
  await openConsole("/dashboard?site=1&tab=groups");
  const open = page.getByRole("button", { name: "Schedule", exact: true });
  const dialog = page.getByRole("dialog", { name: "Schedule: East Row" });
  const duration = dialog.getByLabelText("Duration (minutes)");
  const question = page.getByRole("dialog", { name: "Discard Changes" });
  await open.click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expectCount(dialog, 0);
  await open.click();
  await duration.fill("45");
  await userEvent.keyboard("{Escape}");
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expectCount(question, 0);
  await expect.element(duration).toHaveValue("45");

  when(updateSchedule).answer(() => changeMeanwhile([planned({ start_time: "2099-01-31 07:00:00", version: 5 })]));
  await dialog.getByRole("button", { name: "Save Schedule" }).click();
  await expectContains(
    dialog.getByRole("alert"),
    "Both changes fit together: Start time from the other, Duration (minutes) from you. Save stores both.",
  );
  const sent = when(updateSchedule).answer({ message: "", schedule: { ...schedule, version: 6 } });
  await dialog.getByRole("button", { name: "Save Schedule" }).click();
  await expectToast("Schedule Updated", 'Schedule for group "East Row" has been updated.');
  expect(sent).toMatchObject([
    { body: { start_time: "2099-01-31 07:00:00", duration_minutes: 45, version: 5 }, params: { scheduleId: 9 } },
  ]);
});

for (const width of [360, 1440]) {
  test(`§2 Schedule dialog: a date is seen whole, ${width} px wide`, async () => {
    await page.viewport(width, 844);
    when(groupList).answer([group]);
    await openConsole("/dashboard?site=1&tab=groups");
    await page.getByRole("button", { name: "Schedule", exact: true }).click();
    const date = page.getByRole("dialog", { name: "Schedule: East Row" }).getByLabelText("Date");
    await date.fill("30 Nov 2026");
    const { scrollWidth, clientWidth } = date.element();
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  });
}

test("§2 Robot settings, Maintenance: unsaved speeds and reasons are confirmed before they are discarded", async () => {
  await openConsole("/dashboard?site=1");
  const question = page.getByRole("dialog", { name: "Discard Changes" });
  const card = page.getByRole("article").first();
  await card.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("dialog", { name: /^Robot settings/ });
  (await settings.getByRole("slider", { name: "Brush motor speed" }).findElement()).focus();
  await userEvent.keyboard("{ArrowLeft}");
  await userEvent.keyboard("{Escape}");
  await question.getByRole("button", { name: "Discard" }).click();
  await expectCount(settings, 0);
  await card.getByRole("button", { name: "Maintenance" }).click();
  const lock = page.getByRole("dialog", { name: /^Maintenance:/ });
  await lock.getByLabelText("Reason").fill("Brush");
  await lock.getByRole("button", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Discard" }).click();
  await expectCount(lock, 0);
});
