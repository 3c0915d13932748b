import type { Page } from "@playwright/test";
import { contactPointList, deleteContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import { type DemoMessage, demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import { makeActivity } from "./support/activity-fixtures.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast, KURNOOL } from "./support/dashboard.ts";
import { expect, test as base } from "./support/suncrew.ts";

const NAME = "Head office";
/** Of the mail's card. */
const [LIGHT, DARK] = ["rgb(255, 255, 255)", "rgb(23, 29, 36)"];
const ADDRESS = "buero@kurnool.example";

/** The contact and the reports that the test adds are deleted after it. */
const test = base.extend<{ readonly ownRows: void }>({
  ownRows: [
    async ({ apiAs, suncrew }, use) => {
      await use();
      const admin = await apiAs("admin");
      for (const { id, name } of await admin.call(contactPointList, { query: {} })) {
        if (name === NAME) await admin.call(deleteContactPoint, { params: { contactPointId: id } });
      }
      await suncrew.sql("delete from kept_reports where by_hand");
    },
    { auto: true },
  ],
});

const reports = (page: Page) => page.getByRole("region", { name: "Monthly reports" });
const width = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

test("a site's owner gets the report of a past month in German: generated, previewed in Light, Dark and as text, sent, read in the demo's mailbox, and sent again from a phone", async ({
  page,
  signIn,
  apiAs,
  suncrew,
  problems,
}) => {
  // What a test runs in every frame is refused in that of a mail.
  problems.allow(/Blocked script execution in 'about:srcdoc'/);
  const admin = await apiAs("admin");
  await makeActivity(admin, KURNOOL);
  await suncrew.sql(`update activity set created_at = date_trunc('month', now()) - interval '15 days'
    where site_id = (select id from sites where name = '${KURNOOL}')`);
  const mails = async (): Promise<DemoMessage[]> =>
    (await admin.call(demoMessages, { query: { channel: "EMAIL" } })).messages.filter(({ to }) => to === ADDRESS);

  await test.step("the site gets a contact", async () => {
    await signIn(page, "admin", { at: "/notifications" });
    await page.getByRole("button", { name: "Add Contact Point" }).click();
    const adding = page.getByRole("dialog", { name: "Add Contact Point" });
    await adding.getByLabel("Whose").selectOption("SITE");
    await adding.getByRole("combobox", { name: "Site", exact: true }).click();
    await page.getByRole("option", { name: KURNOOL }).click();
    await adding.getByLabel("Contact of the site").selectOption("OWNER");
    await adding.getByLabel(/^Name/).fill(NAME);
    await adding.locator('input[name="address"]').fill(ADDRESS);
    await adding.getByRole("checkbox", { name: "Gets the monthly reports of the site" }).check();
    await adding.getByLabel("Language of these mails").selectOption("de");
    await page.keyboard.press("Tab");
    await adding.getByRole("button", { name: "Add Contact Point" }).click();
    await expect(page.getByRole("listitem").filter({ hasText: NAME })).toContainText(ADDRESS);
  });

  const dialog = page.getByRole("dialog", { name: new RegExp(`^${KURNOOL}, `) });
  const open = page.getByRole("button", { name: new RegExp(`^Send and preview the report of ${KURNOOL}, `) });

  await test.step("the report of a past month is generated", async () => {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Site Reports" }).click();
    await page.getByRole("combobox", { name: "Site" }).click();
    await page.getByRole("option", { name: KURNOOL }).click();
    await expect(reports(page).getByText("No monthly reports of this site yet")).toBeVisible();
    await reports(page).getByRole("button", { name: "Generate" }).click();
    await expectToast(page, "Report Being Generated", /.+/);
    // Servers look for what to generate every ten seconds.
    await expect(reports(page).getByRole("listitem")).toContainText("Ready");
    expect(await mails()).toEqual([]);
  });

  await test.step("its mail is previewed, in the contact's language", async () => {
    await open.click();
    await expect(dialog.getByRole("checkbox", { name: NAME })).toBeChecked();
    await expect(dialog.getByRole("listitem").filter({ hasText: NAME })).toContainText(`${ADDRESS} · Owner · Deutsch`);
    await expect(dialog.getByText("Nothing yet.")).toBeVisible();
    const shown = dialog.frameLocator("iframe").locator("body");
    await expect(shown).toContainText("Guten Tag,");
    await expect(shown).toContainText(`im Anhang finden Sie den Bericht über die Anlage ${KURNOOL} für `);
    await expect(shown.locator(".card")).toHaveCSS("background-color", LIGHT);
    await expectAccessible(page, dialog);
    await dialog.getByText("Dark", { exact: true }).click();
    await expect(shown.locator(".card")).toHaveCSS("background-color", DARK);
    await dialog.getByText("Text", { exact: true }).click();
    await expect(dialog.getByLabel("Text of the mail")).toContainText("Guten Tag,");
    await expectAccessible(page, dialog);
  });

  await test.step("it is sent, which the dialog, the list and the mailbox show", async () => {
    await dialog.getByRole("button", { name: "Send now" }).click();
    await expectToast(page, "Report On Its Way", /.+/);
    const sent = dialog.getByRole("list", { name: "Deliveries, newest first" }).getByRole("listitem");
    await expect(sent).toHaveCount(1);
    await expect(sent).toContainText(`${NAME} ${ADDRESS}Sent`);
    await expect(sent).toContainText(/by \S.*, 1 tryAccepted by the mail server\.$/);
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await expect(reports(page).getByRole("listitem")).toContainText("Sent");
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail?.subject).toMatch(new RegExp(`^${KURNOOL}: Bericht für \\p{L}+ \\d{4}$`, "u"));
    await page.goto("/demo/messages?channel=EMAIL");
    await page
      .getByRole("list", { name: /^Messages, / })
      .getByRole("button")
      .filter({ hasText: ADDRESS })
      .click();
    const reader = page.getByRole("region", { name: "Selected message" });
    await expect(reader.frameLocator("iframe").locator("body")).toContainText("Guten Tag,");
    await expect(reader.frameLocator("iframe").getByRole("link", { name: "Abbestellen" })).toBeVisible();
  });

  await test.step("390 px: it is sent again; nothing scrolls sideways", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/site-reports");
    await expect(open).toBeVisible();
    expect(await width(page)).toBe(390);
    await expectAccessible(page);
    await open.click();
    await expect(dialog.frameLocator("iframe").locator("body")).toContainText("Guten Tag,");
    expect(await width(page)).toBe(390);
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await dialog.getByRole("button", { name: "Send again" }).click();
    const sent = dialog.getByRole("list", { name: "Deliveries, newest first" }).getByRole("listitem");
    await expect(sent.filter({ hasText: "Accepted by the mail server." })).toHaveCount(2);
    await expectAccessible(page, dialog);
    expect(await mails()).toHaveLength(2);
  });

  await test.step("a call that fails leaves the dialog as it was", async () => {
    problems.allow(/status of 503 .*\/api\/reports\//);
    await page.route("**/api/reports/*/mail", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 503, json: { message: "Not now." } })
        : route.continue(),
    );
    await dialog.getByRole("button", { name: "Send again" }).click();
    await expectToast(page, "Sending Failed", /.+/);
    await expect(dialog.getByRole("checkbox", { name: NAME })).toBeChecked();
    expect(await mails()).toHaveLength(2);
  });
});
