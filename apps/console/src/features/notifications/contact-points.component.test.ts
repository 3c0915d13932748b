import {
  contactPointList,
  createContactPoint,
  deleteContactPoint,
  notificationOptions,
  replaceSigningSecret,
  testContactPoint,
  updateContactPoint,
} from "@suncrew/contract/notifications/contact-points.ts";
import { rotaList, teamList } from "@suncrew/contract/notifications/notification-rules.ts";
import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectNoToast,
  expectTexts,
  expectToast,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";
import { contactPoint, contactPointsOfEachKind } from "./test/sample-notifications.ts";

beforeEach(() => {
  when(teamList).answer([]);
  when(rotaList).answer([]);
  when(notificationOptions).answer({
    channels: [
      { channel: "EMAIL", available: true },
      { channel: "SLACK", available: true },
    ],
    people: [{ id: 1, name: "Asha Rathore", role: "SUPER_ADMIN", partner_name: null, contact_points: 2 }],
  });
});

const dialog = page.getByRole("dialog");
const rowOf = (name: string) => page.getByRole("listitem").filter({ hasText: name });

test("contact points that cannot be loaded say so without a toast, Retry loads them, and an empty list leads on", async () => {
  when(contactPointList).fail(500, { message: "Broken" });
  await openConsole("/notifications");
  await expect.element(page.getByText("The contact points could not be loaded.")).toBeVisible();
  await expectNoToast();
  await pressRetry(() => when(contactPointList).answer([]), page.getByText("No contact points yet."));
  await page.getByRole("button", { name: "Add Contact Point" }).click();
  await expect.element(page.getByRole("dialog", { name: "Add Contact Point" })).toBeVisible();
});

for (const theme of ["light", "dark"] as const) {
  test(`contact points are grouped by whose they are, with their state and their quiet times in words (${theme})`, async () => {
    when(contactPointList).answer(contactPointsOfEachKind());
    await openConsole("/notifications");
    chooseTheme(theme);
    await expectTexts(page.getByRole("main").getByRole("heading", { level: 2 }), [
      "Asha RathoreYou",
      "Night watchTeam",
      "SunCare ServicesPartner",
      "Bhadla Solar ParkSite",
    ]);
    await expectContains(rowOf("Work mail"), "WorksLast sent 12 min agoAt any time · Digest at 07:00");
    await expectContains(
      rowOf("@asha_rathore"),
      "Fails4 min ago: Telegram refused it: the bot was blocked by the user.",
    );
    await expectContains(rowOf("@asha_rathore"), "Quiet 22:00–06:00, Sundays off, Critical at any time");
    await expectContains(rowOf("hooks.slack.com"), "DisabledNothing is sent to it");
    await expectContains(rowOf("Pager"), "Quiet 20:00–07:30, Saturdays and Sundays off · Europe/Berlin");
    await expectContains(rowOf("+919829041276"), "UnsubscribedBy a link, 3 d ago");
    for (const width of [390, 1440]) {
      await page.viewport(width, 900);
      await expectNoSidewaysScroll();
      await expectAccessible();
    }
  });
}

test("a webhook that was switched off because it is gone says so", async () => {
  const reason = "The receiver says that it is gone (status 410) and gets no more calls.";
  when(contactPointList).answer([
    contactPoint({
      channel: "WEBHOOK",
      enabled: false,
      failure: { at: "2026-06-15T06:00:00.000Z", reason, reason_code: "WEBHOOK_GONE" },
    }),
  ]);
  await openConsole("/notifications");
  await expectContains(rowOf("Work mail"), `Disabled${reason}`);
});

test("two hundred contact points are searched, and the longest names fit a phone", async () => {
  const long = "Control room of the western and the north-western fields beyond the ".padEnd(80, "x");
  const owner = `Solar ${"x".repeat(94)}`;
  when(contactPointList).answer(
    Array.from({ length: 200 }, (_, nth) =>
      contactPoint({
        id: nth + 1,
        name: nth === 7 ? long : `Phone ${nth + 1}`,
        address: nth === 7 ? `${"a".repeat(60)}@${"b".repeat(60)}.example` : `someone${nth + 1}@example.com`,
        owner: {
          kind: "PARTNER",
          id: 10 + Math.floor(nth / 10),
          name: nth < 10 ? owner : `Partner ${nth}`,
          role: null,
        },
      }),
    ),
  );
  await page.viewport(390, 844);
  await openConsole("/notifications");
  await expect.element(rowOf(long)).toBeVisible();
  await expectNoSidewaysScroll();
  await page.getByRole("searchbox", { name: "Search contact points" }).fill("someone77@ partner");
  await expectCount(page.getByRole("button", { name: /^Edit / }), 1);
  await page.getByRole("searchbox", { name: "Search contact points" }).fill("nobody");
  await expect.element(page.getByText("No contact points match your search.")).toBeVisible();
});

