import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/suncrew.ts";

/** The server asks for air and weather, computes, and the console asks again while nothing is known. */
const FIRST_FIGURES_MS = 90_000;

test("§11 Soiling: the dashboard's energy at risk leads to a site, whose tab shows modelled figures from sample inputs", async ({
  page,
  signIn,
}) => {
  test.setTimeout(120_000 + FIRST_FIGURES_MS);
  await signIn(page, "admin");
  const risk = page.getByRole("region", { name: "Energy at risk tonight" });
  await expect(risk).toContainText(/Wh/, { timeout: FIRST_FIGURES_MS });
  await risk.getByRole("button", { name: "Show sites" }).click();
  await risk.getByRole("list", { name: "Sites by energy at risk" }).getByRole("link").first().click();
  await expect(page).toHaveURL(/tab=soiling/);
  const card = page.getByRole("region", { name: "Soiling", exact: true });
  await expect(card).toContainText("Modelled, not measured");
  await expect(card).toContainText("Sample");
  await expect(card.getByRole("region", { name: "Soiling ratio now" })).toContainText(/\d\s%/);
  await expect(card.getByRole("figure", { name: /^Loss: from/ })).toBeVisible();
  await expectAccessible(page, card);
  await card.getByRole("button", { name: "Show as table" }).click();
  await expect(card.getByRole("table", { name: "Loss day by day" })).toContainText("forecast");
});
