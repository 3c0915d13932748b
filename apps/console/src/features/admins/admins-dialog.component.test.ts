import { type Admin, adminList, createAdmin, resetAdminPassword } from "@suncrew/contract/admins/admins.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectContains, expectCount, expectToast, pressRetry } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";

const meera: Admin = {
  id: 41,
  username: "meera",
  name: "Meera Iyer",
  email: "",
  created_at: "2026-01-05T06:00:00.000Z",
  password_until: null,
  signed_in_at: null,
};
const dialog = page.getByRole("dialog", { name: "Super Admins" });
const rows = dialog.getByRole("row");

test("§6 Super Admins: a list that cannot be loaded says so and can be retried, and a thousand accounts stay fast", async () => {
  when(adminList).fail(503, { message: "The database is unreachable." });
  await openConsole("/partners?dialog=admins");
  await expectContains(dialog, "The Super Admins could not be loaded.");
  const many = Array.from({ length: 1_000 }, (_, nth) => ({ ...meera, id: 100 + nth, username: `meera${nth}` }));
  await pressRetry(() => when(adminList).answer(many), rows.filter({ hasText: "meera0" }), dialog);
  expect(rows.elements().length).toBeLessThan(60);
});

test("§6 Super Admins: a refusal is shown at its field, or in a toast, and no input is lost", async () => {
  when(adminList).answer([meera]);
  const message = "Somebody already has the username meera.";
  when(createAdmin).fail(409, { message, errors: [{ field: "username", message }] });
  await openConsole("/partners?dialog=admins");
  await dialog.getByRole("button", { name: "Add Super Admin" }).click();
  const form = page.getByRole("dialog", { name: "Add Super Admin" });
  await form.getByLabelText(/^Name/).fill("Meera Nair");
  await form.getByLabelText(/^Username/).fill("mee ra");
  await form.getByLabelText(/^Your password/).fill("morning sun 42");
  await userEvent.keyboard("{Enter}");
  await expectContains(form, "A username has no spaces");
  await form.getByLabelText(/^Username/).fill("meera");
  await userEvent.keyboard("{Enter}");
  await expectContains(form, message);
  await expect.element(form.getByLabelText(/^Username/)).toHaveFocus();
  await expect.element(form.getByLabelText(/^Your password/)).toHaveValue("morning sun 42");
  when(createAdmin).fail(429, { message: "Too many wrong passwords. Try again in 15 minutes." });
  await userEvent.keyboard("{Enter}");
  await expectToast("Super Admin Not Added", "Nobody was added.", "Too many wrong passwords. Try again in 15 minutes.");
});

test("§6 Super Admins: a new password is shown once, and only Done closes it", async () => {
  when(adminList).answer([meera]);
  const credentials = { username: "meera", password: "sc3z-8q7w-tvn4-nx9w" };
  when(resetAdminPassword).answer({ message: "meera has a new password and was signed out.", credentials });
  await openConsole("/partners?dialog=admins");
  await dialog.getByRole("button", { name: "Reset the password of Meera Iyer" }).click();
  const form = page.getByRole("dialog", { name: "Reset Password" });
  await form.getByLabelText(/^Your password/).fill("morning sun 42");
  await userEvent.keyboard("{Enter}");
  const signInDialog = page.getByRole("dialog", { name: "Sign-In" });
  await expectContains(signInDialog, credentials.password);
  await userEvent.keyboard("{Escape}");
  await expectContains(signInDialog, credentials.password);
  await signInDialog.getByRole("button", { name: "Done" }).click();
  await expectCount(page.getByText(credentials.password), 0);
  await expect.element(rows.filter({ hasText: "Meera Iyer" })).toBeVisible();
});

test("§6 Super Admins: a partner cannot reach them", async () => {
  await openConsole("/sites?dialog=admins", "partner");
  await expect.element(page.getByRole("heading", { name: "Site Management" })).toBeVisible();
  await expectCount(page.getByText("Super Admins"), 0);
});
