import {
  type ReportTemplate,
  reportTemplates,
  updateReportTemplate,
} from "@suncrew/contract/report-templates/report-templates.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAddress,
  expectCount,
  expectDisabled,
  expectNoToast,
  expectToast,
  press,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";

test("report templates that cannot be loaded say so without a toast, and Retry loads them; an empty list says so too", async () => {
  when(reportTemplates).fail(500, { message: "Broken" });
  await openConsole("/report-management");
  await expect.element(page.getByText("The templates could not be loaded.")).toBeVisible();
  await expectNoToast();
  await pressRetry(() => when(reportTemplates).answer([]), page.getByText("No report templates"));
});

test("§6 Report Management is for Super Admins: a partner has no link and is redirected with the message", async () => {
  await openConsole("/report-management", "partner");
  await expectAddress("/dashboard");
  await expectToast("Access Denied", "Only Super Admins can access Report Management.");
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  await expect.element(links.first()).toBeVisible();
  await expectCount(links.filter({ hasText: "Report Management" }), 0);
});

const section = (type: ReportTemplate["sections"][number]["type"], name: string, order: number) => ({
  id: type,
  name,
  type,
  enabled: true,
  order,
  fields: [],
});
const template: ReportTemplate = {
  id: 3,
  name: "Weekly Figures",
  description: "",
  sections: [
    section("performance", "Robot Performance", 1),
    section("activities", "Activity Log", 2),
    section("robot_health", "Robot Health Status", 3),
    section("maintenance", "Maintenance History", 4),
    section("alerts", "Alerts Summary", 5),
  ],
  createdBy: "Administrator",
  createdAt: "2026-01-05T06:00:00.000Z",
  updatedAt: "2026-01-05T06:00:00.000Z",
  isActive: true,
  version: 1,
};

test("§2 Report Management: the keyboard focus is kept: at the end of the list, when saving fails, and afterwards", async () => {
  when(reportTemplates).answer([template]);
  when(updateReportTemplate).fail(500, { message: "Broken" });
  await openConsole("/report-management");
  const edit = page.getByRole("button", { name: "Edit Weekly Figures" });
  await press(edit, "Enter");
  const dialog = page.getByRole("dialog", { name: "Edit Template" });
  await expect.element(dialog.getByLabelText("Name")).toHaveFocus();
  const up = dialog.getByRole("button", { name: "Move Activity Log up" });
  await press(up, "Enter");
  await expectDisabled(up, "It is the first section.");
  await expect.element(up).toHaveFocus();
  const save = dialog.getByRole("button", { name: "Save" });
  await press(save, "Enter");
  await expectToast("Template Update Failed", "Failed to update template. Please try again.", "Broken");
  await expect.element(save).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await page.getByRole("button", { name: "Discard" }).click();
  await expectCount(dialog, 0);
  await expect.element(edit).toHaveFocus();
});
