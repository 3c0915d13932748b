import {
  createWebhook,
  deleteWebhook,
  type EventDelivery,
  eventDeliveryList,
  replaceWebhookSecret,
  replayEventDelivery,
  replayWebhook,
  testWebhook,
  updateWebhook,
  type Webhook,
  webhookList,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectNoSidewaysScroll,
  expectToast,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const ADDRESS = "/webhooks";
const SECRET = "whsec_b25seSBmb3IgdGVzdHMsIHNob3duIG9uY2Uh";

const webhookWith = (more: Partial<Webhook>): Webhook => ({
  id: 1,
  name: "Ticket system",
  host: "tickets.example.org",
  event_types: null,
  site_ids: [],
  partner_ids: [],
  enabled: true,
  disabled_reason: null,
  last_sent_at: "2026-06-15T06:00:00.000Z",
  failing: null,
  waiting: 0,
  former_secret_until: null,
  created_at: "2026-06-01T00:00:00.000Z",
  version: 3,
  ...more,
});
const failing = {
  since: "2026-06-15T04:00:00.000Z",
  reason: "The receiver could not be reached (ECONNREFUSED).",
  reason_code: "SERVICE_UNREACHABLE",
};
const deliveryWith = (more: Partial<EventDelivery>): EventDelivery => ({
  id: "7",
  event_id: "01980a6e-5f00-4000-8000-000000000001",
  type: "alert.raised",
  at: "2026-06-15T06:00:00.000Z",
  webhook_id: 1,
  webhook_name: "Ticket system",
  site_name: "Bhadla Solar Park",
  robot_name: "SCR-1001",
  serial_number: "SCR-1001",
  status: "SENT",
  reason: null,
  reason_code: null,
  attempts: 1,
  created_at: "2026-06-15T06:00:00.000Z",
  due_at: null,
  settled_at: "2026-06-15T06:00:01.000Z",
  replay: false,
  payload: '{"type":"alert.raised","timestamp":"2026-06-15T06:00:00.000Z","data":{}}',
  ...more,
});
const answerDeliveries = (deliveries: EventDelivery[]) =>
  when(eventDeliveryList).answer({ deliveries, total: deliveries.length, total_exact: true, next_cursor: null });

beforeEach(() => {
  answerDeliveries([]);
});

const dialog = page.getByRole("dialog");
const card = (name: string) => page.getByRole("list", { name: "Webhooks" }).getByRole("listitem", { name });

test("webhooks that cannot be loaded say so, Retry loads them, and without any the page says what they are for", async () => {
  when(webhookList).fail(500, { message: "Broken" });
  await openConsole(ADDRESS);
  await expect.element(page.getByText("The webhooks could not be loaded.")).toBeVisible();
  await pressRetry(() => when(webhookList).answer([]), page.getByText("No webhooks yet."));
  await page.getByRole("button", { name: "Add Webhook" }).click();
  await expect.element(page.getByRole("dialog", { name: "Add Webhook" })).toBeVisible();
});

test("without webhooks the log still has what was sent to deleted ones; the page counts as one of Notifications", async () => {
  when(webhookList).answer([]);
  answerDeliveries([deliveryWith({ webhook_name: "Former system" })]);
  await openConsole(ADDRESS);
  await expect.element(page.getByText("No webhooks yet.")).toBeVisible();
  await expect.element(page.getByText("Former system")).toBeVisible();
  const links = page.getByRole("navigation", { name: "Main" });
  await expect.element(links.getByRole("link", { name: "Notifications" })).toHaveAttribute("aria-current", "true");
});

for (const theme of ["light", "dark"] as const) {
  test(`each webhook shows how it goes: it works, fails since when and why, or is disabled (${theme})`, async () => {
    const gone = "The webhook answered that it is gone (status 410), so Suncrew disabled it.";
    when(webhookList).answer([
      webhookWith({ event_types: ["alert.raised"], site_ids: [1] }),
      webhookWith({ id: 2, name: "Archive", failing, waiting: 1200 }),
      webhookWith({ id: 3, name: "Long ".padEnd(80, "x"), enabled: false, disabled_reason: gone, last_sent_at: null }),
    ]);
    answerDeliveries([
      deliveryWith({}),
      deliveryWith({
        id: "6",
        status: "WAITING",
        reason: failing.reason,
        attempts: 3,
        due_at: "2026-06-15T07:00:00.000Z",
      }),
      deliveryWith({ id: "5", status: "FAILED", reason: gone, replay: true, robot_name: null, site_name: null }),
    ]);
    await openConsole(ADDRESS);
    chooseTheme(theme);
    await expectContains(card("Ticket system"), "tickets.example.org · 1 kind of event of some sites");
    await expectContains(card("Archive"), failing.reason);
    await expectContains(card("Archive"), "1,200 waiting");
    await expectContains(card("Long"), gone);
    for (const width of [390, 1440]) {
      await page.viewport(width, 900);
      await expectNoSidewaysScroll();
      await expectAccessible();
    }
  });
}

test("one is added with chosen events, and its signing secret is shown once", async () => {
  when(webhookList).answer([]);
  const created = when(createWebhook).answer({ message: "Added", webhookId: 1, signing_secret: SECRET });
  await openConsole(ADDRESS);
  await page.getByRole("button", { name: "Add Webhook" }).click();
  await dialog.getByLabelText(/^Name/).fill("Archive");
  await dialog.getByLabelText(/^Address/).fill("http://example.org/hook");
  await dialog.getByRole("checkbox", { name: "All, also those of later versions" }).click();
  await userEvent.keyboard("{Enter}");
  await expectContains(dialog, "http:// is for addresses within the own network");
  await dialog.getByLabelText(/^Address/).fill("https://example.org/hook");
  await dialog.getByRole("checkbox", { name: "Run ended" }).click();
  await dialog.getByRole("button", { name: "Add Webhook" }).click();
  await expectContains(dialog, SECRET);
  expect(created[0]?.body).toEqual({
    name: "Archive",
    url: "https://example.org/hook",
    event_types: ["run.ended"],
    site_ids: [],
    partner_ids: [],
    enabled: true,
  });
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
});

test("one is changed without its address, and what the server refuses is told at its field", async () => {
  when(webhookList).answer([webhookWith({})]);
  const message = "Another webhook has this name. Please choose a different one.";
  const updated = when(updateWebhook).fail(409, { message, errors: [{ field: "name", message }] });
  await page.viewport(390, 844);
  await openConsole(ADDRESS);
  await page.getByRole("button", { name: "Edit Ticket system" }).click();
  await dialog.getByLabelText(/^Name/).fill("Archive");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expectContains(dialog, message);
  await expectNoSidewaysScroll();
  await expectAccessible();
  expect(updated[0]?.body).toEqual({
    name: "Archive",
    event_types: null,
    site_ids: [],
    partner_ids: [],
    enabled: true,
    version: 3,
  });
});

test("a test event shows what the webhook answered; a secret is replaced, and one deleted, after asking", async () => {
  when(webhookList).answer([webhookWith({})]);
  const answer = "The receiver did not accept the call: it answered with status 404, not with 200 to 299.";
  when(testWebhook).answer({ delivered: false, message: answer });
  when(replaceWebhookSecret).answer({ message: "Replaced", signing_secret: SECRET });
  const deleted = when(deleteWebhook).answer({ message: "Deleted" });
  await openConsole(ADDRESS);
  await page.getByRole("button", { name: "Send test event to Ticket system" }).click();
  await expectContains(card("Ticket system"), answer);
  await page.getByRole("button", { name: "Replace signing secret of Ticket system" }).click();
  await dialog.getByRole("button", { name: "Replace Secret" }).click();
  await expectContains(dialog, SECRET);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Delete Ticket system" }).click();
  await dialog.getByRole("button", { name: "Delete Webhook" }).click();
  await expectToast("Webhook Deleted", "Ticket system has been deleted.");
  expect(deleted).toHaveLength(1);
});

test("a delivery shows its body and tries and is sent again; so is all that was given up in a day", async () => {
  when(webhookList).answer([webhookWith({})]);
  answerDeliveries([deliveryWith({ status: "FAILED", reason: failing.reason, attempts: 18 })]);
  const one = when(replayEventDelivery).answer({ message: "The event is sent again." });
  const all = when(replayWebhook).answer({ message: "12 events are sent again.", replayed: 12 });
  await openConsole(ADDRESS);
  await page.getByRole("button", { name: "Show Alert raised of SCR-1001, Bhadla Solar Park" }).click();
  await expectContains(dialog, '"type": "alert.raised"');
  await expectContains(dialog, failing.reason);
  await expectAccessible();
  await dialog.getByRole("button", { name: "Send again" }).click();
  await expectToast("Event Replayed", "The event is sent again.");
  expect(one).toHaveLength(1);
  await page.getByRole("button", { name: "Replay events of Ticket system" }).click();
  await dialog.getByRole("button", { name: "Last 24 hours" }).click();
  await expectToast("Events Replayed", "12 events are sent again.");
  expect(all).toHaveLength(1);
});

test("deliveries are filtered by status, which stays in the address", async () => {
  when(webhookList).answer([webhookWith({})]);
  const asked = answerDeliveries([]);
  await openConsole(`${ADDRESS}?status=FAILED&webhook=1`);
  await expect.element(page.getByText("No delivery matches.")).toBeVisible();
  expect(asked.at(-1)?.query).toMatchObject({ status: "FAILED", webhook_id: 1 });
});
