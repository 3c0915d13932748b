import type { Page } from "@playwright/test";
import { type DemoMessage, demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import type { ApiClient } from "./support/api.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const SERIAL = "SCR-1003";
const ROBOT = "Bhadla Row 03";
const JAMMED = "The brush is jammed and the robot has stopped.";
const COMMENT = "A brush is on its way.";

/** What tells of the robot's jam, once it is there. */
async function messageBy(api: ApiClient, channel: DemoMessage["channel"], to: RegExp): Promise<DemoMessage> {
  let found: DemoMessage | undefined;
  const look = async () => {
    const { messages } = await api.call(demoMessages, { query: { channel } });
    found = messages.find(({ to: name, subject, text }) => to.test(name) && `${subject} ${text}`.includes(ROBOT));
    return found !== undefined;
  };
  await expect.poll(look, `a message by ${channel}`).toBe(true);
  if (found === undefined) throw new Error("It is not there.");
  return found;
}

/** The address of the link without its host, which may have another name. */
function addressOf({ links }: DemoMessage, label: string): string {
  const { pathname, hash } = new URL(links.find((link) => link.label === label)?.url ?? "");
  return pathname + hash;
}

const row = (page: Page, { subject, to }: DemoMessage) =>
  page
    .getByRole("list", { name: /^Messages, / })
    .getByRole("button")
    .filter({ hasText: subject ?? ROBOT })
    .filter({ hasText: to })
    .first();

test("demo: a fault of the simulator arrives by every channel; the mail is read, its alert acknowledged by its link without signing in, which the console and its records show, and its contact point unsubscribed", async ({
  page,
  signIn,
  apiAs,
  simulator,
  openBrowser,
  problems,
}) => {
  // What a test runs in every frame is refused in that of a mail.
  problems.allow(/Blocked script execution in 'about:srcdoc'/);
  const admin = await apiAs("admin");
  await simulator.fault(SERIAL, { kind: "jam" });
  await signIn(page, "admin", { at: "/demo/messages" });
  await expect(page).toHaveTitle(/^(\(\d+\) )?Messages of the demo - Suncrew$/);
  const mail = await messageBy(admin, "EMAIL", /^vikram/);
  const chats = [
    await messageBy(admin, "SLACK", /night-watch/),
    await messageBy(admin, "TELEGRAM", /^-/),
    await messageBy(admin, "WEBHOOK", /sms-gateway/),
  ];

  await test.step("the mail as HTML and as text, one channel, and a phone", async () => {
    for (const message of [mail, ...chats]) await expect(row(page, message)).toBeVisible();
    await row(page, mail).click();
    const reader = page.getByRole("region", { name: "Selected message" });
    const title = reader.frameLocator("iframe").getByRole("heading", { level: 1 });
    // Of a single alert, the subject goes on with what has happened.
    expect(mail.subject).toContain(await title.innerText());
    // It has its own styles, though the console's content policy allows none that are written at elements.
    await expect(title).toHaveCSS("font-size", "21px");
    await expectAccessible(page);
    await reader.getByText("Text", { exact: true }).click();
    await expect(reader).toContainText("You get this because of the rule “Robots in danger”.");
    await page.getByLabel("Filter by channel").selectOption("SLACK");
    await expect(page).toHaveURL(/channel=SLACK/);
    await expect(row(page, mail)).toHaveCount(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page
      .getByRole("list", { name: /^Messages, / })
      .getByRole("button")
      .first()
      .click();
    await expect(reader.getByRole("link", { name: "Acknowledge" })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole("button", { name: "Back" }).click();
    await expect(reader).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  const phone = await openBrowser();
  await phone.setViewportSize({ width: 390, height: 844 });

  await test.step("its link acknowledges once it is pressed, and then says who did", async () => {
    await phone.goto(addressOf(mail, "Acknowledge"));
    await expect(phone).toHaveURL("/acknowledge");
    await expect(phone.getByRole("heading", { level: 2 })).toHaveText(/^Acknowledge /);
    await expect(phone.getByRole("listitem").filter({ hasText: ROBOT })).toContainText(JAMMED);
    await expectAccessible(phone);
    await phone.getByLabel("Comment (optional)").fill(COMMENT);
    await phone.getByRole("button", { name: "Acknowledge" }).click();
    await expect(phone.getByRole("status")).toContainText(/acknowledged/i);
    await phone.goto("about:blank");
    await phone.goto(addressOf(mail, "Acknowledge"));
    await expect(phone.getByRole("heading", { level: 2 })).toHaveText("Already acknowledged by Vikram Mehta");
    await expect(phone.getByRole("button")).toHaveCount(0);
  });

  await test.step("a link of which a part is missing says so", async () => {
    problems.allow(/status of 400 .*links\/read/);
    await phone.goto("about:blank");
    await phone.goto(addressOf(mail, "Acknowledge").slice(0, -4));
    await expect(phone.getByRole("alert")).toContainText("It is not a link of Suncrew, or a part of it is missing.");
    await expect(phone.getByRole("link", { name: "Sign in to the console" })).toBeVisible();
  });

  await test.step("the console shows who acknowledged and, with the robot's records, too, who was told, and the audit that it was by a link", async () => {
    await page.goto("/dashboard?dialog=alerts");
    const alert = page
      .getByRole("dialog", { name: "Alerts", exact: true })
      .getByRole("listitem")
      .filter({ hasText: SERIAL })
      .filter({ hasText: JAMMED })
      .first();
    await expect(alert).toContainText(`Acknowledged by Vikram Mehta: ${COMMENT}`);
    await alert.getByRole("button", { name: /^Who was told/ }).click();
    const told = alert.getByRole("group", { name: "Who was told" });
    await expect(told).toContainText(/Told Vikram Mehta by email at \d\d:\d\d, accepted by the mail server/);
    await expect(told).toContainText(/Told Night watch by Slack at \d\d:\d\d, delivered to Slack/);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/robots/${SERIAL}?tab=alerts`);
    // The charts above would move the record, part of which the bar with Stop might then cover.
    await expect(page.getByText(/uptime/i)).toBeVisible();
    const record = page
      .getByRole("region", { name: "Records" })
      .getByRole("listitem")
      .filter({ hasText: JAMMED })
      .first();
    await record.getByRole("button", { name: /^Who was told/ }).click();
    await expect(record.getByRole("group", { name: "Who was told" })).toContainText(
      /Told Vikram Mehta by email at \d\d:\d\d, accepted by the mail server/,
    );
    await record.evaluate((shown) => shown.scrollIntoView({ block: "center" }));
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto("/activity?view=audit&did=ACKNOWLEDGE_ALERT");
    const changes = page.getByRole("table", { name: "Changes, newest first" });
    await expect(changes.getByRole("row").filter({ hasText: "Vikram Mehta" }).first()).toContainText(
      "Acknowledge alert",
    );
  });

  await test.step("its other link stops messages to that contact point", async () => {
    await phone.goto(addressOf(mail, "Unsubscribe"));
    await expectAccessible(phone);
    await phone.getByRole("button", { name: "Stop messages" }).click();
    await expect(phone.getByRole("status")).toBeVisible();
    await page.goto("/profile");
    const point = page.getByRole("listitem").filter({ hasText: "Office mail" });
    await expect(point).toContainText("Unsubscribed");
    await point.getByRole("button", { name: "Edit Office mail" }).click();
    const editing = page.getByRole("dialog", { name: "Edit Contact Point" });
    await editing.getByRole("switch", { name: "Messages are sent to it" }).press("Space");
    await editing.getByRole("button", { name: "Save" }).click();
    await expect(point).toContainText("Works");
  });
});

test("a partner gets its own part of Notifications, and neither webhooks nor the messages of the demo", async ({
  page,
  signIn,
}) => {
  await signIn(page, "partner", { at: "/notifications?tab=rules" });
  await expect(page.getByRole("tab")).toHaveText(["Contact points", "Muted", "Sent messages"]);
  await expect(page.getByRole("tab", { selected: true })).toHaveText("Contact points");
  await expect(page.getByRole("listitem").filter({ hasText: "asha.rathore" })).toBeVisible();
  await expect(page.getByText("vikram.mehta")).toHaveCount(0);
  for (const [address, what] of [
    ["/webhooks", "Webhooks"],
    ["/demo/messages", "the messages of the demo"],
  ] as const) {
    await page.goto(address);
    await expect(page).toHaveURL(/\/dashboard/);
    await expectToast(page, "Access Denied", `Only Super Admins can access ${what}.`);
  }
});