test("each channel asks for what it needs, and nothing is sent that is wrong", async () => {
  when(contactPointList).answer([]);
  const created = when(createContactPoint).answer({ message: "Added", contactPointId: 9, signing_secret: null });
  await openConsole("/notifications");
  await page.getByRole("button", { name: "Add Contact Point" }).click();
  await dialog.getByLabelText(/^Name/).fill("Alerts");
  await dialog.getByLabelText(/^Email address/).fill("asha(at)example.com");
  await userEvent.keyboard("{Enter}");
  await expectContains(dialog, "This is not an email address");
  await dialog.getByLabelText("Channel").selectOptions("Telegram");
  await dialog.getByLabelText(/^Bot token/).fill("12345");
  await dialog.getByLabelText(/^Chat/).fill("the group");
  await userEvent.keyboard("{Enter}");
  await expectContains(dialog, "A chat is a number such as -1001234567890, or the @name of a channel");
  await dialog.getByLabelText("Channel").selectOptions("Slack");
  await dialog.getByLabelText(/^Incoming webhook/).fill("https://hooks.slack.com/services/T1/B2/secret");
  await dialog.getByLabelText("From").fill("22:00");
  await userEvent.keyboard("{Enter}");
  await expectContains(dialog, "Say when the quiet time ends");
  await dialog.getByLabelText("Until").fill("6:00");
  await dialog.getByRole("checkbox", { name: "Sunday" }).click();
  await dialog.getByRole("button", { name: "Add Contact Point" }).click();
  await expectToast("Contact Point Added", "Alerts has been added.");
  expect(created[0]?.body).toMatchObject({
    owner: { kind: "PERSON", id: 1 },
    channel: "SLACK",
    name: "Alerts",
    url: "https://hooks.slack.com/services/T1/B2/secret",
    timezone: "Asia/Kolkata",
    quiet_from: "22:00",
    quiet_to: "06:00",
    days_off: [7],
    critical_pierces: true,
  });
  expect(created[0]?.body).not.toHaveProperty("token");
  expect(created[0]?.body).not.toHaveProperty("address");
});

test("a secret is never shown again: an edit keeps it if its field is left empty", async () => {
  const pager = contactPoint({ name: "Pager", channel: "WEBHOOK", address: "events.pagerduty.com" });
  when(contactPointList).answer([pager]);
  const updated = when(updateContactPoint).answer({ message: "Changed" });
  await openConsole("/notifications");
  await page.getByRole("button", { name: "Edit Pager" }).click();
  await expect.element(dialog.getByLabelText("Address")).toHaveValue("");
  await expect.element(dialog.getByLabelText("Address")).toHaveAttribute("placeholder", "Set; leave empty to keep it");
  await dialog.getByLabelText(/^Name/).fill("Night pager");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expectToast("Contact Point Updated", "Night pager has been updated.");
  expect(updated[0]?.body).not.toHaveProperty("url");
  expect(updated[0]?.body).toMatchObject({ name: "Night pager", channel: "WEBHOOK", version: 1 });
});

test("a webhook's signing secret is shown once, when it is made and when it is replaced, and only Done closes it", async () => {
  const pager = contactPoint({ name: "Pager", channel: "WEBHOOK", address: "events.pagerduty.com" });
  when(contactPointList).answer([pager]);
  when(createContactPoint).answer({ message: "Added", contactPointId: 9, signing_secret: "whsec_first" });
  when(replaceSigningSecret).answer({ message: "Replaced", signing_secret: "whsec_second" });
  await openConsole("/notifications");
  await page.getByRole("button", { name: "Add Contact Point" }).click();
  await dialog.getByLabelText(/^Name/).fill("Gateway");
  await dialog.getByLabelText("Channel").selectOptions("Webhook");
  await dialog.getByLabelText(/^Address/).fill("https://sms.example.com/suncrew");
  await dialog.getByRole("button", { name: "Add Contact Point" }).click();
  const shown = page.getByRole("dialog", { name: "Signing Secret" });
  await expectContains(shown, "whsec_first");
  await userEvent.keyboard("{Escape}");
  await expectContains(shown, "Gateway signs its calls with this secret.");
  await shown.getByRole("button", { name: "Done" }).click();
  await expectCount(shown, 0);
  await page.getByRole("button", { name: "Edit Pager" }).click();
  await dialog.getByRole("button", { name: "Replace" }).click();
  await page.getByRole("dialog", { name: "Replace Signing Secret" }).getByRole("button", { name: "Replace" }).click();
  await expectContains(shown, "whsec_second");
});

