import type { Page } from "@playwright/test";
import { BHADLA, CHARANKA, expectToast, KAMUTHI, REWA } from "./support/dashboard.ts";
import { expectAccessible } from "./support/axe.ts";
import { choosePartner, expect, fillSite, openAdd, openEdit, SAMBHAR, siteRow, test } from "./support/site-fixtures.ts";
import { placeOnMap } from "./support/map.ts";

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
    .toBeLessThanOrEqual(0);
}

test("§9 Themes: Site Management and its dialogs are accessible; 390 px: the page, its toolbar and its dialogs fit; choosing a site scrolls its detail into view; a long address never causes sideways scrolling", async ({
  page,
  signIn,
  sites,
}) => {
  await signIn(page, "admin", { at: "/sites" });
  const search = page.getByPlaceholder("Search by name, address, or district");

  await test.step("the page and its dialogs are accessible", async () => {
    await expect(siteRow(page, BHADLA)).toBeVisible();
    await expectAccessible(page);
    const dialog = await openAdd(page);
    await expect(dialog.map.locator(".leaflet-land-pane canvas").first()).toBeVisible();
    await dialog.name.press("Enter");
    await expect(dialog.root.getByText("Email is required where there is no maintenance partner")).toBeVisible();
    await expectAccessible(page, dialog.root);
    await dialog.selectPartner.click();
    await expect(page.getByRole("list", { name: "Maintenance partners" })).toBeVisible();
    await expectAccessible(page, page.getByRole("dialog", { name: "Select Maintenance Partner" }));
    await page.keyboard.press("Escape");
    await dialog.cancel.click();
    await siteRow(page, BHADLA).getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("will be deleted with its")).toBeVisible();
    await expectAccessible(page, page.getByRole("dialog", { name: "Delete Site" }));
    await page.keyboard.press("Escape");
    await search.fill("park");
    await expect(page.getByText("4 of 6")).toBeVisible();
    await expectAccessible(page, page.getByRole("region", { name: "All Sites" }));
    await search.fill("");
  });

  await page.setViewportSize({ width: 390, height: 844 });
  await test.step("the page, its toolbar and its dialogs fit, with touch targets that are large enough", async () => {
    await expect(siteRow(page, BHADLA)).toBeVisible();
    await expectNoSidewaysScroll(page);
    for (const name of ["Import / Export", "Add New Site"]) {
      const height = async () => (await page.getByRole("button", { name }).boundingBox())?.height;
      await expect.poll(height).toBeGreaterThanOrEqual(44);
    }
    const edit = await siteRow(page, BHADLA).getByRole("button", { name: "Edit" }).boundingBox();
    expect(Math.min(edit?.width ?? 0, edit?.height ?? 0)).toBeGreaterThanOrEqual(40);
    const dialog = await openAdd(page);
    await expect(dialog.map).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expect(dialog.save).toBeInViewport();
    await dialog.selectPartner.scrollIntoViewIfNeeded();
    await dialog.selectPartner.click();
    await expect(page.getByRole("dialog", { name: "Select Maintenance Partner" })).toBeInViewport();
    await expectNoSidewaysScroll(page);
    await page.keyboard.press("Escape");
    await dialog.cancel.click();
  });

  await test.step("choosing a site scrolls its detail into view, and Tab continues there; the toolbar is one row", async () => {
    const names = ["Devices", "Import / Export", "Add New Site"];
    const tops = names.map(async (name) => (await page.getByRole("button", { name }).boundingBox())?.y);
    expect(new Set(await Promise.all(tops)).size).toBe(1);
    await siteRow(page, BHADLA).getByRole("button").first().click();
    const detail = page.getByRole("region", { name: "Selected site" });
    await expect(detail).toBeFocused();
    const heading = detail.getByRole("heading", { level: 2, name: BHADLA });
    await expect(heading).toBeInViewport({ ratio: 1 });
    // With what is left to set up above it, the first robot alone.
    await expect(detail.getByRole("article").first()).toBeInViewport({ ratio: 1 });
    // Not hidden under the bar at the top.
    const atHeading = await heading.evaluate((element) => {
      const { x, y } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(x + 2, y + 2));
    });
    expect(atHeading).toBe(true);
    await page.keyboard.press("Tab");
    await expect(detail.getByRole("button", { name: "SunCare Services" })).toBeFocused();
  });

  await test.step("a long address without a space makes neither the list nor the detail scroll sideways", async () => {
    const made = await sites.make({ ...SAMBHAR, address: "Plot".repeat(60) });
    await search.fill("Sambhar");
    await siteRow(page, made.name).getByRole("button").first().click();
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await expect(page.getByRole("region", { name: "Selected site" })).toContainText("PlotPlot");
      await expect(siteRow(page, made.name)).toContainText("PlotPlot");
      await expectNoSidewaysScroll(page);
      const list = page.getByRole("list", { name: "All Sites" });
      await expect.poll(() => list.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    }
  });
});

