import { attentionList } from "@suncrew/contract/attention/attention.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectStatus, REWA, robotCard, siteFacts } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const SERIAL = "SCR-1002";
const JAMMED = "The brush is jammed and the robot has stopped.";

const attention = (page: Page): Locator => page.getByRole("region", { name: "Attention", exact: true });
const itemOf = (page: Page, text: string): Locator =>
  attention(page).getByRole("listitem").filter({ hasText: SERIAL }).filter({ hasText: text });
const list = (page: Page): Locator => page.getByRole("dialog", { name: "Alerts", exact: true });
const rowOf = (page: Page, text: string): Locator => list(page).getByRole("listitem").filter({ hasText: text });

test("attention: a jam is first on the list of everybody, is acknowledged with a comment, undone, and leaves when it is cleared", async ({
  page,
  signIn,
  simulator,
  openBrowser,
  apiAs,
  held,
}) => {
  // By the sample of the day a site may need attention from the server's first round on.
  await held.soiling();
  await signIn(page, "admin");
  const other = await openBrowser();
  await signIn(other, "partner");
  const card = robotCard(page, SERIAL);
  await expectStatus(card, "Idle");
  await expect(attention(page)).toContainText("Needs attention");

  await simulator.fault(SERIAL, { kind: "jam" });
  const item = itemOf(page, JAMMED);
  await expect(item).toContainText("Critical");
  await expect(itemOf(other, JAMMED)).toBeVisible();
  const count = async () => Number(/^\((\d+)\) Dashboard - Suncrew$/.exec(await page.title())?.[1] ?? 0);
  await expect.poll(count).toBeGreaterThan(0);
  const { open } = await (await apiAs("admin")).call(attentionList, {});
  const before = open.CRITICAL + open.WARNING + open.INFO;
  await expect.poll(count).toBe(before);

  await item.getByRole("button", { name: /^Acknowledge/ }).click();
  const asked = page.getByRole("dialog", { name: `Acknowledge: ${SERIAL}` });
  await asked.getByLabel("Comment (optional)").fill("A brush is on its way.");
  await asked.getByRole("button", { name: "Acknowledge" }).click();
  await expect(item).toHaveCount(0);
  await expect.poll(count).toBe(before - 1);
  await other.getByRole("button", { name: /acknowledged$/ }).click();
  await expect(itemOf(other, JAMMED)).toContainText(/Acknowledged by .*: A brush is on its way\./);

  await page.getByRole("button", { name: /acknowledged$/ }).click();
  await item.getByRole("button", { name: /^Undo/ }).click();
  await expect(item.getByRole("button", { name: /^Acknowledge/ })).toBeVisible();
  await expect.poll(count).toBe(before);

  await item.getByRole("link", { name: /^Open/ }).click();
  await expect(page).toHaveURL(/\/robots\/SCR-1002\?at=/);
  await expect(page).toHaveTitle(/SCR-1002 - Robot - Suncrew$/);
  await expect(card.root).toBeVisible();
  await page.goBack();
  await expect(item).toBeVisible();
  await simulator.clear(SERIAL);
  await expect(item).toHaveCount(0);
  await expect(itemOf(other, JAMMED)).toHaveCount(0);
});

test("Alerts: a jam is counted on the card and listed; the list says who acknowledged it, and that it has cleared", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, SERIAL);
  await expectStatus(card, "Idle");
  await simulator.fault(SERIAL, { kind: "jam" });

  // The card's count opens the list with this robot's alerts.
  await card.root.getByRole("button", { name: "1 alert" }).click();
  await page.getByRole("button", { name: /^Show in the list/ }).click();
  await expect(page).toHaveURL(/dialog=alerts&robot=\d+/);
  await expect(list(page).getByRole("listitem")).toHaveCount(1);
  await rowOf(page, SERIAL)
    .getByRole("button", { name: /^Acknowledge/ })
    .click();
  await expect(rowOf(page, SERIAL)).toContainText("Acknowledged by");
  await list(page)
    .getByRole("button", { name: `Robot ${SERIAL}: show all robots` })
    .click();
  await expect(rowOf(page, "The battery is low.")).toBeVisible();
  await expect(rowOf(page, SERIAL)).toBeVisible();

  await simulator.clear(SERIAL);
  await expect(rowOf(page, SERIAL)).toHaveCount(0);
  await list(page).getByText("Past", { exact: true }).click();
  await expect(page).toHaveURL(/state=cleared/);
  await expect(rowOf(page, SERIAL).first()).toContainText("Cleared");
  await page.keyboard.press("Escape");
  await expect(list(page)).toBeHidden();
  await expect(page).not.toHaveURL(/dialog/);
  await expect(card.root.getByText("0 alerts")).toBeVisible();
});

test("Alerts: filters are kept in the URL, a row leads to its site and to the robot at that moment; both lists have no axe violations", async ({
  page,
  signIn,
  apiAs,
}) => {
  const sites = await (await apiAs("admin")).call(siteDetails, {});
  const rewa = sites.find(({ name }) => name === REWA)?.id ?? 0;
  await signIn(page, "admin", { at: `/dashboard?site=${rewa}&dialog=alerts&severity=info` });
  await expect(list(page).getByText("No alerts match the filters.")).toBeVisible();
  await expect(siteFacts(page)).toContainText(REWA);
  await list(page).getByRole("button", { name: "Show all alerts" }).click();
  await rowOf(page, "The battery is low.").getByRole("button", { name: BHADLA }).click();
  await expect(list(page)).toBeHidden();
  await expect(robotCard(page, "SCR-1004").root).toBeVisible();
  await expect(siteFacts(page)).toBeVisible();
  await page.goBack();
  await expect(list(page)).toBeVisible();
  await rowOf(page, "The battery is low.")
    .getByRole("link", { name: /^SCR-1004/ })
    .click();
  await expect(page).toHaveURL(/\/robots\/SCR-1004\?at=\d{4}-\d\d-\d\dT/);
  await page.goBack();
  await expect(list(page)).toBeVisible();

  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await list(page).getByText("All", { exact: true }).click();
    await expect(page).toHaveURL(/state=all/);
    await expect(list(page).getByRole("listitem").first()).toBeVisible();
    await expectAccessible(page, list(page));
    await page.keyboard.press("Escape");
    await expect(list(page)).toBeHidden();
    await expect(attention(page).getByRole("listitem").first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expectAccessible(page);
    if (width === 1440) await attention(page).getByRole("button", { name: "All alerts" }).click();
  }
});
