import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/suncrew.ts";

test("§11 Soiling: the dashboard's energy at risk leads to a site, whose tab shows modelled figures from sample inputs", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const risk = page.getByRole("region", { name: "Energy at risk tonight" });
  await expect(risk).toContainText(/Wh/, { timeout: 30_000 });
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
