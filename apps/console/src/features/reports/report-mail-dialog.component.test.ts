import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  type MonthlyReport,
  monthlyReportMail,
  monthlyReportPreview,
  monthlyReports,
  sendMonthlyReport,
} from "@suncrew/contract/reports/reports.ts";
import { reportTemplates } from "@suncrew/contract/report-templates/report-templates.ts";
import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectCount,
  expectDisabled,
  expectNoSidewaysScroll,
  expectText,
  expectTexts,
  expectToast,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { chooseTheme, THEMES } from "../../ui/theme/theme-choice.ts";

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
  mail_status: "FAILED",
  mail_reason: null,
};

const contact = { role: "OWNER", language: "en", gets_reports: true, state: "READY" } as const;
const delivery = {
  language: "en",
  sent_by: null,
  created_at: "2026-06-01T00:01:00.000Z",
  tried_at: "2026-06-01T00:01:02.000Z",
  reason: null,
  tries: 1,
} as const;

const mail: ResponseOf<typeof monthlyReportMail> = {
  mail_available: true,
  has_contacts: true,
  recipients: [
    { ...contact, contact_point_id: 11, name: "Asha Rathore", address: "asha@owner.example" },
    { ...contact, contact_point_id: 12, name: "Sonja Weber", address: "sonja@owner.example", language: "de" },
    { ...contact, contact_point_id: 13, name: "Site office", address: "office@owner.example", gets_reports: false },
    { ...contact, contact_point_id: 14, name: "Former owner", address: "former@owner.example", state: "UNSUBSCRIBED" },
  ],
  deliveries: [
    {
      ...delivery,
      id: 2,
      name: "Sonja Weber",
      address: "sonja@owner.example",
      status: "FAILED",
      tries: 8,
      reason: "Rejected for sonja@owner.example: 550 5.1.1 nobody has this address",
    },
    { ...delivery, id: 1, name: "Asha Rathore", address: "asha@owner.example", status: "SENT" },
  ],
};

const html =
  '<!doctype html><html lang="en"><head><style>@media (prefers-color-scheme: dark) { .page { background: #0f1419 !important; } }</style></head>' +
  '<body class="page" style="margin:0;background:#f5f7f9;"><h1 style="color:rgb(11, 100, 120);">Report</h1><script>document.body.textContent = "ran"</script></body></html>';

const dialog = page.getByRole("dialog", { name: "Bhadla Solar Park, May 2026" });

beforeEach(() => {
  when(reportTemplates).answer([]);
  when(monthlyReports).answer({ reports: [report], next_cursor: null });
  when(monthlyReportMail).answer(mail);
  when(monthlyReportPreview).answer({
    language: "en",
    subject: "Bhadla Solar Park: report for May 2026",
    text: "Hello,\n\nThe report is attached.",
    html,
    file_name: "Bhadla Solar Park report 2026-05.pdf",
  });
});

async function openDialog(): Promise<void> {
  await openConsole("/site-reports");
  await page.getByRole("button", { name: "Send and preview the report of Bhadla Solar Park, May 2026" }).click();
  await expect.element(dialog).toBeVisible();
}

test("a monthly report is sent again to chosen contacts; its deliveries say to whom, when, and why not", async () => {
  await openDialog();
  const deliveries = dialog.getByRole("list", { name: "Deliveries, newest first" }).getByRole("listitem");
  await expectTexts(deliveries, [
    /Sonja Weber.*Given up.*8 tries.*550 5\.1\.1/,
    /Asha Rathore.*Sent.*by Suncrew, 1 try.*Accepted by the mail server\./,
  ]);
  const box = (name: string) => dialog.getByRole("checkbox", { name });
  await expect.element(box("Asha Rathore")).toBeChecked();
  await expect.element(box("Site office")).not.toBeChecked();
  await expect.element(box("Former owner")).toBeDisabled();
  await box("Asha Rathore").click();
  await box("Sonja Weber").click();
  await expectDisabled(dialog.getByRole("button", { name: "Send again" }), "Choose at least one contact.");
  await box("Site office").click();
  const sent = when(sendMonthlyReport).answer({ message: "The report is on its way to Site office." });
  await dialog.getByRole("button", { name: "Send again" }).click();
  await expect.poll(() => sent.at(-1)?.body).toEqual({ contact_point_ids: [13] });
  await expectToast("Report On Its Way", "The report is on its way to Site office.");
});

test("the preview shows the mail with its styles, as in Light and in Dark, and runs nothing; its text is read, too", async () => {
  await openDialog();
  const shown = () => dialog.element().querySelector("iframe")?.contentDocument;
  await expect.poll(() => shown()?.querySelector("h1")?.style.color).toBe("rgb(11, 100, 120)");
  expect(shown()?.querySelector("h1")?.textContent).toBe("Report");
  // As its readers see it in their theme, whatever that of this browser is.
  const background = () => {
    const body = shown()?.body;
    return body && getComputedStyle(body).backgroundColor;
  };
  await expect.poll(background).toBe("rgb(245, 247, 249)");
  await dialog.getByText("Dark", { exact: true }).click();
  await expect.poll(background).toBe("rgb(15, 20, 25)");
  await dialog.getByText("Light", { exact: true }).click();
  await expect.poll(background).toBe("rgb(245, 247, 249)");
  await dialog.getByText("Text", { exact: true }).click();
  await expectText(dialog.getByLabelText("Text of the mail"), /The report is attached/);
});

