import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, chooseSite, expectToast, expectTruth, robotCard, startRobot } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

/** From now on no file of the console loads, until the returned function is called. */
async function withoutFiles(page: Page, way: "missing" | "cut"): Promise<() => Promise<void>> {
  const files = /\/assets\/.*\.(js|css)$/;
  await page.route(files, (route) =>
    way === "cut" ? route.abort() : route.fulfill({ status: 404, json: { message: "Not found" } }),
  );
  return () => page.unroute(files);
}

const noFile = /Failed to load resource/;

test("files that are missing: a dialog and a page that lack them say so in place, Stop and the header need none, and Retry really loads them", async ({
  page,
  problems,
  signIn,
  simulator,
}) => {
  problems.allow(noFile);
  await signIn(page, "admin");
  await chooseSite(page, BHADLA);
  const card = robotCard(page, "SCR-1001");

  await test.step("a dialog", async () => {
    await startRobot(card, simulator);
    const filesBack = await withoutFiles(page, "missing");
    await card.settings.click();
    const dialog = page.getByRole("dialog", { name: "Robot settings: SCR-1001" });
    const failure = dialog.getByRole("alert");
    await expect(failure).toContainText("This dialog could not be loaded.");
    await expectAccessible(page, dialog);
    await dialog.getByRole("button", { name: "Retry" }).click();
    await expect(failure).toContainText("Suncrew may have been updated since this page was opened");
    await expect(dialog.getByRole("button", { name: "Reload page" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(card.settings).toBeFocused();

    await page.getByRole("button", { name: /^Stop all at Bhadla/ }).click();
    const stopped = page.getByRole("dialog", { name: `Stop all robots: ${BHADLA}` });
    await expect(stopped.getByRole("status")).toContainText(/\d of \d+ robots? stopped/);
    await expectTruth(simulator, card.serial, { motion: "STOPPED" });
    await page.keyboard.press("Escape");
    await card.refresh.click();
    await expectToast(page, "Robot Refreshed", /.+/);

    await card.settings.click();
    await expect(failure).toBeVisible();
    await filesBack();
    await dialog.getByRole("button", { name: "Retry" }).click();
    await expect(dialog.getByRole("button", { name: /^(Save|Apply)/ })).toBeVisible();
    await expect(failure).toBeHidden();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await test.step("a page, below the header, whose links still work", async () => {
    const links = page.getByRole("navigation", { name: "Main" });
    const failure = page.getByRole("main").getByRole("alert");
    const filesBack = await withoutFiles(page, "cut");
    for (const [link, title] of [
      ["Site Reports", "Site Reports"],
      ["Activity Log", "Activity Log"],
    ] as const) {
      await links.getByRole("link", { name: link }).click();
      await expect(failure).toContainText("This page could not be loaded.");
      await expect(page).toHaveTitle(new RegExp(`^(\\(\\d+\\) )?${title} - Suncrew$`));
      await expect(page.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
    }
    await expectAccessible(page);
    await links.getByRole("link", { name: "Dashboard" }).click();
    await expect(card.stop).toBeVisible();
    await links.getByRole("link", { name: "Activity Log" }).click();
    // Not the message of some part of the dashboard.
    await expect(failure).toContainText("This page could not be loaded.");
    await filesBack();
    await failure.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Activity Log" })).toBeVisible();
  });
});

test("§8 the error screen shows 'Unexpected Application Error!' with the message, and Reload recovers it; if the first page's file was missing, Retry loads it", async ({
  page,
  problems,
  signIn,
}) => {
  problems.allow(/dynamically imported module|Failed to load resource|Unexpected Application Error/);
  await page.route("**/assets/shell-*.js", (route) => route.abort());
  await signIn(page, "admin");
  await expect(page.getByRole("heading", { name: "Unexpected Application Error!" })).toBeVisible();
  await expect(page.getByText(/Failed to fetch dynamically imported module/)).toBeVisible();
  await expectAccessible(page);
  await page.unroute("**/assets/shell-*.js");

  await page.route("**/assets/dashboard-*.js", (route) => route.abort());
  await page.getByRole("button", { name: "Reload" }).click();
  const failure = page.getByRole("main").getByRole("alert");
  await expect(failure).toContainText("This page could not be loaded.");
  await expect(page).toHaveTitle(/^(\(\d+\) )?Dashboard - Suncrew$/);
  await page.unroute("**/assets/dashboard-*.js");
  await failure.getByRole("button", { name: "Retry" }).click();
  await expect(robotCard(page, "SCR-1001").stop).toBeVisible();
});
