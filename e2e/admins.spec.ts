import { adminList, removeAdmin } from "@suncrew/contract/admins/admins.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast } from "./support/dashboard.ts";
import { signInWith } from "./support/sign-in.ts";
import { accounts, expect, test as base } from "./support/suncrew.ts";

const NEW = { Name: "Meera Iyer", Username: "meera", Email: "meera@suncrew.example" };

/** Removes every Super Admin except the demo's own, before and after the test. */
const test = base.extend<{ readonly onlyTheDemos: null }>({
  onlyTheDemos: [
    async ({ apiAs }, use) => {
      const admin = await apiAs("admin");
      const removeOthers = async () => {
        for (const { id, username } of await admin.call(adminList, {})) {
          if (username === accounts.admin.username) continue;
          await admin.call(removeAdmin, { params: { id }, body: { password: accounts.admin.password } });
        }
      };
      await removeOthers();
      await use(null);
      await removeOthers();
    },
    { auto: true },
  ],
});

test("§6 Super Admins: one adds another using only the keyboard, who can sign in until the first removes the account; §9 Themes: accessible at 1440 and 390 px", async ({
  page,
  openBrowser,
  signIn,
  problems,
}) => {
  problems.allow(/status of 40[01]/);
  await signIn(page, "admin", { at: "/partners" });
  await page.getByRole("button", { name: "Super Admins" }).click();
  const dialog = page.getByRole("dialog", { name: "Super Admins" });
  const rows = dialog.getByRole("table", { name: "Super Admins" }).getByRole("row");
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText("You");
  await expect(rows.last().getByRole("button")).toHaveCount(0);
  const form = page.getByRole("dialog", { name: "Add Super Admin" });
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expect(rows).toHaveCount(2);
    // The partners' tests check the narrow page behind this dialog.
    await expectAccessible(page, width === 1440 ? undefined : dialog);
    await dialog.getByRole("button", { name: "Add Super Admin" }).click();
    await expect(form.getByLabel(/^Name/)).toBeFocused();
    await expectAccessible(page, form);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.keyboard.press("Escape");
    await expect(form).toBeHidden();
  }

  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole("button", { name: "Add Super Admin" }).click();
  await expect(form.getByLabel(/^Name/)).toBeFocused();
  for (const text of [...Object.values(NEW), "not mine"]) {
    await page.keyboard.type(text);
    await page.keyboard.press(text === "not mine" ? "Enter" : "Tab");
  }
  const password = form.getByLabel(/^Your password/);
  await expect(form).toContainText("Your password is incorrect");
  await expect(password).toBeFocused();
  await password.fill(accounts.admin.password);
  await page.keyboard.press("Enter");
  const credentials = page.getByRole("dialog", { name: "Sign-In" });
  await expect(credentials.getByRole("status")).toHaveText("The Super Admin meera was added.");
  const generated = (await credentials.locator("code").last().textContent()) ?? "";
  expect(generated.length).toBeGreaterThanOrEqual(8);
  await page.keyboard.press("Escape");
  await expect(credentials).toBeVisible();
  await credentials.getByRole("button", { name: "Done" }).click();
  const meera = rows.filter({ hasText: NEW.Email });
  await expect(meera).toContainText("Not signed in");
  await expect(meera).toContainText("Password not chosen yet");

  const hers = await openBrowser();
  await signInWith(hers, { username: NEW.Username, password: generated });
  await hers.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Partners" }).click();
  await expect(hers.getByRole("button", { name: "Super Admins" })).toBeVisible();

  await meera.getByRole("button", { name: `Remove ${NEW.Name}` }).click();
  const removal = page.getByRole("dialog", { name: "Remove Super Admin" });
  await removal.getByLabel(/^Your password/).fill(accounts.admin.password);
  await page.keyboard.press("Enter");
  await expectToast(page, "Super Admin Removed", "The Super Admin meera was removed and signed out.");
  await expect(rows).toHaveCount(2);
  await expect(hers.getByLabel("Username")).toBeVisible();
});
