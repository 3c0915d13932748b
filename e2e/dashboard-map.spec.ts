import type { Page } from "@playwright/test";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { BHADLA, CHARANKA, chooseSite, KAMUTHI, PAVAGADA, REWA, siteButton, siteList } from "./support/dashboard.ts";
import { placeOnMap, movedAtRest } from "./support/map.ts";
import { expect, test } from "./support/suncrew.ts";

const mapRegion = (page: Page) => page.getByRole("region", { name: /^Map of sites/ });
const searchBox = (page: Page) => page.getByRole("searchbox", { name: "Search sites" });

test("§2 Site monitoring view, Map panel, Search sites: map, list and search agree on the sites; only the server is contacted", async ({
  page,
  signIn,
  apiAs,
  suncrew,
}) => {
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(suncrew.baseUrl) && !request.url().startsWith("data:")) elsewhere.push(request.url());
  });
  await signIn(page, "admin");
  const found = siteList(page).getByRole("button");

  await test.step("the first site loaded is selected, and no other until one is chosen", async () => {
    await expect(found.first()).toHaveAttribute("aria-current", "true");
    await expect(page.getByRole("heading", { level: 2, name: BHADLA })).toBeVisible();
    await expect(found.first()).toContainText(BHADLA);
    await expect(page).toHaveURL(/\/dashboard$/);
    await expect(page.getByRole("heading", { name: "India Site Overview" })).toBeVisible();
    await expect(mapRegion(page)).toBeVisible();
    await expect(mapRegion(page).locator(".leaflet-land-pane canvas").first()).toBeVisible();
    // The sea is blue-grey, not the library's grey.
    await expect(mapRegion(page)).toHaveCSS("background-color", "rgb(205, 221, 232)");
    await expect(page.getByRole("heading", { name: "All Sites" })).toBeVisible();
    await expect(page.getByRole("group", { name: "All Sites" }).getByRole("button")).toHaveCount(6);
  });

  await test.step("a marker's popup shows name, address, active robots and status, and selects its site", async () => {
    const sites = await (await apiAs("admin")).call(siteDetails, {});
    for (const name of [REWA, CHARANKA]) {
      const site = sites.find((one) => one.name === name);
      if (site === undefined) throw new Error(`There is no site ${name}`);
      const place = await placeOnMap(mapRegion(page), site);
      await page.mouse.click(place.x, place.y);
      const popup = page.locator(".leaflet-popup-content");
      await expect(popup).toContainText(name);
      await expect(popup).toContainText(site.address);
      await expect(popup).toContainText(`Robots: 0/${site.robot_count} active`);
      await expect(popup.getByText("Standby", { exact: true })).toBeVisible();
      await expect(page.getByRole("heading", { level: 2, name })).toBeVisible();
      await expect(siteButton(page, name)).toHaveAttribute("aria-current", "true");
      await expect(page).toHaveURL(new RegExp(`site=${site.id}`));
      // The map pans to make room for the popup, and the popup's button moves with it.
      await movedAtRest(mapRegion(page));
      await popup.locator("..").locator("..").getByRole("button").click();
      await expect(popup).toBeHidden();
    }
  });

  // By name or address, case-insensitive.
  const expectSearch = async () => {
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
  };
  await test.step("a search with the map", expectSearch);

  await test.step("Hide Map leaves site buttons and search, Show Map splits the view into map and detail", async () => {
    await page.getByRole("button", { name: "Hide Map" }).click();
    await expect(mapRegion(page)).toBeHidden();
    await expect(page.getByRole("heading", { name: "India Site Overview" })).toBeHidden();
    await expect(page.getByRole("group", { name: "Site buttons" }).getByRole("button")).toHaveCount(6);
    await expect(searchBox(page)).toHaveAttribute("placeholder", "Search sites");
    await expect(page).toHaveURL(/map=hidden/);
    await expectSearch();
    await page.getByRole("button", { name: "Show Map" }).click();
    await expect(mapRegion(page)).toBeVisible();
  });

  await test.step("dialogs and Group Control contact nobody else either", async () => {
    await chooseSite(page, BHADLA);
    await page.getByRole("button", { name: "Settings" }).first().click();
    await expect(page.getByRole("dialog", { name: /^Robot settings/ })).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "SunCare Services" }).click();
    await expect(page.getByRole("dialog", { name: "SunCare Services" })).toContainText("Asha Rathore");
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Group Control" }).click();
    expect(elsewhere).toEqual([]);
  });
});

test("§2 Site monitoring view: the URL holds site, tab, search and map: Back works, a link can be shared, and a link to a site that does not exist shows 'Select a site to view details'", async ({
  page,
  openBrowser,
  signIn,
}) => {
  await signIn(page, "admin", { at: "/dashboard?site=99999" });
  await expect(page.getByText("Select a site to view details")).toBeVisible();
  await chooseSite(page, REWA);
  await chooseSite(page, KAMUTHI);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 2, name: REWA })).toBeVisible();
  await page.goForward();
  await expect(page.getByRole("heading", { level: 2, name: KAMUTHI })).toBeVisible();
  await page.getByRole("tab", { name: "Group Control" }).click();
  await searchBox(page).fill("solar power");
  await expect(page).toHaveURL(/site=\d+.*tab=groups.*q=solar/);
  await page.getByRole("button", { name: "Hide Map" }).click();
  await expect(page).toHaveURL(/map=hidden/);

  const other = await openBrowser();
  await signIn(other, "admin", { at: page.url() });
  await expect(other.getByRole("heading", { level: 2, name: KAMUTHI })).toBeVisible();
  await expect(other.getByRole("tab", { name: "Group Control" })).toHaveAttribute("aria-selected", "true");
  await expect(searchBox(other)).toHaveValue("solar power");
  await expect(siteList(other).getByRole("button")).toHaveCount(1);
  await expect(other.getByRole("button", { name: "Show Map" })).toBeVisible();
  await expect(mapRegion(other)).toBeHidden();
  await other.getByRole("button", { name: "Show Map" }).click();
  await expect(mapRegion(other)).toBeVisible();
});
