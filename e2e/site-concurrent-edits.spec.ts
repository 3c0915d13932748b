import type { Page } from "@playwright/test";
import { BHADLA, expectDisabled, expectEnabled, expectToast, REWA } from "./support/dashboard.ts";
import { expect, openEdit, siteRow, test } from "./support/site-fixtures.ts";

const notice = (page: Page) => page.getByRole("alert").filter({ hasText: "Somebody else changed this site" });

test("two people edit a site at once: the second sees what the first saved; changes that fit together are stored, conflicting ones are a question; a deleted site is reported, and nothing can be saved", async ({
  page,
  signIn,
  sites,
}) => {
  const made = await sites.make();
  await signIn(page, "admin", { at: "/sites" });

  await test.step("different fields: both changes fit together, and Save stores both", async () => {
    const dialog = await openEdit(page, made.name);
    await dialog.district.fill("Jaipur");
    await sites.change(made, { address: "Lake Road 9" });
    await expect(notice(page)).toContainText(
      "Both changes fit together: Address from the other, District from you. Save stores both.",
    );
    await expect(notice(page).getByRole("button")).toHaveCount(0);
    await expect(dialog.address).toHaveValue("Lake Road 9");
    await expect(dialog.district).toHaveValue("Jaipur");
    await dialog.save.click();
    await expectToast(page, "Site Updated", `${made.name} has been successfully updated.`);
    expect(await sites.named(made.name)).toMatchObject({ district: "Jaipur", address: "Lake Road 9" });
    await expect(dialog.root).toBeHidden();
  });

  await test.step("the same field: the second sees what the first saved, and may overwrite it", async () => {
    const dialog = await openEdit(page, made.name);
    await dialog.district.fill("Kota");
    await dialog.address.fill("Lake Road 5");
    await sites.change(await sites.named(made.name), { district: "Ajmer", pin_code: "305001" });

    await expect(notice(page)).toBeVisible();
    // Only a field that both changed is a question: the address was changed by the second alone, the pin code by the
    // first.
    await expect(notice(page).getByRole("row")).toHaveText([/Yours/, /District.*Kota.*Ajmer/]);
    await expect(notice(page)).toContainText("Only the other changed, and is kept: Pin code.");
    await expectDisabled(dialog.save, "Choose first: take theirs or keep mine.");
    await expect(dialog.district).toHaveValue("Kota");
    await notice(page).getByRole("button", { name: "Keep mine" }).click();
    await expect(notice(page)).toBeHidden();
    await dialog.save.click();
    await expectToast(page, "Site Updated", `${made.name} has been successfully updated.`);
    await expect(dialog.root).toBeHidden();
    expect(await sites.named(made.name)).toMatchObject({
      district: "Kota",
      address: "Lake Road 5",
      pin_code: "305001",
    });
  });

  await test.step("deleted: it is reported, and nothing can be saved", async () => {
    const dialog = await openEdit(page, made.name);
    await dialog.district.fill("Jaipur");
    await sites.restore();
    await expect(dialog.save).toHaveAttribute("aria-disabled", "true");
    const gone = "This site was deleted, or assigned to somebody else, in the meantime.";
    await expectDisabled(dialog.save, gone);
    await expect(dialog.root.getByRole("alert")).toContainText(
      `${gone} Nothing can be saved; what you typed can still be copied.`,
    );
    await expect(dialog.district).toHaveValue("Jaipur");
    await expect(siteRow(page, made.name)).toHaveCount(0);
  });
});

