import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectDisabled, expectEnabled, REWA, toasts } from "./support/dashboard.ts";
import { daysAgo, makeActivity } from "./support/made-activity.ts";
import { expect, test } from "./support/suncrew.ts";

const PDF_CALL = "**/api/site/robot/reportpdf";
const KEPT_CALL = "**/api/reports?*";
const NO_DATA = "No Data Found: No activity logs found between these dates";

const form = (page: Page) => page.getByRole("form", { name: "Site report" });
const download = (page: Page) => form(page).getByRole("button", { name: "Download", exact: true });

async function choose(page: Page, site: string, from: string, to: string): Promise<void> {
  await form(page).getByRole("combobox", { name: "Site" }).click();
  await page.getByRole("option", { name: site }).click();
  await form(page).getByLabel("Start date").fill(from);
  await form(page).getByLabel("End date").fill(to);
}

test("§2 Site Reports: choose a site and days, Download saves the PDF under its name and clears the form", async ({
  page,
  signIn,
  apiAs,
}) => {
  await makeActivity(await apiAs("admin"), REWA);
  await signIn(page, "admin");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Site Reports" }).click();
  await expect(page).toHaveTitle("Site Reports - Suncrew");
  await expectDisabled(download(page), "Choose a site first.");
  await choose(page, REWA, daysAgo(20), daysAgo(0));
  await expect(form(page).getByText("Days by the clocks of Asia/Kolkata.")).toBeVisible();
  await form(page).getByLabel("End date").fill(daysAgo(21));
  await expect(form(page).getByText("The end date is before the start date.").first()).toBeVisible();
  await form(page).getByLabel("End date").fill(daysAgo(0));
  await expectEnabled(download(page));
  await expectAccessible(page);

  // Held back, so that what is shown meanwhile can be looked at.
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
  expect(file.suggestedFilename()).toBe(`${REWA}_report_${daysAgo(20)}_to_${daysAgo(0)}.pdf`);
  expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe("%PDF-");
  expect(sent).toMatchObject({
    site_id: expect.any(Number),
    site_name: REWA,
    from: `${daysAgo(20)} 00:00:00`,
    to: `${daysAgo(0)} 23:59:59`,
  });
  await expect(form(page).getByLabel("Start date")).toHaveValue("");
  await expect(form(page).getByRole("status")).toHaveText(`${file.suggestedFilename()} has been downloaded.`);
  await expect(form(page).getByRole("combobox", { name: "Site" })).toHaveValue("");
  await expect(page).toHaveURL(/\/site-reports$/);
});

test("§2 Site Reports: a partner chooses among its own sites; the active templates are offered; CSV has the same range", async ({
  page,
  signIn,
  apiAs,
}) => {
  const serial = await makeActivity(await apiAs("partner"), BHADLA);
  await signIn(page, "partner", { at: "/site-reports" });
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

test("§8 Report download: no activity, another failure and a site that is not there each have their sentence", async ({
  page,
  signIn,
  problems,
}) => {
  problems.allow(/status of (404|500)/);
  await signIn(page, "admin", { at: "/site-reports" });
  await form(page).getByRole("combobox", { name: "Site" }).click();
  await page.getByRole("option", { name: REWA }).click();
  // Typed figure by figure, as people do; the same in whatever order the browser has day and month.
  await form(page).getByLabel("Start date").pressSequentially("01012001");
  await form(page).getByLabel("End date").pressSequentially("02022001");
  await expect(page).toHaveURL(/from=2001-01-01&to=2001-02-02$/);
  await expectEnabled(download(page));
  await download(page).press("Enter");
  await expect(form(page).getByRole("alert")).toHaveText(NO_DATA);
  await page.route(PDF_CALL, (route) =>
    route.fulfill({ status: 500, json: { message: "The printer is out of ink." } }),
  );
  await download(page).click();
  await expect(form(page).getByRole("alert")).toHaveText(
    "Error downloading report: The printer is out of ink. Please try again.",
  );
  await form(page).getByRole("combobox", { name: "Template" }).click();
  await page.getByRole("option", { name: "Performance Only Report" }).click();
  await page.unroute(PDF_CALL);
  await page.route(PDF_CALL, (route) => route.fulfill({ status: 404, json: { message: "Report template not found" } }));
  await page.route("**/api/report-templates", (route) => route.fulfill({ json: [] }));
  await download(page).click();
  await expect(form(page).getByRole("alert")).toHaveText(
    "Error downloading report: The chosen template is not offered any more. Please try again with another one.",
  );
  await expectDisabled(download(page), "This template is not offered any more. Choose another one.");
  await expectEnabled(form(page).getByRole("button", { name: "Download CSV" }));
  await form(page).getByRole("combobox", { name: "Template" }).click();
  await page.getByRole("option", { name: "All sections" }).click();
  await expect(form(page).getByRole("alert")).toHaveCount(0);

  await page.unroute(PDF_CALL);
  await page.route(PDF_CALL, () => {});
  await download(page).click();
  await form(page).getByRole("button", { name: "Cancel" }).press("Enter");
  await expectEnabled(download(page));
  await expect(download(page)).toBeFocused();
  await expect(form(page).getByRole("alert")).toHaveCount(0);
  await page.unroute(PDF_CALL);
  await download(page).click();
  await expect(form(page).getByRole("alert")).toHaveText(NO_DATA);
  await form(page).getByLabel("End date").fill("2001-01-30");
  await expect(form(page).getByRole("alert")).toHaveCount(0);
  await page.goto("/site-reports?site=999999&from=2001-01-01&to=2001-01-31");
  await expect(form(page).getByRole("alert")).toHaveText("Site not found");
  await expectDisabled(download(page), "Site not found");
});

test("monthly reports: listed with their state and e-mail, and saved; none and a failure are told", async ({
  page,
  signIn,
  problems,
}) => {
  problems.allow(/status of 500/);
  await signIn(page, "admin");
  const report = {
    id: 1,
    site_id: 1,
    site_name: "Bhadla Solar Park",
    month: "2026-05",
    template_name: null,
    status: "READY",
    reason: null,
    bytes: 40_000,
    created_at: "2026-06-01T00:00:10.000Z",
    mail_status: "SENT",
    mail_reason: null,
  };
  const empty = { ...report, id: 2, month: "2026-04", status: "EMPTY", bytes: null, mail_status: "NONE" };
  await page.route(KEPT_CALL, (route) => route.fulfill({ status: 500, json: { message: "Broken" } }));
  await page.goto("/site-reports");
  await expect(page.getByText("The monthly reports could not be loaded.")).toBeVisible();
  await expect(toasts(page)).toHaveCount(0);
  await page.unroute(KEPT_CALL);
  await page.route(KEPT_CALL, (route) => route.fulfill({ json: { reports: [report, empty], next_cursor: null } }));
  await page.getByRole("button", { name: "Retry" }).click();
  const rows = page.getByRole("list", { name: "Monthly reports, newest first" }).getByRole("listitem");
  await expect(rows).toHaveText([/May 2026.*All sections.*Ready.*Sent.*40 kB/, /April 2026.*No activity/]);
  await page.route("**/api/reports/1/file", (route) =>
    route.fulfill({ contentType: "application/pdf", body: "%PDF-1.7" }),
  );
  const saving = page.waitForEvent("download");
  await rows.first().getByRole("button", { name: "Download the report of Bhadla Solar Park, May 2026" }).click();
  expect((await saving).suggestedFilename()).toBe("Bhadla Solar Park_report_2026-05-01_to_2026-05-31.pdf");
  await expect(rows.last().getByRole("button")).toHaveCount(0);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
