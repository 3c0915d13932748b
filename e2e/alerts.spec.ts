import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { expectStatus, REWA, robotCard, siteButton, siteFacts } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const SERIAL = "SCR-1002";
const JAMMED = "The brush is jammed and the robot has stopped.";

const strip = (page: Page): Locator => page.getByRole("region", { name: "Alerts", exact: true });
const list = (page: Page): Locator => page.getByRole("dialog", { name: "Alerts", exact: true });
const rowOf = (page: Page, text: string): Locator => list(page).getByRole("listitem").filter({ hasText: text });

test("Alerts: a jam is counted by the card and shown first on the dashboard; another person sees who acknowledged it, and that it is over", async ({
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

test("Alerts: filters stand in the address, a robot leads to its site, and what cannot be loaded is offered again", async ({
  page,
  signIn,
  problems,
}) => {
  await signIn(page, "admin");
  await siteButton(page, REWA).click();
  await page.goto("/dashboard?dialog=alerts&severity=info");
  await expect(list(page).getByText("No alerts match the filters.")).toBeVisible();
  await list(page).getByRole("button", { name: "Show all alerts" }).click();
  await rowOf(page, "The battery is low.")
    .getByRole("button", { name: /^SCR-1004/ })
    .click();
  await expect(list(page)).toBeHidden();
  await expect(robotCard(page, "SCR-1004").root).toBeVisible();
  await expect(siteFacts(page)).toBeVisible();
  await page.goBack();
  await expect(list(page)).toBeVisible();

  problems.allow(/status of 503/);
  await page.route("**/api/alerts?**", (route) => route.fulfill({ status: 503, json: { message: "Not now." } }));
  await page.goto("/dashboard?dialog=alerts");
  await expect(list(page).getByText("The alerts could not be loaded.")).toBeVisible();
  const retry = await list(page).getByRole("button", { name: "Retry" }).elementHandle();
  await page.unroute("**/api/alerts?**");
  // At once: on a slow machine the list would load by itself before a click.
  await retry?.evaluate((button) => (button as HTMLElement).click());
  await expect(rowOf(page, "The battery is low.")).toBeVisible();
});

test("Alerts: strip and list have no axe violation", async ({ page, signIn }) => {
  await signIn(page, "admin");
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto("/dashboard?dialog=alerts&state=all");
    await expect(list(page).getByRole("listitem").first()).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(list(page)).toBeHidden();
    await expect(strip(page).getByRole("listitem").first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expectAccessible(page);
  }
});
