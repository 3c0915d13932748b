import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/suncrew.ts";

test("stored data: a Super Admin sees what is kept how long and how full the server's disk is, at 1440 and 390 px", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin", { at: "/activity" });
  await page.getByText("Stored Data", { exact: true }).click();
  await expect(page).toHaveURL(/view=storage/);
  const view = page.getByRole("region", { name: "Stored data" });
  const rows = view.getByRole("table", { name: "Stored data, the largest first" }).getByRole("row");
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expect(rows.filter({ hasText: "Readings" })).toContainText("92 days");
    await expect(rows.filter({ hasText: "Audit" })).toContainText("For good");
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await expect(view.getByText("Database", { exact: true })).toBeVisible();
});
