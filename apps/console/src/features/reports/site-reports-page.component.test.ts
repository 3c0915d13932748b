import {
  makeMonthlyReport,
  type MonthlyReport,
  monthlyReportFile,
  monthlyReports,
  reportPdf,
} from "@suncrew/contract/reports/reports.ts";
import { reportTemplates, type ReportTemplate } from "@suncrew/contract/report-templates/report-templates.ts";
import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectCount,
  expectDisabled,
  expectEnabled,
  expectNoSidewaysScroll,
  expectNoToast,
  expectText,
  expectTexts,
  expectToast,
  press,
  pressRetry,
} from "../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../test/open-console.tsx";
import { REWA } from "../../../test/sample-fleet.ts";
import { nextSavedFile } from "../../../test/saved-files.ts";
import { chooseTheme, THEMES } from "../../ui/theme/theme-choice.ts";

const NO_DATA = "No Data Found: No activity logs found between these dates";

const form = page.getByRole("form", { name: "Site report" });
const download = form.getByRole("button", { name: "Download", exact: true });
const alert = form.getByRole("alert");

const template: ReportTemplate = {
  id: 3,
  name: "Performance Only Report",
  description: "",
  sections: [],
  createdBy: "Administrator",
  createdAt: "2026-01-05T06:00:00.000Z",
  updatedAt: "2026-01-05T06:00:00.000Z",
  isActive: true,
  version: 1,
};

async function choose(name: string, option: string): Promise<void> {
  await form.getByRole("combobox", { name }).click();
  await page.getByRole("option", { name: option }).click();
}

beforeEach(() => {
  when(reportTemplates).answer([template]);
  when(monthlyReports).answer({ reports: [], next_cursor: null });
});

test("§8 Report download: no activity, another failure and a missing site each have their message", async () => {
  when(reportPdf).fail(404, { message: "No activity logs found between these dates", code: "NO_ACTIVITY" });
  await openConsole("/site-reports");
  await choose("Site", REWA);
  // Typed digit by digit, as people do; it works whether the browser puts the day or the month first.
  await userEvent.type(form.getByLabelText("Start date"), "01012001");
  await userEvent.type(form.getByLabelText("End date"), "02022001");
  await expectAddress(/from=2001-01-01&to=2001-02-02$/);
  await expectEnabled(download);
  await press(download, "Enter");
  await expectText(alert, NO_DATA);
  when(reportPdf).fail(500, { message: "The printer is out of ink." });
  await download.click();
  await expectText(alert, "Error downloading report: The printer is out of ink. Please try again.");
  await choose("Template", "Performance Only Report");
  when(reportPdf).fail(404, { message: "Report template not found", code: "TEMPLATE_NOT_FOUND" });
  when(reportTemplates).answer([]);
  await download.click();
  await expectText(
    alert,
    "Error downloading report: The chosen template is no longer available. Please try again with another one.",
  );
  await expectDisabled(download, "This template is no longer available. Choose another one.");
  await expectEnabled(form.getByRole("button", { name: "Download CSV" }));
  await choose("Template", "All sections");
  await expectCount(alert, 0);

  when(reportPdf).hang();
  await download.click();
  await press(form.getByRole("button", { name: "Cancel" }), "Enter");
  await expectEnabled(download);
  await expect.element(download).toHaveFocus();
  await expectCount(alert, 0);
  when(reportPdf).fail(404, { message: "No activity logs found between these dates", code: "NO_ACTIVITY" });
  await download.click();
  await expectText(alert, NO_DATA);
  await form.getByLabelText("End date").fill("2001-01-30");
  await expectCount(alert, 0);
  await closeConsole();

  when(reportTemplates).answer([template]);
  when(monthlyReports).answer({ reports: [], next_cursor: null });
  await openConsole("/site-reports?site=999999&from=2001-01-01&to=2001-01-31");
  await expectText(alert, "Site not found");
  await expectDisabled(download, "Site not found");
});

test("§4 Report download: the form is cleared, even after a quick range, and says what to choose", async () => {
  when(reportPdf).answer("%PDF-1.7");
  await openConsole("/site-reports");
  for (const range of ["Last month", "Last month", "Last 7 days"]) {
    await choose("Site", REWA);
    await form.getByRole("button", { name: range }).click();
    await expect.element(form.getByLabelText("Start date")).not.toHaveValue("");
    await expectEnabled(download);
    await download.click();
    await nextSavedFile();
    for (const label of ["Start date", "End date"]) await expect.element(form.getByLabelText(label)).toHaveValue("");
    await expectAddress(/^\/site-reports$/);
    await expectDisabled(download, "Choose a site first.");
  }
});

test("the report of a past month is generated for the site that is chosen, to be sent from the list", async () => {
  when(monthlyReports).answer({ reports: [], next_cursor: null });
  const asked = when(makeMonthlyReport).answer({
    message: "The report of April 2026 is being generated.",
    reportId: 7,
  });
  await openConsole("/site-reports");
  await expect.element(page.getByText("No monthly reports yet")).toBeVisible();
  await expectCount(page.getByLabelText("Past month"), 0);
  await choose("Site", REWA);
  const month = page.getByLabelText("Past month");
  await page.getByRole("button", { name: "Generate", exact: true }).click();
  await expectToast("Report Being Generated", "The report of April 2026 is being generated.");
  await expect.element(month).toHaveValue(asked.at(-1)?.body.month ?? "none");
  await page.viewport(390, 800);
  await expectNoSidewaysScroll();
  await expectAccessible();
});

test("monthly reports: listed with their state and email, and saved; an empty list and a failure say so", async () => {
  const report: MonthlyReport = {
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
  const empty: MonthlyReport = {
    ...report,
    id: 2,
    month: "2026-04",
    status: "EMPTY",
    bytes: null,
    mail_status: "NONE",
  };
  when(monthlyReports).fail(500, { message: "Broken" });
  when(monthlyReportFile).answer("%PDF-1.7");
  await openConsole("/site-reports");
  await expect.element(page.getByText("The monthly reports could not be loaded.")).toBeVisible();
  await expectNoToast();
  const rows = page.getByRole("list", { name: "Monthly reports, newest first" }).getByRole("listitem");
  await pressRetry(() => when(monthlyReports).answer({ reports: [report, empty], next_cursor: null }), rows.first());
  await expectTexts(rows, [/May 2026.*All sections.*Ready.*Sent.*40 kB/, /April 2026.*No activity/]);
  await rows.first().getByRole("button", { name: "Download the report of Bhadla Solar Park, May 2026" }).click();
  expect(await nextSavedFile()).toEqual({
    name: "Bhadla Solar Park_report_2026-05-01_to_2026-05-31.pdf",
    text: "%PDF-1.7",
  });
  await expectCount(rows.last().getByRole("button"), 0);
  for (const theme of THEMES) {
    chooseTheme(theme);
    expect(document.documentElement.dataset["theme"]).toBe(theme);
    await expectCount(rows, 2);
    await expectAccessible();
  }
  await page.viewport(390, 800);
  await expectNoSidewaysScroll();
});
