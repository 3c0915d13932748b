import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectDisabled, expectEnabled } from "./support/dashboard.ts";
import { daysAgo, makeActivity } from "./support/activity-fixtures.ts";
import { expect, test } from "./support/suncrew.ts";

const PDF_CALL = "**/api/site/robot/reportpdf";
const form = (page: Page) => page.getByRole("form", { name: "Site report" });
const download = (page: Page) => form(page).getByRole("button", { name: "Download", exact: true });

async function choose(page: Page, site: string, from: string, to: string): Promise<void> {
  await form(page).getByRole("combobox", { name: "Site" }).click();
  await page.getByRole("option", { name: site }).click();
  await form(page).getByLabel("Start date").fill(from);
  await form(page).getByLabel("End date").fill(to);
}

test("§2 Site Reports: choose a site and dates, Download saves the PDF under its name and clears the form; a partner chooses among its own sites; the active templates are offered; CSV covers the same range", async ({
  page,
  signIn,
  apiAs,
}) => {
  const serial = await makeActivity(await apiAs("partner"), BHADLA);
  await signIn(page, "partner", { at: "/profile" });

  await test.step("choose a site and dates", async () => {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Site Reports" }).click();
    await expect(page).toHaveTitle(/^(\(\d+\) )?Site Reports - Suncrew$/);
    await expectDisabled(download(page), "Choose a site first.");
    await choose(page, BHADLA, daysAgo(20), daysAgo(0));
    await expect(form(page).getByText("Days by the clocks of Asia/Kolkata.")).toBeVisible();
    await form(page).getByLabel("End date").fill(daysAgo(21));
    await expect(form(page).getByText("The end date is before the start date.").first()).toBeVisible();
    await form(page).getByLabel("End date").fill(daysAgo(0));
    await expectEnabled(download(page));
    await expectAccessible(page);

    // Held back, so that the busy state can be checked.
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let sent: unknown;
    await page.route(PDF_CALL, async (route) => {
      sent = route.request().postDataJSON();
      await held;
      await route.continue();
    });
    const downloading = page.waitForEvent("download");
    await download(page).click();
    await expect(form(page).getByRole("button", { name: "Generating..." })).toBeVisible();
    letGo();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe(`${BHADLA}_report_${daysAgo(20)}_to_${daysAgo(0)}.pdf`);
    expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe("%PDF-");
    expect(sent).toMatchObject({
      site_id: expect.any(Number),
      site_name: BHADLA,
      from: `${daysAgo(20)} 00:00:00`,
      to: `${daysAgo(0)} 23:59:59`,
    });
    await expect(form(page).getByLabel("Start date")).toHaveValue("");
    await expect(form(page).getByRole("status")).toHaveText(`${file.suggestedFilename()} has been downloaded.`);
    await expect(form(page).getByRole("combobox", { name: "Site" })).toHaveValue("");
    await expect(page).toHaveURL(/\/site-reports$/);
  });

  await test.step("its own sites, a template, CSV", async () => {
    await form(page).getByRole("combobox", { name: "Site" }).click();
    const offered = await page.getByRole("option").allTextContents();
    expect(offered.length).toBeGreaterThan(0);
    expect(offered.length).toBeLessThan(6);
    await page.getByRole("option", { name: BHADLA }).click();
    await form(page).getByRole("button", { name: "Last 7 days" }).click();
    await expect(page).toHaveURL(/site=\d+&from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/);
    await form(page).getByLabel("Template").click();
    await page.getByRole("option", { name: "Performance Only Report" }).click();
    await expect(page).toHaveURL(/&template=\d+$/);
    await expect(form(page).getByRole("combobox", { name: "Template" })).toHaveValue("Performance Only Report");
    const requested = page.waitForRequest(PDF_CALL);
    const saving = page.waitForEvent("download");
    await download(page).click();
    expect((await requested).postDataJSON()).toMatchObject({ template_id: expect.any(Number) });
    expect((await saving).suggestedFilename()).toMatch(/_report_.*\.pdf$/);

    await form(page).getByRole("combobox", { name: "Site" }).click();
    await page.getByRole("option", { name: BHADLA }).click();
    await form(page).getByRole("button", { name: "Last 7 days" }).click();
    const csv = page.waitForEvent("download");
    await form(page).getByRole("button", { name: "Download CSV" }).click();
    const file = await csv;
    expect(file.suggestedFilename()).toMatch(/_report_.*\.csv$/);
    const [head = "", first = ""] = (await readFile(await file.path(), "utf8")).split("\r\n");
    expect(head).toContain("Serial Number");
    expect(first).toContain(serial);
  });
});
