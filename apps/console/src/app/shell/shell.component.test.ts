import { changePassword, login } from "@suncrew/contract/auth/auth.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectAddress, expectCount, expectNoSidewaysScroll } from "../../../test/expectations.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";
import { openConsole, signInOf } from "../../../test/open-console.tsx";

test("a lost live connection shows a banner and recovers by itself", async () => {
  when(live).offline();
  await openConsole("/dashboard");
  const banner = page.getByText("Live updates are interrupted. Reconnecting...");
  await expect.element(banner).toBeVisible();
  await expectAccessible();
  when(live).answerAsUsual();
  await expectCount(banner, 0);
  await expect.element(page.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
});

for (const theme of ["light", "dark"] as const) {
  test(`a generated password is announced on every page until its owner has chosen one (${theme})`, async () => {
    when(login).answer({ ...signInOf("partner"), password_until: "2026-12-07T06:30:00.000Z" });
    when(changePassword).answer({ message: "Password updated successfully" });
    await openConsole("/", null);
    chooseTheme(theme);
    await page.getByLabelText("Username").fill("partner");
    await page.getByLabelText("Password", { exact: true }).fill("k7wp-9mtx-2rhd-b8vq");
    await page.getByRole("button", { name: "Sign In" }).click();
    const notice = page.getByText("Your password was generated and signs you in until 7 Dec 2026.");
    for (const width of [390, 1440]) {
      await page.viewport(width, 800);
      await expect.element(notice).toBeVisible();
      await expectNoSidewaysScroll();
      await expectAccessible();
    }
    await page.getByRole("link", { name: "Choose your own" }).click();
    await expectAddress(/^\/profile$/);
    await page.getByLabelText("Current password", { exact: true }).fill("k7wp-9mtx-2rhd-b8vq");
    await page.getByLabelText("New password", { exact: true }).fill("evening rain 77");
    await page.getByLabelText("Confirm new password", { exact: true }).fill("evening rain 77");
    await page.getByRole("button", { name: "Update Password" }).click();
    await expectCount(notice, 0);
  });
}
