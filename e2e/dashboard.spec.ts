import type { Locator, Page } from "@playwright/test";
import {
  BHADLA,
  CHARANKA,
  chooseSite,
  expectStatus,
  expectToast,
  KAMUTHI,
  PAVAGADA,
  REWA,
  robotCard,
  siteFacts,
  siteList,
} from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const details = (page: Page): Locator => page.getByRole("region", { name: "Site details" });

test("§2 Detail panel: name, status, address, district, state, pin code, commissioned date, partner, robots online", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const detail = details(page);
  await expect(detail.getByRole("heading", { level: 2 })).toHaveText(BHADLA);
  await expect(detail.getByText("Bhadla, Phalodi tehsil, Jodhpur, Rajasthan 342301")).toBeVisible();
  await expect(detail.getByText("Commissioned 22 Feb 2017")).toBeVisible();
  await expect(detail.getByText("Maintenance: SunCare Services")).toBeVisible();
  // The fourth has a warning, so it counts as neither normal nor idle.
  await expect(siteFacts(page)).toContainText("3 of 4 robots online");
  await expect(detail.locator("header").getByText("Warning", { exact: true })).toBeVisible();
  await expect(detail.getByRole("tab")).toHaveText(["Individual Robots", "Group Control", "Calendar"]);
  await chooseSite(page, CHARANKA);
  await expect(detail.getByText("Maintenance: In-house")).toBeVisible();
  await expect(siteFacts(page)).toContainText("1 of 1 robots online");
});

test("§2 Partner details dialog: its fields, and copy buttons for contact name, email and phone", async ({
  page,
  context,
  signIn,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, "admin");
  await page.getByRole("button", { name: "SunCare Services" }).click();
  const dialog = page.getByRole("dialog", { name: "SunCare Services" });
  const terms = "Contact person|Email|Phone|Address|Company registration|Tax ID|Created|Certifications".split("|");
  await expect(dialog.getByRole("term")).toHaveText(terms);
  for (const text of [
    "14 Residency Road, Sardarpura, Jodhpur, Rajasthan, 342003, INDIA",
    "U40106RJ2016PTC049871",
    "08AAKCS4821M1ZT",
    "Electrical contractor class A",
  ]) {
    await expect(dialog.getByText(text)).toBeVisible();
  }
  for (const { what, text } of [
    { what: "Contact name", text: "Asha Rathore" },
    { what: "Email", text: "asha.rathore@suncare.example" },
    { what: "Phone number", text: "+91 98290 41276" },
  ]) {
    await dialog.getByRole("button", { name: `Copy ${what.toLowerCase()}` }).click();
    await expectToast(page, "Copied to Clipboard", `${what} copied to clipboard`);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
  }
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("§2 Individual Robots: serial number, motor type, badges, battery, alerts, and the info popover", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1001");
  await expectStatus(card, "Idle");
  await expect(card.root.getByRole("heading", { name: "SCR-1001" })).toBeVisible();
  await expect(card.root.getByText("BLDC")).toBeVisible();
  await expect(card.root.getByText("MANUAL", { exact: true })).toBeVisible();
  await expect(card.root.getByRole("meter", { name: "Battery" })).toHaveAttribute("aria-valuetext", /^\d+ %, good$/);
  await expect(card.root.getByText("0 alerts")).toBeVisible();
  await card.root.getByRole("button", { name: "Robot info" }).click();
  const info = page.getByRole("dialog", { name: "Info on robot SCR-1001" });
  await expect(info.getByRole("term")).toContainText(["Firmware", "Installed", "Last updated", "Last cleaned"]);
  await expect(info).toContainText("2.4.1");
  await expect(info).toContainText("6 Nov 2023");
  await page.keyboard.press("Escape");
  await expect(info).toBeHidden();
});

test("§2 Group Control: the empty state's words", async ({ page, signIn }) => {
  await signIn(page, "admin");
  await page.getByRole("tab", { name: "Group Control" }).click();
  await expect(page.getByText("No robot groups available, create groups in Site Management")).toBeVisible();
  await page.getByRole("tab", { name: "Individual Robots" }).click();
  await expect(robotCard(page, "SCR-1001").root).toBeVisible();
});

test("the fleet figures count every robot once, and show the robots and sites of a figure", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const figures = page.getByRole("group", { name: "Fleet figures" }).getByRole("button");
  await expect(figures).toHaveText(["0 Cleaning", "11 Idle", "2 Need attention", "1 Offline"]);
  await figures.nth(2).click();
  await expect(siteList(page).getByRole("button")).toHaveCount(2);
  await expect(page.getByRole("article")).toHaveCount(1);
  await expect(page.getByRole("article", { name: "SCR-1004" })).toBeVisible();
  await figures.nth(2).click();
  await expect(page.getByRole("article")).toHaveCount(4);
});

test("§6 PARTNER: sees its own sites and their robots alone", async ({ page, signIn }) => {
  await signIn(page, "partner");
  await expect(siteList(page).getByRole("button")).toContainText([BHADLA, PAVAGADA]);
  await expect(siteList(page).getByRole("button")).toHaveCount(2);
  const figures = page.getByRole("group", { name: "Fleet figures" }).getByRole("button");
  await expect(figures).toHaveText(["0 Cleaning", "5 Idle", "1 Need attention", "1 Offline"]);
  for (const foreign of [KAMUTHI, CHARANKA, REWA]) await expect(page.getByText(foreign)).toHaveCount(0);
});

test("§6 PARTNER: a link to a foreign site shows nothing of it", async ({ page, signIn }) => {
  await signIn(page, "admin");
  await chooseSite(page, REWA);
  const link = page.url();
  await signOut(page);
  await signIn(page, "partner", { at: link });
  await expect(page.getByText("Select a site to view details")).toBeVisible();
  await expect(page.getByText(REWA)).toHaveCount(0);
});

async function signOut(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.clear());
  await page.goto("/");
}
