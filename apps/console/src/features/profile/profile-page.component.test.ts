import { changePassword } from "@suncrew/contract/auth/auth.ts";
import { createWallboardLink, wallboardLinks } from "@suncrew/contract/wallboard/wallboard.ts";
import { PASSWORD_COMMON } from "@suncrew/domain/auth/passwords.ts";
import { describe, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectCount,
  expectNoToast,
  expectNoToastOf,
  expectText,
  expectToast,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";

const NEW = "evening rain 77";

const newPassword = page.getByLabelText("New password", { exact: true });
const again = page.getByLabelText("Confirm new password", { exact: true });
const submit = page.getByRole("button", { name: /Update Password|Updating\.\.\./ });

async function fillIn(current: string): Promise<void> {
  await page.getByLabelText("Current password", { exact: true }).fill(current);
  await newPassword.fill(NEW);
  await again.fill(NEW);
}

for (const { account, role } of [
  { account: "admin", role: "Super Admin" },
  { account: "partner", role: "Partner" },
] as const) {
  describe(`as ${role}`, () => {
    test("§8 a change that fails: 'Update Failed', with the server's reason if it gives one; no input is lost", async () => {
      const sentence = "Failed to update password. Please check your current password.";
      const waiting = "Too many wrong passwords. Try again in 15 minutes.";
      await openConsole("/profile", account);
      for (const { prepare, lines } of [
        { prepare: () => when(changePassword).fail(429, { message: waiting }), lines: [sentence, waiting] },
        {
          prepare: () => when(changePassword).answerOddly(() => new Response("<html></html>", { status: 502 })),
          lines: [sentence],
        },
        { prepare: () => when(changePassword).offline(), lines: [sentence] },
      ]) {
        const sent = prepare();
        await fillIn("right");
        await submit.click();
        await expect.poll(() => sent.length).toBe(1);
        await expectToast("Update Failed", ...lines);
        await expect.element(newPassword).toHaveValue(NEW);
        await expectText(submit, "Update Password");
      }
      await expectAddress(/^\/profile$/);
    });

    test("§5 Change password: a message for every invalid input, and no call is made", async () => {
      const sent = when(changePassword).answer({ message: "Password updated" });
      const current = page.getByLabelText("Current password", { exact: true });
      const required = page.getByText("Current password is required", { exact: true });
      await openConsole("/profile", account);
      await submit.click();
      await expect.element(required).toBeVisible();
      await expect.element(page.getByText("New password must be at least 8 characters", { exact: true })).toBeVisible();
      await expect.element(current).toHaveFocus();
      await expect.element(current).toHaveAttribute("aria-invalid", "true");
      await expectNoToast();

      await current.fill("x");
      await newPassword.fill("1234567");
      await again.fill("1234567");
      await expectCount(required, 0);
      await submit.click();
      await expectToast("Password Too Short", "Password must be at least 8 characters long.");
      await expect.element(newPassword).toHaveFocus();

      await newPassword.fill("12345678");
      await again.fill("12345679");
      await submit.click();
      await expectToast("Password Mismatch", "New password and confirmation don't match.");
      // Submitting again removes the earlier message.
      await expectNoToastOf("Password Too Short");
      await expect.element(again).toHaveFocus();
      expect(sent).toEqual([]);
    });
  });
}

test("§5 Change password: a new password that the server knows to be common is reported at its field", async () => {
  when(changePassword).fail(400, {
    message: PASSWORD_COMMON,
    errors: [{ field: "newPassword", message: PASSWORD_COMMON }],
  });
  await openConsole("/profile", "partner");
  await fillIn("brass-lamp-41");
  await submit.click();
  await expect.element(page.getByText(PASSWORD_COMMON).first()).toBeVisible();
  await expect.element(newPassword).toHaveAccessibleDescription(PASSWORD_COMMON);
  await expect.element(newPassword).toHaveFocus();
});

test("§5 Change password: pressing Enter repeatedly changes it once; the button shows that it is busy", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const sent = when(changePassword).answer(() => released.then(() => ({ message: "Password updated" })));
  await openConsole("/profile", "partner");
  await fillIn("brass-lamp-41");
  again.element().focus();
  for (let press = 0; press < 3; press += 1) await userEvent.keyboard("{Enter}");
  await expectText(submit, "Updating...");
  release();
  await expectToast("Password Updated", "Your password has been changed. Everywhere else you have been signed out.");
  await expectText(submit, "Update Password");
  expect(sent).toHaveLength(1);
});

test("§5 Change password: whoever has links to wallboards is told that they still work, and led to them", async () => {
  const sent = when(changePassword).answer({ message: "Password updated", wallboard_links: 2 });
  const link = { made_by: "Vikram Mehta", created_at: new Date().toISOString(), last_used_at: null };
  when(wallboardLinks).answer([
    { ...link, id: 1, name: "Control room" },
    { ...link, id: 2, name: "Canteen" },
  ]);
  await openConsole("/profile", "admin");
  await fillIn("brass-lamp-41");
  await submit.click();
  const notice = page.getByRole("alert").filter({ hasText: "2 wallboard links of yours still show your sites." });
  await expect.element(notice).toBeVisible();
  await expectAccessible();
  await notice.getByRole("button", { name: "Review them" }).click();
  const dialog = page.getByRole("dialog", { name: "Wallboard Links" });
  await expect.element(dialog.getByText("Canteen")).toBeVisible();

  when(createWallboardLink).answer({ message: "Made.", linkId: 3, token: "token" });
  await dialog.getByRole("textbox", { name: "Name of the screen" }).fill("Gate");
  await dialog.getByRole("button", { name: "Make Link" }).click();
  await expect.element(dialog.getByText("The link to Gate was made.")).toBeVisible();
  await expectCount(page.getByText("Current password is required"), 0);
  expect(dialog.element().contains(document.activeElement)).toBe(true);
  expect(sent).toHaveLength(1);
});

test("§5 Change password: whoever has no links to wallboards reads nothing about them", async () => {
  when(changePassword).answer({ message: "Password updated" });
  await openConsole("/profile", "partner");
  await fillIn("brass-lamp-41");
  await submit.click();
  await expectToast("Password Updated", "Your password has been changed. Everywhere else you have been signed out.");
  await expectCount(page.getByText("wallboard link"), 0);
});
