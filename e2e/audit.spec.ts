import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { deletePartner, updatePartner } from "@suncrew/contract/partners/partners.ts";
import { expectAccessible } from "./support/axe.ts";
import { expect, partnerBody, test } from "./support/partners-page.ts";
import { signInWith } from "./support/sign-in.ts";
import { accounts } from "./support/suncrew.ts";

const table = (page: Page) => page.getByRole("table", { name: "Changes, newest first" });
/** The rows of changes, without the details of the one that is open. */
const entries = (page: Page) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.locator("button[aria-expanded]") });

test("audit: a Super Admin sees who changed what, before and after, sealed; filters are kept in the URL", async ({
  page,
  apiAs,
  partners,
}) => {
  const made = await partners.make({ name: "Sealed Solar" });
  const admin = await apiAs("admin");
  await admin.call(updatePartner, {
    params: { id: made.id },
    body: { ...partnerBody, name: "Sealed Solar", city: "Barmer" },
  });
  await admin.call(deletePartner, { params: { id: made.id } });
  await signInWith(page, accounts.admin);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Activity Log" }).click();
  await page.getByRole("radiogroup", { name: "View" }).getByText("Audit", { exact: true }).click();
  await page.getByRole("searchbox", { name: "Search audit" }).fill("sealed SOLAR");
  await page.getByRole("combobox", { name: "Change" }).click();
  await page.getByRole("option", { name: "Update partner" }).click();
  await expect(page).toHaveURL(/words=sealed\+SOLAR/);
  await expect(page).toHaveURL(/did=UPDATE_PARTNER/);
  const newest = entries(page).first();
  // Until the filtered rows arrive, the first row is the partner's deletion.
  await expect(newest).toContainText("Update partner");
  await expect(newest).toContainText("Sealed Solar");
  await expect(newest).toContainText("Done");
  await newest.getByRole("button").click();
  // What somebody changed, and nothing else about the partner.
  await expect(table(page).getByRole("table").getByRole("row")).toHaveText(["FieldBeforeAfter", "CityBikanerBarmer"]);
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Refresh" }).click();
      return table(page).innerText();
    })
    .toMatch(/sealed as number \d+: [0-9a-f]{64}/);
  await expect(page.getByText(/Sealed up to number/)).toBeVisible();
  // The partner's credentials are never shown.
  expect(await page.content()).not.toContain(made.password);
  await page.reload();
  await expect(entries(page).first()).toContainText("Sealed Solar");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).toHaveURL(/\/activity\?view=audit$/);
  await expect(entries(page).first()).toContainText("Sign in");
  await page.getByRole("searchbox", { name: "Search audit" }).fill("Delete partner");
  await expect(entries(page).first()).toContainText("Sealed Solar");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/);
  expect(await readFile(await file.path(), "utf8")).toContain(',"Delete partner","Partner","Sealed Solar",');
});

test("audit: two filters chosen at the same moment both apply; dates can be typed digit by digit; the empty and the phone layout work", async ({
  page,
  signIn,
}) => {
  const from = page.getByLabel("From", { exact: true });
  const clear = page.getByRole("button", { name: "Clear filters" });
  await signIn(page, "admin", { at: "/activity?view=audit&since=2026-06-02&until=2026-06-01" });
  await expect(page.getByText("Before the first day")).toBeVisible();
  await clear.click();
  await expect(entries(page).first()).toBeVisible();
  // The second one arrives before the page has rendered the first, as on a busy machine.
  await page.evaluate(() => {
    for (const [label, day] of [
      ["From", "2026-06-02"],
      ["To", "2026-06-03"],
    ]) {
      const field = [...document.querySelectorAll("label")].find(({ textContent }) => textContent === label)?.control;
      // Set through the native setter: React tracks the field's value and would ignore the event otherwise.
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, day);
      field?.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  await expect(page).toHaveURL(/since=2026-06-02&until=2026-06-03$/);
  await expect(from).toHaveValue("2026-06-02");
  await clear.click();
  await expect(from).toHaveValue("");
  await from.pressSequentially("01012026");
  await expect(page).toHaveURL(/since=2026-01-01$/);
  await page.getByRole("searchbox", { name: "Search audit" }).fill("nothing-has-this-name");
  await expect(page.getByText("Nothing matches the filters.")).toBeVisible();
  await clear.click();

  await page.setViewportSize({ width: 390, height: 800 });
  await entries(page).first().getByRole("button").click();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
