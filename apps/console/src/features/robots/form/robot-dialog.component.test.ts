import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { deviceList } from "@suncrew/contract/devices/devices.ts";
import { live } from "@suncrew/contract/live/live.ts";
import {
  createRobot,
  deleteRobot,
  robotTypes,
  serialNumbers,
  updateRobot,
} from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../../test/answers.ts";
import {
  expectAddress,
  expectContains,
  expectCount,
  expectDisabled,
  expectEnabled,
  expectText,
  expectTexts,
  expectToast,
} from "../../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../../test/open-console.tsx";
import { shortDayText, todayIn } from "../../../ui/days.ts";
import { fleetSnapshot, sampleRobots } from "../../../../test/sample-fleet.ts";

const NAME_TAKEN = "Robot name already exists for this site";
const robotRow = (serial: string) => page.getByRole("article", { name: serial });
const question = page.getByRole("dialog", { name: "Discard Changes" });
const picker = page.getByRole("dialog", { name: "Choose a Serial Number" });
const option = (serial: string) => picker.getByRole("option", { name: serial });
const search = picker.getByRole("combobox", { name: "Search serial numbers" });

function formIn(title: "Add New Robot" | "Edit Robot") {
  const dialog = page.getByRole("dialog", { name: title });
  return {
    dialog,
    serial: dialog.getByRole("button", { name: /^Serial number/ }),
    name: dialog.getByLabelText("Robot name"),
    date: dialog.getByLabelText("Installation date"),
    save: dialog.getByRole("button", { name: title === "Edit Robot" ? "Save" : "Add Robot", exact: true }),
  };
}

async function openAdd() {
  await page.getByRole("button", { name: "Add New Robot" }).click();
  const form = formIn("Add New Robot");
  await expect.element(form.serial).toHaveFocus();
  return form;
}

async function openEdit(serial: string) {
  await robotRow(serial).getByRole("button", { name: "Edit" }).click();
  const form = formIn("Edit Robot");
  await expect.element(form.name).toHaveValue("Row 1");
  return form;
}

/** The sample robots of the first site, one of them changed. */
function robotsWith(serial: string, change: Partial<(typeof sampleRobots)[number]>) {
  return sampleRobots
    .filter(({ site_id }) => site_id === 1)
    .map((one) => (one.serial_number === serial ? { ...one, ...change } : one));
}

for (const account of ["admin", "partner"] as const) {
  test(`§5 Robot form, as ${account}: each required field says so, and a name that another robot of the site has is refused`, async () => {
    when(serialNumbers).answer([{ serial_number: "SCR-1013", assigned: false }]);
    if (account === "admin") when(deviceList).answer([]);
    await openConsole("/sites?site=1", account);
    const { dialog, serial, name, date, save } = await openAdd();
    // Installed today, unless somebody says otherwise.
    await expect.element(date).toHaveValue(shortDayText(todayIn("Asia/Kolkata", new Date())));
    await expectDisabled(save, "Still missing or wrong: Serial number, Robot name.");
    await date.fill("");
    await expectDisabled(save, "Still missing or wrong: Serial number, Robot name, Installation date.");
    await save.click({ force: true });
    for (const text of ["Serial number is required", "Robot name is required", "Installation date is required"]) {
      await expect.element(dialog.getByText(text, { exact: true })).toBeVisible();
    }
    await expect.element(serial).toHaveFocus();
    await serial.click();
    await option("SCR-1013").click();
    await expectText(serial, "SCR-1013");
    await expect.element(name).toHaveValue("SCR-1013");
    await expectDisabled(save, "Installation date is required");
    await date.fill("2026-02-03");
    await expectEnabled(save);
    await name.fill("Ro  w1");
    await expect.element(dialog.getByText(NAME_TAKEN).first()).toBeVisible();
    await expectDisabled(save, NAME_TAKEN);
    // Case matters: this is another name.
    await name.fill("row 1");
    await expectEnabled(save);
    await name.fill("  ");
    await userEvent.tab();
    await expectDisabled(save, "Robot name is required");
  });
}

