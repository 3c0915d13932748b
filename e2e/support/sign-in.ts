import { expect, type Page } from "@playwright/test";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Signs in through the sign-in page and waits for the dashboard. */
export async function signInWith(page: Page, { username, password }: Credentials): Promise<void> {
  await page.goto("/");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page).toHaveURL(/\/dashboard/);
}
