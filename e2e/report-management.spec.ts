import type { Page } from "@playwright/test";
import { demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import {
  deleteReportLogo,
  deleteReportTemplate,
  reportSettings,
  reportTemplates,
  updateReportSettings,
  updateReportTemplate,
} from "@suncrew/contract/report-templates/report-templates.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectDisabled, expectToast } from "./support/dashboard.ts";
import { expect, test as base } from "./support/suncrew.ts";

/** A PNG of 60 by 20 pixels. */
const logo = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAADwAAAAUCAYAAADRA14pAAAANUlEQVR4nO3PMQ0AMAwDsPBHMoK9OxKV8vgwAGdeUrINraywsLCwsLCwsLCwsLCwsLCw8JkPmjfmIDrg18IAAAAASUVORK5CYII=",
  "base64",
);

/** Templates that a test creates are deleted after it. */
const test = base.extend<{ readonly ownTemplates: void }>({
  ownTemplates: [
    async ({ apiAs }, use) => {
      const admin = await apiAs("admin");
      const before = new Set((await admin.call(reportTemplates, {})).map(({ id }) => id));
      await use();
      for (const { id } of await admin.call(reportTemplates, {})) {
        if (!before.has(id)) await admin.call(deleteReportTemplate, { params: { templateId: id } });
      }
    },
    { auto: true },
  ],
});

const table = (page: Page) => page.getByRole("table", { name: "Report templates" });
const row = (page: Page, name: string) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name, exact: true }) });

