import { contactPointList, deleteContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import { deleteNotificationRule, notificationRules } from "@suncrew/contract/notifications/notification-rules.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast } from "./support/dashboard.ts";
import { expect, test as base } from "./support/suncrew.ts";

/** Rules and contact points that a test creates are deleted after it. */
const test = base.extend<{ readonly ownRows: void }>({
  ownRows: [
    async ({ apiAs }, use) => {
      const admin = await apiAs("admin");
      const rules = async () => (await admin.call(notificationRules, {})).map(({ id }) => id);
      const points = async () => (await admin.call(contactPointList, { query: {} })).map(({ id }) => id);
      const [formerRules, formerPoints] = [new Set(await rules()), new Set(await points())];
      await use();
      for (const ruleId of await rules()) {
        if (!formerRules.has(ruleId)) await admin.call(deleteNotificationRule, { params: { ruleId } });
      }
      for (const contactPointId of await points()) {
        if (!formerPoints.has(contactPointId)) await admin.call(deleteContactPoint, { params: { contactPointId } });
      }
    },
    { auto: true },
  ],
});

test("notifications: a Super Admin adds a webhook, whose secret is shown once, and a rule that tells it; the webhook then stays until the rule is gone", async ({
  page,
  problems,
  signIn,
}) => {
  problems.allow(/status of 409 .*contact-points/);
  await signIn(page, "admin", { at: "/profile" });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Notifications" }).click();
  await expect(page).toHaveTitle(/^(\(\d+\) )?Notifications - Suncrew$/);
  await page.getByRole("button", { name: "Add Contact Point" }).click();
  const adding = page.getByRole("dialog", { name: "Add Contact Point" });
  await adding.getByLabel("Channel").selectOption("WEBHOOK");
  await adding.getByLabel(/^Name/).fill("Night gateway");
  await adding.getByLabel(/^Address/).fill("sms.example.com");
  await page.keyboard.press("Enter");
  await expect(adding.getByRole("paragraph").filter({ hasText: "The address must begin with https://" })).toBeVisible();
  await adding.getByLabel(/^Address/).fill("https://sms.example.com/suncrew?key=hidden");
  await adding.getByLabel("From").fill("22:00");
  await adding.getByLabel("Until").fill("06:00");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  const secret = page.getByRole("dialog", { name: "Signing Secret" });
  await expect(secret).toContainText("whsec_");
  await secret.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "Night gateway" });
  await expect(row).toContainText("sms.example.com");
  await expect(row).toContainText("Quiet 22:00–06:00, Critical at any time");
  await expect(page.getByText("hidden")).toHaveCount(0);

  await page.getByRole("tab", { name: "Rules" }).click();
  await page.getByRole("button", { name: "Add Rule" }).first().click();
  const rule = page.getByRole("dialog", { name: "Add Rule" });
  await rule.getByLabel(/^Name/).fill("Lost at night");
  await page.keyboard.press("Enter");
  await expect(rule.getByRole("alert")).toHaveText("Choose who is told");
  await rule.getByRole("checkbox", { name: "Lost while moving" }).check();
  await rule.getByRole("combobox", { name: "Step 1: who is told" }).fill("Night gateway");
  await page.getByRole("option", { name: /Night gateway \(Webhook\)/ }).click();
  await page.keyboard.press("Tab");
  await rule.getByRole("button", { name: "Add Rule" }).click();
  await expectToast(page, "Rule Added", "Lost at night has been added.");
  const told = page.getByRole("list", { name: "Rules" }).getByRole("listitem").filter({ hasText: "Lost at night" });
  await expect(told).toContainText("Critical: lost while moving at all sites");
  await expect(told).toContainText("After 60 s: Night gateway");

  await page.getByRole("tab", { name: "Contact points" }).click();
  await page.getByRole("button", { name: "Delete Night gateway" }).click();
  const deleting = page.getByRole("dialog", { name: "Delete Contact Point" });
  await deleting.getByRole("button", { name: "Delete Contact Point" }).click();
  await expect(deleting).toContainText("Lost at night");
  await deleting.getByRole("button", { name: "Cancel" }).click();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("tab", { name: "Rules" }).click();
  await page.getByRole("button", { name: "Delete Lost at night" }).click();
  await page.getByRole("dialog", { name: "Delete Rule" }).getByRole("button", { name: "Delete Rule" }).click();
  await expectToast(page, "Rule Deleted", "Lost at night has been deleted.");
  await expectAccessible(page);
});