test("two people edit a site at once without the live stream: the server refuses the second, who takes the first's values; §4 Closing a form: Back and Reload ask before they discard what was typed, and signing out elsewhere does not", async ({
  page,
  signIn,
  sites,
  problems,
}) => {
  problems.allow(/status of 409|ERR_FAILED/);
  const made = await sites.make();
  await page.route("**/api/live", (route) => route.abort());
  await signIn(page, "admin");
  await page.getByRole("link", { name: "Site Management" }).click();

  await test.step("the server refuses the second", async () => {
    const dialog = await openEdit(page, made.name);
    await dialog.district.fill("Jaipur");
    await dialog.address.fill("Lake Road 5");
    await sites.change(made, { district: "Ajmer", pin_code: "305001" });
    await dialog.save.click();
    await expect(notice(page)).toBeVisible();
    await expect(dialog.district).toHaveValue("Jaipur");
    expect(await sites.named(made.name)).toMatchObject({ district: "Ajmer" });
    await notice(page).getByRole("button", { name: "Take theirs" }).click();
    await expect(dialog.district).toHaveValue("Ajmer");
    await expect(dialog.pinCode).toHaveValue("305001");
    // The other person's value is taken where both changed something; what only I changed stays mine.
    await expect(dialog.address).toHaveValue("Lake Road 5");
    await expectEnabled(dialog.save);
    await dialog.address.fill(made.address);
    await expectDisabled(dialog.save, "Nothing has been changed.");
    await dialog.district.fill("Tonk");
    await expectEnabled(dialog.save);
    await dialog.save.click();
    await expectToast(page, "Site Updated", `${made.name} has been successfully updated.`);
    expect(await sites.named(made.name)).toMatchObject({ district: "Tonk", pin_code: "305001" });
    await expect(dialog.root).toBeHidden();
  });

  await test.step("Back and Reload ask, signing out elsewhere does not", async () => {
    await page.unroute("**/api/live");
    const question = page.getByRole("dialog", { name: "Discard Changes" });
    const dialog = await openEdit(page, made.name);
    await dialog.district.fill("Jaipur");
    await page.goBack();
    await question.getByRole("button", { name: "Keep editing" }).click();
    await expect(question).toBeHidden();
    await expect(page).toHaveURL(/\/sites/);
    await expect(dialog.district).toHaveValue("Jaipur");
    // A second try asks again.
    await page.goBack();
    await question.getByRole("button", { name: "Keep editing" }).click();
    await expect(page).toHaveURL(/\/sites/);

    const asked = page.waitForEvent("dialog");
    // Playwright's own reload would wait for a page that never loads.
    await page.evaluate(() => setTimeout(() => location.reload()));
    const native = await asked;
    expect(native.type()).toBe("beforeunload");
    await native.dismiss();
    await expect(dialog.district).toHaveValue("Jaipur");

    await page.goBack();
    await question.getByRole("button", { name: "Discard" }).click();
    // The address alone is the dashboard's for a moment before the question, too.
    await expect(page.getByRole("link", { name: "Dashboard" })).toHaveAttribute("aria-current", "page");
    await page.goForward();
    await expect(page).toHaveURL(/\/sites/);

    const last = await openEdit(page, made.name);
    await last.district.fill("Ajmer");
    const elsewhere = await page.context().newPage();
    await elsewhere.goto("/api/config");
    await elsewhere.evaluate(() => localStorage.clear());
    // No browser confirmation holds it up.
    await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  });
});

test("§6 PARTNER: no Add New Site, no site delete, no site import or export; it cannot change its site's partner; §5 Site edit by a partner: a name that another partner's site has is refused by the server with the same message", async ({
  page,
  signIn,
  sites,
  problems,
}) => {
  const before = await sites.named(BHADLA);
  await signIn(page, "partner", { at: "/sites" });
  await expect(siteRow(page, BHADLA).getByRole("button", { name: "Edit" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Add New Site" })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "All Sites" }).getByRole("button", { name: "Delete" })).toHaveCount(0);
  await page.getByRole("button", { name: "Import / Export" }).click();
  await expect(page.getByRole("menuitem")).toHaveText(["Import Robots", "Export Robots"]);
  await page.keyboard.press("Escape");
  const dialog = await openEdit(page, BHADLA);
  await expectDisabled(dialog.selectPartner, "Only Super Admins can change the maintenance partner.");
  await expect(dialog.contact).toHaveValue("Asha Rathore");
  await expect(dialog.contact).toBeDisabled();

  problems.allowFromNow(/status of 409/);
  await dialog.name.fill(REWA.toLowerCase());
  await dialog.save.click();
  const taken = "A site with this name already exists. Please choose a different name.";
  await expectToast(page, "Duplicate Site Name", taken);
  await expect(dialog.name).toHaveAccessibleDescription(taken);
  const rewa = await sites.named(REWA);
  await dialog.name.fill(`${BHADLA} East`);
  await dialog.latitude.fill(String(rewa.latitude));
  await dialog.longitude.fill(String(rewa.longitude));
  await dialog.save.click();
  const there = "A site with these coordinates already exists. Please choose a different location.";
  await expectToast(page, "Duplicate Location", there);
  await expect(dialog.latitude).toHaveAccessibleDescription(there);

  await dialog.name.fill(BHADLA);
  await dialog.latitude.fill(String(before.latitude));
  await dialog.longitude.fill(String(before.longitude));
  await dialog.address.fill("Bhadla, Gate 2");
  await dialog.save.click();
  await expectToast(page, "Site Updated", `${BHADLA} has been successfully updated.`);
  const { maintenance_partner_id: partnerId } = before;
  expect(await sites.named(BHADLA)).toMatchObject({ address: "Bhadla, Gate 2", maintenance_partner_id: partnerId });
});
