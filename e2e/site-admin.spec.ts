import { BHADLA, expectDisabled, expectToast, REWA } from "./support/dashboard.ts";

import { choosePartner, expect, fillSite, openAdd, openEdit, SAMBHAR, siteRow, test } from "./support/site-fixtures.ts";

const NAME_TAKEN = "A site with this name already exists. Please choose a different name.";
const PLACE_TAKEN = "A site with these coordinates already exists. Please choose a different location.";

test("§5 Site create: choosing a partner fills contact, phone and email; the new site is selected, and others see it at once; §5 Site edit: without a change there is nothing to save; the site's own name and location are not duplicates", async ({
  page,
  openBrowser,
  signIn,
  sites,
}) => {
  const partner = await openBrowser();
  await signIn(partner, "partner", { at: "/sites" });
  await expect(siteRow(partner, BHADLA)).toBeVisible();
  await signIn(page, "admin", { at: "/sites?q=bhadla" });

  await test.step("a chosen partner", async () => {
    const dialog = await openAdd(page);
    await fillSite(dialog);
    await dialog.contact.fill("Ravi Kumar");
    await choosePartner(page, dialog, "SunCare Services");
    await expect(dialog.selectPartner).toBeFocused();
    for (const [field, text] of [
      [dialog.contact, "Asha Rathore"],
      [dialog.phone, "+91 98290 41276"],
      [dialog.email, "asha.rathore@suncare.example"],
    ] as const) {
      await expect(field).toBeDisabled();
      await expect(field).toHaveValue(text);
    }
    // Without a partner again, what was typed is still there.
    await choosePartner(page, dialog, "Enter contact manually");
    await expect(dialog.contact).toHaveValue("Ravi Kumar");
    await expectDisabled(dialog.save, "Still missing or wrong: Phone, Email.");
    await choosePartner(page, dialog, "SunCare Services");
    await dialog.save.dblclick();
    await expectToast(page, "Site Created", `${SAMBHAR.name} has been successfully created.`);
    const { id, timezone } = await sites.named(SAMBHAR.name);
    expect((await sites.listed()).filter((site) => site.name === SAMBHAR.name)).toHaveLength(1);
    expect(timezone).toBe("Asia/Kolkata");
    await expect(page).toHaveURL(new RegExp(`[?&]site=${id}(&|$)`));
    await expect(page.getByRole("heading", { level: 2, name: SAMBHAR.name })).toBeVisible();
    await expect(siteRow(page, SAMBHAR.name).getByRole("button").first()).toHaveAttribute("aria-current", "true");
    await expect(page.getByText("No robots assigned to this site yet.")).toBeVisible();
    await expect(siteRow(partner, SAMBHAR.name)).toBeVisible();
  });

  await test.step("contact, phone and email of its own; exactly the tolerance on one axis is far enough", async () => {
    const rewa = await sites.named(REWA);
    const dialog = await openAdd(page);
    await fillSite(dialog, { ...SAMBHAR, name: `${REWA} 2` });
    await dialog.contact.fill("Ravi Kumar");
    await dialog.phone.fill("+91 98000 12345");
    await dialog.email.fill("ravi@example.in");
    // As decimals: less than the tolerance on both axes is a duplicate.
    await dialog.latitude.fill((rewa.latitude + 0.000_099).toFixed(6));
    await dialog.longitude.fill((rewa.longitude - 0.000_099).toFixed(6));
    await dialog.save.click();
    await expectToast(page, "Duplicate Location", PLACE_TAKEN);
    await dialog.latitude.fill((rewa.latitude + 0.0001).toFixed(6));
    await dialog.longitude.fill(rewa.longitude.toFixed(6));
    await expect(dialog.root.getByText(PLACE_TAKEN)).toHaveCount(0);
    await dialog.save.click();
    await expectToast(page, "Site Created", `${REWA} 2 has been successfully created.`);
    await expect(dialog.root).toBeHidden();
    expect(await sites.named(`${REWA} 2`)).toMatchObject({
      maintenance_partner_id: null,
      maintenance_contact_name: "Ravi Kumar",
      maintenance_contact: "+91 98000 12345",
      maintenance_email: "ravi@example.in",
    });
    await expect(page.getByRole("region", { name: "Selected site" })).toContainText("Ravi Kumar, +91 98000 12345");
  });

  await test.step("edit", async () => {
    const made = await sites.named(SAMBHAR.name);
    const other = await sites.named(BHADLA);
    const dialog = await openEdit(page, made.name);
    await expectDisabled(dialog.save, "Nothing has been changed.");
    await dialog.name.fill(`  ${made.name}  `);
    await dialog.latitude.fill("26.909100");
    await expectDisabled(dialog.save, "Nothing has been changed.");
    await dialog.name.fill(` ${BHADLA.toLowerCase()}`);
    await dialog.save.click();
    await expectToast(page, "Duplicate Site Name", NAME_TAKEN);
    await dialog.name.fill(made.name.toUpperCase());
    await dialog.latitude.fill(String(other.latitude));
    await dialog.longitude.fill(String(other.longitude));
    await dialog.save.click();
    await expectToast(page, "Duplicate Location", PLACE_TAKEN);
    await expect(dialog.latitude).toHaveAccessibleDescription(PLACE_TAKEN);
    await dialog.latitude.fill("26.909150");
    await dialog.longitude.fill(String(made.longitude));
    await dialog.save.click();
    await expectToast(page, "Site Updated", `${made.name.toUpperCase()} has been successfully updated.`);
    await expect(dialog.root).toBeHidden();
    await expect(siteRow(page, made.name.toUpperCase())).toBeVisible();
    expect(await sites.named(made.name.toUpperCase())).toMatchObject({
      latitude: 26.909_15,
      version: made.version + 1,
    });
  });
});