/** By how much what an element shows is higher than itself. */
const hidden = (element: Element | null | undefined) => (element ? element.scrollHeight - element.clientHeight : null);

test.for([
  [1440, 900],
  [390, 844],
] as const)(
  "%i x %i: with twenty contacts and a long mail the dialog alone scrolls, and its buttons stay in sight",
  async ([width, height]) => {
    const [first, ...others] = mail.recipients;
    const recipients = Array.from({ length: 20 }, (_, nth) => ({
      ...(first ?? others[0]),
      ...contact,
      contact_point_id: 100 + nth,
      name: `Contact ${nth + 1}`,
      address: `contact.with.a.long.name.${nth + 1}@owner.example`,
    }));
    const deliveries = recipients.map(({ name, address }, nth) => ({
      ...delivery,
      id: 900 - nth,
      name,
      address,
      status: "SENT" as const,
    }));
    when(monthlyReportMail).answer({ ...mail, recipients, deliveries });
    when(monthlyReportPreview).answer({
      language: "en",
      subject: "Bhadla Solar Park: report for May 2026",
      text: "A line of the mail.\n".repeat(60),
      html: html.replace("<h1", `<p style="height:1500px">Long</p><h1`),
      file_name: "Bhadla Solar Park report 2026-05.pdf",
    });
    await page.viewport(width, height);
    await openDialog();
    const send = dialog.getByRole("button", { name: "Send again" });
    const frame = () => dialog.element().querySelector("iframe");
    await expect.poll(() => frame()?.clientHeight ?? 0).toBeGreaterThan(1_500);
    expect(hidden(frame()?.contentDocument?.documentElement)).toBe(0);
    for (const part of ["start", "end"] as const) {
      frame()?.scrollIntoView({ block: part });
      const { top, bottom } = send.element().getBoundingClientRect();
      expect([top > 0, bottom <= height]).toEqual([true, true]);
    }
    await expectCount(dialog.getByRole("list", { name: "Deliveries, newest first" }).getByRole("listitem"), 5);
    await dialog.getByRole("button", { name: "Show all 20" }).click();
    await expectCount(dialog.getByRole("list", { name: "Deliveries, newest first" }).getByRole("listitem"), 20);
    await dialog.getByText("Text", { exact: true }).click();
    expect(hidden(dialog.getByLabelText("Text of the mail").element())).toBe(0);
    await expectNoSidewaysScroll();
    await expectAccessible();
  },
);

test("the preview is in the language of whoever is chosen first, or in another", async () => {
  const asked = when(monthlyReportPreview).answer({
    language: "de",
    subject: "Bericht",
    text: "Guten Tag,",
    html,
    file_name: "report.pdf",
  });
  when(monthlyReportMail).answer({ ...mail, recipients: mail.recipients.slice(1) });
  await openDialog();
  const language = dialog.getByLabelText("Language of the preview");
  await expect.element(language).toHaveValue("de");
  await expect.poll(() => asked.at(-1)?.query).toEqual({ language: "de" });
  await language.selectOptions("hi");
  await expect.poll(() => asked.at(-1)?.query).toEqual({ language: "hi" });
});

test("a preview that fails can be asked for again and keeps nobody from sending; a refused sending says why and keeps the choice", async () => {
  when(monthlyReportPreview).fail(500, { message: "Something went wrong." });
  await openDialog();
  await expect.element(dialog.getByText("The preview could not be loaded.")).toBeVisible();
  const office = dialog.getByRole("checkbox", { name: "Site office" });
  await office.click();
  when(sendMonthlyReport).fail(409, { message: "The report is on its way to everybody chosen." });
  await dialog.getByRole("button", { name: "Send again" }).click();
  await expectToast("Sending Failed", "The report was not sent.", "The report is on its way to everybody chosen.");
  await expect.element(office).toBeChecked();
});

test("without a mail server, and without anybody to send to, the dialog says what to do; it reads well in each theme and on a phone", async () => {
  when(monthlyReportMail).answer({ mail_available: false, has_contacts: false, recipients: [], deliveries: [] });
  await openDialog();
  await expect.element(dialog.getByText("No mail server is set up", { exact: true })).toBeVisible();
  await expect.element(dialog.getByText(/Add an email contact of the site in Notifications/)).toBeVisible();
  await expectDisabled(dialog.getByRole("button", { name: "Send now" }), "No mail server is set up.");
  for (const theme of THEMES) {
    chooseTheme(theme);
    expect(document.documentElement.dataset["theme"]).toBe(theme);
    await expectAccessible();
  }
  await page.viewport(390, 800);
  await expectNoSidewaysScroll();
});
