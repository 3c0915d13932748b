import { changePassword, sessionUserSchema } from "@suncrew/contract/auth/auth.ts";
import { idInputSchema } from "@suncrew/contract/http/values.ts";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { expectToast } from "./support/dashboard.ts";
import { expect, test } from "./support/partners-page.ts";
import { expectProfileSettings, openProfile } from "./support/profile-settings.ts";
import { signInWith } from "./support/sign-in.ts";
import { accounts } from "./support/suncrew.ts";

/** The browser keeps the id as text. */
const storedUser = sessionUserSchema.extend({ id: idInputSchema });

const NEW = "evening rain 77";

interface PasswordForm {
  readonly current: Locator;
  readonly new: Locator;
  readonly again: Locator;
  readonly submit: Locator;
}

function passwordForm(page: Page): PasswordForm {
  const field = (label: string) => page.getByLabel(label, { exact: true });
  return {
    current: field("Current password"),
    new: field("New password"),
    again: field("Confirm new password"),
    submit: page.getByRole("button", { name: /Update Password|Updating\.\.\./ }),
  };
}

/** Opens the page the way a user does, through Profile Settings. */
async function goToProfile(page: Page): Promise<PasswordForm> {
  const dialog = await openProfile(page);
  await dialog.getByRole("link", { name: "Open profile to change your password" }).click();
  await expect(page).toHaveURL("/profile");
  await expect(dialog).toHaveCount(0);
  return profileShown(page);
}

async function profileShown(page: Page): Promise<PasswordForm> {
  await expect(page.getByRole("heading", { level: 1, name: "Profile" })).toBeVisible();
  return passwordForm(page);
}

async function fillIn(form: PasswordForm, current: string, wanted: string, again = wanted): Promise<void> {
  await form.current.fill(current);
  await form.new.fill(wanted);
  await form.again.fill(again);
}

async function expectSignedOut(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  await expect(page).toHaveURL("/");
  expect(await page.evaluate(() => [localStorage.getItem("token"), localStorage.getItem("user")])).toEqual([
    null,
    null,
  ]);
}

/** User information, appearance, security and account settings. */
async function expectProfilePage(page: Page, role: string, type: string): Promise<void> {
  await profileShown(page);
  await expect(page).toHaveTitle(/^(\(\d+\) )?Profile - Suncrew$/);
  await expect(page.getByRole("heading", { level: 2 })).toHaveText([
    "User Information",
    "Security",
    "Appearance",
    "Account Settings",
    "How I am told",
    "Alerts I want to be told of",
  ]);
  const facts = page.getByRole("region", { name: "User Information" });
  await expect(facts.getByRole("term")).toHaveText(["Name", "Email", "Role", "User ID", "Account Type"]);
  const user = await page.evaluate(() => localStorage.getItem("user"));
  const { name, email, id } = storedUser.parse(JSON.parse(user ?? "null"));
  await expect(facts.getByRole("definition")).toHaveText([name, email, role, String(id), type]);
  const settings = page.getByRole("region", { name: "Account Settings" });
  await expect(settings.getByRole("listitem")).toHaveText([
    /^Email Notifications.*Coming Soon$/,
    /^Language Preferences.*Coming Soon$/,
    /^API.*API documentation$/,
  ]);
  await expect(settings.locator("a, button, input, select, [tabindex]")).toHaveText(["API documentation"]);
}

test("§2 Profile page, §9 Themes: Profile Settings links a Super Admin to it and Back returns; it is accessible, even with errors, and fits a phone", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const form = await goToProfile(page);
  await expect(page.getByRole("main")).toBeFocused();
  await expectProfilePage(page, "Super Admin", "Administrator");
  await expectAccessible(page);
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 780 });
    await form.submit.click();
    await expect(page.getByText("Current password is required", { exact: true })).toBeVisible();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await fillIn(form, "", "short", "other");
  await form.submit.click();
  await expect(page.getByText("Current password is required", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.goBack();
  await expect(page).toHaveURL(/\/dashboard/);
});

