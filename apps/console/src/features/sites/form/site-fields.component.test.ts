import { createSite, updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../../test/answers.ts";
import {
  expectContains,
  expectCount,
  expectDisabled,
  expectEnabled,
  expectTexts,
  expectToast,
  press,
} from "../../../../test/expectations.ts";
import { openConsole } from "../../../../test/open-console.tsx";
import { BHADLA, REWA, samplePartner, samplePartners, sampleSite, sampleSites } from "../../../../test/sample-fleet.ts";

const NAME_TAKEN = "A site with this name already exists. Please choose a different name.";
const PLACE_TAKEN = "A site with these coordinates already exists. Please choose a different location.";
const NAME = "Sambhar Lake Solar";
const EVERYTHING_MISSING =
  "Still missing or wrong: Site name, Address, District, State, Pin code, Commissioning date, Latitude, Longitude, " +
  "Contact, Phone, Email.";

const add = page.getByRole("dialog", { name: "Add New Site" });
const field = (label: string) => add.getByLabelText(label);
const save = add.getByRole("button", { name: "Add Site", exact: true });
const picker = page.getByRole("dialog", { name: "Select Maintenance Partner" });

async function openAdd(): Promise<void> {
  await openConsole("/sites");
  await page.getByRole("button", { name: "Add New Site" }).click();
  await expect.element(field("Site name")).toHaveFocus();
}

/** Everything except the maintenance partner or contact. */
async function fillSite(): Promise<void> {
  for (const [label, text] of Object.entries({
    "Site name": NAME,
    Address: "Lake Road 4, Gudha",
    District: "Nagaur",
    State: "Rajasthan",
    "Pin code": "341509",
    "Commissioning date": "2024-04-01",
    Latitude: "26.9091",
    Longitude: "75.0893",
  })) {
    await field(label).fill(text);
  }
}

test("§5 Site create: each required field has its own message, shown once it was visited or a save was attempted", async () => {
  await openAdd();
  await expectDisabled(save, EVERYTHING_MISSING);
  // Nothing is reported before a field was visited, or a save attempted.
  await expectCount(add.getByText(/is required/), 0);
  await userEvent.keyboard("{Tab}");
  await expectTexts(add.getByText(/is required/), ["Site name is required"]);
  await press(field("District"), "Enter");
  await expect.element(field("Site name")).toHaveFocus();
  for (const [label, sentence] of Object.entries({
    "Site name": "Site name is required",
    Address: "Address is required",
    District: "District is required",
    State: "State is required",
    "Pin code": "Pin code is required",
    "Commissioning date": "Commissioning date is required",
    Latitude: "Latitude is required",
    Longitude: "Longitude is required",
    Contact: "Contact is required where there is no maintenance partner",
    Phone: "Phone is required where there is no maintenance partner",
    Email: "Email is required where there is no maintenance partner",
  })) {
    await expect.element(field(label)).toHaveAccessibleDescription(sentence);
  }
});

test("§5 Site create: each wrong value has its own message, and counts as missing", async () => {
  await openAdd();
  // After an attempt to save, each field is validated while typing.
  await press(field("District"), "Enter");
  for (const [label, wrong, sentence] of [
    ["Site name", "   ", "Site name is required"],
    ["Address", " ", "Address is required"],
    ["District", " ", "District is required"],
    ["State", " ", "State is required"],
    ["Pin code", "34150", "Pin code must have six digits"],
    ["Pin code", "34150A", "Pin code must have six digits"],
    ["Commissioning date", "", "Commissioning date is required"],
    ["Latitude", "north", "Latitude must be a number from -90 to 90"],
    ["Latitude", "90.5", "Latitude must be a number from -90 to 90"],
    ["Longitude", "-181", "Longitude must be a number from -180 to 180"],
  ] as const) {
    await field(label).fill(wrong);
    await expect.element(field(label)).toHaveAccessibleDescription(sentence);
  }
  await expectDisabled(save, EVERYTHING_MISSING);
});

test("§5 Site create: Add Site is disabled until every required field is valid", async () => {
  const contact = {
    maintenance_partner_id: null,
    maintenance_contact_name: "Ravi Kumar",
    maintenance_contact: "+91 98000 12345",
    maintenance_email: "ravi@example.in",
  };
  const created = when(createSite).answer(() => {
    const partner = { partner_name: null, partner_contact: null };
    when(siteDetails).answer([...sampleSites, sampleSite({ id: 9, name: NAME, ...contact, ...partner })]);
    return { message: "Site created", siteId: 9 };
  });
  await openAdd();
  await press(field("District"), "Enter");
  await fillSite();
  await expectDisabled(save, "Still missing or wrong: Contact, Phone, Email.");
  await field("Contact").fill("Ravi Kumar");
  await field("Phone").fill("+91 98000 12345");
  await field("Email").fill("ravi");
  await expect.element(field("Email")).toHaveAccessibleDescription("Email is not an email address");
  await field("Email").fill("ravi@example.in");
  await expectEnabled(save);
  await field("Pin code").fill("34150");
  await expectDisabled(save, "Pin code must have six digits");
  await field("Pin code").fill("341509");
  await expectEnabled(save);
  await press(field("Site name"), "Enter");
  await expectToast("Site Created", `${NAME} has been successfully created.`);
  await expectCount(add, 0);
  expect(created).toMatchObject([{ body: contact }]);
  await expectContains(page.getByRole("region", { name: "Selected site" }), "Ravi Kumar, +91 98000 12345");
});

test("§5 Site create: names are unique trimmed and ignoring case, coordinates to 0.0001 degrees on both axes", async () => {
  const rewa = sampleSites.find(({ name }) => name === REWA);
  if (rewa === undefined) throw new Error(`The sample fleet has no ${REWA}.`);
  when(createSite).answer({ message: "Site created", siteId: 1 });
  await openAdd();
  await fillSite();
  await add.getByRole("button", { name: "Select Maintenance Partner" }).click();
  await picker.getByRole("button", { name: "In-house" }).click();
  await expectCount(picker, 0);
  for (const name of [REWA, ` ${REWA.toUpperCase()} `]) {
    await field("Site name").fill(name);
    await save.click();
    await expectToast("Duplicate Site Name", NAME_TAKEN);
    await expect.element(field("Site name")).toHaveAccessibleDescription(NAME_TAKEN);
    await expect.element(field("Site name")).toHaveFocus();
  }
  await field("Site name").fill(`${REWA} 2`);
  for (const [latitude, longitude] of [
    [rewa.latitude, rewa.longitude],
    [rewa.latitude + 0.000_099, rewa.longitude - 0.000_099],
  ] as const) {
    await field("Latitude").fill(latitude.toFixed(6));
    await field("Longitude").fill(longitude.toFixed(6));
    await save.click();
    await expectToast("Duplicate Location", PLACE_TAKEN);
    await expect.element(field("Latitude")).toHaveAccessibleDescription(PLACE_TAKEN);
    await expect.element(field("Latitude")).toHaveFocus();
  }
  // As decimals: exactly the tolerance on one axis is far enough.
  await field("Latitude").fill((rewa.latitude + 0.0001).toFixed(6));
  await field("Longitude").fill(rewa.longitude.toFixed(6));
  await expectCount(add.getByText(PLACE_TAKEN), 0);
  await save.click();
  await expectToast("Site Created", `${REWA} 2 has been successfully created.`);
});

test("§2 Select Maintenance Partner: search, the chosen one is marked, Escape closes only the picker", async () => {
  const vaigai = samplePartner({
    id: 3,
    name: "Vaigai Green Works",
    contact_person: "Karthik Subramanian",
    city: "Madurai",
  });
  when(partnerDetails).answer([...samplePartners, vaigai]);
  await openConsole("/sites");
  await page.getByRole("listitem", { name: BHADLA, exact: true }).getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Site" });
  await edit.getByRole("button", { name: "Select Maintenance Partner" }).click();
  const choices = picker.getByRole("list", { name: "Maintenance partners" }).getByRole("button");
  await expectTexts(choices, [/Enter contact manually/, /In-house/, /SunCare Services/, /Vaigai Green Works/]);
  await expect.element(choices.nth(2)).toHaveAttribute("aria-current", "true");
  expect(choices.elements().filter((choice) => choice.ariaCurrent === "true")).toHaveLength(1);
  const box = picker.getByLabelText("Search partners");
  await expect.element(box).toHaveFocus();
  await box.fill("madurai");
  await expectTexts(choices, [/Enter contact manually/, /Vaigai Green Works.*Karthik Subramanian · Madurai/]);
  await box.fill("nobody");
  await expect.element(picker.getByText("No partners match.")).toBeVisible();
  await box.fill("");
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  await expect.element(choices.nth(1)).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expectCount(picker, 0);
  await expect.element(edit).toBeVisible();
  await expectDisabled(edit.getByRole("button", { name: "Save", exact: true }), "Nothing has been changed.");
});

test.each([1440, 390])(
  "Energy facts of a site are entered, named where wrong, and shown at its page, %d px wide",
  async (width) => {
    await page.viewport(width, 900);
    const changed = when(updateSite).answer(() => {
      const facts = { dc_capacity_kwp: 10_000, tariff_per_kwh: 2.5, currency: "INR" } as const;
      when(siteDetails).answer([sampleSite({ ...facts, version: 2 }), ...sampleSites.slice(1)]);
      return { message: "Site updated" };
    });
    await openConsole("/sites?site=1");
    await page.getByRole("listitem", { name: BHADLA, exact: true }).getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: "Edit Site" });
    const save = edit.getByRole("button", { name: "Save", exact: true });
    await edit.getByLabelText("DC capacity (kWp)").fill("ten");
    await edit.getByLabelText("Tariff (per kWh)").fill("2.5");
    await expectDisabled(save, "Still missing or wrong: DC capacity (kWp), Currency.");
    await expect
      .element(edit.getByLabelText("DC capacity (kWp)"))
      .toHaveAccessibleDescription("DC capacity must be a number from 0.001 to 5,000,000");
    await edit.getByLabelText("DC capacity (kWp)").fill("10000");
    await edit.getByRole("combobox", { name: "Currency" }).fill("indian");
    await expect.element(page.getByRole("option", { name: "INR, Indian Rupee" })).toBeVisible();
    // By key: to press the option, the browser would be scrolled, and the list would move under the pointer.
    await userEvent.keyboard("{ArrowDown}{Enter}");
    await expect.element(edit.getByRole("combobox", { name: "Currency" })).toHaveValue("INR, Indian Rupee");
    await save.click();
    await expectToast("Site Updated", `${BHADLA} has been successfully updated.`);
    expect(changed).toMatchObject([{ body: { dc_capacity_kwp: 10_000, tariff_per_kwh: 2.5, currency: "INR" } }]);
    await expect.element(page.getByText("Energy: 10,000 kWp DC, tariff 2.5 INR per kWh")).toBeVisible();
  },
);
