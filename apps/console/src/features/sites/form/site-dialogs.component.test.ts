import { groupList } from "@suncrew/contract/groups/groups.ts";
import { createSite, deleteSite, updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { Refusal, when } from "../../../../test/answers.ts";
import {
  expectContains,
  expectCount,
  expectDisabled,
  expectNoToastOf,
  expectToast,
  press,
  pressRetry,
} from "../../../../test/expectations.ts";
import { openConsole } from "../../../../test/open-console.tsx";
import { BHADLA, sampleSite, sampleSites } from "../../../../test/sample-fleet.ts";

const siteRow = (name: string) =>
  page.getByRole("region", { name: "All Sites" }).getByRole("listitem", { name, exact: true });

test("a form with input asks before it closes, and loses nothing when saving fails", async () => {
  when(updateSite).fail(500, { message: "Broken" });
  when(createSite).fail(500, { message: "" });
  await openConsole("/sites");
  await siteRow(BHADLA).getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit Site" });
  const district = dialog.getByLabelText("District");
  await expect.element(dialog.getByLabelText("Site name")).toHaveValue(BHADLA);
  await district.fill("Jaipur");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expectToast("Site Update Failed", "Failed to update site. Please try again.", "Broken");
  await expect.element(district).toHaveValue("Jaipur");
  await userEvent.keyboard("{Escape}");
  const question = page.getByRole("dialog", { name: "Discard Changes" });
  await expect.element(question).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expectCount(question, 0);
  await expect.element(district).toHaveValue("Jaipur");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Discard" }).click();
  await expectCount(dialog, 0);

  await page.getByRole("button", { name: "Add New Site" }).click();
  const add = page.getByRole("dialog", { name: "Add New Site" });
  await expect.element(add.getByLabelText("Site name")).toHaveFocus();
  for (const [label, text] of Object.entries({
    "Site name": "Another",
    Address: "Lake Road 4, Gudha",
    District: "Nagaur",
    State: "Rajasthan",
    "Pin code": "341509",
    "Commissioning date": "2024-04-01",
    Latitude: "20",
    Longitude: "80",
  })) {
    await add.getByLabelText(label).fill(text);
  }
  await add.getByRole("button", { name: "Select Maintenance Partner" }).click();
  const picker = page.getByRole("dialog", { name: "Select Maintenance Partner" });
  await picker.getByRole("button", { name: "In-house" }).click();
  await expectCount(picker, 0);
  await add.getByRole("button", { name: "Add Site", exact: true }).click();
  await expectToast("Site Creation Failed", "Failed to create site. Please try again.");
  await expect.element(add.getByLabelText("Site name")).toHaveValue("Another");
  await expectNoToastOf("Site Created");
});

test("§4 Closing a form: Escape does nothing while it is being saved, and if the server then refuses, the input is still there", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const asked = when(updateSite).answer(async () => {
    await released;
    throw new Refusal(500, { message: "The database is down." });
  });
  await openConsole("/sites");
  await siteRow(BHADLA).getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit Site" });
  await expect.element(dialog.getByLabelText("Site name")).toHaveValue(BHADLA);
  const district = dialog.getByLabelText("District");
  await district.fill("Jaipur");
  await press(district, "Enter");
  await expect.poll(() => asked.length).toBe(1);
  await userEvent.keyboard("{Escape}");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  release();
  await expectToast("Site Update Failed", "Failed to update site. Please try again.", "The database is down.");
  await expect.element(district).toHaveValue("Jaipur");
  await expectCount(page.getByRole("dialog", { name: "Discard Changes" }), 0);
});

test("§2 Delete Site: the server's objection is shown, and the list of the site's contents may fail to load", async () => {
  const name = "Sambhar Lake Solar";
  const reason = `Site "${name}" cannot be deleted now. SCR-1015 has just been started.`;
  when(siteDetails).answer([...sampleSites, sampleSite({ id: 9, name, robot_count: 0, online_robots: 0 })]);
  when(deleteSite).fail(409, { message: reason });
  when(groupList).fail(500, { message: "Broken" });
  await openConsole("/sites");
  await siteRow(name).getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Site" });
  const button = dialog.getByRole("button", { name: "Delete Site" });
  await expect.element(dialog.getByText("What belongs to the site could not be loaded.")).toBeVisible();
  await expectDisabled(button, "What belongs to the site is not known yet.");
  const consequence = dialog.getByText(`${name} will be deleted. It has no robots, groups or schedules.`);
  await pressRetry(() => when(groupList).answerAsUsual(), consequence, dialog);
  await button.click();
  await expectToast("Site Deletion Failed", "Failed to delete site. Please try again.", reason);
  await expectContains(dialog.getByRole("alert"), reason);
  await expectCount(siteRow(name), 1);
  await expectNoToastOf("Site Deleted");
  await expectCount(siteRow(BHADLA), 1);
});
