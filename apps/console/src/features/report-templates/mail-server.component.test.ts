import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { mailServer, testMailServer, updateMailServer } from "@suncrew/contract/reports/mail-server.ts";
import { reportSettings, reportTemplates } from "@suncrew/contract/report-templates/report-templates.ts";
import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectCount, expectNoSidewaysScroll, expectText } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { chooseTheme, THEMES } from "../../ui/theme/theme-choice.ts";

const none: ResponseOf<typeof mailServer> = { source: "NONE", server: null, changed: null };
const server = {
  host: "smtp.example.org",
  port: 587,
  encryption: "STARTTLS",
  user: "reports",
  has_password: true,
  from_name: "Suncrew",
  from_address: "reports@example.org",
} as const;
const entered: ResponseOf<typeof mailServer> = {
  source: "CONSOLE",
  server,
  changed: { at: "2026-06-01T00:00:00.000Z", by: "Asha Rathore", version: 3 },
};

const card = page.getByRole("region", { name: "Mail server" });

beforeEach(() => {
  when(reportTemplates).answer([]);
  when(reportSettings).answer({
    auto_generate_monthly: true,
    email_notifications: true,
    template_id: null,
    recipients: ["desk@example.org"],
    send_to_partners: false,
    email_configured: false,
    logo: null,
    version: 1,
  });
});

async function openCard(data: ResponseOf<typeof mailServer>): Promise<void> {
  when(mailServer).answer(data);
  await openConsole("/report-management?tab=settings");
  await expect.element(card.getByRole("heading", { name: "Mail server" })).toBeVisible();
}

test("a mail server is entered; what is wrong is said at its field, and the usual port follows the encryption", async () => {
  await openCard(none);
  await expect.element(card.getByText("Email is not set up")).toBeVisible();
  await expectCount(card.getByRole("button", { name: "Send test" }), 0);
  await card.getByLabelText("Server", { exact: true }).fill("smtp.example.org");
  await card.getByLabelText("Encryption").selectOptions("TLS from the start");
  await expect.element(card.getByLabelText("Port")).toHaveValue("465");
  await card.getByLabelText("User").fill("reports");
  await card.getByLabelText("Password", { exact: true }).fill("hush-hush");
  await card.getByLabelText("Sender's address").fill("reports@example.org");
  when(updateMailServer).fail(400, {
    message: "host is not known",
    code: "VALIDATION_FAILED",
    errors: [{ field: "host", message: "must be a name or an IP address" }],
  });
  await card.getByRole("button", { name: "Save mail server" }).click();
  await expect.element(card.getByText("must be a name or an IP address")).toBeVisible();
  const saved = when(updateMailServer).answer({ message: "The mail server was saved." });
  when(mailServer).answer(entered);
  await card.getByRole("button", { name: "Save mail server" }).click();
  await expect.element(card.getByText("Set; leave empty to keep it")).toBeVisible();
  expect(saved.at(-1)?.body).toEqual({
    host: "smtp.example.org",
    port: 465,
    encryption: "TLS",
    user: "reports",
    password: "hush-hush",
    from_name: "Suncrew",
    from_address: "reports@example.org",
  });
  await expect.element(card.getByLabelText("Password", { exact: true })).toHaveValue("");
});

test("in the demo it says where mail goes, and that it leaves the machine by a mail server that is entered", async () => {
  await openCard({ source: "DEMO", server: null, changed: null });
  await expect.element(card.getByText(/^Mail goes to the demo's own mailbox/)).toBeVisible();
  await expect
    .element(card.getByRole("link", { name: "Messages of the demo" }))
    .toHaveAttribute("href", "/demo/messages");
  await expectCount(card.getByText(/SMTP_URL/), 0);
  await expect.element(card.getByRole("button", { name: "Send test" })).toBeVisible();
  await expect.element(card.getByLabelText("Server", { exact: true })).toHaveValue("");
  await expectAccessible();
});

test("a test tells what the mail server answered", async () => {
  await openCard(entered);
  const result = card.getByRole("status");
  await card.getByLabelText("Send a test to").fill("me@example.org");
  const message = "The mail server refused the user and the password. It answered: 535 5.7.8 Authentication failed";
  when(testMailServer).answer({ delivered: false, message });
  await card.getByRole("button", { name: "Send test" }).click();
  await expectText(result, message);
  when(testMailServer).answer({ delivered: true, message: "The mail server took the mail to me@example.org: 250 OK" });
  await card.getByRole("button", { name: "Send test" }).click();
  await expectText(result, /took the mail to me@example.org: 250 OK/);
});

test("one of the environment is shown without its password and cannot be changed; it reads well in each theme and on a phone", async () => {
  await openCard({ source: "ENVIRONMENT", server, changed: null });
  await expect.element(card.getByText(/SMTP_URL and MAIL_FROM/)).toBeVisible();
  await expect.element(card.getByText("reports, with a password")).toBeVisible();
  await expectCount(card.getByRole("button", { name: "Save mail server" }), 0);
  for (const theme of THEMES) {
    chooseTheme(theme);
    expect(document.documentElement.dataset["theme"]).toBe(theme);
    await expectAccessible();
  }
  await page.viewport(390, 800);
  await expectNoSidewaysScroll();
});
