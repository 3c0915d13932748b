import { type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { type Delivery, deliveryList } from "@suncrew/contract/notifications/deliveries.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectContains, expectNoSidewaysScroll } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const dark: Alert = {
  id: "7",
  severity: "CRITICAL",
  source: "SERVER",
  code: "SITE_DARK",
  text: "All is dark.",
  raised_at: new Date(Date.now() - 60_000).toISOString(),
  cleared_at: null,
  times: 1,
  site_id: 1,
  site_name: BHADLA,
  robot_id: null,
  robot_name: null,
  serial_number: null,
  acknowledged_at: null,
  acknowledged_by: null,
  sample: false,
};

const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

function delivery(nth: number, change: Partial<Delivery>): Delivery {
  return {
    id: `00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`,
    message_kind: "ALERTS",
    channel: "EMAIL",
    contact_point_id: nth,
    contact_point_name: "Work mail",
    told: "Asha Rathore",
    address: "asha@example.com",
    severity: "CRITICAL",
    title: "Site dark",
    text: null,
    status: "SENT",
    reason: null,
    reason_code: null,
    attempts: 1,
    created_at: at(-2),
    due_at: null,
    settled_at: at(-1),
    ...change,
  };
}

const answered = (...deliveries: Delivery[]) => ({
  deliveries,
  total: deliveries.length,
  total_exact: true,
  next_cursor: null,
});

async function openAlert(role: "admin" | "partner" = "admin", change: Partial<Alert> = {}) {
  const open = { CRITICAL: 1, WARNING: 0, INFO: 0 };
  when(alertList).answer({ alerts: [{ ...dark, ...change }], total: 1, total_exact: true, open, next_cursor: null });
  await openConsole("/dashboard?dialog=alerts", role);
  await page.getByRole("button", { name: `Who was told: ${BHADLA}, All is dark.` }).click();
  return page.getByRole("group", { name: "Who was told" });
}

test("beside an alert: who was told by what and when, who waits, and what was tried or given up for which reason", async () => {
  const asked = when(deliveryList).answer(
    answered(
      delivery(1, {}),
      delivery(2, { message_kind: "CLEARED" }),
      delivery(3, {
        told: "Ravi Kumar",
        channel: "WHATSAPP",
        status: "WAITING",
        attempts: 3,
        reason: "WhatsApp is not reached.",
        due_at: at(1),
        settled_at: null,
      }),
      delivery(4, {
        told: "Night watch",
        channel: "SLACK",
        status: "FAILED",
        attempts: 1,
        reason: "Slack refused it.",
      }),
      delivery(5, { told: "Meera Iyer", status: "WAITING", attempts: 0, due_at: at(400), settled_at: null }),
      delivery(6, { told: "Anita Rao", status: "DROPPED", attempts: 0, reason: "The alert is over." }),
      delivery(7, { told: "Sunil Das", status: "WAITING", attempts: 0, due_at: at(-2), settled_at: null }),
      delivery(8, { told: "Ravi Kumar", channel: "WHATSAPP" }),
      delivery(9, { told: "Night watch", channel: "SLACK" }),
    ),
  );
  const told = await openAlert();
  const lines = told.getByRole("listitem");
  for (const [nth, line] of [
    /^Told Asha Rathore by email at (.+, )?\d\d:\d\d, accepted by the mail server$/,
    /^Told Asha Rathore by email at (.+, )?\d\d:\d\d that it is over, accepted by the mail server$/,
    /^Ravi Kumar by WhatsApp: tried 3 times, WhatsApp is not reached; again at (.+, )?\d\d:\d\d$/,
    /^Night watch by Slack: tried once, given up, Slack refused it$/,
    /^Meera Iyer by email: waits until (.+, )?\d\d:\d\d \(quiet times\)$/,
    /^Anita Rao by email: not needed any more, The alert is over$/,
    /^Sunil Das by email: waiting to be sent$/,
    // Nobody tells Suncrew whether these arrived, but Slack, which shows them at once.
    /^Told Ravi Kumar by WhatsApp at (.+, )?\d\d:\d\d, accepted by WhatsApp$/,
    /^Told Night watch by Slack at (.+, )?\d\d:\d\d, delivered to Slack$/,
  ].entries()) {
    await expect.poll(() => lines.elements()[nth]?.textContent).toMatch(line);
  }
  expect(asked.map(({ query }) => query.alert_id)).toContain("7");
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    for (const width of [390, 1440]) {
      await page.viewport(width, 900);
      await expectNoSidewaysScroll();
      await expectAccessible();
    }
  }
});

test("beside an alert: opening it moves nothing under the pointer, also while and after it is loaded", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  when(deliveryList).answer(() => promise.then(() => answered(delivery(1, {}))));
  const told = await openAlert();
  await expectContains(told, "Loading who was told...");
  const button = page.getByRole("button", { name: `Who was told: ${BHADLA}, All is dark.` });
  const top = () => button.element().getBoundingClientRect().top;
  const height = () => told.element().getBoundingClientRect().height;
  const before = { top: top(), height: height() };
  resolve();
  await expectContains(told, "Told Asha Rathore");
  expect({ top: top(), height: height() }).toEqual(before);
  await button.click();
  await expect.element(told).not.toBeInTheDocument();
  expect(top()).toBe(before.top);
});

test("beside an alert: a long comment has a line of its own, and below it who was told", async () => {
  when(deliveryList).answer(answered(delivery(1, {})));
  await page.viewport(1440, 900);
  const comment = "A new brush is on its way. ".repeat(8).trim();
  const told = await openAlert("admin", { acknowledged_at: at(-1), acknowledged_by: "Anita Rao", comment });
  await expectContains(told, "Told Asha Rathore");
  const seen = page.getByText(`Acknowledged by Anita Rao: ${comment}`).element().getBoundingClientRect();
  expect(seen.width).toBeGreaterThan(500);
  expect(told.element().getBoundingClientRect().top).toBeGreaterThanOrEqual(seen.bottom);
});

test("beside an alert: a failure can be retried, and without messages a Super Admin is led to the rules", async () => {
  when(deliveryList).fail(500, { message: "Broken" });
  const told = await openAlert();
  await expectContains(told, "Who was told could not be loaded.");
  when(deliveryList).answer(answered());
  await told.getByRole("button", { name: "Retry" }).click();
  await expectContains(told, "Nobody was told.");
  await expect.element(told.getByRole("link", { name: "Rules" })).toHaveAttribute("href", "/notifications?tab=rules");
});

test("beside an alert: a partner, who does not learn of everybody's messages, does not read that nobody was told", async () => {
  when(deliveryList).answer(answered());
  const told = await openAlert("partner");
  await expectContains(told, "No message to you, your organisation or your sites' contacts.");
});

test("beside an alert: many messages are listed, and those beyond the list are counted", async () => {
  const many = Array.from({ length: 100 }, (_, nth) => delivery(nth + 1, { told: `Person ${nth}` }));
  when(deliveryList).answer({
    ...answered(...many),
    total: 130,
    next_cursor: "1.00000000-0000-4000-8000-000000000001",
  });
  const told = await openAlert();
  await expectContains(told, "Told Person 99 by email");
  await expectContains(told, "And 30 earlier");
});
