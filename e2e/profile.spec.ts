import { changePassword, sessionUserSchema } from "@suncrew/contract/auth/auth.ts";
import { idInputSchema } from "@suncrew/contract/http/values.ts";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { expectToast, toasts } from "./support/dashboard.ts";
import { expect, test } from "./support/partners-page.ts";
import { signInWith } from "./support/sign-in-with.ts";
import { accounts } from "./support/suncrew.ts";

/** Its id is text in the browser. */
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

async function openProfile(page: Page): Promise<PasswordForm> {
  await page.goto("/profile");
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

for (const { account, role, type } of [
  { account: "admin", role: "Super Admin", type: "Administrator" },
  { account: "partner", role: "Partner", type: "Partner" },
] as const) {
  test.describe(`as ${role}`, () => {
    test.beforeEach(async ({ page, signIn }) => signIn(page, account, { at: "/profile" }));

    test("§2 Profile page: user information, appearance, security and account settings", async ({ page }) => {
      await profileShown(page);
      await expect(page).toHaveTitle("Profile - Suncrew");
      await expect(page.getByRole("heading", { level: 2 })).toHaveText([
        "User Information",
        "Security",
        "Appearance",
        "Account Settings",
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
    });

    test("§5 Change password: every message of what is typed wrong, and no call is made", async ({ page }) => {
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.url().includes("change-password")) sent.push(request.url());
      });
      const form = await profileShown(page);
      await form.submit.click();
      await expect(page.getByText("Current password is required", { exact: true })).toBeVisible();
      await expect(page.getByText("New password must be at least 8 characters", { exact: true })).toBeVisible();
      await expect(form.current).toBeFocused();
      await expect(form.current).toHaveAttribute("aria-invalid", "true");
      await expect(toasts(page)).toHaveCount(0);

      await fillIn(form, "x", "1234567");
      await expect(page.getByText("Current password is required", { exact: true })).toHaveCount(0);
      await form.submit.click();
      await expectToast(page, "Password Too Short", "Password must be at least 8 characters long.");
      await expect(form.new).toBeFocused();

      await fillIn(form, "x", "12345678", "12345679");
      await form.submit.click();
      await expectToast(page, "Password Mismatch", "New password and confirmation don't match.");
      // A new try takes the former message away.
      await expect(toasts(page).filter({ hasText: "Password Too Short" })).toHaveCount(0, { timeout: 1500 });
      await expect(form.again).toBeFocused();
      expect(sent).toEqual([]);
    });
  });
}

test("§5 Change password as a partner: a wrong current one is told at its field and signs nobody out; the right one counts", async ({
  page,
  partners,
  problems,
}) => {
  problems.allow(/status of 400/);
  const credentials = await partners.make();
  await signInWith(page, credentials);
  const form = await openProfile(page);
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
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Profile" })).toBeVisible();
});

test("§4 Session: another browser of the same user is signed out at once; only the new password signs in", async ({
  page,
  openBrowser,
  partners,
  problems,
}) => {
  problems.allow(/status of 401/);
  const credentials = await partners.make();
  const other = await openBrowser();
  await signInWith(page, credentials);
  await signInWith(other, credentials);
  await expect(other.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
  const form = await openProfile(page);
  await fillIn(form, credentials.password, NEW);
  await form.submit.click();
  await expect(toasts(page).filter({ hasText: "Password Updated" })).toBeVisible();
  await expectSignedOut(other);

  await other.getByLabel("Username").fill(credentials.username);
  await other.getByLabel("Password", { exact: true }).fill(credentials.password);
  await other.getByRole("button", { name: "Sign In" }).click();
  await expect(other.getByRole("alert")).toHaveText("Invalid credentials");
  await signInWith(other, { ...credentials, password: NEW });
  await page.goto("/dashboard");
  await expect(page).toHaveURL(/\/dashboard/);
});

test("§4 Session: a Super Admin's change signs out that Super Admin's other browsers, and nobody else", async ({
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
  const form = await openProfile(page);
  const { password } = accounts.admin;
  await fillIn(form, password, `${password} anew`);
  await form.submit.click();
  await expect(toasts(page).filter({ hasText: "Password Updated" })).toBeVisible();
  await expectSignedOut(own);
  // And back, so that the demo's sign-in stays.
  await fillIn(form, `${password} anew`, password);
  const changedBack = page.waitForResponse((response) => response.url().endsWith(changePassword.path));
  await form.submit.click();
  expect((await changedBack).status()).toBe(200);
  await partner.reload();
  await expect(partner).toHaveURL(/\/dashboard/);
});

test("§5 Change password: password managers are told whose password it is, which is old and which new", async ({
  page,
  signIn,
}) => {
  await signIn(page, "partner", { at: "/profile" });
  const form = await profileShown(page);
  await expect(page.locator('input[autocomplete="username"]')).toHaveValue(accounts.partner.username);
  await expect(page.locator('input[autocomplete="username"]')).toBeHidden();
  await expect(form.current).toHaveAttribute("autocomplete", "current-password");
  await expect(form.new).toHaveAttribute("autocomplete", "new-password");
  await expect(form.again).toHaveAttribute("autocomplete", "new-password");
});

test("§5 Change password: what is typed is hidden until it is asked for, by keyboard too", async ({ page, signIn }) => {
  await signIn(page, "partner", { at: "/profile" });
  const form = await profileShown(page);
  await form.new.fill(NEW);
  await expect(form.new).toHaveAttribute("type", "password");
  await form.new.press("Tab");
  await expect(page.getByRole("button", { name: "Show or hide: New password" })).toBeFocused();
  await page.keyboard.press("Space");
  await expect(form.new).toHaveAttribute("type", "text");
  await expect(form.current).toHaveAttribute("type", "password");
});

test("§2 Profile Settings leads to the profile page; back returns", async ({ page, signIn }) => {
  await signIn(page, "admin");
  await page
    .getByRole("banner")
    .getByRole("button", { name: /\w+ \w+/ })
    .click();
  await page.getByRole("menuitem", { name: "Profile Settings" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Open profile to change your password" }).click();
  await expect(page).toHaveURL("/profile");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();
  await page.goBack();
  await expect(page).toHaveURL(/\/dashboard/);
});

test("§2 Appearance: the theme is chosen on the profile page and kept", async ({ page, signIn }) => {
  await signIn(page, "partner", { at: "/profile" });
  await profileShown(page);
  const themesOffered = page.getByRole("region", { name: "Appearance" }).getByRole("radio");
  await expect(themesOffered).toHaveCount(5);
  await page.getByRole("radio", { name: "Dark" }).check();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
});

test("§2 Routes: /profile without a session leads to the sign-in page", async ({ page }) => {
  await page.goto("/profile");
  await expectSignedOut(page);
});

test("§9 Themes: the profile page is accessible, also with errors", async ({ page, signIn }) => {
  await signIn(page, "admin", { at: "/profile" });
  const form = await profileShown(page);
  await expectAccessible(page);
  await fillIn(form, "", "short", "other");
  await form.submit.click();
  await expect(page.getByText("Current password is required", { exact: true })).toBeVisible();
  await expectAccessible(page);
});

test("the profile page fits a screen 360 px and one 390 px wide", async ({ page, signIn }) => {
  await signIn(page, "admin", { at: "/profile" });
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 780 });
    const form = await openProfile(page);
    await form.submit.click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});
