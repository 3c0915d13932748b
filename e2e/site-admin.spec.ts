import { BHADLA, expectDisabled, expectEnabled, expectToast, REWA } from "./support/dashboard.ts";

import { choosePartner, expect, fillSite, openAdd, openEdit, SAMBHAR, siteRow, test } from "./support/made-sites.ts";

const NAME_TAKEN = "A site with this name already exists. Please choose a different name.";
const PLACE_TAKEN = "A site with these coordinates already exists. Please choose a different location.";
/** What others do appears within a second; the rest is for a busy machine. */
const LIVE_MS = 10_000;

test("§5 Site create: each required field has its own sentence, and Add Site is disabled until every one is right", async ({
  page,
  signIn,
  sites,
}) => {
  await signIn(page, "admin", { at: "/sites" });
  const dialog = await openAdd(page);
  const missing =
    "Site name, Address, District, State, Pin code, Commissioning date, Latitude, Longitude, Contact, Phone, Email";
  await expectDisabled(dialog.save, `Still missing or wrong: ${missing}.`);
  // Nothing is told before somebody was there, or tried to save.
  await expect(dialog.root.getByText(/is required/)).toHaveCount(0);
  await dialog.name.press("Tab");
  await expect(dialog.root.getByText(/is required/)).toHaveText(["Site name is required"]);
  await dialog.district.press("Enter");
  await expect(dialog.name).toBeFocused();
  for (const [field, sentence] of [
    [dialog.name, "Site name is required"],
    [dialog.address, "Address is required"],
    [dialog.district, "District is required"],
    [dialog.state, "State is required"],
    [dialog.pinCode, "Pin code is required"],
    [dialog.date, "Commissioning date is required"],
    [dialog.latitude, "Latitude is required"],
    [dialog.longitude, "Longitude is required"],
    [dialog.contact, "Contact is required where there is no maintenance partner"],
    [dialog.phone, "Phone is required where there is no maintenance partner"],
    [dialog.email, "Email is required where there is no maintenance partner"],
  ] as const) {
    await expect(field).toHaveAccessibleDescription(sentence);
  }

  await fillSite(dialog);
  await expectDisabled(dialog.save, "Still missing or wrong: Contact, Phone, Email.");
  await dialog.contact.fill("Ravi Kumar");
  await dialog.phone.fill("+91 98000 12345");
  await dialog.email.fill("ravi");
  await expect(dialog.email).toHaveAccessibleDescription("Email is not an e-mail address");
  await dialog.email.fill("ravi@example.in");
  await expectEnabled(dialog.save);
  for (const [field, wrong, sentence, right] of [
    [dialog.name, "   ", "Site name is required", "Sambhar Lake Solar"],
    [dialog.address, " ", "Address is required", "Lake Road 4"],
    [dialog.district, " ", "District is required", "Nagaur"],
    [dialog.state, " ", "State is required", "Rajasthan"],
    [dialog.pinCode, "34150", "Pin code must have six digits", "341509"],
    [dialog.pinCode, "34150A", "Pin code must have six digits", "341509"],
    [dialog.date, "", "Commissioning date is required", "2024-04-01"],
    [dialog.latitude, "north", "Latitude must be a number from -90 to 90", "26.9091"],
    [dialog.latitude, "90.5", "Latitude must be a number from -90 to 90", "26.9091"],
    [dialog.longitude, "-181", "Longitude must be a number from -180 to 180", "75.0893"],
  ] as const) {
    await field.fill(wrong);
    await expect(field).toHaveAccessibleDescription(sentence);
    await expect(dialog.save).toHaveAttribute("aria-disabled", "true");
    await field.fill(right);
    await expectEnabled(dialog.save);
  }
  await dialog.name.press("Enter");
  await expectToast(page, "Site Created", "Sambhar Lake Solar has been successfully created.");
  await expect(dialog.root).toBeHidden();
  expect(await sites.named("Sambhar Lake Solar")).toMatchObject({
    maintenance_partner_id: null,
    maintenance_contact_name: "Ravi Kumar",
    maintenance_contact: "+91 98000 12345",
    maintenance_email: "ravi@example.in",
  });
  await expect(page.getByRole("region", { name: "Selected site" })).toContainText("Ravi Kumar, +91 98000 12345");
});