test("§2 Profile page, Profile Settings, Appearance: a partner's page and dialog; the password fields are labelled for password managers and hidden; the theme is kept", async ({
  page,
  signIn,
}) => {
  await signIn(page, "partner", { at: "/profile" });
  const form = await profileShown(page);
  await expectProfilePage(page, "Partner", "Partner");

  await test.step("§2 Profile Settings: name, email and role, read-only, and the five themes", async () => {
    const dialog = await openProfile(page);
    await expectProfileSettings(dialog, "Partner");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await test.step("§5 Change password: password managers learn the account, and which password is old and which new", async () => {
    await expect(page.locator('input[autocomplete="username"]')).toHaveValue(accounts.partner.username);
    await expect(page.locator('input[autocomplete="username"]')).toBeHidden();
    await expect(form.current).toHaveAttribute("autocomplete", "current-password");
    await expect(form.new).toHaveAttribute("autocomplete", "new-password");
    await expect(form.again).toHaveAttribute("autocomplete", "new-password");
  });

  await test.step("§5 Change password: what is typed is hidden until the user shows it, by keyboard too", async () => {
    await form.new.fill(NEW);
    await expect(form.new).toHaveAttribute("type", "password");
    await form.new.press("Tab");
    await expect(page.getByRole("button", { name: "Show or hide: New password" })).toBeFocused();
    await page.keyboard.press("Space");
    await expect(form.new).toHaveAttribute("type", "text");
    await expect(form.current).toHaveAttribute("type", "password");
    await form.new.fill("");
  });

  await test.step("§2 Appearance: the theme is chosen on the profile page and kept", async () => {
    const themesOffered = page.getByRole("region", { name: "Appearance" }).getByRole("radio");
    await expect(themesOffered).toHaveCount(5);
    await page.getByRole("radio", { name: "Dark" }).check();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await page.reload();
    await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
  });
});

test("§5 Change password as a partner, §4 Session: a wrong current password is reported at its field and signs nobody out; with the right one only the new password works, and another browser is signed out at once", async ({
  page,
  openBrowser,
  partners,
  problems,
}) => {
  problems.allow(/status of 400/);
  const credentials = await partners.make();
  const other = await openBrowser();
  await signInWith(page, credentials);
  await signInWith(other, credentials);
  await expect(other.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
  const form = await goToProfile(page);
  await fillIn(form, "wrong", NEW);
  await form.current.press("Enter");
  await expectToast(
    page,
    "Update Failed",
    "Failed to update password. Please check your current password.",
    "Current password is incorrect",
  );
  await expect(page.getByText("Current password is incorrect", { exact: true }).last()).toBeVisible();
  await expect(form.current).toBeFocused();
  await expect(other.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();

  problems.allowFromNow(/status of 401/);
  await form.current.fill(credentials.password);
  await form.current.press("Enter");
  await expectToast(
    page,
    "Password Updated",
    "Your password has been changed. Everywhere else you have been signed out.",
  );
  for (const field of [form.current, form.new, form.again]) {
    await expect(field).toHaveValue("");
    await expect(field).not.toHaveAttribute("aria-invalid", "true");
  }
  await expectSignedOut(other);

  await other.getByLabel("Username").fill(credentials.username);
  await other.getByLabel("Password", { exact: true }).fill(credentials.password);
  await other.getByRole("button", { name: "Sign In" }).click();
  await expect(other.getByRole("alert")).toHaveText("Invalid credentials");
  await other.getByLabel("Password", { exact: true }).fill(NEW);
  await other.getByRole("button", { name: "Sign In" }).click();
  await expect(other).toHaveURL(/\/dashboard/);

  await page.reload();
  await profileShown(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Dashboard" }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  await expect(page.getByRole("heading", { name: "Profile", level: 1 })).toHaveCount(0);
});

test("§4 Session: a Super Admin's change signs out that user's other browsers, and nobody else", async ({
  page,
  openBrowser,
  signIn,
  problems,
}) => {
  problems.allow(/status of 401/);
  const [own, partner] = [await openBrowser(), await openBrowser()];
  await signInWith(page, accounts.admin);
  await signInWith(own, accounts.admin);
  await signIn(partner, "partner");
  const form = await goToProfile(page);
  const { password } = accounts.admin;
  await fillIn(form, password, `${password} anew`);
  await form.submit.click();
  await expectToast(
    page,
    "Password Updated",
    "Your password has been changed. Everywhere else you have been signed out.",
  );
  await expectSignedOut(own);
  // Changed back, so that the demo's password stays valid.
  await fillIn(form, `${password} anew`, password);
  const changedBack = page.waitForResponse((response) => response.url().endsWith(changePassword.path));
  await form.submit.click();
  expect((await changedBack).status()).toBe(200);
  // This page loads only while the partner's session is valid.
  await partner.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Site Reports" }).click();
  await expect(partner.getByRole("heading", { level: 1, name: "Site Reports" })).toBeVisible();
  await expect(partner).toHaveURL(/\/site-reports/);
});
