import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { expectStatus, REWA, robotCard, siteFacts } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const SERIAL = "SCR-1002";
const JAMMED = "The brush is jammed and the robot has stopped.";

const strip = (page: Page): Locator => page.getByRole("region", { name: "Alerts", exact: true });
const list = (page: Page): Locator => page.getByRole("dialog", { name: "Alerts", exact: true });
const rowOf = (page: Page, text: string): Locator => list(page).getByRole("listitem").filter({ hasText: text });

test("Alerts: a jam is counted on the card and listed first on the dashboard; another person sees who acknowledged it, and that it has cleared", async ({
  page,
  signIn,
  simulator,
  openBrowser,
}) => {
  await signIn(page, "admin");
  const other = await openBrowser();
  await signIn(other, "partner");
  const card = robotCard(page, SERIAL);
  await expectStatus(card, "Idle");
  await expect(strip(page)).toContainText("The battery is low.");
  const height = await strip(page).boundingBox();

  await simulator.fault(SERIAL, { kind: "jam" });
  const worst = strip(page).getByRole("listitem").first();
  await expect(worst).toContainText(JAMMED);
  await expect(worst).toContainText("Critical");
  await expect(worst).toContainText(SERIAL);
  await expect(strip(page).getByText("2 Critical")).toBeVisible();
  expect(await strip(page).boundingBox()).toEqual(height);

  // The card's count opens the list with this robot's alerts.
  await card.root.getByRole("button", { name: "1 alert" }).click();
  await page.getByRole("button", { name: /^Show in the list/ }).click();
  await expect(page).toHaveURL(/dialog=alerts&robot=\d+/);
  await expect(list(page).getByRole("listitem")).toHaveCount(1);
  await rowOf(page, SERIAL)
    .getByRole("button", { name: /^Acknowledge/ })
    .click();
  await expect(rowOf(page, SERIAL)).toContainText("Acknowledged by");
  await expect(strip(other).getByRole("listitem").filter({ hasText: SERIAL })).toContainText("Acknowledged by");
  await list(page)
    .getByRole("button", { name: `Robot ${SERIAL}: show all robots` })
    .click();
  await expect(rowOf(page, "The battery is low.")).toBeVisible();
  await expect(rowOf(page, SERIAL)).toBeVisible();

  await simulator.clear(SERIAL);
  await expect(rowOf(page, SERIAL)).toHaveCount(0);
  await expect(strip(other)).not.toContainText(SERIAL);
  await list(page).getByText("Past", { exact: true }).click();
  await expect(page).toHaveURL(/state=cleared/);
  await expect(rowOf(page, SERIAL).first()).toContainText("Cleared");
  await page.keyboard.press("Escape");
  await expect(list(page)).toBeHidden();
  await expect(page).not.toHaveURL(/dialog/);
  await expect(card.root.getByText("0 alerts")).toBeVisible();
});

test("Alerts: filters are kept in the URL, and a robot links to its site; strip and list have no axe violations", async ({
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
  await rowOf(page, "The battery is low.")
    .getByRole("button", { name: /^SCR-1004/ })
    .click();
  await expect(list(page)).toBeHidden();
  await expect(robotCard(page, "SCR-1004").root).toBeVisible();
  await expect(siteFacts(page)).toBeVisible();
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
    await expect(strip(page).getByRole("listitem").first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expectAccessible(page);
    if (width === 1440) await strip(page).getByRole("button", { name: "All alerts" }).click();
  }
});