test("§5 Site create: a chosen partner fills contact, phone and e-mail; the new site is selected, and others see it at once", async ({
  page,
  openBrowser,
  signIn,
  sites,
}) => {
  const partner = await openBrowser();
  await signIn(partner, "partner", { at: "/sites" });
  await expect(siteRow(partner, BHADLA)).toBeVisible();
  await signIn(page, "admin", { at: "/sites?q=bhadla" });
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
  await choosePartner(page, dialog, "No partner: type contact");
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
  await expect(siteRow(partner, SAMBHAR.name)).toBeVisible({ timeout: LIVE_MS });
});

test("§2 Select Maintenance Partner: search, the one chosen is marked, Escape closes the picker alone", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin", { at: "/sites" });
  const dialog = await openEdit(page, BHADLA);
  await dialog.selectPartner.click();
  const picker = page.getByRole("dialog", { name: "Select Maintenance Partner" });
  const choices = picker.getByRole("list", { name: "Maintenance partners" }).getByRole("button");
  await expect(choices).toHaveCount(6);
  await expect(picker.locator('[aria-current="true"]')).toContainText("SunCare Services");
  await expect(choices.filter({ hasText: "In-house" })).toBeVisible();
  const box = picker.getByLabel("Search partners");
  await expect(box).toBeFocused();
  await box.fill("madurai");
  await expect(choices).toHaveText([/No partner: type contact/, /Vaigai Green Works.*Karthik Subramanian · Madurai/]);
  await box.fill("nobody");
  await expect(picker.getByText("No partners match.")).toBeVisible();
  await box.fill("");
  await box.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(choices.nth(1)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(picker).toBeHidden();
  await expect(dialog.root).toBeVisible();
  await expectDisabled(dialog.save, "Nothing has been changed.");
});

test("§5 Site create: names are unique trimmed and in any case, places to 0.0001 degrees on both axes", async ({
  page,
  signIn,
  sites,
}) => {
  const rewa = await sites.named(REWA);
  await signIn(page, "admin", { at: "/sites" });
  const dialog = await openAdd(page);
  await fillSite(dialog);
  await choosePartner(page, dialog, "In-house");
  for (const name of [REWA, ` ${REWA.toUpperCase()} `]) {
    await dialog.name.fill(name);
    await dialog.save.click();
    await expectToast(page, "Duplicate Site Name", NAME_TAKEN);
    await expect(dialog.name).toHaveAccessibleDescription(NAME_TAKEN);
    await expect(dialog.name).toBeFocused();
  }
  await dialog.name.fill(`${REWA} 2`);
  for (const [latitude, longitude] of [
    [rewa.latitude, rewa.longitude],
    [rewa.latitude + 0.000_099, rewa.longitude - 0.000_099],
  ] as const) {
    await dialog.latitude.fill(latitude.toFixed(6));
    await dialog.longitude.fill(longitude.toFixed(6));
    await dialog.save.click();
    await expectToast(page, "Duplicate Location", PLACE_TAKEN);
    await expect(dialog.latitude).toHaveAccessibleDescription(PLACE_TAKEN);
    await expect(dialog.latitude).toBeFocused();
  }
  // As decimals: one axis at the tolerance itself is far enough.
  await dialog.latitude.fill((rewa.latitude + 0.0001).toFixed(6));
  await dialog.longitude.fill(rewa.longitude.toFixed(6));
  await expect(dialog.root.getByText(PLACE_TAKEN)).toHaveCount(0);
  await dialog.save.click();
  await expectToast(page, "Site Created", `${REWA} 2 has been successfully created.`);
});

test("§5 Site edit: nothing changed is nothing to save; the site's own name and place do not count", async ({
  page,
  signIn,
  sites,
}) => {
  const made = await sites.make();
  const other = await sites.named(BHADLA);
  await signIn(page, "admin", { at: "/sites" });
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
  await dialog.latitude.fill("26.909150");
  await dialog.longitude.fill(String(made.longitude));
  await dialog.save.click();
  await expectToast(page, "Site Updated", `${made.name.toUpperCase()} has been successfully updated.`);
  await expect(dialog.root).toBeHidden();
  await expect(siteRow(page, made.name.toUpperCase())).toBeVisible();
  expect(await sites.named(made.name.toUpperCase())).toMatchObject({ latitude: 26.909_15, version: made.version + 1 });
});