test("§2 Robot serial-number picker: assigned ones cannot be chosen; search and keyboard work; unsaved input is confirmed", async () => {
  when(serialNumbers).answer(
    [1011, 1013, 1014, 1015, 1016, 1017].map((nth) => {
      return { serial_number: `SCR-${nth}`, assigned: ![1013, 1015, 1017].includes(nth) };
    }),
  );
  await openConsole("/sites?site=1", "partner");
  const { dialog, serial, name } = await openAdd();
  await userEvent.keyboard("{Enter}");
  await expect.element(search).toHaveFocus();
  await search.fill("1011");
  // §3: flagged as assigned; those are shown only to whoever looks for one.
  await expectCount(option("SCR-1011"), 0);
  await expect.element(picker.getByText("All that match are assigned.")).toBeVisible();
  await picker.getByLabelText("Show assigned (1)").click();
  await expectText(option("SCR-1011"), "SCR-1011Assigned");
  await expect.element(option("SCR-1011")).toHaveAttribute("aria-disabled", "true");
  await option("SCR-1011").click({ force: true });
  await userEvent.keyboard("{Enter}");
  await expect.element(picker).toBeVisible();
  await search.fill("nothing like it");
  await expect.element(picker.getByText("No serial numbers match.")).toBeVisible();
  await search.fill("scr-101");
  // From SCR-1013 past assigned ones to SCR-1015 and SCR-1017, and one back.
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}{Enter}");
  await expectCount(picker, 0);
  await expectText(serial, "SCR-1015");
  await expect.element(serial).toHaveFocus();
  await serial.click();
  await expect.element(search).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expectCount(picker, 0);
  await expect.element(dialog).toBeVisible();
  // Unsaved input is not discarded without asking.
  await userEvent.keyboard("{Escape}");
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect.element(name).toHaveValue("SCR-1015");
});

test("§5 Edit Robot: a name that is too long is not truncated; if the stream did not report another person's edit the refusal does, and nothing is lost", async () => {
  // No stream is open, and none opens.
  when(live).hang();
  await openConsole("/sites?site=1");
  const { dialog, name, save } = await openEdit("SCR-1011");
  await name.fill("R".repeat(201));
  await userEvent.tab();
  await expect.element(name).toHaveValue("R".repeat(201));
  await expect.element(name).toHaveAccessibleDescription(/must have at most \d+ characters/);

  await name.fill("Mine");
  const message = "Somebody else has changed this in the meantime.";
  when(updateRobot).fail(409, { message, code: "EDIT_CONFLICT", errors: [{ field: "version", message }] });
  when(robotDetailsWithSettings).answer({ robots: robotsWith("SCR-1011", { robot_name: "Theirs", version: 2 }) });
  await save.click();
  await expectText(dialog.getByRole("row").last(), "Robot nameMineTheirs");
  await expect.element(name).toHaveValue("Mine");
  await dialog.getByRole("button", { name: "Keep mine" }).click();
  const sent = when(updateRobot).answer({ message: "Robot updated successfully" });
  await save.click();
  await expectToast("Robot Updated", 'Robot "Mine" has been successfully updated.');
  expect(sent).toMatchObject([{ body: { robot_name: "Mine", version: 2 }, params: { id: 11 } }]);
});

test("§8 Delete robot: any other failure shows the error's message, or the default one", async () => {
  await openConsole("/sites?site=1");
  const dialog = page.getByRole("dialog", { name: "Delete Robot" });
  for (const [answer, message] of [
    ["The database is down.", "The database is down."],
    ["", "Failed to delete robot. Please try again."],
  ] as const) {
    when(deleteRobot).fail(500, { message: answer });
    await robotRow("SCR-1011").getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete Robot" }).click();
    await expectToast("Robot Deletion Failed", message);
    await expectContains(dialog.getByRole("alert"), message);
    await expect.element(dialog.getByRole("button", { name: "Try again" })).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect.element(robotRow("SCR-1011")).toBeVisible();
  }
});

