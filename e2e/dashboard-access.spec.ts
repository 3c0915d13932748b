import type { Locator, Page } from "@playwright/test";
import { chooseSite, expectStatus, expectTruth, REWA, robotCard, siteButton } from "./support/dashboard.ts";
import { expectAccessible } from "./support/axe.ts";
import { accounts, expect, test } from "./support/suncrew.ts";

/** Presses Tab until this element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  await expect(target, "reached by Tab").toBeFocused();
}

async function expectFocusVisible(target: Locator): Promise<void> {
  await expect(target).toBeFocused();
  const ring = await target.evaluate((element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return { outline: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2, shadow: boxShadow !== "none" };
  });
  expect(ring.outline || ring.shadow, "the focus is seen").toBe(true);
}

/** The dashboard with all its lazily loaded content, map shown and hidden; the map is left hidden. */
async function lookAtBoth(page: Page, look: () => Promise<void>): Promise<void> {
  await expectStatus(robotCard(page, "SCR-1001"), "Idle");
  await expectStatus(robotCard(page, "SCR-1004"), "Warning");
  const show = page.getByRole("button", { name: "Show Map" });
  const land = page.locator(".leaflet-land-pane canvas");
  if (await show.isVisible()) await show.click();
  await expect(land.first()).toBeVisible();
  await look();
  await page.getByRole("button", { name: "Hide Map" }).click();
  await expect(land).toHaveCount(0);
  await look();
}

/** Everything that can be opened on the dashboard, with the button that opens it. */
const overlays = [
  { what: /^Info on robot SCR-1004/, by: (page: Page) => robotButton(page, "SCR-1004", "Robot info") },
  { what: /^Alerts of robot SCR-1004/, by: (page: Page) => robotButton(page, "SCR-1004", "Warning: 1 alert") },
  { what: /^Robot settings: SCR-1001/, by: (page: Page) => robotButton(page, "SCR-1001", "Settings") },
  { what: /^SunCare Services/, by: (page: Page) => page.getByRole("button", { name: "SunCare Services" }) },
] as const;

function robotButton(page: Page, serial: string, name: string): Locator {
  return robotCard(page, serial).root.getByRole("button", { name, exact: true });
}

test("§9 Themes: the dashboard, map shown and hidden, and every dialog and popover are accessible, also on a phone", async ({
  page,
  signIn,
}) => {
  test.slow();
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, "admin");
  for (const { width, height } of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await test.step(`${width} px wide`, async () => {
      await page.setViewportSize({ width, height });
      await page.getByRole("tab", { name: "Individual Robots" }).click();
      await lookAtBoth(page, () => expectAccessible(page));
      for (const { what, by } of overlays) {
        const opener = by(page);
        await opener.click();
        const dialog = page.getByRole("dialog", { name: what });
        await expect(dialog).toBeVisible();
        await expect(dialog).toHaveCSS("opacity", "1");
        await expect(dialog.getByLabel(/^Loading/)).toHaveCount(0);
        await expectAccessible(page, dialog);
        await page.keyboard.press("Escape");
        await expect(dialog).toBeHidden();
        await expect(opener).toBeFocused();
      }
      await page.getByRole("tab", { name: "Group Control" }).click();
      // An element at the edge of the sticky Stop bar of a phone is half covered by it.
      const toGroups = page.locator('a[href*="tab=groups"]').last();
      await toGroups.evaluate((link) => link.scrollIntoView({ block: "center" }));
      await expectAccessible(page, page.getByRole("main"));
    });
  }
  await test.step("choosing a site does not widen the page on a phone", async () => {
    await page.getByRole("tab", { name: "Individual Robots" }).click();
    await chooseSite(page, REWA);
    await expect(robotCard(page, "SCR-1010").root).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

test("390 and 360 px wide: nothing overflows, map shown and hidden, and Stop is within reach", async ({
  page,
  signIn,
  simulator,
}) => {
  const widths = [390, 360];
  const cards = ["SCR-1002", "SCR-1003"].map((serial) => robotCard(page, serial));
  /** Runs this at each width, without loading the page again. */
  const atEach = async (look: (width: number) => Promise<void>) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 780 });
      await look(width);
    }
  };
  const expectInside = (width: number) =>
    expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  await page.setViewportSize({ width: 390, height: 780 });
  await signIn(page, "partner");
  // On a phone the map is hidden until its toggle is pressed.
  await atEach(() => expect(page.getByRole("button", { name: "Show Map" })).toBeVisible());
  await lookAtBoth(page, () => atEach(expectInside));
  for (const { start } of cards) await start.click();
  for (const card of cards) {
    await expectTruth(simulator, card.serial, { motion: "MOVING" });
    await expectStatus(card, "Normal");
  }
  await atEach(async (width) => {
    for (const { stop } of cards) {
      const box = await stop.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(40);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    }
  });
  for (const { stop } of cards) await stop.click();
  for (const card of cards) {
    await expectTruth(simulator, card.serial, { motion: "STOPPED" });
    await expectStatus(card, "Idle");
  }
});

test("§2 Individual Robots, using only the keyboard: sign in, choose a site, start and stop a robot; the focus is always visible, also during a refresh", async ({
  page,
  simulator,
}) => {
  await page.goto("/");
  await tabTo(page, page.getByLabel("Username"));
  await page.keyboard.type(accounts.admin.username);
  await tabTo(page, page.getByLabel("Password", { exact: true }));
  await page.keyboard.type(accounts.admin.password);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/dashboard/);

  const first = page.getByRole("group", { name: "All Sites" }).getByRole("button").first();
  await tabTo(page, first);
  await expectFocusVisible(first);
  const site = siteButton(page, REWA);
  for (let steps = 0; steps < 6; steps += 1) {
    if (await site.evaluate((element) => element === document.activeElement)) break;
    const before = await page.evaluate(() => document.activeElement?.textContent);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).not.toBe(before);
  }
  await expectFocusVisible(site);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 2, name: REWA })).toBeVisible();

  const card = robotCard(page, "SCR-1010");
  await expectStatus(card, "Idle");
  await tabTo(page, card.start);
  await expectFocusVisible(card.start);
  await page.keyboard.press("Enter");
  await expectTruth(simulator, "SCR-1010", { motion: "MOVING" });
  await expectStatus(card, "Normal");
  // The focus stays on the button, which is now disabled and says why.
  await expectFocusVisible(card.start);
  await page.keyboard.press("Tab");
  await expectFocusVisible(card.stop);
  await page.keyboard.press("Space");
  await expectTruth(simulator, "SCR-1010", { motion: "STOPPED" });
  await expectStatus(card, "Idle");

  for (const control of [card.forward, card.refresh]) {
    await page.keyboard.press("Tab");
    await expectFocusVisible(control);
  }
  // A refresh in progress, whether pressed or polled, leaves the focus on its button.
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/api/mqtt/robot/getRobotStatus**", async (route) => {
    await released;
    await route.continue();
  });
  await page.keyboard.press("Enter");
  await expect(card.refresh).toHaveAttribute("aria-busy", "true");
  await expectFocusVisible(card.refresh);
  release();
  await expect(card.refresh).toHaveAttribute("aria-busy", "false");
  await expectFocusVisible(card.refresh);

  await page.keyboard.press("Tab");
  await expectFocusVisible(card.settings);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Robot settings: SCR-1010" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(card.settings).toBeFocused();
});
