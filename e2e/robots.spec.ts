import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { expectTruth } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const table = (page: Page): Locator => page.getByRole("table", { name: "Robots" });
const bar = (page: Page): Locator => page.getByRole("group", { name: "Selected robots" });
const select = (page: Page, serial: string) => table(page).getByRole("checkbox", { name: `Select ${serial}` });

test("Robots page: selected robots of several sites start after a question and stop without one, each with its result", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin", { at: "/robots?q=SCR-10" });
  await expect(table(page).getByRole("link")).toHaveCount(14);
  for (const serial of ["SCR-1001", "SCR-1005", "SCR-1007"]) await select(page, serial).check();
  await expect(bar(page)).toContainText("3 robots selected at 2 sites");
  await expectAccessible(page);

  await bar(page).getByRole("button", { name: "Start", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Start 3 robots?" });
  await expect(question).toContainText("2 robots at 2 sites will move.");
  await expect(question).toContainText("SCR-1007 Robot SCR-1007 is offline.");
  await expectTruth(simulator, "SCR-1001", { motion: "STOPPED" });
  await question.getByRole("button", { name: "Start 2 robots" }).click();
  const started = page.getByRole("dialog", { name: "Start robots" });
  await expect(started).toContainText("2 of 3 robots started.");
  for (const serial of ["SCR-1001", "SCR-1005"]) await expectTruth(simulator, serial, { motion: "MOVING" });
  await page.keyboard.press("Escape");

  await page.getByRole("group", { name: "Status" }).getByRole("button", { name: "2 Cleaning" }).click();
  await expect(table(page).getByRole("link")).toHaveText(["SCR-1001", "SCR-1005"]);
  await expect(bar(page)).toContainText("1 not shown");
  await bar(page).getByRole("button", { name: "Clear selection" }).click();
  await page.getByRole("button", { name: "Select all 2" }).click();
  await bar(page).getByRole("button", { name: "Stop", exact: true }).click();
  for (const serial of ["SCR-1001", "SCR-1005"]) await expectTruth(simulator, serial, { motion: "STOPPED" });
  await expect(page.getByRole("dialog", { name: "Stop robots" })).toContainText("2 of 2 robots stopped.");
});

test("§6 PARTNER: sees its own robots, keeps a view of them, and finds it again after signing in anew", async ({
  page,
  openBrowser,
  signIn,
}) => {
  await signIn(page, "partner", { at: "/robots?state=Karnataka" });
  await expect(table(page).getByRole("link")).toHaveText(["SCR-1005", "SCR-1006", "SCR-1007"]);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save this view" }).click();
  const dialog = page.getByRole("dialog", { name: "Saved views" });
  await dialog.getByLabel("Save this view as").fill("South");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(table(page).getByRole("link")).toHaveCount(7);
  await page.reload();
  await page.getByRole("button", { name: "Views (1)" }).click();
  await page.getByRole("menuitem", { name: "South" }).click();
  await expect(table(page).getByRole("link")).toHaveCount(3);

  // A view is an address: whoever gets it sees the same question answered for its own sites.
  const other = await openBrowser();
  await signIn(other, "admin", { at: "/robots?state=Karnataka" });
  await expect(table(other).getByRole("link").first()).toBeVisible();
  await expect(other.getByRole("button", { name: "Views", exact: true })).toBeVisible();
});
