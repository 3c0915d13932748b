import { contactPointList, deleteContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import { demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import { deleteSubscription, subscriptionList } from "@suncrew/contract/notifications/notification-rules.ts";
import { expectAccessible } from "./support/axe.ts";
import { expect, test as base } from "./support/suncrew.ts";

const POINT = "Mail at home";
const ADDRESS = "asha.at.home@suncare.example";
const SUBSCRIPTION = "Low batteries";

/** What a test adds is deleted after it, also if it fails. */
const test = base.extend<{ readonly ownRows: void }>({
  ownRows: [
    async ({ apiAs }, use) => {
      await use();
      const partner = await apiAs("partner");
      for (const { id, name } of await partner.call(subscriptionList, {})) {
        if (name === SUBSCRIPTION) await partner.call(deleteSubscription, { params: { subscriptionId: id } });
      }
      for (const { id, name } of await partner.call(contactPointList, { query: {} })) {
        if (name === POINT) await partner.call(deleteContactPoint, { params: { contactPointId: id } });
      }
    },
    { auto: true },
  ],
});

test("profile: a partner adds where and when it is reached, tests it, and subscribes to alerts of its sites; on a phone, too", async ({
  page,
  signIn,
  apiAs,
}) => {
  await signIn(page, "partner", { at: "/profile" });
  const points = page.getByRole("region", { name: "How I am told" });
  const subscriptions = page.getByRole("region", { name: "Alerts I want to be told of" });

  await test.step("a contact point with quiet times", async () => {
    await points.getByRole("button", { name: "Add Contact Point" }).click();
    const adding = page.getByRole("dialog", { name: "Add Contact Point" });
    await expect(adding.getByLabel("Whose")).toHaveCount(0);
    await adding.getByLabel(/^Name/).fill(POINT);
    await adding.locator('input[name="address"]').fill(ADDRESS);
    await adding.getByLabel("From").fill("21:30");
    await adding.getByLabel("Until").fill("05:30");
    await adding.getByRole("checkbox", { name: "Sunday" }).check();
    await adding.getByRole("checkbox", { name: "Critical alerts are sent at any time" }).uncheck();
    await expectAccessible(page, adding);
    await page.keyboard.press("Enter");
    const row = points.getByRole("listitem").filter({ hasText: POINT });
    await expect(row).toContainText("Quiet 21:30–05:30, Sundays off");
    await row.getByRole("button", { name: `Send a test to ${POINT}` }).click();
    await expect(row.getByRole("status")).toHaveText(`Test sent: The mail server accepted it for ${ADDRESS}.`);
    const { messages } = await (await apiAs("admin")).call(demoMessages, { query: { channel: "EMAIL" } });
    expect(messages.map(({ to }) => to)).toContain(ADDRESS);
  });

  await test.step("a subscription that is told there, on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await subscriptions.getByRole("button", { name: "Add Subscription" }).click();
    const adding = page.getByRole("dialog", { name: "Add Subscription" });
    await adding.getByLabel(/^Name/).fill(SUBSCRIPTION);
    await adding.getByRole("checkbox", { name: "Warning" }).check();
    await adding.getByRole("checkbox", { name: "Low battery" }).check();
    await adding.getByRole("combobox", { name: "Contact points" }).fill(POINT);
    await page.getByRole("option", { name: new RegExp(`^${POINT}`) }).click();
    await page.keyboard.press("Tab");
    await adding.getByRole("button", { name: "Add Subscription" }).click();
    const row = subscriptions.getByRole("listitem").filter({ hasText: SUBSCRIPTION });
    await expect(row).toContainText("low battery at all my sites");
    await expect(row).toContainText(`After 60 s: ${POINT}`);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectAccessible(page);
    await row.getByRole("switch", { name: `${SUBSCRIPTION} is on` }).press("Space");
    await expect(row.getByRole("switch")).not.toBeChecked();
    await row.getByRole("button", { name: `Delete ${SUBSCRIPTION}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete Subscription" }).click();
    await expect(subscriptions.getByText("You have no subscriptions yet.")).toBeVisible();
  });
});
