import { contactPointList, notificationOptions } from "@suncrew/contract/notifications/contact-points.ts";
import {
  createSubscription,
  deleteSubscription,
  type Subscription,
  subscriptionList,
  updateSubscription,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectToast,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";
import { contactPoint, contactPointsOfEachKind, sampleOptions } from "./test/sample-notifications.ts";

beforeEach(() => {
  when(contactPointList).answer(contactPointsOfEachKind().slice(0, 2));
  when(notificationOptions).answer(sampleOptions);
});

const section = page.getByRole("region", { name: "Alerts I want to be told of" });
const dialog = page.getByRole("dialog");

function subscription(change: Partial<Subscription> = {}): Subscription {
  return {
    id: 1,
    name: "At night",
    filter: {
      kinds: ["LOST_WHILE_MOVING", "SITE_DARK"],
      severities: ["CRITICAL"],
      site_ids: [],
      states: [],
      partner_ids: [],
    },
    enabled: true,
    wait_seconds: 60,
    repeat_minutes: null,
    tells_cleared: true,
    contact_point_ids: [1, 2],
    version: 1,
    ...change,
  };
}

for (const account of ["admin", "partner"] as const) {
  test(`own subscriptions that cannot be loaded are retried, and without any the page says what one is for (${account})`, async () => {
    when(subscriptionList).fail(500, { message: "Broken" });
    await openConsole("/profile", account);
    await expect.element(section.getByText("The subscriptions could not be loaded.")).toBeVisible();
    await pressRetry(
      () => when(subscriptionList).answer([]),
      section.getByText("You have no subscriptions yet."),
      section,
    );
  });
}

for (const theme of ["light", "dark"] as const) {
  test(`own subscriptions read like sentences, and one that reaches nobody is warned of (${theme})`, async () => {
    when(contactPointList).answer([contactPoint(), contactPoint({ id: 2, name: "Phone", enabled: false })]);
    when(subscriptionList).answer([
      subscription(),
      subscription({ id: 2, name: "Long ".padEnd(80, "x"), enabled: false, contact_point_ids: [], wait_seconds: 0 }),
      subscription({ id: 3, name: "Phone only", contact_point_ids: [2] }),
    ]);
    await openConsole("/profile", "partner");
    chooseTheme(theme);
    const rows = section.getByRole("list", { name: "Subscriptions" }).getByRole("listitem");
    await expectContains(rows.nth(0), "Critical: lost while moving and site dark at all my sites");
    await expectContains(rows.nth(0), "After 60 s: Work mail and Phone");
    await expectContains(rows.nth(0), "Told once · with all-clear");
    await expectContains(rows.nth(1), "At once: all my contact points");
    await expectContains(rows.nth(2), "Reaches nobody: none of them is on.");
    for (const width of [390, 1440]) {
      await page.viewport(width, 900);
      await expectNoSidewaysScroll();
      await expectAccessible();
    }
  });
}

test("whoever has no contact point yet is told so beside their subscriptions, and adds one above", async () => {
  when(contactPointList).answer([]);
  when(subscriptionList).answer([subscription({ contact_point_ids: [] })]);
  await openConsole("/profile", "partner");
  await expectContains(section, "You have no contact point yet, so nobody can tell you.");
  await expectAccessible();
  await section.getByRole("link", { name: "How I am told" }).click();
  const told = page.getByRole("region", { name: "How I am told" });
  await told.getByRole("button", { name: "Add Contact Point" }).click();
  await expect.element(page.getByRole("dialog", { name: "Add Contact Point" })).toBeVisible();
});

test("twenty subscriptions are the most: no more is added, one is switched off, with the rest of it as it is", async () => {
  const many = Array.from({ length: 20 }, (_, nth) => subscription({ id: nth + 1, name: `Night ${nth + 1}` }));
  when(subscriptionList).answer(many);
  const updated = when(updateSubscription).answer({ message: "Changed" });
  await openConsole("/profile", "partner");
  const add = section.getByRole("button", { name: "Add Subscription" });
  await expect.element(add).toHaveAccessibleDescription("You have all 20 subscriptions that one may have.");
  section.getByRole("switch", { name: "Night 20 is on" }).element().focus();
  await userEvent.keyboard(" ");
  await expectToast("Subscription Updated", "Night 20 is off now.");
  const { id: _, ...body } = subscription({ name: "Night 20" });
  expect(updated[0]?.body).toEqual({ ...body, enabled: false });
});

test.each([
  ["admin", ["Robots", "Cleaning", "Sites", "Suncrew itself"]],
  ["partner", ["Robots", "Cleaning", "Sites"]],
] as const)("a subscription offers only kinds of alerts that one may be told of (%s)", async (account, offered) => {
  when(subscriptionList).answer([]);
  await openConsole("/profile", account);
  await section.getByRole("button", { name: "Add Subscription" }).click();
  await expect.element(dialog.getByRole("checkbox", { name: "Lost while moving" })).toBeVisible();
  const groups = ["Robots", "Cleaning", "Sites", "Suncrew itself"].filter(
    (name) => dialog.getByRole("group", { name, exact: true }).elements().length > 0,
  );
  expect(groups).toEqual(offered);
});

test("a subscription is made of alerts of own sites and own contact points; a partner chooses no states and partners", async () => {
  when(subscriptionList).answer([]);
  const created = when(createSubscription).answer({ message: "Added", subscriptionId: 1 });
  await page.viewport(390, 844);
  await openConsole("/profile", "partner");
  await section.getByRole("button", { name: "Add Subscription" }).click();
  await dialog.getByLabelText(/^Name/).fill("At night");
  await expectAccessible(dialog);
  await expectNoSidewaysScroll();
  await expectCount(dialog.getByRole("combobox", { name: "Partners" }), 0);
  await expectCount(dialog.getByRole("combobox", { name: "States" }), 0);
  await dialog.getByRole("checkbox", { name: "Site dark" }).click();
  await dialog.getByRole("combobox", { name: "Contact points" }).click();
  await page.getByRole("option", { name: "Phone (Telegram)", exact: true }).click();
  await userEvent.keyboard("{Tab}");
  await dialog.getByRole("button", { name: "Add Subscription" }).click();
  await expectToast("Subscription Added", "At night has been added.");
  const filter = { kinds: ["SITE_DARK"], severities: ["CRITICAL"], site_ids: [], states: [], partner_ids: [] };
  const { id: _id, version: _version, ...body } = subscription();
  expect(created[0]?.body).toEqual({ ...body, filter, contact_point_ids: [2] });
});

test("a subscription is edited with what a Super Admin may choose, told what the server refuses, and deleted", async () => {
  when(subscriptionList).answer([subscription()]);
  const message = "The contact point is not yours.";
  when(updateSubscription).fail(400, { message, errors: [{ field: "contact_point_ids.0", message }] });
  const deleted = when(deleteSubscription).answer({ message: "Deleted" });
  await openConsole("/profile");
  await section.getByRole("button", { name: "Edit At night" }).click();
  await expect.element(dialog.getByRole("combobox", { name: "Partners" })).toBeVisible();
  await dialog.getByLabelText(/^Name/).fill("Every night");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expectContains(dialog, message);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await section.getByRole("button", { name: "Delete At night" }).click();
  await dialog.getByRole("button", { name: "Delete Subscription" }).click();
  await expectToast("Subscription Deleted", "At night has been deleted.");
  expect(deleted).toHaveLength(1);
});
