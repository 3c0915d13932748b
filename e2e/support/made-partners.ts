import { createPartner } from "@suncrew/contract/partners/partners.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import type { ApiClient } from "./api.ts";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A partner of a test's own, so that what becomes of its user touches no other test; without sites. */
export async function makePartner(admin: ApiClient, name: string): Promise<ResponseOf<typeof createPartner>> {
  return admin.call(createPartner, {
    body: {
      name,
      contact_person: "Nandini Rao",
      contact_info: "+91 98450 11223",
      email: "nandini.rao@own.example",
      address: "5 Residency Road",
      city: "Bengaluru",
      state: "Karnataka",
      zip_code: "560025",
    },
  });
}

/** Signs in through the sign-in page as anybody and waits for the dashboard. */
export async function signInWith(page: Page, { username, password }: Credentials): Promise<void> {
  await page.goto("/");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page).toHaveURL(/\/dashboard/);
}
