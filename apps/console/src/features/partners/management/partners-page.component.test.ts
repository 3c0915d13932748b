import {
  createPartner,
  partnerDetails,
  resetPartnerPassword,
  updatePartner,
} from "@suncrew/contract/partners/partners.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectNoToast,
  expectToast,
  pressRetry,
} from "../../../../test/expectations.ts";
import { openConsole } from "../../../../test/open-console.tsx";
import { samplePartner } from "../../../../test/sample-fleet.ts";

const SUNCARE = "SunCare Services";
const partnerCard = (name: string) => page.getByRole("article", { name, exact: true });

/** The labels of the form and what is typed there, in order. */
const typed = {
  "Company name": "Thar Panel Works",
  "Contact person": "Imran Khan",
  Email: "imran@thar.example",
  Phone: "098290 55667",
  Address: "3 Gandhi Chowk",
  City: "Jaisalmer",
  State: "Rajasthan",
  "Zip code": "345001",
  Country: "INDIA",
} as const;

test("§8 Fetch failures: the page says so without a toast, and Retry loads it; an empty list is 'No maintenance partners found.'", async () => {
  when(partnerDetails).fail(500, { message: "Broken" });
  await openConsole("/partners");
  await expect.element(page.getByText("The partners could not be loaded.")).toBeVisible();
  await expectNoToast();
  await expectAccessible();
  await pressRetry(() => when(partnerDetails).answer([]), page.getByText("No maintenance partners found."));
});

test("§8 Partners: a failed save shows the specification's message and the server's reason, at its field too", async () => {
  const errors = [{ field: "contact_info", message: "is not wanted" }];
  when(createPartner).fail(400, { message: "The phone is not taken.", errors });
  when(updatePartner).fail(500, { message: "" });
  await openConsole("/partners");
  await page.getByRole("button", { name: "Add New Partner" }).click();
  const add = page.getByRole("dialog", { name: "Add New Partner" });
  const phone = add.getByRole("textbox", { name: "Phone" });
  for (const [label, text] of Object.entries(typed)) await add.getByRole("textbox", { name: label }).fill(text);
  await add.getByRole("button", { name: "Add Partner" }).click();
  await expectToast(
    "Partner Creation Failed",
    "Failed to create partner. Please try again.",
    "The phone is not taken.",
  );
  await expect.element(phone).toHaveAccessibleDescription("Phone is not wanted");
  await expect.element(phone).toHaveFocus();
  await expect.element(add.getByRole("textbox", { name: "Company name" })).toHaveValue(typed["Company name"]);
  await add.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();

  await partnerCard(SUNCARE).getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Partner" });
  const city = edit.getByRole("textbox", { name: "City" });
  await city.fill("Nokha");
  await edit.getByRole("button", { name: "Save" }).click();
  await expectToast("Partner Update Failed", "Failed to update partner. Please try again.");
  await expect.element(city).toHaveValue("Nokha");
});

test("hundreds of partners: only the visible cards are rendered, and the last one can be scrolled to", async () => {
  const many = Array.from({ length: 400 }, (_, at) => samplePartner({ id: 1000 + at, name: `Partner ${at}` }));
  when(partnerDetails).answer(many);
  await openConsole("/partners");
  await expect.element(page.getByRole("article").first()).toBeVisible();
  await expect.element(page.getByText("400 partners")).toBeVisible();
  expect(page.getByRole("article").elements().length).toBeLessThan(60);
  await userEvent.keyboard("{End}");
  await expect.element(partnerCard("Partner 399")).toBeVisible();
});

test("§8 Partners: a failed password reset shows the specification's message; the password on screen stays", async () => {
  const password = "brass-lamp-41";
  when(partnerDetails).answer([samplePartner({ enc_password: password })]);
  when(resetPartnerPassword).fail(503, { message: "The database is busy." });
  await openConsole("/partners");
  await partnerCard(SUNCARE).getByRole("button", { name: "Share credentials" }).click();
  const share = page.getByRole("dialog", { name: "Share Login Credentials" });
  await share.getByRole("button", { name: "Show password", exact: true }).click();
  await share.getByRole("button", { name: "Regenerate password", exact: true }).click();
  await page.getByRole("dialog", { name: "Regenerate Password" }).getByRole("button", { name: "Regenerate" }).click();
  const sentence = "Failed to reset password. Please try again.";
  await expectToast("Password Reset Failed", sentence, "The database is busy.");
  await expectContains(share.getByRole("region", { name: "Login credentials" }), password);
});
