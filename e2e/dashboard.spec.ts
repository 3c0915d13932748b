import type { Locator, Page } from "@playwright/test";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
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

/** The robots' current status; how today's runs ended depends on earlier tests. */
const fleetFigures = (page: Page): Locator =>
  page
    .getByRole("group", { name: "Fleet figures" })
    .getByRole("link", { name: /Cleaning|Idle|Need attention|Offline|In maintenance/ });

const details = (page: Page): Locator => page.getByRole("region", { name: "Site details" });

test("§2 Detail panel, Individual Robots, Group Control, Partner details dialog: what each shows for the demo; the fleet figures count every robot once", async ({
  page,
  context,
  signIn,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, "admin");
  const detail = details(page);

  await test.step("name, status, address, district, state, pin code, commissioned date, partner, robots online", async () => {
    await expect(detail.getByRole("heading", { level: 2 })).toHaveText(BHADLA);
    await expect(detail.getByText("Bhadla, Phalodi tehsil, Jodhpur, Rajasthan 342301")).toBeVisible();
    await expect(detail.getByText("Commissioned 22 Feb 2017")).toBeVisible();
    await expect(detail.getByText("Maintenance: SunCare Services")).toBeVisible();
    // The fourth has a warning, so it counts as neither normal nor idle.
    await expect(siteFacts(page)).toContainText("3 of 4 robots online");
    await expect(detail.locator("header").getByText("Warning", { exact: true })).toBeVisible();
    await expect(detail.getByRole("tab")).toHaveText(["Individual Robots", "Group Control", "Calendar", "Soiling"]);
  });

  await test.step("a robot's serial number, motor type, badges, battery, alerts, and the info popover", async () => {
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

  await test.step("the partner's fields, and copy buttons for contact name, email and phone", async () => {
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

  await test.step("each fleet figure leads to the robots that it counts", async () => {
    const figures = fleetFigures(page);
    await expect(figures).toHaveText(["0 Cleaning", "11 Idle", "2 Need attention", "1 Offline", "0 In maintenance"]);
    await figures.nth(2).click();
    await expect(page).toHaveURL(/\/robots\?figure=attention$/);
    const robots = page.getByRole("table", { name: "Robots" });
    await expect(robots.getByRole("link")).toHaveText(["SCR-1004", "SCR-1008"]);
    await page.goBack();
    await expect(page.getByRole("article", { name: "SCR-1004" })).toBeVisible();
    await expect(page.getByRole("article")).toHaveCount(4);
  });

  await test.step("the empty state of Group Control, and a second site", async () => {
    await page.getByRole("tab", { name: "Group Control" }).click();
    await expect(page.getByText("No robot groups available, create groups in Site Management")).toBeVisible();
    await page.getByRole("tab", { name: "Individual Robots" }).click();
    await expect(robotCard(page, "SCR-1001").root).toBeVisible();
    await chooseSite(page, CHARANKA);
    await expect(detail.getByText("Maintenance: In-house")).toBeVisible();
    await expect(siteFacts(page)).toContainText("1 of 1 robots online");
  });
});

test("§6 PARTNER: sees only its own sites and their robots; a link to another partner's site shows nothing of it", async ({
  page,
  signIn,
  apiAs,
}) => {
  const rewa = (await (await apiAs("admin")).call(siteDetails, {})).find(({ name }) => name === REWA);
  if (rewa === undefined) throw new Error(`There is no site ${REWA}`);
  const expectNothingForeign = async () => {
    for (const foreign of [KAMUTHI, CHARANKA, REWA]) await expect(page.getByText(foreign)).toHaveCount(0);
  };
  await signIn(page, "partner", { at: `/dashboard?site=${rewa.id}` });
  await expect(page.getByText("Select a site to view details")).toBeVisible();
  await expect(siteList(page).getByRole("button")).toContainText([BHADLA, PAVAGADA]);
  await expect(siteList(page).getByRole("button")).toHaveCount(2);
  await expect(fleetFigures(page)).toHaveText([
    "0 Cleaning",
    "5 Idle",
    "1 Need attention",
    "1 Offline",
    "0 In maintenance",
  ]);
  await expectNothingForeign();
  await chooseSite(page, BHADLA);
  await expectNothingForeign();
});