test("what the server refuses is told at its field, and no input is lost", async () => {
  when(contactPointList).answer([]);
  const message = "Calls to 10.0.0.7 are not allowed.";
  when(createContactPoint).fail(400, { message, code: "VALIDATION_FAILED", errors: [{ field: "url", message }] });
  await openConsole("/notifications");
  await page.getByRole("button", { name: "Add Contact Point" }).click();
  await dialog.getByLabelText(/^Name/).fill("Gateway");
  await dialog.getByLabelText("Channel").selectOptions("Webhook");
  await dialog.getByLabelText(/^Address/).fill("https://sms.example.com/suncrew");
  await dialog.getByRole("button", { name: "Add Contact Point" }).click();
  await expectContains(dialog, message);
  await expect.element(dialog.getByLabelText(/^Address/)).toHaveFocus();
  await expect.element(dialog.getByLabelText(/^Address/)).toHaveValue("https://sms.example.com/suncrew");
});

test("somebody else's change of the same contact point is merged, and a deletion is told", async () => {
  when(contactPointList).answer([contactPoint()]);
  await openConsole("/notifications");
  await page.getByRole("button", { name: "Edit Work mail" }).click();
  await dialog.getByLabelText(/^Name/).fill("My mail");
  when(contactPointList).answer([contactPoint({ digest_at: "07:00", version: 2 })]);
  when(updateContactPoint).fail(409, { message: "Somebody else changed it.", code: "EDIT_CONFLICT" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expectContains(dialog, "Daily digest");
  await expect.element(dialog.getByLabelText("Digest of the last day, at")).toHaveValue("07:00");
  await expect.element(dialog.getByLabelText(/^Name/)).toHaveValue("My mail");
  when(contactPointList).answer([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expectContains(dialog, "This contact point was deleted in the meantime.");
});

test("Send test tells in place what the service answered, and a deletion that is refused says why", async () => {
  when(contactPointList).answer([contactPoint()]);
  when(testContactPoint).answer({ delivered: false, message: "The mail server refused it: 550 no such user." });
  when(deleteContactPoint).fail(409, {
    message: "The rule Night tells it. Change that first.",
    code: "CONCURRENT_CHANGE",
  });
  await openConsole("/notifications");
  await page.getByRole("button", { name: "Send a test to Work mail" }).click();
  await expectContains(rowOf("Work mail"), "Test not delivered: The mail server refused it: 550 no such user.");
  when(testContactPoint).answer({ delivered: true, message: "250 queued as 4711." });
  await page.getByRole("button", { name: "Send a test to Work mail" }).click();
  await expectContains(rowOf("Work mail"), "Test sent: 250 queued as 4711.");
  when(testContactPoint).fail(503, { message: "The server is busy." });
  await page.getByRole("button", { name: "Send a test to Work mail" }).click();
  await expectContains(rowOf("Work mail"), "Test not delivered: The server is busy.");
  await expectNoToast();
  await page.getByRole("button", { name: "Delete Work mail" }).click();
  await dialog.getByRole("button", { name: "Delete Contact Point" }).click();
  await expectContains(dialog, "The rule Night tells it. Change that first.");
});

test("a partner sees contact points, what is muted and what was sent, and chooses among its own", async () => {
  when(contactPointList).answer([]);
  await openConsole("/notifications?tab=rules", "partner");
  await expectTexts(page.getByRole("tab"), ["Contact points", "Muted", "Sent messages"]);
  await expect.element(page.getByText("No contact points yet.")).toBeVisible();
  await page.getByRole("button", { name: "Add Contact Point" }).click();
  await dialog.getByLabelText("Whose").selectOptions("Partner");
  await dialog.getByRole("combobox", { name: "Partner" }).click();
  await expectTexts(page.getByRole("listbox").getByRole("option"), ["SunCare Services"]);
});

test("the tab is in the address, which a link or Back restores", async () => {
  when(contactPointList).answer([]);
  await openConsole("/notifications");
  await page.getByRole("tab", { name: "Teams and rotas" }).click();
  await expectAddress(/^\/notifications\?tab=teams$/);
  history.back();
  await expectAddress(/^\/notifications$/);
  await expect.element(page.getByText("No contact points yet.")).toBeVisible();
});
