import type { Page } from "@playwright/test";
import {
  BHADLA,
  CHARANKA,
  discardChanges,
  expectToast,
  KAMUTHI,
  KURNOOL,
  PAVAGADA,
  REWA,
} from "./support/dashboard.ts";

import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { expect, test } from "./support/suncrew.ts";

const allSites = (page: Page) => page.getByRole("region", { name: "All Sites" });
const robotRow = (page: Page, serial: string) => page.getByRole("article", { name: serial });

test(
  "§2 Site Management page: selecting a site in the list shows its detail, robots and groups",
  { tag: "@smoke" },
  async ({ page, signIn }) => {
    await signIn(page, "admin", { at: "/profile" });
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Site Management" }).click();
    await expect(page).toHaveTitle(/^(\(\d+\) )?Site Management - Suncrew$/);
    // A site is chosen from the beginning: the worst.
    await expect(page.getByRole("region", { name: "Selected site" }).getByRole("heading", { level: 2 })).toBeVisible();
    const rows = allSites(page).getByRole("list", { name: "All Sites" }).getByRole("listitem");
    await expect(rows).toHaveText([BHADLA, CHARANKA, KAMUTHI, KURNOOL, PAVAGADA, REWA].map((name) => new RegExp(name)));
    const first = rows.first().getByRole("button", { name: BHADLA });
    await expect(first).toHaveAccessibleName(/Warning, 3 of 4 robots online/);
    // With more than four matches the rows are compact.
    await expect(allSites(page)).not.toContainText("Maintenance:");

    await first.click();
    await expect(page).toHaveURL(/\/sites\?site=\d+$/);
    await expect(page.getByRole("heading", { level: 2, name: BHADLA })).toBeVisible();
    const detail = page.getByRole("region", { name: "Selected site" });
    for (const text of [
      "Bhadla, Phalodi tehsil, Jodhpur, Rajasthan 342301",
      "Commissioned 22 Feb 2017",
      "Maintenance: SunCare Services",
      "3 of 4 robots online",
    ]) {
      await expect(detail).toContainText(text);
    }
    await expect(detail.getByRole("tab")).toHaveText(["Individual Robots", "Robot Groups"]);
    await expect(detail.getByRole("heading", { name: "Cleaning Robots (4)" })).toBeVisible();
    await expect(robotRow(page, "SCR-1001")).toContainText("Bhadla Row 01");
    await expect(robotRow(page, "SCR-1001")).toContainText("SCR-1001 · BLDC · Firmware 2.4.1");
    await expect(robotRow(page, "SCR-1001")).toContainText(/Battery \d+ %/);
    await expect(robotRow(page, "SCR-1001")).toContainText("Idle");
    await expect(robotRow(page, "SCR-1004")).toContainText("Warning");

    await page.goBack();
    // A site is chosen from the beginning: the worst.
    await expect(page.getByRole("region", { name: "Selected site" }).getByRole("heading", { level: 2 })).toBeVisible();
    await allSites(page).getByRole("button", { name: REWA }).click();
    await expect(page.getByRole("heading", { level: 2, name: REWA })).toBeVisible();
  },
);

test("§6 PARTNER: Site Management shows only its own sites, and a link to another partner's site shows nothing of it; robots' changes appear without a click, and a robot can be queried", async ({
  page,
  signIn,
  apiAs,
  simulator,
}) => {
  const rewa = (await (await apiAs("admin")).call(siteDetails, {})).find(({ name }) => name === REWA);
  if (rewa === undefined) throw new Error(`${REWA} is not there`);
  await signIn(page, "partner", { at: `/sites?site=${rewa.id}` });
  await expect(page.getByText("Site not found, or no access")).toBeVisible();
  await expect(page.getByText(REWA)).toHaveCount(0);
  const rows = allSites(page).getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await expect(rows).toContainText([BHADLA, PAVAGADA]);

  await allSites(page).getByRole("button", { name: BHADLA }).click();
  await expect(robotRow(page, "SCR-1002")).toContainText("Idle");
  await simulator.fault("SCR-1002", { kind: "jam" });
  await expect(robotRow(page, "SCR-1002")).toContainText("Critical");
  await expect(page.getByRole("region", { name: "Selected site" }).locator("header")).toContainText("2 of 4");
  await simulator.clear("SCR-1002");
  await expect(robotRow(page, "SCR-1002")).toContainText("Idle");
  const refresh = robotRow(page, "SCR-1003").getByRole("button", { name: "Refresh status" });
  await expect(refresh).toHaveAttribute("aria-busy", "false");
  await refresh.click();
  await expectToast(page, "Robot Refreshed", /Robot SCR-1003: Idle, battery \d+ %, direction Forward/);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  test("§2 Site Management page: the choices of a dialog leave the page as wide as a phone's screen", async ({
    page,
    signIn,
  }) => {
    await signIn(page, "admin", { at: "/sites" });
    await allSites(page).getByRole("button", { name: BHADLA }).click();
    await page.getByRole("checkbox", { name: "Select all 4" }).check();
    await page.getByRole("button", { name: "Move", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Move Robots" });
    await dialog.getByRole("combobox", { name: "To site" }).click();
    await expect(page.getByRole("option", { name: REWA })).toBeVisible();
    expect(await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth])).toEqual([390, 390]);
    await page.getByRole("option", { name: REWA }).click();
    await expect(dialog.getByRole("button", { name: "Move 4 robots" })).toBeVisible();
    await page.keyboard.press("Escape");
    await discardChanges(page);
    await expect(dialog).toBeHidden();
  });
});