test("§2 Report Management: the three sample templates; one is created, edited, deactivated and deleted", async ({
  page,
  openBrowser,
  signIn,
}) => {
  await signIn(page, "admin", { at: "/profile" });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Report Management" }).click();
  await expect(page).toHaveTitle(/^(\(\d+\) )?Report Management - Suncrew$/);
  await expect(table(page).getByRole("columnheader")).toHaveText([
    "Name",
    "Description",
    "Sections",
    "Status",
    "Created",
    "Actions",
  ]);
  for (const [name, status] of [
    ["Monthly Site Report", "Active"],
    ["Performance Only Report", "Active"],
    ["Maintenance Report", "Inactive"],
  ] as const) {
    await expect(row(page, name).getByRole("cell").nth(2)).toHaveText(status);
  }

  await page.getByRole("button", { name: "Create Template" }).click();
  const dialog = page.getByRole("dialog", { name: "Create Template" });
  const create = dialog.getByRole("button", { name: "Create Template" });
  await expectDisabled(create, "Name is required");
  await dialog.getByLabel("Name").fill(" monthly site report ");
  await expect(dialog.getByText("A report template with this name already exists.").first()).toBeVisible();
  await dialog.getByLabel("Name").fill("Weekly Figures");
  await dialog.getByLabel("Description").fill("For the Monday round");
  await expect(dialog.getByText("Required", { exact: true })).toHaveCount(8);
  await expect(dialog.getByLabel("Uptime %")).toBeDisabled();
  await dialog.getByLabel("Efficiency").uncheck();
  await dialog.getByRole("switch", { name: "Activity Log" }).press("Space");
  await dialog.getByRole("button", { name: "Move Alerts Summary up" }).click();
  await expectAccessible(page);
  await create.click();
  await expectToast(page, "Template Created", "Weekly Figures has been created.");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(row(page, "Weekly Figures")).toContainText(
    "Robot Performance (4), Robot Health Status (4), Alerts Summary (3), Maintenance History (4)",
  );

  const other = await openBrowser();
  await signIn(other, "partner", { at: "/site-reports" });
  await other.getByRole("combobox", { name: "Template" }).click();
  await expect(other.getByRole("option", { name: "Weekly Figures" })).toBeVisible();

  await row(page, "Weekly Figures").getByRole("switch", { name: "Weekly Figures is active" }).press("Space");
  await expect(row(page, "Weekly Figures")).toContainText("Inactive");
  await other.reload();
  await other.getByRole("combobox", { name: "Template" }).click();
  await expect(other.getByRole("option", { name: "All sections" })).toBeVisible();
  await expect(other.getByRole("option", { name: "Weekly Figures" })).toHaveCount(0);

  await row(page, "Weekly Figures").getByRole("button", { name: "Edit Weekly Figures" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Template" });
  await expectDisabled(edit.getByRole("button", { name: "Save" }), "Nothing has been changed.");
  await edit.getByRole("switch", { name: "Alerts Summary" }).press("Space");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(row(page, "Weekly Figures")).toContainText("Robot Health Status (4), Maintenance History (4)");

  await row(page, "Weekly Figures").getByRole("button", { name: "Delete Weekly Figures" }).click();
  await page.getByRole("button", { name: "Delete Template" }).click();
  await expect(row(page, "Weekly Figures")).toHaveCount(0);
});

test("§2 Report Management, Settings: the toggles are stored; the mail server is shown; of two people who edit one template the second is notified, chooses, and loses nothing", async ({
  page,
  signIn,
  apiAs,
  problems,
}) => {
  const admin = await apiAs("admin");
  await signIn(page, "admin", { at: "/report-management" });

  await test.step("the settings are stored", async () => {
    const { email_configured: _configured, version: _version, ...before } = await admin.call(reportSettings, {});
    try {
      await page.getByRole("tab", { name: "Settings" }).click();
      await expect(page).toHaveURL(/tab=settings$/);
      await expect(page.getByText("Email is not configured")).toHaveCount(0);
      const mailServer = page.getByRole("region", { name: "Mail server" });
      await mailServer.getByLabel("Send a test to").fill("desk@suncrew.example");
      await page.keyboard.press("Enter");
      await expect(mailServer.getByRole("status")).toContainText("desk@suncrew.example");
      const { messages } = await admin.call(demoMessages, { query: { channel: "EMAIL" } });
      expect(messages.map(({ to }) => to)).toContain("desk@suncrew.example");
      const email = page.getByRole("switch", { name: "Email notifications" });
      await email.press("Space");
      await expectToast(page, "Settings Updated", "The report settings have been saved.");
      await expect(email).toBeChecked({ checked: !before.email_notifications });
      const recipients = page.getByLabel("Recipients of all sites' reports");
      await recipients.fill("desk@suncrew.example, nobody");
      await expect(page.getByText("nobody is not an email address").first()).toBeVisible();
      await recipients.fill("desk@suncrew.example, roof@suncrew.example");
      await page.getByRole("button", { name: "Save recipients" }).click();
      await expect(recipients).toHaveValue("desk@suncrew.example\nroof@suncrew.example");
      expect(await admin.call(reportSettings, {})).toMatchObject({
        email_notifications: !before.email_notifications,
        recipients: ["desk@suncrew.example", "roof@suncrew.example"],
      });
      await page.getByRole("tab", { name: "Templates" }).click();
      await expect(recipients).toBeHidden();
      await page.getByRole("tab", { name: "Settings" }).click();
      await expect(recipients).toHaveValue("desk@suncrew.example\nroof@suncrew.example");
      await expect(email).toBeChecked({ checked: !before.email_notifications });
      await expectAccessible(page);
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      await page.getByRole("tab", { name: "Templates" }).click();
      await expect(row(page, "Monthly Site Report")).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      await expectAccessible(page);
    } finally {
      await admin.call(updateReportSettings, { body: before });
    }
  });

  await test.step("a logo is chosen, shown as reports have it, refused if it is none, and removed", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("tab", { name: "Settings" }).click();
    const choose = async (name: string, file: Buffer) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: /^Choose (a|another) logo$/ }).click();
      await (await chooser).setFiles({ name, mimeType: "image/png", buffer: file });
    };
    try {
      await choose("logo.png", logo);
      await expectToast(page, "Logo Updated", "The next reports have it on their first page.");
      const image = page.getByRole("img", { name: "The logo of the reports" });
      await expect(image).toBeVisible();
      await expect(page.getByText("60 by 20 pixels")).toBeVisible();
      expect(await image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(60);
      await expectAccessible(page);
      problems.allowFromNow(/status of 400/);
      await choose("text.png", Buffer.from("no image"));
      await expect(page.getByText("A logo must be a PNG or JPEG file.")).toBeVisible();
      await choose("large.png", Buffer.alloc(400_000));
      await expect(page.getByText("large.png is too large")).toBeVisible();
      await page.getByRole("button", { name: "Remove the logo" }).click();
      await expectToast(page, "Logo Removed", "The next reports have none.");
      await expect(image).toBeHidden();
    } finally {
      await admin.call(deleteReportLogo, {}).catch(() => undefined);
    }
    await page.getByRole("tab", { name: "Templates" }).click();
  });

  await test.step("two people edit one template", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    problems.allowFromNow(/status of 409/);
    await page.getByRole("button", { name: "Create Template" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Shared");
    await page.getByRole("dialog").getByRole("button", { name: "Create Template" }).click();
    await page.getByRole("button", { name: "Edit Shared" }).click();
    const edit = page.getByRole("dialog", { name: "Edit Template" });
    await edit.getByLabel("Description").fill("mine");
    const stored = (await admin.call(reportTemplates, {})).find(({ name }) => name === "Shared");
    if (stored === undefined) throw new Error("The template is not there.");
    const { id, name, sections, isActive } = stored;
    await admin.call(updateReportTemplate, {
      params: { templateId: id },
      body: {
        name,
        description: "theirs",
        sections: sections.map(({ type, enabled, order, fields }) => ({
          type,
          enabled,
          order,
          fields: fields.map((field) => ({ name: field.name, enabled: field.enabled })),
        })),
        isActive,
      },
    });
    // Using the keyboard: if the list has been reloaded by then, Save already waits for the choice.
    await edit.getByLabel("Name").press("Enter");
    await expect(edit.getByRole("table", { name: "What differs" })).toContainText("minetheirs");
    await edit.getByRole("button", { name: "Keep mine" }).click();
    await edit.getByRole("button", { name: "Save" }).click();
    await expect(row(page, "Shared")).toContainText("mine");
  });
});