test("the location picker's map opens with the whole of India, with degrees and the sites' names, at 1440 and 390 px", async ({
  page,
  signIn,
  sites,
}) => {
  await signIn(page, "admin", { at: "/sites" });

  for (const width of [390, 1440]) {
    await test.step(`the map opens with the whole of India, at ${width} px`, async () => {
      await page.setViewportSize({ width, height: 844 });
      const dialog = await openAdd(page);
      await dialog.map.scrollIntoViewIfNeeded();
      await expect(dialog.map.locator('[data-edge="top"]').filter({ hasText: "80° E" })).toHaveCount(1);
      const frame = await dialog.map.boundingBox();
      if (frame === null) throw new Error("the map is not shown");
      // The southern cape, the westernmost and easternmost points, the northern mountains.
      for (const [latitude, longitude] of [
        [8.1, 77.5],
        [23.7, 68.2],
        [28, 97.3],
        [36.9, 75],
      ] as const) {
        const { x, y } = await placeOnMap(dialog.map, { latitude, longitude });
        expect(x).toBeGreaterThan(frame.x);
        expect(x).toBeLessThan(frame.x + frame.width);
        expect(y).toBeGreaterThan(frame.y);
        expect(y).toBeLessThan(frame.y + frame.height);
      }
      const rewa = await placeOnMap(dialog.map, await sites.named(REWA));
      await page.mouse.move(rewa.x, rewa.y);
      await expect(dialog.map.getByText(REWA)).toBeVisible();
      // A site being edited is shown with its neighbours.
      await dialog.cancel.click();
      const edit = await openEdit(page, BHADLA);
      await edit.map.scrollIntoViewIfNeeded();
      await expect(edit.map.locator(".leaflet-marker-icon")).toBeInViewport();
      const charanka = await placeOnMap(edit.map, await sites.named(CHARANKA));
      await page.mouse.move(charanka.x, charanka.y);
      await expect(edit.map.getByText(CHARANKA)).toBeVisible();
      await edit.cancel.click();
    });
  }
});

test("the coordinates of a site can be picked on the map or typed beside it, and agree", async ({
  page,
  signIn,
  sites,
}) => {
  await signIn(page, "admin", { at: "/sites" });
  const dialog = await openAdd(page);
  await fillSite(dialog, { ...SAMBHAR, latitude: "", longitude: "" });
  await choosePartner(page, dialog, "In-house");
  const at = { latitude: 22.5, longitude: 76.5 };
  const spot = await placeOnMap(dialog.map, at);
  await page.mouse.click(spot.x, spot.y);
  await expect(dialog.latitude).toHaveValue(/^22\.\d{6}$/);
  await expect(dialog.longitude).toHaveValue(/^76\.\d{6}$/);
  const pin = dialog.map.locator(".leaflet-marker-icon");
  await expect(pin).toHaveCount(1);
  // A location that is already taken is marked on the map too.
  const { latitude, longitude } = await sites.named(KAMUTHI);
  await dialog.latitude.fill(String(latitude));
  await dialog.longitude.fill(String(longitude));
  await expect(pin).toHaveAttribute("data-taken", "");
  await dialog.latitude.fill("22.25");
  await dialog.longitude.fill("");
  await expect(pin).toHaveCount(0);
  await dialog.longitude.fill("77.75");
  await expect(pin).not.toHaveAttribute("data-taken");
  // Dragging it sets both fields.
  const from = await pin.boundingBox();
  if (from === null) throw new Error("the pin is not shown");
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + from.width / 2 + 30, from.y + from.height / 2 - 30, { steps: 5 });
  await page.mouse.up();
  await expect(dialog.longitude).toHaveValue(/^7[89]\.\d{6}$/);
  await expect(dialog.latitude).toHaveValue(/^2[345]\.\d{6}$/);
  const picked = Number(await dialog.latitude.inputValue());
  await dialog.save.click();
  await expectToast(page, "Site Created", `${SAMBHAR.name} has been successfully created.`);
  expect((await sites.named(SAMBHAR.name)).latitude).toBe(picked);

  const edit = await openEdit(page, SAMBHAR.name);
  await expect(edit.map.locator(".leaflet-marker-icon")).toBeVisible();
});