test("§2 Robots tab: the status filter is kept in the URL, heading and empty message reflect it, and the badge reads CHECKING... during a manual refresh", async () => {
  const heading = page.getByRole("heading", { level: 3, name: /^Cleaning Robots/ });
  const filter = page.getByRole("combobox", { name: "Filter by status" });
  // Its drive is jammed.
  const robots = robotsWith("SCR-1011", { status: "critical" });
  const reading = (robotId: string) => {
    const shown =
      robotId === "SCR-1011"
        ? ({ status: "fault", robot_status: "critical" } as const)
        : ({ status: "stop", robot_status: "idle" } as const);
    const timestamp = new Date().toISOString();
    const data = { ...shown, battery: 72, timestamp, motion: "STOPPED", direction: "FWD" } as const;
    return { success: true, data } as const;
  };
  const openSite = async (address: string) => {
    when(robotDetailsWithSettings).answer({ robots });
    when(live).stream(() => fleetSnapshot(robots));
    when(robotStatus).answer(({ query }) => reading(query.robotId));
    await openConsole(address);
  };
  await openSite("/sites?site=1");
  await expectText(heading, "Cleaning Robots (2)");
  await expectTexts(filter.getByRole("option"), ["All Status", "Normal", "Warning", "Fault", "Offline"]);
  await filter.selectOptions("Fault");
  await expectAddress(/[?&]status=fault/);
  await expectText(heading, "Cleaning Robots (1 of 2 robots)");
  await expectCount(page.getByRole("article"), 1);
  await expect.element(page.getByRole("article")).toHaveAccessibleName("SCR-1011");
  await filter.selectOptions("Offline");
  const none = page.getByText('No robots found with status "Offline".');
  await expect.element(none).toBeVisible();
  await expectAddress(/[?&]status=offline/);
  const address = location.pathname + location.search;
  await closeConsole();
  await openSite(address);
  await expect.element(filter).toHaveValue("offline");
  await page.getByRole("button", { name: "Show all robots" }).click();
  await expectCount(page.getByRole("article"), 2);
  await expect.poll(() => location.search).not.toContain("status=");

  const row = robotRow("SCR-1012");
  await expect.element(row.getByText("Idle", { exact: true })).toBeVisible();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  when(robotStatus).answer(({ query }) => released.then(() => reading(query.robotId)));
  await row.getByRole("button", { name: "Refresh status" }).click();
  await expect.element(row.getByText("CHECKING...")).toBeVisible();
  release();
  await expect.element(row.getByText("Idle", { exact: true })).toBeVisible();
});

test("robot form: motor type is chosen from those in use and the usual ones, or typed", async () => {
  when(serialNumbers).answer([{ serial_number: "SCR-1013", assigned: false }]);
  when(robotTypes).answer({ motor_types: ["BLDC", "Servo"], control_types: ["PLC"] });
  const sent = when(createRobot).answer({ message: "Robot created successfully", robotId: 90 });
  await openConsole("/sites?site=1", "partner");
  const { dialog, serial, save } = await openAdd();
  await serial.click();
  await option("SCR-1013").click();
  const motor = dialog.getByRole("combobox", { name: "Motor type" });
  await motor.click();
  const list = page.getByRole("listbox", { name: "Motor type" });
  await expectTexts(list.getByRole("option"), ["BLDC", "Servo", "DC Geared", "Stepper"]);
  await list.getByRole("option", { name: "DC Geared" }).click();
  await dialog.getByRole("combobox", { name: "Control type" }).fill("Relay board");
  await save.click();
  await expectToast("Robot Added", 'Robot "SCR-1013" has been successfully added.');
  expect(sent).toMatchObject([{ body: { motor_type: "DC Geared", control_type: "Relay board" } }]);
});
