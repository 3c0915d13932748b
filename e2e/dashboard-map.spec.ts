import type { Page } from "@playwright/test";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { BHADLA, CHARANKA, chooseSite, KAMUTHI, PAVAGADA, REWA, siteButton, siteList } from "./support/dashboard.ts";
import { markerPlace } from "./support/map.ts";
import { expect, test } from "./support/suncrew.ts";

const mapRegion = (page: Page) => page.getByRole("region", { name: /^Map of sites/ });
const searchBox = (page: Page) => page.getByRole("searchbox", { name: "Search sites" });

test("§2 Site monitoring view: Hide Map leaves site buttons and search, Show Map splits into map and detail", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  await expect(page.getByRole("heading", { name: "India Site Overview" })).toBeVisible();
  await expect(mapRegion(page)).toBeVisible();
  await expect(page.getByRole("heading", { name: "All Sites" })).toBeVisible();
  await expect(page.getByRole("group", { name: "All Sites" }).getByRole("button")).toHaveCount(6);

  await page.getByRole("button", { name: "Hide Map" }).click();
  await expect(mapRegion(page)).toBeHidden();
  await expect(page.getByRole("heading", { name: "India Site Overview" })).toBeHidden();
  await expect(page.getByRole("group", { name: "Site buttons" }).getByRole("button")).toHaveCount(6);
  await expect(searchBox(page)).toHaveAttribute("placeholder", "Search sites");
  await expect(page).toHaveURL(/map=hidden/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Show Map" })).toBeVisible();
  await expect(mapRegion(page)).toBeHidden();

  await page.getByRole("button", { name: "Show Map" }).click();
  await expect(mapRegion(page)).toBeVisible();
});

test("§2 Site monitoring view: the first site loaded is selected, and no other until one is chosen", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const first = siteList(page).getByRole("button").first();
  await expect(first).toHaveAttribute("aria-current", "true");
  await expect(page.getByRole("heading", { level: 2, name: BHADLA })).toBeVisible();
  await expect(first).toContainText(BHADLA);
  await expect(page).toHaveURL(/\/dashboard$/);
});

test("§2 Map panel: a marker's popup shows name, address, robots active and status, and selects its site", async ({
  page,
  signIn,
  apiAs,
}) => {
  await signIn(page, "admin");
  await expect(page.getByRole("heading", { level: 2, name: BHADLA })).toBeVisible();
  const sites = await (await apiAs("admin")).call(siteDetails, {});
  for (const name of [REWA, CHARANKA]) {
    const site = sites.find((one) => one.name === name);
    if (site === undefined) throw new Error(`There is no site ${name}`);
    const place = await markerPlace(mapRegion(page), site);
    await page.mouse.click(place.x, place.y);
    const popup = page.locator(".leaflet-popup-content");
    await expect(popup).toContainText(name);
    await expect(popup).toContainText(site.address);
    await expect(popup).toContainText(`Robots: 0/${site.robot_count} active`);
    await expect(popup.getByText("Standby", { exact: true })).toBeVisible();
    await expect(page.getByRole("heading", { level: 2, name })).toBeVisible();
    await expect(siteButton(page, name)).toHaveAttribute("aria-current", "true");
    await expect(page).toHaveURL(new RegExp(`site=${site.id}`));
    await popup.locator("..").locator("..").getByRole("button").click();
    await expect(popup).toBeHidden();
  }
});

test("§2 Search sites: by name or address, case-insensitively, with the map and without", async ({ page, signIn }) => {
  await signIn(page, "admin");
  const found = siteList(page).getByRole("button");
  for (const shown of ["with the map", "without"]) {
    if (shown === "without") await page.getByRole("button", { name: "Hide Map" }).click();
    await searchBox(page).fill("PAVAGADA sol");
    await expect(found).toHaveCount(1);
    await expect(found).toContainText(PAVAGADA);
    await searchBox(page).fill("sengappadai");
    await expect(found).toHaveCount(1);
    await expect(found).toContainText(KAMUTHI);
    await searchBox(page).fill("nowhere at all");
    await expect(page.getByText("No sites match.")).toBeVisible();
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect(found).toHaveCount(6);
  }
});

test("the address holds site, tab and search: back works, a link can be shared", async ({
  page,
  openBrowser,
  signIn,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, REWA);
  await chooseSite(page, KAMUTHI);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 2, name: REWA })).toBeVisible();
  await page.goForward();
  await expect(page.getByRole("heading", { level: 2, name: KAMUTHI })).toBeVisible();
  await page.getByRole("tab", { name: "Group Control" }).click();
  await searchBox(page).fill("solar power");
  await expect(page).toHaveURL(/site=\d+.*tab=groups.*q=solar/);

  const other = await openBrowser();
  await signIn(other, "admin", { at: page.url() });
  await expect(other.getByRole("heading", { level: 2, name: KAMUTHI })).toBeVisible();
  await expect(other.getByRole("tab", { name: "Group Control" })).toHaveAttribute("aria-selected", "true");
  await expect(searchBox(other)).toHaveValue("solar power");
  await expect(siteList(other).getByRole("button")).toHaveCount(1);
});

test("a link to a site that is not there: 'Select a site to view details'", async ({ page, signIn }) => {
  await signIn(page, "admin", { at: "/dashboard?site=99999" });
  await expect(page.getByText("Select a site to view details")).toBeVisible();
  await chooseSite(page, REWA);
});

for (const { available, requests } of [
  { available: false, requests: 0 },
  { available: true, requests: 1 },
] as const) {
  test(`§9 Map: where the tile service ${available ? "answers, tiles are" : "does not answer, no tile is"} asked for`, async ({
    page,
    signIn,
  }) => {
    let tiles = 0;
    await page.route("**/tiles/**", async (route) => {
      tiles += 1;
      await route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
    });
    await page.route("**/api/config", async (route) => {
      const answer = await route.fetch();
      const config: unknown = await answer.json();
      if (typeof config !== "object") throw new Error("no configuration");
      const map_tiles = { url: "/tiles/{z}/{x}/{y}.svg", attribution: "Maps by somebody", available };
      await route.fulfill({ json: { ...config, map_tiles } });
    });
    await signIn(page, "admin");
    // The land outline stands under everything, tiles or not.
    await expect(mapRegion(page).locator(".leaflet-land-pane canvas").first()).toBeVisible();
    await expect(page.getByText("Maps by somebody")).toBeVisible({ visible: available });
    if (available) await expect.poll(() => tiles).toBeGreaterThanOrEqual(requests);
    else expect(tiles).toBe(0);
  });
}

test("the console asks nobody but its server for anything", async ({ page, signIn, suncrew }) => {
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(suncrew.baseUrl) && !request.url().startsWith("data:")) elsewhere.push(request.url());
  });
  await signIn(page, "admin");
  await expect(mapRegion(page).locator(".leaflet-land-pane canvas").first()).toBeVisible();
  await page.getByRole("button", { name: "Settings" }).first().click();
  await expect(page.getByRole("dialog", { name: /^Robot settings/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "SunCare Services" }).click();
  await expect(page.getByRole("dialog", { name: "SunCare Services" })).toContainText("Asha Rathore");
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Group Control" }).click();
  expect(elsewhere).toEqual([]);
});
